#include "common/harness/plan/counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "common/contract/numbers.hpp"
#include "common/contract/usable_cpus.hpp"
#include "common/harness/bad_input.hpp"

namespace sortlab {
namespace {

/// The factor of a range of sizes: any number from 1.01 on, also written as a count (2, 1e3, 1K).
double parse_factor(std::string_view text, std::string_view range) {
  const auto number = parse_number(text);
  const double factor = number ? *number : static_cast<double>(parse_count(text));
  if (!(factor >= 1.01)) {
    throw bad_input("'{}' is no range: its factor is below 1.01", range);
  }
  return factor;
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::size_t> count_in(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc{}) return std::nullopt;
  if (parsed.ptr != end) {
    const auto power = std::string_view("KMG").find(*parsed.ptr);
    if (power == std::string_view::npos || parsed.ptr + 1 != end) return std::nullopt;
    value *= std::pow(1024.0, static_cast<double>(power + 1));
  }
  if (value < 0 || value > 9e15 || value != std::floor(value)) return std::nullopt;
  return static_cast<std::size_t>(value);
}

std::size_t parse_count(std::string_view text) {
  if (const auto count = count_in(text)) return *count;
  throw bad_input("'{}' is not a count: 1000, 1e6, 16K, 4M, 1G (powers of 1024)", text);
}

std::string count_text(std::size_t n) {
  for (const auto& [unit, suffix] : {std::pair{30, "G"}, {20, "M"}, {10, "K"}}) {
    if (n != 0 && n % (std::size_t{1} << unit) == 0) return fmt::format("{}{}", n >> unit, suffix);
  }
  return std::to_string(n);
}

int parse_thread_count(std::string_view text) {
  if (text == "all") return usable_cpus();
  const std::size_t count = count_in(text).value_or(0);
  if (count >= 1 && count <= 4096) return static_cast<int>(count);
  throw bad_input("--threads {}: a count from 1 to 4096, or all", text);
}

std::vector<std::size_t> parse_sizes(std::string_view text) {
  std::vector<std::size_t> sizes;
  for (const auto part : split(text, ',')) {
    const auto dots = part.find("..");
    if (dots == std::string_view::npos) {
      sizes.push_back(parse_count(part));
      continue;
    }
    std::string_view last_text = part.substr(dots + 2);
    double factor = 2;
    if (const auto star = last_text.find('*'); star != std::string_view::npos) {
      factor = parse_factor(last_text.substr(star + 1), part);
      last_text = last_text.substr(0, star);
    }
    const std::size_t first = parse_count(part.substr(0, dots));
    const std::size_t last = parse_count(last_text);
    if (first == 0 || first > last) {
      throw bad_input(
          "'{}' is no range: FIRST..LAST or FIRST..LAST*FACTOR, with "
          "0 < FIRST <= LAST and FACTOR >= 1.01",
          part);
    }
    for (double exact = static_cast<double>(first); exact <= static_cast<double>(last);
         exact *= factor) {
      const auto n = static_cast<std::size_t>(std::round(exact));
      if (exact == static_cast<double>(first) || n != sizes.back()) sizes.push_back(n);
    }
  }
  return sizes;
}

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
