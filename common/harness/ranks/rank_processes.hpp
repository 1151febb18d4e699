// Measuring sorts over ranks: the ranks are other processes, so that one that crashes, never ends or eats
// all memory costs one row and not the run.
#pragma once

#include <memory>

#include "common/harness/ranks/launch.hpp"
#include "common/harness/worker/ask.hpp"

namespace sortlab {

/// As WorkerProcess for one process. Tasks that need as many ranks use the same ones; others, and the task
/// after a failure, get new ones.
class RankProcesses : public AskingMeasurer {
 public:
  using AskingMeasurer::AskingMeasurer;

  /// Where a launcher started this program beside others, these wait for it to join them: now, as it may
  /// never come to a sort that needs them. Throws std::runtime_error.
  void join_launcher();

 private:
  void start(const Config& config);
  Outcome ask_about(const Task& task, nlohmann::json request, const OnAnswer& on_answer) override;

  int count_ = 0;
  int threads_ = 0;
  std::unique_ptr<LaunchedRanks> ranks_;
};

}  // namespace sortlab
