#include "common/harness/worker/measurer.hpp"

#include "common/harness/verify/check.hpp"

namespace sortlab {

Outcome InProcessMeasurer::measure(const Task& task, const SampleSink& sink) {
  return sortlab::measure(task, stop_, inputs_, sink);
}

Outcome InProcessMeasurer::check(const Task& task) {
  return outcome_of([&]() -> Outcome {
    const std::string reason = lacks_memory(task, task.input_bytes());
    if (!reason.empty()) return {Status::skipped, reason};
    const std::string fault = check_sort(task);
    return fault.empty() ? Outcome{} : Outcome{Status::failed, fault};
  });
}

}  // namespace sortlab
