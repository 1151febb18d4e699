#include "common/harness/measure/sample.hpp"

#include <nlohmann/json.hpp>
#include <type_traits>

#include "common/choose/json_reading.hpp"

namespace sortlab {
namespace {

template <class T>
void put(nlohmann::json& json, const char* name, const std::optional<T>& value) {
  if (value) json[name] = *value;
}

template <class T>
void get(const nlohmann::json& json, const char* name, std::optional<T>& value) {
  const auto found = json.find(name);
  if (found == json.end()) return;
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    value = whole_of<T>(*found);
  } else {
    value = found->template get<T>();
  }
}

/// Calls f(name, member) for each optional member of a sample.
template <class SampleRef, class F>
void for_each_optional(SampleRef& s, F f) {
  f("alloc_ns", s.alloc_ns);
  f("h2d_ns", s.h2d_ns);
  f("kernel_ns", s.kernel_ns);
  f("host_ns", s.host_ns);
  f("d2h_ns", s.d2h_ns);
  f("exchange_ns", s.exchange_ns);
  f("exchange_bytes", s.exchange_bytes);
  f("imbalance", s.imbalance);
  f("launches", s.launches);
  f("peak_temp_bytes", s.peak_temp_bytes);
  f("gpu_joules", s.gpu_joules);
  f("cpu_joules", s.cpu_joules);
  for (std::size_t i = 0; i < kCounterNames.size(); ++i) f(kCounterNames[i], s.counters[i]);
  f("sm_mhz", s.sm_mhz);
  f("load_1min", s.around.load_1min);
  f("cpu_quota", s.around.cpu_quota);
  f("stable_ok", s.verdict.stable);
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
  json = {{"rep", s.rep},
          {"total_ns", s.total_ns},
          {"cpu_list", s.around.cpu_list},
          {"sorted_ok", s.verdict.sorted},
          {"permutation_ok", s.verdict.permutation},
          {"failed", s.failed},
          {"stop_reason", s.stop_reason}};
  for_each_optional(s, [&](const char* name, const auto& value) { put(json, name, value); });
}

void from_json(const nlohmann::json& json, Sample& s) {
  s.rep = whole_of<int>(json.at("rep"));
  s.total_ns = whole_of<std::int64_t>(json.at("total_ns"));
  json.at("cpu_list").get_to(s.around.cpu_list);
  json.at("sorted_ok").get_to(s.verdict.sorted);
  json.at("permutation_ok").get_to(s.verdict.permutation);
  json.at("failed").get_to(s.failed);
  json.at("stop_reason").get_to(s.stop_reason);
  for_each_optional(s, [&](const char* name, auto& value) { get(json, name, value); });
}

bool is_possible(const Sample& s) {
  bool possible = s.rep >= 0 && s.total_ns >= 0;
  for_each_optional(s, [&](const char*, const auto& value) {
    if (value && static_cast<double>(*value) < 0) possible = false;
  });
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
