// Reads JSON from files and other processes safely. The JSON library alone copies nested values by
// recursion, so deep nesting overflows the stack, and it truncates numbers that don't fit.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "common/contract/errors.hpp"

namespace sortlab {

/// Parses `text`. Json is nlohmann::json, or ordered_json to keep the order of keys. Throws
/// BadInput with the reason and the place in the text, without a file name.
template <class Json>
Json parse_json(std::string_view text) try {
  constexpr int kMostLevels = 100;
  const auto not_too_deep = [](int level, typename Json::parse_event_t, Json&) {
    if (level > kMostLevels) throw BadInput("nested deeper than 100 levels");
    return true;
  };
  return Json::parse(text, not_too_deep);
} catch (const nlohmann::json::exception& error) {
  const std::string_view what =
      error.what();  // "[json.exception.parse_error.101] parse error at ..."
  throw BadInput("not JSON: " + std::string(what.substr(what.find(']') + 2)));
}

/// `value` as a whole number from `least` to `most`. Throws nlohmann::json::exception for anything
/// else.
template <class Int>
Int whole_of(const nlohmann::json& value, Int least = std::numeric_limits<Int>::min(),
             Int most = std::numeric_limits<Int>::max()) {
  const auto is_between = [&](auto number) {
    return std::cmp_greater_equal(number, least) && std::cmp_less_equal(number, most);
  };
  if (value.is_number_unsigned() && is_between(value.get<std::uint64_t>())) return value.get<Int>();
  if (value.is_number_integer() && !value.is_number_unsigned() &&
      is_between(value.get<std::int64_t>())) {
    return value.get<Int>();
  }
  return nlohmann::json("no whole number that fits").get<Int>();  // throws
}

}  // namespace sortlab
