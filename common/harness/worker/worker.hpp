// The worker process: where measuring happens, so that a sort that crashes, never ends or eats all
// memory costs one row and not the run.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "common/harness/measure/measure.hpp"
#include "common/harness/plugin/description.hpp"

namespace sortlab {

/// Whoever measures configurations for the engine, and checks them for `sortlab verify`.
class Measurer {
 public:
  virtual ~Measurer() = default;
  virtual Outcome measure(const Config& config, const SampleSink& sink) = 0;
  /// Sorts once, without clocks.
  virtual Outcome check(const Config& config) = 0;
};

/// Measures here: for debuggers and profilers.
class InProcessMeasurer : public Measurer {
 public:
  explicit InProcessMeasurer(StopSettings stop) : stop_(stop) {}
  Outcome measure(const Config& config, const SampleSink& sink) override;
  Outcome check(const Config& config) override;

 private:
  StopSettings stop_;
  InputPool inputs_;
};

/// Plans for a worker process, watches it and hands on what it measures. The worker is this program
/// itself, started again as `<program> worker`; the two talk in lines of JSON over a socket. A
/// worker that dies or overruns the time limit yields an outcome that says so, and the next
/// configuration gets a new one.
class WorkerProcess : public Measurer {
 public:
  WorkerProcess(StopSettings stop, double timeout_s) : stop_(stop), timeout_s_(timeout_s) {}
  ~WorkerProcess() override;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  Outcome measure(const Config& config, const SampleSink& sink) override;
  Outcome check(const Config& config) override;
  /// What the plug-in at `path` says of itself. Throws BadInput when it can't be used.
  PluginDescription describe(const std::string& path);

 private:
  using OnAnswer = std::function<void(const nlohmann::json&)>;
  Outcome ask_about(const Config& config, nlohmann::json request, const OnAnswer& on_answer);
  Outcome ask(const nlohmann::json& request, const OnAnswer& on_answer);
  void start(int pinned_threads);
  Outcome reap(bool timed_out);

  StopSettings stop_;
  double timeout_s_;
  int pid_ = -1;
  int socket_ = -1;
  int pinned_threads_ = 0;  // the worker is confined to that many CPUs; 0: to none
  std::string received_;    // what came after the last whole line
};

/// The worker's side: measures, checks and describes what it is asked for until the parent closes
/// the socket.
int worker_main(int socket);

/// Set by the first Ctrl-C: configurations that have not begun are left out, the one at work is
/// dropped.
bool interrupted();
void watch_for_interrupts();

}  // namespace sortlab
