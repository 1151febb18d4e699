#include "common/harness/worker/worker.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

#include "common/contract/errors.hpp"
#include "common/harness/pause.hpp"
#include "common/harness/run/interrupt.hpp"

namespace sortlab {

using nlohmann::json;

WorkerProcess::~WorkerProcess() {
  if (process_) reap(false);
}

/// Says how the worker ended, and leaves none.
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
  if (process_) {
    kill_worker(process_->pid);
    reap(false);
  }
  return {Status::failed, ForeignMessage().what()};
}

Outcome WorkerProcess::measure(const Task& task, const SampleSink& sink) {
  return ask_about(task, {{"measure", task.config}, {"stop", stop_}}, [&](const json& answer) {
    const auto sample = answer.at("sample").get<Sample>();
    if (!is_possible(sample)) throw ForeignMessage();
    sink(sample);
  });
}

Outcome WorkerProcess::check(const Task& task) {
  return ask_about(task, {{"check", task.config}}, [](const json&) {});
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

/// Asks a worker that is confined as the task's configuration wants it, and that knows the plug-in
/// that the task is about.
Outcome WorkerProcess::ask_about(const Task& task, json request, const OnAnswer& on_answer) {
  const int cpus = task.config.pinned ? task.config.threads : 0;
  if (process_ && process_->confined_to != cpus) reap(false);
  if (!process_) process_.emplace(start_worker(cpus));
  if (const auto& file = task.variant.plugin_file; !file.empty()) request["plugin"] = file;
  return ask(request, on_answer);
}

/// Hands on all answers up to the outcome, which it returns.
Outcome WorkerProcess::ask(const json& request, const OnAnswer& on_answer) try {
  if (!process_) process_.emplace(start_worker(0));
  Channel& channel = process_->channel;
  if (!channel.send(request)) return reap(false);
  const WorkingTime watch;
  while (true) {
    while (const auto message = channel.take()) {
      if (message->contains("outcome")) {
        if (message->contains("ends")) reap(false);
        return message->at("outcome").get<Outcome>();
      }
      on_answer(*message);
    }
    const double left_s = timeout_s_ - watch.elapsed_s();
    if (left_s <= 0 || interrupted()) return reap(true);
    if (while_waiting_) while_waiting_();
    // What a sort has forked may hold the socket open when the worker has ended.
    const bool ended = has_ended(process_->pid);
    const int patience_ms = ended ? 0 : static_cast<int>(std::min(0.2, left_s) * 1000) + 1;
    const Received received = channel.receive(patience_ms);
    if (received == Received::end_of_stream) return reap(false);
    if (ended && received == Received::nothing) return reap(false);
  }
} catch (const json::exception&) {
  return reap_foreign();
} catch (const ForeignMessage&) {
  return reap_foreign();
}

}  // namespace sortlab
