#include "common/harness/worker/worker.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

#include "common/contract/errors.hpp"
#include "common/harness/run/interrupt.hpp"

namespace sortlab {

using nlohmann::json;

WorkerProcess::~WorkerProcess() {
  if (process_) reap(false);
}

/// Describes how the worker ended, and forgets it.
Outcome WorkerProcess::reap(bool timed_out) {
  const int pid = process_->pid;
  process_.reset();
  if (timed_out || interrupted()) kill_worker(pid);
  // A worker that is only idle ends when its socket closes.
  const auto status = wait_for_end(pid);
  if (timed_out) return {Status::timeout, fmt::format("not done after {} s", timeout_s_)};
  if (!status) return {Status::failed, "the worker hung up and went on"};
  if (WIFSIGNALED(*status)) {
    const int signal = WTERMSIG(*status);
    if (signal == SIGKILL) return {Status::oom, std::string(kKilled)};
    return {Status::failed, fmt::format("crashed: {}", strsignal(signal))};
  }
  return {Status::failed, fmt::format("the worker exited with {}", WEXITSTATUS(*status))};
}

/// A sort wrote into the socket.
Outcome WorkerProcess::reap_foreign() {
  kill_worker(process_->pid);
  reap(false);
  return {Status::failed, ForeignMessage().what()};
}

PluginDescription WorkerProcess::describe(const std::string& path) {
  PluginDescription description;
  const Outcome outcome = ask({{"describe", path}}, [&](const json& answer) {
    description = answer.at("description").get<PluginDescription>();
  });
  if (outcome.status == Status::skipped) throw BadInput(outcome.reason);
  if (outcome.status != Status::ok) throw BadInput("can't be loaded: " + outcome.reason);
  return description;
}

json WorkerProcess::measure_roofs() { return measure_roofs_of("cpu"); }

json WorkerProcess::measure_gpu_roofs() { return measure_roofs_of("gpu"); }

json WorkerProcess::measure_roofs_of(const char* what) {
  json roofs;
  const Outcome outcome =
      ask({{"roofs", what}}, [&](const json& answer) { roofs = answer.at("roofs"); });
  if (outcome.status != Status::ok) throw std::runtime_error(outcome.reason);
  return roofs;
}

/// Asks a worker that is confined as the task's configuration requires and that knows the task's
/// plug-in.
Outcome WorkerProcess::ask_about(const Task& task, json request, const OnAnswer& on_answer) {
  const int cpus = task.config.pinned ? task.config.threads : 0;
  if (process_ && process_->confined_to != cpus) reap(false);
  if (!process_) process_.emplace(start_worker(cpus));
  if (const auto& file = task.variant.plugin_file; !file.empty()) request["plugin"] = file;
  return ask(request, on_answer);
}

/// Passes on all answers up to the outcome, which it returns.
Outcome WorkerProcess::ask(const json& request, const OnAnswer& on_answer) {
  if (!process_) process_.emplace(start_worker(0));
  const Answered answered = sortlab::ask(*process_, request, on_answer, timeout_s_, while_waiting_);
  switch (answered.heard) {
    case Heard::outcome:
      if (answered.ends) reap(false);
      return answered.outcome;
    case Heard::hung_up:
      return reap(false);
    case Heard::timed_out:
      return reap(true);
    case Heard::foreign:
      break;
  }
  return reap_foreign();
}

}  // namespace sortlab
