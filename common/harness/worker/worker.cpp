#include "common/harness/worker/worker.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <vector>

#include "common/contract/errors.hpp"
#include "common/harness/plugin/library.hpp"
#include "common/harness/plugin/registration.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/rig/rig.hpp"
#include "common/harness/verify/check.hpp"
#include "common/timers.hpp"

extern char** environ;

namespace sortlab {
namespace {

using nlohmann::json;

volatile std::sig_atomic_t interrupt_seen = 0;

void on_interrupt(int) { interrupt_seen = 1; }

/// Sends all of a line; false when nobody is there to read it.
bool send_line(int socket, const json& message) {
  // A sort's own words, in a reason, may be no UTF-8.
  const std::string line = message.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
  for (std::size_t sent = 0; sent < line.size();) {
    const auto count = send(socket, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
  return true;
}

/// Takes one whole line out of `received`, or nothing when there is none yet.
std::optional<json> take_line(std::string& received) {
  const auto end = received.find('\n');
  if (end == std::string::npos) return std::nullopt;
  json message = json::parse(received.substr(0, end));
  received.erase(0, end + 1);
  return message;
}

/// Appends what there is to read; false at the end of the stream.
bool receive_more(int socket, std::string& received) {
  char block[65536];
  const auto count = read(socket, block, sizeof block);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  received.append(block, static_cast<std::size_t>(count));
  return count > 0;
}

/// Confines this process, and what it starts, to the first `count` of its CPUs for as long as it
/// lives.
class ConfinedToCpus {
 public:
  explicit ConfinedToCpus(int count) {
    sched_getaffinity(0, sizeof before_, &before_);
    if (count == 0) return;
    cpu_set_t first;
    CPU_ZERO(&first);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&first) < count; ++cpu) {
      if (CPU_ISSET(cpu, &before_)) CPU_SET(cpu, &first);
    }
    sched_setaffinity(0, sizeof first, &first);
  }
  ~ConfinedToCpus() { sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_;
};

/// Waits until a process has ended: its status, as of waitpid. One that goes on for more than
/// kSecondsToEnd is killed, and has none.
std::optional<int> wait_for_end(int pid) {
  constexpr double kSecondsToEnd = 5;
  int status = 0;
  const Stopwatch watch;
  for (useconds_t pause_us = 50; watch.elapsed_s() < kSecondsToEnd;
       pause_us = std::min(2 * pause_us, 20'000u)) {
    if (waitpid(pid, &status, WNOHANG) == pid) return status;
    usleep(pause_us);
  }
  kill(pid, SIGKILL);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  const bool went_on = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  return went_on ? std::nullopt : std::optional(status);
}

Outcome checked(const Config& config) {
  return outcome_of([&]() -> Outcome {
    const std::string fault = check_sort(config);
    return fault.empty() ? Outcome{} : Outcome{Status::failed, fault};
  });
}

json stop_to_json(const StopSettings& s) {
  return {{"min", s.min_samples},
          {"max", s.max_samples},
          {"accuracy", s.accuracy},
          {"time_s", s.time_s}};
}

StopSettings stop_from_json(const json& j) {
  return {j.at("min"), j.at("max"), j.at("accuracy"), j.at("time_s")};
}

}  // namespace

void watch_for_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESETHAND;  // a second Ctrl-C ends the program at once
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return interrupt_seen != 0; }

Outcome InProcessMeasurer::measure(const Config& config, const SampleSink& sink) {
  return sortlab::measure(config, stop_, inputs_, sink);
}

Outcome InProcessMeasurer::check(const Config& config) { return checked(config); }

WorkerProcess::~WorkerProcess() {
  if (pid_ > 0) reap(false);
}

void WorkerProcess::start(int pinned_threads) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::runtime_error(fmt::format("socketpair: {}", std::strerror(errno)));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kWorkerSocket = 3;
  posix_spawn_file_actions_adddup2(&actions, ends[1], kWorkerSocket);
  // What a sort prints must not end up among the data on stdout.
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  const std::string socket_text = std::to_string(kWorkerSocket);
  const char* const arguments[] = {"sortlab", "worker", socket_text.c_str(), nullptr};
  const ConfinedToCpus confined(pinned_threads);
  const int error = posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr,
                                const_cast<char* const*>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  socket_ = ends[0];
  pinned_threads_ = pinned_threads;
  received_.clear();
  if (error != 0) {
    pid_ = -1;
    close(socket_);
    throw std::runtime_error(fmt::format("cannot start the worker: {}", std::strerror(error)));
  }
}

/// Says how the worker ended, and leaves none.
Outcome WorkerProcess::reap(bool timed_out) {
  close(socket_);
  if (timed_out || interrupted()) kill(pid_, SIGKILL);
  // A worker that is only idle ends when its socket closes.
  const auto status = wait_for_end(pid_);
  pid_ = -1;
  if (timed_out) return {Status::timeout, fmt::format("not done after {} s", timeout_s_)};
  if (!status) return {Status::failed, "the worker hung up and went on"};
  if (WIFSIGNALED(*status)) {
    const int signal = WTERMSIG(*status);
    if (signal == SIGKILL) return {Status::oom, "killed, most likely for lack of memory"};
    return {Status::failed, fmt::format("crashed: {}", strsignal(signal))};
  }
  return {Status::failed, fmt::format("the worker exited with {}", WEXITSTATUS(*status))};
}

Outcome WorkerProcess::measure(const Config& config, const SampleSink& sink) {
  return ask_about(config, {{"measure", config}, {"stop", stop_to_json(stop_)}},
                   [&](const json& answer) { sink(answer.at("sample").get<Sample>()); });
}

Outcome WorkerProcess::check(const Config& config) {
  return ask_about(config, {{"check", config}}, [](const json&) {});
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

/// Asks a worker that is confined as `config` wants it, and that knows the plug-in it is about.
Outcome WorkerProcess::ask_about(const Config& config, json request, const OnAnswer& on_answer) {
  const int pinned_threads = config.pinned ? config.threads : 0;
  if (pid_ > 0 && pinned_threads != pinned_threads_) reap(false);
  if (pid_ < 0) start(pinned_threads);
  if (const auto& file = variant_of(config).plugin_file; !file.empty()) {
    request["plugin"] = file;
  }
  return ask(request, on_answer);
}

/// Hands on all answers up to the outcome, which it returns.
Outcome WorkerProcess::ask(const json& request, const OnAnswer& on_answer) try {
  if (pid_ < 0) start(0);
  if (!send_line(socket_, request)) return reap(false);
  const Stopwatch watch;
  while (true) {
    while (const auto message = take_line(received_)) {
      if (message->contains("outcome")) {
        if (message->contains("ends")) reap(false);
        return message->at("outcome").get<Outcome>();
      }
      on_answer(*message);
    }
    const double left_s = timeout_s_ - watch.elapsed_s();
    if (left_s <= 0 || interrupted()) return reap(true);
    pollfd readable{socket_, POLLIN, 0};
    poll(&readable, 1, std::min(200, static_cast<int>(left_s * 1000) + 1));
    if (readable.revents != 0 && !receive_more(socket_, received_)) return reap(false);
  }
} catch (const json::exception&) {  // a sort wrote into the socket
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    reap(false);
  }
  return {Status::failed, "wrote into what is not its own"};
}

namespace {

/// Hands samples to the other process. It works on each, and so takes a CPU from the next sort: of
/// short sorts it hears when the configuration is done.
class SampleSender {
 public:
  explicit SampleSender(int socket) : socket_(socket) {}
  ~SampleSender() { send_all(); }
  SampleSender(const SampleSender&) = delete;
  SampleSender& operator=(const SampleSender&) = delete;

