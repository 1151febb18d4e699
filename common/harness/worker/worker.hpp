// The worker process: where measuring happens, so that a sort that crashes, never ends or eats all
// memory costs one row and not the run.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>

#include "common/harness/plugin/description.hpp"
#include "common/harness/worker/measurer.hpp"
#include "common/harness/worker/process.hpp"

namespace sortlab {

/// Asks a worker process, watches it and hands on what it measures. The worker is this program
/// itself, started again as `<program> worker`; the two talk in lines of JSON over a socket. A
/// worker that dies or overruns the time limit yields an outcome that says so, and the next
/// configuration gets a new one.
class WorkerProcess : public Measurer {
 public:
  WorkerProcess(StopSettings stop, double timeout_s) : stop_(stop), timeout_s_(timeout_s) {}
  ~WorkerProcess() override;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  Outcome measure(const Task& task, const SampleSink& sink) override;
  Outcome check(const Task& task) override;
  void while_waiting(std::function<void()> work) override { while_waiting_ = std::move(work); }
  /// What the plug-in at `path` says of itself. Throws BadInput when it can't be used.
  PluginDescription describe(const std::string& path);
  /// As sortlab::measure_roofs(). Throws std::runtime_error with the reason when that fails.
  nlohmann::json measure_roofs();
  /// As sortlab::measure_gpu_roofs(), the same way.
  nlohmann::json measure_gpu_roofs();

 private:
  using OnAnswer = std::function<void(const nlohmann::json&)>;
  Outcome ask_about(const Task& task, nlohmann::json request, const OnAnswer& on_answer);
  Outcome ask(const nlohmann::json& request, const OnAnswer& on_answer);
  nlohmann::json measure_roofs_of(const char* what);
  Outcome reap(bool timed_out);
  Outcome reap_foreign();

  StopSettings stop_;
  double timeout_s_;
  std::optional<Process> process_;
  std::function<void()> while_waiting_;
};

}  // namespace sortlab
