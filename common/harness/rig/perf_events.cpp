#include "common/harness/rig/perf_events.hpp"

#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace sortlab {
namespace {

/// A file descriptor, or -1 and errno. Kernel mode is left out: counting it takes more rights.
int open_event(const EventKind& kind, int thread) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = kind.type;
  attributes.config = kind.config;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.inherit = 1;  // the threads that this one starts
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  constexpr int kAnyCpu = -1, kNoGroup = -1;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, thread, kAnyCpu, kNoGroup, PERF_FLAG_FD_CLOEXEC));
}

/// The calling thread alone where /proc is not mounted.
std::vector<int> threads_of_process() {
  constexpr int kThisThread = 0;
  std::vector<int> threads;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
    threads.push_back(std::stoi(entry.path().filename()));
  }
  return threads.empty() ? std::vector{kThisThread} : threads;
}

void allow_many_files() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace

const std::array<EventKind, kCpuCounters> kCpuEvents = {
    {{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
     {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
     {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
     {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES}}};

EventReading& EventReading::operator+=(const EventReading& other) {
  count += other.count;
  enabled_ns += other.enabled_ns;
  running_ns += other.running_ns;
  return *this;
}

EventReading EventReading::operator-(const EventReading& other) const {
  return {count - other.count, enabled_ns - other.enabled_ns, running_ns - other.running_ns};
}

std::optional<double> EventReading::scaled() const {
  if (running_ns == 0) return std::nullopt;
  return static_cast<double>(count) * static_cast<double>(enabled_ns) /
         static_cast<double>(running_ns);
}

PerfEvents::PerfEvents(std::span<const EventKind> kinds) {
  allow_many_files();
  const auto threads = threads_of_process();
  for (const EventKind& kind : kinds) opened_.push_back(open(kind, threads));
}

PerfEvents::Opened PerfEvents::open(const EventKind& kind, const std::vector<int>& threads) {
  Opened opened;
  for (const int thread : threads) {
    const int file = open_event(kind, thread);
    if (file >= 0) {
      opened.files.push_back(file);
    } else if (errno != ESRCH) {  // the thread has ended
      opened.error = errno;
    }
  }
  return opened;
}

PerfEvents::~PerfEvents() {
  for (const Opened& opened : opened_) {
    for (const int file : opened.files) close(file);
  }
}

std::vector<EventReading> PerfEvents::read() const {
  std::vector<EventReading> readings;
  for (const auto& [files, error] : opened_) {
    EventReading& sum = readings.emplace_back();
    if (error != 0) continue;
    for (const int file : files) {
      EventReading of_thread;
      if (::read(file, &of_thread, sizeof of_thread) == sizeof of_thread) sum += of_thread;
    }
  }
  return readings;
}

}  // namespace sortlab
