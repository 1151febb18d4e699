#include "common/harness/measure/sampler.hpp"

#include <fmt/format.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "common/harness/rig/counters.hpp"
#include "common/harness/rig/heap_meter.hpp"
#include "common/harness/run/interrupt.hpp"
#include "common/timers.hpp"

namespace sortlab {
namespace {

/// A core that has not used its widest vectors for some tens of microseconds, for example during
/// verification, first runs them at reduced speed. This slows sorts that are shorter than this.
constexpr std::int64_t kShort_ns = 50'000;

/// Without this limit, a GPU that is always throttled would never finish.
constexpr int kMostDiscarded = 100;

}  // namespace

Sampler::Sampler(const Task& task, const Setup& setup, const InputPool& inputs)
    : task_(task), inputs_(inputs), rig_(make_rig(task, setup)), around_(surroundings()) {
  warm_up();
  if (task.over_ranks()) return;  // which sort in step, and not as long as one likes
  if (task.config.energy) energy_ = energy_of_a_sort(*rig_, inputs);
  if (task.config.counters && !task.uses_gpu()) {
    counters_ = counters_of_a_sort(*rig_, inputs, task.config.cache);
  }
}

/// Sorts untimed: once, to warm caches, pages and thread pools and to measure the heap's use, then for 2 ms, but not over
/// ranks. The extra memory of a sort over ranks, or that allocates on a GPU, by itself stays unknown.
void Sampler::warm_up() {
  const NvtxRange range("warm up");
  const Input& input = inputs_.version(0);
  Sample untimed;
  rig_->restore(input);
  if (task_.uses_gpu() || task_.over_ranks()) {
    rig_->sort(untimed);
    if (task_.config.temp_policy == TempPolicy::prealloc) {
      peak_temp_bytes_ = static_cast<std::int64_t>(rig_->provided_bytes());
    }
    if (task_.over_ranks()) return;
  } else {
    HeapMeter::start();
    rig_->sort(untimed);
    if (const auto heap_bytes = HeapMeter::peak_bytes()) {
      peak_temp_bytes_ = static_cast<std::int64_t>(rig_->provided_bytes() + *heap_bytes);
    }
  }
  // A core then runs its widest vectors at full speed, and launches are as fast as in a program that
  // sorts repeatedly.
  for (const Stopwatch watch; watch.elapsed_s() < 0.002;) {
    rig_->restore(input);
    rig_->sort(untimed);
  }
}

/// Sorts other versions of the input, untimed, for at most the time of a short sort. The next
/// measured sort then runs as in a program that sorts repeatedly.
void Sampler::wake_vectors(int rep) {
  const NvtxRange range("wake vectors");
  Sample untimed;
  for (const Stopwatch watch; watch.elapsed_ns() < kShort_ns;) {
    rig_->restore(inputs_.version(++rep));
    rig_->sort(untimed);
  }
}

Sample Sampler::restore_sort_verify(const Input& input) {
  Sample sample;
  {
    const NvtxRange range("restore");
    rig_->restore(input);
    if (task_.config.cache == CacheState::cold) rig_->flush_caches();
  }
  {
    const NvtxRange range("sort");
    rig_->sort(sample);
  }
  rig_->read_sensors(sample);
  const NvtxRange range("verify");
  sample.verdict = rig_->verdict(input);
  return sample;
}

Sample Sampler::attempt(int rep) {
  const bool wakes =
      !task_.uses_gpu() && !task_.over_ranks() && task_.config.cache == CacheState::hot;
  if (wakes && was_short_) wake_vectors(rep);
  Sample sample = restore_sort_verify(inputs_.version(rep));
  was_short_ = sample.total_ns < kShort_ns;
  sample.rep = rep;
  sample.around = around_;
  sample.peak_temp_bytes = peak_temp_bytes_;
  sample.gpu_joules = energy_.gpu;
  sample.cpu_joules = energy_.cpu;
  sample.counters = counters_;
  sample.stop_reason = fault_of(*rig_, sample.verdict);
  sample.failed = !sample.stop_reason.empty();
  return sample;
}

/// Leaves a throttled device idle for a while, so that it cools; then sorts untimed until its clock is up
/// again.
void Sampler::recover(int rep) {
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  Sample untimed;
  for (const Stopwatch watch; watch.elapsed_s() < 0.02;) {
    rig_->restore(inputs_.version(++rep));
    rig_->sort(untimed);
  }
}

Sample Sampler::take(int rep) {
  while (true) {
    const std::int64_t paused_before_ns = paused_ns();
    Sample sample = attempt(rep);
    // A pause is in the sample's time.
    if (!sample.failed && rig_->agreed(paused_ns() != paused_before_ns)) continue;
    if (sample.failed || sample.throttled_by.empty()) return sample;
    if (++discarded_ < kMostDiscarded) {
      recover(rep);
      continue;
    }
    throw std::runtime_error(fmt::format("throttled ({}): {} samples discarded, {} kept",
                                         sample.throttled_by, discarded_, rep));
  }
}

double Sampler::figure_of(const Sample& sample) const {
  const bool with_copies = task_.config.host_mem != HostMem::none;
  return static_cast<double>(with_copies ? sample.total_ns
                                         : sample.kernel_ns.value_or(sample.total_ns));
}

}  // namespace sortlab
