#include "common/contract/numbers.hpp"

#include <charconv>
#include <cmath>

namespace sortlab {
namespace {

/// std::from_chars alone also accepts a text whose beginning is a number.
template <class Number>
std::optional<Number> parse_all(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::uint64_t> parse_whole(std::string_view text) {
  return parse_all<std::uint64_t>(text);
}

std::optional<double> parse_number(std::string_view text) {
  const auto number = parse_all<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

}  // namespace sortlab
