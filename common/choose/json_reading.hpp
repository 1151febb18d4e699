// JSON from files and from other processes, read with nothing left to chance: the library copies nested
// values by recursion, which ends the program when they are nested deeply, and cuts numbers that don't fit.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "common/contract/errors.hpp"

namespace sortlab {

/// The value that `text` is; Json: nlohmann::json, or ordered_json to keep the order of keys. Throws
/// BadInput, which says why and where in the text, but knows no file's name.
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

/// The whole number from `least` to `most` that `value` is. Throws nlohmann::json::exception for anything
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
