#include "common/harness/plan/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "common/harness/bad_input.hpp"
#include "common/harness/plan/counts.hpp"

namespace sortlab {

Assignments parse_assignments(const std::string& text) {
  Assignments assignments;
  for (const auto part : split(text, ',')) {
    const auto equals = part.find('=');
    std::int64_t value = 0;
    const char* const begin = part.data() + std::min(equals + 1, part.size());
    const char* const end = part.data() + part.size();
    const auto parsed = std::from_chars(begin, end, value);
    if (equals == std::string_view::npos || equals == 0 || parsed.ec != std::errc{} ||
        parsed.ptr != end) {
      throw bad_input("--param {}: '{}' is not name=integer", text, part);
    }
    assignments[std::string(part.substr(0, equals))] = value;
  }
  return assignments;
}

void check_assignments(const Assignments& assignments,
                       const std::vector<const Variant*>& variants) {
  for (const auto& [name, value] : assignments) {
    std::vector<std::string> known;
    for (const Variant* variant : variants) {
      for (const auto& spec : variant->info.params) {
        known.emplace_back(spec.name);
        if (spec.name == name && (value < spec.min || value > spec.max)) {
          throw bad_input("--param {}={}: {} takes {} to {}", name, value, variant->id, spec.min,
                          spec.max);
        }
      }
    }
    if (known.empty()) {
      throw bad_input("--param {}: none of the selected variants has parameters", name);
    }
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    (void)index_of_name("parameter of the selected variants", name, known);
  }
}

std::string params_text(const Variant& variant, const Assignments& assignments) {
  std::string text;
  for (const auto& spec : variant.info.params) {
    const auto set = assignments.find(spec.name);
    const std::int64_t value = set == assignments.end() ? spec.fallback : set->second;
    text += fmt::format("{}{}={}", text.empty() ? "" : ";", spec.name, value);
  }
  return text;
}

}  // namespace sortlab
