#include "common/harness/worker/busy_cpus.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

#include "common/harness/run/interrupt.hpp"
#include "common/harness/worker/process.hpp"
#include "common/timers.hpp"

namespace sortlab {
namespace {

constexpr int kReadyPipe = 3;  // of a process that computes: it writes a byte once it does
constexpr double kFirst_s = 0.01;

void compute(double seconds) {
  for (const Stopwatch watch; watch.elapsed_s() < seconds;) {
  }
}

/// A pipe whose reader learns when `count` processes have written.
class ReadyPipe {
 public:
  ReadyPipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0) {
      throw std::runtime_error(fmt::format("pipe: {}", std::strerror(errno)));
    }
  }
  ~ReadyPipe() {
    close(ends_[0]);
    if (ends_[1] >= 0) close(ends_[1]);
  }
  ReadyPipe(const ReadyPipe&) = delete;
  ReadyPipe& operator=(const ReadyPipe&) = delete;

  int writer() const { return ends_[1]; }

  /// Returns early once interrupted().
  void wait_for(std::size_t count) {
    close(ends_[1]);
    ends_[1] = -1;  // so that the pipe ends when all processes have
    char bytes[256];
    while (count > 0 && !interrupted()) {
      const auto got = read(ends_[0], bytes, std::min(count, sizeof bytes));
      if (got == 0) throw std::runtime_error("a process of the load ended before it computed");
      if (got > 0) count -= static_cast<std::size_t>(got);
    }
  }

 private:
  int ends_[2];
};

}  // namespace

BusyCpus::~BusyCpus() { end(); }

bool BusyCpus::make(const Load& load) {
  if (load == load_ && all_run()) return false;
  end();
  load_ = load;
  if (load.cpus > 0) start();
  return true;
}

void BusyCpus::start() try {
  ReadyPipe ready;
  Load of_one = load_;
  of_one.cpus = 1;
  for (int i = 0; i < load_.cpus; ++i) {
    int pid = 0;
    const int error =
        start_program(kThisProgram, {"sortlab", "load", text_of(of_one)},
                      {{ready.writer(), kReadyPipe}}, i == 0 ? 0 : pids_.front(), pid);
    if (error != 0) throw std::runtime_error(std::strerror(error));
    pids_.push_back(pid);
    if (i == 0) add_child_group(pid);
  }
  ready.wait_for(pids_.size());
} catch (const std::runtime_error& error) {
  end();
  throw std::runtime_error(
      fmt::format("the load {} cannot be made: {}", text_of(load_), error.what()));
}

void BusyCpus::end() {
  if (pids_.empty()) return;
  for (const int pid : pids_) kill(pid, SIGKILL);
  for (const int pid : pids_) {
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  remove_child_group(pids_.front());
  pids_.clear();
}

bool BusyCpus::all_run() const { return std::none_of(pids_.begin(), pids_.end(), has_ended); }

int busy_main(std::string_view load) {
  const Load own = parse_load(load, 1);
  std::signal(SIGPIPE, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  compute(kFirst_s);
  // Ends this process if the parent has ended already, because the other end of the pipe is closed.
  if (write(kReadyPipe, "", 1) != 1) return 1;
  close(kReadyPipe);
  while (true) {
    compute(own.off_ms == 0 ? 1 : 1e-3 * own.on_ms);
    std::this_thread::sleep_for(std::chrono::milliseconds(own.off_ms));
  }
}

}  // namespace sortlab
