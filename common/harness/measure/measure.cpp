#include "common/harness/measure/measure.hpp"

#include <fmt/format.h>

#include <exception>
#include <new>
#include <system_error>

#include "common/contract/errors.hpp"
#include "common/harness/input/lengths.hpp"
#include "common/harness/measure/sampler.hpp"
#include "common/harness/run/interrupt.hpp"

namespace sortlab {
namespace {

std::string note_of_discarded(int discarded) {
  return discarded == 0 ? "" : fmt::format("; {} throttled samples discarded", discarded);
}

}  // namespace

Outcome take_samples(const Task& task, const Setup& setup, const StopSettings& stop,
                     const InputPool& inputs, const SampleSink& sink) {
  const NvtxRange range(task.config.benchmark_name().c_str());
  Sampler sampler(task, setup, inputs);
  StopRule rule(stop);
  const WorkingTime whole;
  for (int rep = 0;; ++rep) {
    Sample sample = sampler.take(rep);
    if (sample.failed) {
      sink(sample);
      return {Status::failed, sample.stop_reason};
    }
    const auto enough = rule.after(sampler.figure_of(sample), whole.elapsed_s());
    if (enough) sample.stop_reason = std::string(*enough) + note_of_discarded(sampler.discarded());
    sink(sample);
    if (sampler.agreed(enough.has_value())) return {};
    if (interrupted()) return {Status::skipped, "interrupted"};
  }
}

Outcome measure(const Task& task, const StopSettings& stop, InputPool& inputs,
                const SampleSink& sink) {
  return outcome_of([&]() -> Outcome {
    const Config& config = task.config;
    if (config.n > 0 && !config.lengths.rule.empty() &&
        segments_of(config.lengths, config.n) == 0) {
      return {Status::skipped,
              fmt::format("n is {}: no row of {} is whole", config.n, text_of(config.lengths))};
    }
    const std::string reason = lacks_memory(task, inputs.make_room(config));
    if (!reason.empty()) return {Status::skipped, reason};
    inputs.prepare(config);
    return take_samples(task, {}, stop, inputs, sink);
  });
}

Outcome outcome_of(const std::function<Outcome()>& work) try {
  return work();
} catch (const OutOfDeviceMemory& error) {
  return {Status::oom, error.what()};
} catch (const NotCapturable& error) {
  return {Status::skipped, error.what()};
} catch (const Trouble& trouble) {
  return trouble.outcome;
} catch (const BadInput& error) {  // a parameter that does not fit this n or this machine
  return {Status::skipped, error.what()};
} catch (const std::bad_alloc&) {
  return {Status::oom, "an allocation failed"};
} catch (const std::system_error& error) {
  if (error.code() != std::errc::resource_unavailable_try_again) {
    return {Status::failed, error.what()};
  }
  return {Status::oom, "no thread could be started: ulimit -v or -u, or a limit on processes"};
} catch (const std::exception& error) {
  return {Status::failed, error.what()};
}

}  // namespace sortlab
