// Measuring sorts over ranks: the ranks are other processes, so that one that crashes, never ends or eats
// all memory costs one row and not the run.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "common/harness/ranks/launch.hpp"
#include "common/harness/worker/ask.hpp"
#include "common/harness/worker/measurer.hpp"

namespace sortlab {

/// As WorkerProcess for one process. Tasks that need as many ranks use the same ones; others, and the task
/// after a failure, get new ones.
class RankProcesses : public Measurer {
 public:
  RankProcesses(StopSettings stop, double timeout_s) : stop_(stop), timeout_s_(timeout_s) {}

  Outcome measure(const Task& task, const SampleSink& sink) override;
  Outcome check(const Task& task) override;
  void while_waiting(std::function<void()> work) override { while_waiting_ = std::move(work); }

  /// Where a launcher started this program beside others, these wait for it to join them: now, as it may
  /// never come to a sort that needs them. Throws std::runtime_error.
  void join_launcher();

 private:
  void start(const Config& config);
  Outcome ask_about(const Task& task, const nlohmann::json& request, const OnAnswer& on_answer);

  StopSettings stop_;
  double timeout_s_;
  std::function<void()> while_waiting_;
  int count_ = 0;
  int threads_ = 0;
  std::unique_ptr<LaunchedRanks> ranks_;
};

}  // namespace sortlab