  void operator()(const Sample& sample) {
    samples_.push_back(sample);
    if (sample.total_ns >= kLong_ns) send_all();
  }

 private:
  static constexpr std::int64_t kLong_ns = 100'000'000;  // hardly feels it

  void send_all() {
    for (const auto& sample : samples_) send_line(socket_, {{"sample", sample}});
    samples_.clear();
  }

  int socket_;
  std::vector<Sample> samples_;
};

Outcome answer(const json& request, InputPool& inputs, int socket) {
  if (request.contains("describe")) {
    send_line(socket, {{"description", describe_library(request.at("describe"))}});
    return {};
  }
  const bool measures = request.contains("measure");
  const auto config = request.at(measures ? "measure" : "check").get<Config>();
  if (request.contains("plugin") && find_variant(config.variant) == nullptr) {
    const std::string path = request.at("plugin");
    register_plugin(path, describe_library(path));
  }
  if (!measures) return checked(config);
  SampleSender send(socket);
  return measure(config, stop_from_json(request.at("stop")), inputs, std::ref(send));
}

/// Whether a later sort could suffer from what the one before it did: it may have written over any
/// of this process's memory, or left the GPU unusable.
bool is_spoilt(const json& request, const Outcome& outcome) {
  return (request.contains("plugin") && outcome.status == Status::failed) || device_is_broken();
}

}  // namespace

int worker_main(int socket) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);                   // nobody to report to: end too
  std::signal(SIGINT, SIG_IGN);                       // the parent hears Ctrl-C and decides
  std::ofstream("/proc/self/oom_score_adj") << 1000;  // if memory runs out, end this one first
  InputPool inputs;
  std::string received;
  while (true) {
    while (const auto request = take_line(received)) {
      const Outcome outcome = outcome_of([&] { return answer(*request, inputs, socket); });
      if (is_spoilt(*request, outcome)) {
        send_line(socket, {{"outcome", outcome}, {"ends", true}});
        return 1;
      }
      send_line(socket, {{"outcome", outcome}});
    }
    if (!receive_more(socket, received)) return 0;
  }
}

}  // namespace sortlab
