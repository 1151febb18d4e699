#include "common/harness/measure/sample.hpp"

#include <nlohmann/json.hpp>
#include <type_traits>

#include "common/choose/json_reading.hpp"

namespace sortlab {
namespace {

template <class T>
void put(nlohmann::json& json, const char* name, const T& value) {
  json[name] = value;
}
template <class T>
void put(nlohmann::json& json, const char* name, const std::optional<T>& value) {
  if (value) json[name] = *value;
}

template <class T>
void get(const nlohmann::json& json, const char* name, T& value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    value = whole_of<T>(json.at(name));
  } else {
    json.at(name).get_to(value);
  }
}
template <class T>
void get(const nlohmann::json& json, const char* name, std::optional<T>& value) {
  if (json.contains(name)) get(json, name, value.emplace());
}

template <class T>
bool is_below_0(const T& value) {
  if constexpr (std::is_signed_v<T>) return value < T{0};
  return false;
}
template <class T>
bool is_below_0(const std::optional<T>& value) {
  return value && is_below_0(*value);
}

constexpr std::string_view kStatusNames[] = {"ok", "skipped", "failed", "timeout", "oom"};

/// The status of this name. Throws json::out_of_range for any other.
Status status_of(const std::string& name) {
  static const nlohmann::json statuses = [] {
    nlohmann::json by_name;
    for (const auto known : kStatusNames) by_name[std::string(known)] = by_name.size();
    return by_name;
  }();
  return static_cast<Status>(statuses.at(name).get<std::size_t>());
}

}  // namespace

std::string_view name_of(Status status) { return kStatusNames[static_cast<std::size_t>(status)]; }

void to_json(nlohmann::json& json, const Sample& s) {
  json = {{"failed", s.failed}, {"stop_reason", s.stop_reason}};
  for_each_column(s, [&](const char* name, const auto& value) { put(json, name, value); });
}

void from_json(const nlohmann::json& json, Sample& s) {
  json.at("failed").get_to(s.failed);
  json.at("stop_reason").get_to(s.stop_reason);
  for_each_column(s, [&](const char* name, auto& value) { get(json, name, value); });
}

bool is_possible(const Sample& s) {
  bool possible = true;
  for_each_column(s, [&](const char*, const auto& value) { possible &= !is_below_0(value); });
  return possible;
}

void to_json(nlohmann::json& json, const Outcome& outcome) {
  json = {{"status", std::string(name_of(outcome.status))}, {"reason", outcome.reason}};
}

void from_json(const nlohmann::json& json, Outcome& outcome) {
  outcome.status = status_of(json.at("status").get<std::string>());
  json.at("reason").get_to(outcome.reason);
}

}  // namespace sortlab
