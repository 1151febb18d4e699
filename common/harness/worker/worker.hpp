// The worker process, which measures. A sort that crashes, never ends or takes all memory then
// costs one row, not the run.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "common/harness/plugin/description.hpp"
#include "common/harness/worker/ask.hpp"

namespace sortlab {

/// Sends requests to a worker process, watches it and passes on its measurements. The worker is
/// this program itself, started again as `<program> worker`; the two talk in lines of JSON over a
/// socket. If a worker dies or exceeds the time limit, the outcome says so, and the next
/// configuration gets a new worker.
class WorkerProcess : public AskingMeasurer {
 public:
  using AskingMeasurer::AskingMeasurer;
  ~WorkerProcess() override;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// The description of the plug-in at `path`. Throws BadInput when it can't be used.
  PluginDescription describe(const std::string& path);
  /// Like sortlab::measure_roofs(). Throws std::runtime_error with the reason when that fails.
  nlohmann::json measure_roofs();
  /// Like sortlab::measure_gpu_roofs(), with the same exception.
  nlohmann::json measure_gpu_roofs();

 private:
  Outcome ask_about(const Task& task, nlohmann::json request, const OnAnswer& on_answer) override;
  Outcome ask(const nlohmann::json& request, const OnAnswer& on_answer);
  nlohmann::json measure_roofs_of(const char* what);
  Outcome reap(bool timed_out);
  Outcome reap_foreign();

  std::optional<Process> process_;
};

/// The worker's side of the connection: answers the parent's requests to measure, check and describe, until the parent closes the
/// socket. Returns the exit code.
int worker_main(int socket);

}  // namespace sortlab
