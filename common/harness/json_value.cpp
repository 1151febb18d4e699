#include "common/harness/json_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/choose/json_reading.hpp"
#include "common/contract/read_file.hpp"
#include "common/harness/bad_input.hpp"

namespace sortlab {

using nlohmann::json;

JsonValue JsonValue::of_file(const std::string& path) { return of_text(path, read_file(path)); }

JsonValue JsonValue::of_text(const std::string& name, std::string_view text) try {
  return {name, "", parse_json<nlohmann::json>(text)};
} catch (const BadInput& error) {
  throw bad_input("{}: {}", name, error.what());
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::members() const {
  if (!value_.is_object()) throw unlike("an object {...}");
  std::vector<std::pair<std::string, JsonValue>> all;
  for (const auto& [name, value] : value_.items()) {
    all.emplace_back(name, JsonValue(file_, place_.empty() ? name : place_ + '.' + name, value));
  }
  return all;
}

void JsonValue::read(const std::vector<Reader>& readers, Others others) const {
  std::vector<std::string> known;
  for (const auto& [name, reader] : readers) known.push_back(name);
  for (const auto& [name, value] : members()) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found != known.end()) {
      readers[static_cast<std::size_t>(found - known.begin())].second(value);
    } else if (others == Others::refused) {
      throw complaint(unknown_name("key", name, known).what());
    }
  }
}

std::vector<JsonValue> JsonValue::elements() const {
  if (!value_.is_array()) throw unlike("a list [...]");
  std::vector<JsonValue> all;
  for (std::size_t i = 0; i < value_.size(); ++i) {
    all.push_back(JsonValue(file_, fmt::format("{}[{}]", place_, i), value_[i]));
  }
  return all;
}

std::string JsonValue::text() const {
  if (!value_.is_string()) throw unlike("a string");
  return value_.get<std::string>();
}

std::vector<std::string> JsonValue::texts() const {
  if (value_.is_string()) return {text()};
  if (!value_.is_array()) throw unlike("a string or a list of strings");
  std::vector<std::string> all;
  for (const auto& element : elements()) all.push_back(element.text());
  return all;
}

double JsonValue::number() const {
  if (!value_.is_number()) throw unlike("a number");
  return value_.get<double>();
}

bool JsonValue::truth() const {
  if (!value_.is_boolean()) throw unlike("true or false");
  return value_.get<bool>();
}

BadInput JsonValue::complaint(const std::string& what) const {
  return bad_input("{}: {}{}", file_, place_.empty() ? "" : place_ + ": ", what);
}

BadInput JsonValue::unlike(const std::string& expected) const {
  constexpr std::size_t kShown = 40;
  std::string found = value_.dump(-1, ' ', true, json::error_handler_t::replace);
  if (found.size() > kShown) found = found.substr(0, kShown) + "...";
  return complaint(fmt::format("expected {}, found {}", expected, found));
}

bool is_utf8(const std::string& text) try {
  (void)nlohmann::json(text).dump();
  return true;
} catch (const nlohmann::json::type_error&) {
  return false;
}

}  // namespace sortlab
