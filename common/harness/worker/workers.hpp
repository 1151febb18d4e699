// The processes that measure for a run: one for sorts in one memory, and ranks for sorts over several.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "common/harness/ranks/rank_processes.hpp"
#include "common/harness/worker/worker.hpp"

namespace sortlab {

class Workers : public Measurer {
 public:
  Workers(StopSettings stop, double timeout_s) : one_(stop, timeout_s), ranks_(stop, timeout_s) {
    ranks_.join_launcher();
  }

  Outcome measure(const Task& task, const SampleSink& sink) override {
    return for_task(task).measure(task, sink);
  }
  Outcome check(const Task& task) override { return for_task(task).check(task); }
  void while_waiting(std::function<void()> work) override {
    one_.while_waiting(work);
    ranks_.while_waiting(std::move(work));
  }

 private:
  Measurer& for_task(const Task& task) {
    if (task.over_ranks()) return ranks_;
    return one_;
  }

  WorkerProcess one_;
  RankProcesses ranks_;
};

inline std::unique_ptr<Measurer> make_measurer(bool in_process, const StopSettings& stop,
                                               double timeout_s) {
  if (in_process) return std::make_unique<InProcessMeasurer>(stop);
  return std::make_unique<Workers>(stop, timeout_s);
}

}  // namespace sortlab
