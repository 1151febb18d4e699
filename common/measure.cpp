#include "common/measure.hpp"

#include <exception>
#include <new>

#include "common/heap_meter.hpp"
#include "common/rig.hpp"
#include "common/timers.hpp"

namespace sortlab {
namespace {

/// "" or what is wrong with a result.
std::string fault_of(Rig& rig, const Verdict& verdict) {
  if (const std::string overrun = rig.overrun(); !overrun.empty()) return overrun;
  if (!verdict.sorted) return "wrong result: not sorted";
  if (!verdict.permutation) return "wrong result: not a permutation of the input";
  if (verdict.stable == false) return "wrong result: equal keys changed places";
  return "";
}

/// The first sort, which is not timed: it warms caches, pages and thread pools, and its heap use is
/// metered. Returns the extra memory in bytes, when it can be known.
std::optional<std::int64_t> warm_up(Rig& rig, const Input& input) {
  Sample untimed;
  rig.restore(input);
  HeapMeter::start();
  rig.sort(untimed);
  const auto heap_bytes = HeapMeter::peak_bytes();
  if (!heap_bytes) return std::nullopt;
  return static_cast<std::int64_t>(rig.lent_bytes() + *heap_bytes);
}

Outcome take_samples(const Config& config, const StopSettings& stop, const InputPool& inputs,
                     const SampleSink& sink) {
  const auto rig = make_rig(config);
  const auto peak_temp_bytes = warm_up(*rig, inputs.version(0));
  StopRule rule(stop);
  const Stopwatch whole;
  for (int rep = 0;; ++rep) {
    const Input& input = inputs.version(rep);
    Sample sample;
    sample.rep = rep;
    sample.peak_temp_bytes = peak_temp_bytes;
    rig->restore(input);
    if (config.cache == "cold") rig->flush_caches();
    rig->sort(sample);
    sample.verdict = rig->verdict(input);
    const std::string fault = fault_of(*rig, sample.verdict);
    if (!fault.empty()) {
      sample.failed = true;
      sample.stop_reason = fault;
      sink(sample);
      return {Status::failed, fault};
    }
    if (const auto enough = rule.after(static_cast<double>(sample.total_ns), whole.elapsed_s())) {
      sample.stop_reason = *enough;
      sink(sample);
      return {};
    }
    sink(sample);
  }
}

}  // namespace

Outcome measure(const Config& config, const StopSettings& stop, InputPool& inputs,
                const SampleSink& sink) try {
  if (const std::string reason = lacks_memory(config); !reason.empty()) {
    return {Status::skipped, reason};
  }
  inputs.prepare(config);
  return take_samples(config, stop, inputs, sink);
} catch (const std::bad_alloc&) {
  return {Status::oom, "an allocation failed"};
} catch (const std::exception& error) {
  return {Status::failed, error.what()};
}

}  // namespace sortlab
