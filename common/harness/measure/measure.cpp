#include "common/harness/measure/measure.hpp"

#include <fmt/format.h>

#include <exception>
#include <new>

#include "common/contract/errors.hpp"
#include "common/harness/measure/nvtx.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/rig/energy.hpp"
#include "common/harness/rig/heap_meter.hpp"
#include "common/harness/rig/rig.hpp"
#include "common/timers.hpp"

namespace sortlab {
namespace {

/// The first sort, which is not timed: it warms caches, pages and thread pools, and its heap use is
/// metered. Returns the extra memory in bytes, when it can be known: what a sort allocates on a GPU
/// for itself can't.
std::optional<std::int64_t> warm_up(const Config& config, Rig& rig, const Input& input) {
  const NvtxRange range("warm up");
  Sample untimed;
  rig.restore(input);
  if (variant_of(config).info.memory == Memory::device) {
    rig.sort(untimed);
    if (config.temp_policy != TempPolicy::prealloc) return std::nullopt;
    return static_cast<std::int64_t>(rig.lent_bytes());
  }
  HeapMeter::start();
  rig.sort(untimed);
  const auto heap_bytes = HeapMeter::peak_bytes();
  // A core that has not used its widest vectors for a while runs them slowly at first.
  for (const Stopwatch watch; watch.elapsed_s() < 0.002;) {
    rig.restore(input);
    rig.sort(untimed);
  }
  if (!heap_bytes) return std::nullopt;
  return static_cast<std::int64_t>(rig.lent_bytes() + *heap_bytes);
}

/// Sorts shorter than this feel it when a core has not used its widest vectors for some tens of
/// microseconds, as while a result is checked: it runs them at a fraction of their speed at first.
constexpr std::int64_t kShort_ns = 50'000;

/// Sorts other versions of the input for as long, untimed: what is measured next is what a program
/// finds that sorts again and again.
void wake_vectors(Rig& rig, const InputPool& inputs, int rep) {
  const NvtxRange range("wake vectors");
  Sample untimed;
  for (const Stopwatch watch; watch.elapsed_ns() < kShort_ns;) {
    rig.restore(inputs.version(++rep));
    rig.sort(untimed);
  }
}

/// Restores, sorts and verifies once.
Sample take_sample(const Config& config, Rig& rig, const Input& input) {
  Sample sample;
  {
    const NvtxRange range("restore");
    rig.restore(input);
    if (config.cache == CacheState::cold) rig.flush_caches();
  }
  {
    const NvtxRange range("sort");
    rig.sort(sample);
  }
  rig.read_sensors(sample);
  const NvtxRange range("verify");
  sample.verdict = rig.verdict(input);
  return sample;
}

/// The time that a configuration's figures are about, as in its summary.
double figure_of(const Config& config, const Sample& sample) {
  const bool with_copies = config.host_mem != HostMem::none;
  return static_cast<double>(with_copies ? sample.total_ns
                                         : sample.kernel_ns.value_or(sample.total_ns));
}

/// After so many a GPU that is always throttled would go on for ever.
constexpr int kMostDiscarded = 100;

std::string note_of_discarded(int discarded) {
  return discarded == 0 ? "" : fmt::format("; {} throttled samples discarded", discarded);
}

Outcome take_samples(const Config& config, const StopSettings& stop, const InputPool& inputs,
                     const SampleSink& sink) {
  const NvtxRange range(config.benchmark_name().c_str());
  const auto rig = make_rig(config);
  const Surroundings around = surroundings();
  const auto peak_temp_bytes = warm_up(config, *rig, inputs.version(0));
  const Energy energy = config.energy ? energy_of_a_sort(*rig, inputs) : Energy{};
  StopRule rule(stop);
  const Stopwatch whole;
  const bool wakes =
      variant_of(config).info.memory == Memory::host && config.cache != CacheState::cold;
  bool was_short = false;
  int discarded = 0;
  for (int rep = 0;;) {
    if (wakes && was_short) wake_vectors(*rig, inputs, rep);
    Sample sample = take_sample(config, *rig, inputs.version(rep));
    sample.rep = rep;
    sample.around = around;
    sample.peak_temp_bytes = peak_temp_bytes;
    sample.gpu_joules = energy.gpu;
    sample.cpu_joules = energy.cpu;
    was_short = sample.total_ns < kShort_ns;
    const std::string fault = fault_of(*rig, sample.verdict);
    if (!fault.empty()) {
      sample.failed = true;
      sample.stop_reason = fault;
      sink(sample);
      return {Status::failed, fault};
    }
    if (!sample.throttled_by.empty()) {
      if (++discarded < kMostDiscarded) continue;
      return {Status::failed, fmt::format("throttled ({}): {} samples discarded, {} kept",
                                          sample.throttled_by, discarded, rep)};
    }
    ++rep;
    if (const auto enough = rule.after(figure_of(config, sample), whole.elapsed_s())) {
      sample.stop_reason = std::string(*enough) + note_of_discarded(discarded);
      sink(sample);
      return {};
    }
    sink(sample);
  }
}

}  // namespace

Outcome measure(const Config& config, const StopSettings& stop, InputPool& inputs,
                const SampleSink& sink) {
  return outcome_of([&]() -> Outcome {
    if (const std::string reason = lacks_memory(config); !reason.empty()) {
      return {Status::skipped, reason};
    }
    inputs.prepare(config);
    return take_samples(config, stop, inputs, sink);
  });
}

Outcome outcome_of(const std::function<Outcome()>& work) try {
  return work();
} catch (const OutOfDeviceMemory& error) {
  return {Status::oom, error.what()};
} catch (const NotCapturable& error) {
  return {Status::skipped, error.what()};
} catch (const BadInput& error) {  // a parameter that does not fit this n or this machine
  return {Status::skipped, error.what()};
} catch (const std::bad_alloc&) {
  return {Status::oom, "an allocation failed"};
} catch (const std::exception& error) {
  return {Status::failed, error.what()};
}

}  // namespace sortlab
