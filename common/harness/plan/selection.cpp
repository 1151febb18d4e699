#include "common/harness/plan/selection.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "common/choose/choice_table.hpp"
#include "common/harness/kinds/kinds.hpp"
#include "common/harness/plan/plan.hpp"
#include "common/harness/rig/device.hpp"

namespace sortlab {
namespace {

constexpr std::string_view kAuto = "@auto";

bool is_group(std::string_view filter) { return filter.ends_with(kAuto); }

/// Only sorts of the suite: a plug-in never chooses.
bool chooses(const Variant& variant) {
  return variant.algorithm() == "auto" && variant.plugin_file.empty();
}

bool sorts_records(const Variant& variant) {
  return variant.instance(KeyType::record, 0, Order::ascending) != nullptr;
}

/// Names the order, or the width of the values, where the variant has code for another one.
std::string no_code(const Variant& variant, const Config& config) {
  if (sorts_records(variant) && config.key_type != KeyType::record) {
    return "sorts records: say which with --record BYTES:KEY";
  }
  const std::string reason =
      fmt::format("has no code for {}{}", config.key_name(), config.has_pairs() ? " pairs" : "");
  const bool ascending = config.order == Order::ascending;
  const Order other = ascending ? Order::descending : Order::ascending;
  if (variant.instance(config.key_type, config.value_bytes, other) != nullptr) {
    return fmt::format("{} in {} order", reason, ascending ? "ascending" : "descending");
  }
  for (const Instance& i : variant.instances) {
    if (config.has_pairs() && i.value_bytes != 0 && i.key_type == config.key_type) {
      return fmt::format("{} with values of {} bytes, only of {}", reason, config.value_bytes,
                         i.value_bytes);
    }
  }
  return reason;
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

std::string skip_reason(const Variant& variant, const Config& config, const FileFacts& file) {
  if (const std::string reason = variant.unavailable(); !reason.empty()) return reason;
  if (variant.info.memory != Memory::host && !device_unavailable().empty()) {
    return device_unavailable();
  }
  if (const std::string reason = handling_of(variant).misfit(config); !reason.empty())
    return reason;
  const Instance* const instance =
      variant.instance(config.key_type, config.value_bytes, config.order);
  if (instance == nullptr) return no_code(variant, config);
  const bool any_floats = config.dist.name == "special" || file.needs_total_order;
  if (!instance->traits.total_order && is_floating(config.key_type) && any_floats) {
    return "does not order -0, +0 and NaNs as all others do";
  }
  if (config.launch == Launch::graph && !instance->traits.capturable) {
    return "can't be captured into a graph: the host decides what to launch next";
  }
  if (config.dist.name == "file" && config.n > file.keys) {
    return fmt::format("the file holds {} keys", file.keys);
  }
  const std::size_t value_bits = 8 * config.value_bytes;
  if (config.has_pairs() && value_bits < 64 && config.n >> value_bits != 0) {
    return fmt::format("{} values number no more than 2^{} - 1 items",
                       name_of_values(config.value_bytes), value_bits);
  }
  if (const Limit limit = variant.limit(config.dist.name); config.n > limit.max_n) {
    return fmt::format("n over {}: {}", limit.max_n, limit.reason);
  }
  if (config.dist.name == "special") return std::string(kCorrectnessOnly);
  return "";
}

}  // namespace sortlab
