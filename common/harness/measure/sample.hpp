// The data of one measurement, on its way from the worker to the CSV.
#pragma once

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

}  // namespace sortlab
