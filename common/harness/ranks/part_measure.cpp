#include "common/harness/ranks/part_measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "common/harness/pause.hpp"
#include "common/harness/ranks/part_rig.hpp"

namespace sortlab {
namespace {

/// The rig of this part, or why one of the parts has none.
Outcome set_up(const Task& task, Communicator& parts, int versions, DeviceExchange* on_device,
               std::unique_ptr<PartRig>& rig) {
  const Outcome own = outcome_of([&]() -> Outcome {
    rig = std::make_unique<PartRig>(task, parts, versions, on_device);
    return {};
  });
  const Outcome trouble = first_trouble(parts, own);
  if (trouble.status == Status::ok) rig->share_alternates();
  return trouble;
}

std::int64_t sum_of_parts(Communicator& parts, std::size_t own) {
  std::uint64_t sum = own;
  parts.all_sum(std::span(&sum, 1));
  return static_cast<std::int64_t>(sum);
}

/// What part 0 says.
bool agreed(Communicator& parts, bool own) {
  return gathered(parts, static_cast<std::uint8_t>(own)).front() != 0;
}

}  // namespace

Outcome first_trouble(Communicator& parts, const Outcome& own) {
  struct Told {
    Status status;
    std::array<char, 240> reason;
  };
  Told told{own.status, {}};
  own.reason.copy(told.reason.data(), told.reason.size() - 1);
  const auto all = gathered(parts, told);
  for (std::size_t part = 0; part < all.size(); ++part) {
    if (all[part].status == Status::ok) continue;
    return {all[part].status, fmt::format("rank {}: {}", part, all[part].reason.data())};
  }
  return {};
}

Outcome measure_parts(const Task& task, Communicator& parts, const StopSettings& stop,
                      const SampleSink& sink, DeviceExchange* on_device) {
  std::unique_ptr<PartRig> rig;
  if (const Outcome trouble = set_up(task, parts, versions_of(task.config), on_device, rig);
      trouble.status != Status::ok) {
    return trouble;
  }
  const std::int64_t provided_bytes = sum_of_parts(parts, rig->provided_bytes());
  const Surroundings around = surroundings();
  Sample untimed;
  rig->restore(0);
  rig->sort(untimed);  // warms caches, pages and connections

  StopRule rule(stop);
  const WorkingTime whole;
  for (int rep = 0;;) {
    Sample sample;
    sample.rep = rep;
    sample.around = around;
    sample.peak_temp_bytes = provided_bytes;
    const std::int64_t paused_before_ns = paused_ns();
    rig->restore(rep);
    if (task.config.cache == CacheState::cold) rig->flush_caches();
    rig->sort(sample);
    rig->judge(sample);
    if (sample.failed) {
      if (parts.part() == 0) sink(sample);
      return {Status::failed, sample.stop_reason};
    }
    // A pause is in the sample's time.
    if (agreed(parts, paused_ns() != paused_before_ns)) continue;
    const auto enough = rule.after(static_cast<double>(sample.total_ns), whole.elapsed_s());
    if (enough) sample.stop_reason = std::string(*enough);
    if (parts.part() == 0) sink(sample);
    if (agreed(parts, enough.has_value())) return {};
    ++rep;
  }
}

Outcome check_parts(const Task& task, Communicator& parts, DeviceExchange* on_device) {
  std::unique_ptr<PartRig> rig;
  if (const Outcome trouble = set_up(task, parts, 1, on_device, rig);
      trouble.status != Status::ok) {
    return trouble;
  }
  Sample untimed;
  rig->restore(0);
  rig->sort(untimed);
  rig->judge(untimed);
  return untimed.failed ? Outcome{Status::failed, untimed.stop_reason} : Outcome{};
}

}  // namespace sortlab
