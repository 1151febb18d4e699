// A value in a user's JSON file. It knows its file and its place there, so that each error message
// names both and says what was expected: "m.json: runs[0].pin: expected true or false, found
// "yes"".
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/contract/errors.hpp"

namespace sortlab {

/// Every function throws BadInput for a value of another kind.
class JsonValue {
 public:
  /// Reads a whole file.
  static JsonValue of_file(const std::string& path);
  /// Reads a text, which errors call `name`.
  static JsonValue of_text(const std::string& name, std::string_view text);

  /// An object's members, in the order of their names.
  std::vector<std::pair<std::string, JsonValue>> members() const;
  /// Reads one of an object's members.
  using Reader = std::pair<std::string, std::function<void(const JsonValue&)>>;
  enum class Others { refused, passed_over };
  /// Reads the members that have a reader of their name.
  void read(const std::vector<Reader>& readers, Others others = Others::refused) const;
  /// A list's elements.
  std::vector<JsonValue> elements() const;

  std::string text() const;
  /// A string or a list of strings, as a list.
  std::vector<std::string> texts() const;
  double number() const;
  /// A whole number from `least` to `most`.
  template <class Int>
  Int whole(Int least, Int most) const {
    const bool is_whole = value_.is_number_unsigned() && value_ >= least && value_ <= most;
    if (!is_whole) throw unlike("a whole number from " + range(least, most));
    return value_.get<Int>();
  }
  bool truth() const;

  const nlohmann::json& json() const { return value_; }

  /// "FILE: PLACE: what"
  BadInput complaint(const std::string& what) const;

 private:
  JsonValue(std::string file, std::string place, nlohmann::json value)
      : file_(std::move(file)), place_(std::move(place)), value_(std::move(value)) {}

  template <class Int>
  static std::string range(Int least, Int most) {
    return std::to_string(least) + " to " + std::to_string(most);
  }

  BadInput unlike(const std::string& expected) const;

  std::string file_;
  std::string place_;  // "" for the whole file
  nlohmann::json value_;
};

bool is_utf8(const std::string& text);

}  // namespace sortlab
