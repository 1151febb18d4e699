#include "common/harness/plugin/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/contract/errors.hpp"
#include "common/harness/utf8.hpp"

namespace sortlab {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::size_t kMostSorts = 1000;

}  // namespace

std::string checked_name(std::string_view whose, const char* text) {
  const std::string name = text == nullptr ? "" : text;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  if (name.empty() || name.size() > kLongestName || !std::all_of(name.begin(), name.end(), fits)) {
    throw BadInput(fmt::format("{} name {} is not 1 to {} letters, digits, '_', '-' and '.'", whose,
                               nlohmann::json(name.substr(0, 2 * kLongestName))
                                   .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace),
                               kLongestName));
  }
  return name;
}

std::string checked_line(std::string_view what, const char* text) {
  const std::string line = text == nullptr ? "" : text;
  const bool control =
      std::any_of(line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; });
  if (control) throw BadInput(fmt::format("the {} is no single line", what));
  if (!is_utf8(line)) throw BadInput(fmt::format("the {} is no UTF-8", what));
  return line;
}

PluginDescription begin_description(const char* name, const char* version, std::size_t count) {
  PluginDescription description{checked_name("its", name), checked_line("version", version), {}};
  if (count == 0 || count > kMostSorts) {
    throw BadInput(fmt::format("it has {} sorts, not 1 to {}", count, kMostSorts));
  }
  return description;
}

void add_sort(PluginDescription& description, PluginSortFacts sort) {
  for (const auto& other : description.sorts) {
    if (other.name == sort.name) throw BadInput(fmt::format("it has two sorts '{}'", sort.name));
  }
  description.sorts.push_back(std::move(sort));
}

void check_bits(const std::string& sort, std::string_view what, std::uint32_t bits,
                std::uint32_t known, bool none_will_do) {
  const bool none = bits == 0;
  if ((none && none_will_do) || (!none && (bits & ~known) == 0)) return;
  throw BadInput(fmt::format("{} has {} {} ({:#x})", sort, none ? "no" : "unknown", what, bits));
}

}  // namespace sortlab
