// The data of one measurement, on its way from the worker to the CSV.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "common/harness/machine/cpu_share.hpp"
#include "common/harness/rig/counters.hpp"
#include "common/harness/verify/verify.hpp"

namespace sortlab {

/// One sample. Members that were not measured stay empty, in the CSV too. Times in nanoseconds.
struct Sample {
  int rep = 0;
  std::int64_t total_ns = 0;
  std::optional<std::int64_t> alloc_ns, h2d_ns, kernel_ns, host_ns, d2h_ns;
  std::optional<std::int64_t> exchange_ns, exchange_bytes;  // between parts
  std::optional<double> imbalance;  // items of the largest part over those of an even share
  std::optional<std::int64_t> launches;
  std::optional<std::int64_t> peak_temp_bytes;
  std::optional<double> gpu_joules, cpu_joules;
  Counters counters;
  std::optional<int> sm_mhz;
  Surroundings around;  // read once per configuration, before its first sort
  /// The number of CPUs that sortlab may use and that no other program keeps busy; programs of
  /// sortlab's own load count as others. Set by the measuring loop, not by the worker.
  std::optional<double> free_cpus;
  Verdict verdict;
  std::string throttled_by;  // why the device ran slower than it can; such a sample is discarded
  bool failed = false;       // a wrong result, or a write outside of the sort's memory
  std::string stop_reason;   // on a configuration's last sample: why it was the last
};

/// Whether the sample is plausible: no time, count or energy is below 0. A sort that writes into
/// the worker's connection may send any values.
bool is_possible(const Sample& sample);

enum class Status : std::uint8_t { ok, skipped, failed, timeout, oom };
std::string_view name_of(Status status);

/// How a configuration ended. `reason` is empty when it is ok.
struct Outcome {
  Status status = Status::ok;
  std::string reason;
};

/// The reason of an oom whose worker got SIGKILL from the system or from a user.
inline constexpr std::string_view kKilled = "killed, most likely for lack of memory";

void to_json(nlohmann::json& json, const Sample& sample);
void from_json(const nlohmann::json& json, Sample& sample);
void to_json(nlohmann::json& json, const Outcome& outcome);
void from_json(const nlohmann::json& json, Outcome& outcome);

// The columns of a sample. The CSV, its checks and the worker's messages go by this list.

/// Calls f(name, member) for each, in their order in the CSV.
template <class SampleRef, class F>
void for_each_column(SampleRef& s, F f) {
  f("rep", s.rep);
  f("total_ns", s.total_ns);
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
  f("gpu_J", s.gpu_joules);
  f("cpu_J", s.cpu_joules);
  for (std::size_t i = 0; i < kCounterNames.size(); ++i) f(kCounterNames[i], s.counters[i]);
  f("sm_mhz", s.sm_mhz);
  f("load_1min", s.around.load_1min);
  f("cpu_quota", s.around.cpu_quota);
  f("cpu_list", s.around.cpu_list);
  f("free_cpus", s.free_cpus);
  f("sorted_ok", s.verdict.sorted);
  f("permutation_ok", s.verdict.permutation);
  f("stable_ok", s.verdict.stable);
}

}  // namespace sortlab
