#include "common/harness/plan/groups.hpp"

#include <fnmatch.h>

#include <algorithm>

#include "common/choose/choice_table.hpp"

namespace sortlab {
namespace {

constexpr std::string_view kAuto = "@auto";

bool is_group(std::string_view filter) { return filter.ends_with(kAuto); }

/// Only sorts of the suite: a plug-in never chooses.
bool chooses(const Variant& variant) {
  return variant.algorithm() == "auto" && variant.plugin_file.empty();
}

}  // namespace

bool names(const std::string& filter, const Variant& variant) {
  if (!is_group(filter)) return fnmatch(filter.c_str(), variant.id.c_str(), 0) == 0;
  const std::string side = filter.substr(0, filter.size() - kAuto.size()) + "*";
  return fnmatch(side.c_str(), variant.id.c_str(), 0) == 0 &&
         (chooses(variant) || variant.info.candidate);
}

bool any_names(const std::vector<std::string>& filters, const Variant& variant, KeyType type,
               std::size_t value_bytes, std::size_t n) {
  const auto names_it = [&](const std::string& filter) {
    if (!names(filter, variant)) return false;
    return !is_group(filter) || chooses(variant) || is_candidate_at(variant, type, value_bytes, n);
  };
  return filters.empty() || std::any_of(filters.begin(), filters.end(), names_it);
}

}  // namespace sortlab
