// Sorts that load well and go wrong when called, each in its own way.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "include/sortlab_plugin.h"

namespace {

std::uint32_t* keys_of(const sortlab_job* job) { return static_cast<std::uint32_t*>(job->keys); }

int32_t right(const sortlab_job* job) {
  std::sort(keys_of(job), keys_of(job) + job->n);
  return SORTLAB_IN_KEYS;
}

[[noreturn]] void for_ever() {
  while (true) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

int32_t crashes(const sortlab_job*) {
  std::raise(SIGSEGV);
  return SORTLAB_IN_KEYS;
}

int32_t hangs(const sortlab_job*) { for_ever(); }

// Sorts right, and writes one key `distance` keys from the first, or from the end.
template <std::ptrdiff_t kDistance>
int32_t writes_at(const sortlab_job* job) {
  volatile std::uint32_t* const keys = keys_of(job);
  keys[kDistance < 0 ? kDistance : static_cast<std::ptrdiff_t>(job->n) + kDistance] = 0;
  return right(job);
}

int32_t overruns_workspace(const sortlab_job* job) {
  static_cast<volatile char*>(job->workspace)[job->workspace_bytes] = 1;
  return right(job);
}

int32_t does_nothing(const sortlab_job*) { return SORTLAB_IN_KEYS; }

int32_t loses_a_key(const sortlab_job* job) {
  right(job);
  if (job->n > 1) keys_of(job)[0] = keys_of(job)[1];
  return SORTLAB_IN_KEYS;
}

// All keys equal, as the test gives them: reversed values are in order, but for stability.
int32_t unstable(const sortlab_job* job) {
  if (job->values != nullptr) std::reverse(job->values, job->values + job->n);
  return SORTLAB_IN_KEYS;
}

int32_t fails_with_words(const sortlab_job* job) {
  std::snprintf(job->message, job->message_bytes, "the disk\nis \xFF full");
  return SORTLAB_FAILED;
}

int32_t fails_silently(const sortlab_job*) { return -77; }

int32_t unsupported(const sortlab_job* job) {
  std::snprintf(job->message, job->message_bytes, "only powers of three");
  return SORTLAB_UNSUPPORTED;
}

int32_t no_memory(const sortlab_job*) { return SORTLAB_NO_MEMORY; }
int32_t says_alternate(const sortlab_job*) { return SORTLAB_IN_ALTERNATE; }
int32_t exits(const sortlab_job*) { std::exit(3); }
int32_t throws(const sortlab_job*) { throw std::runtime_error("out of ideas"); }
int32_t throws_an_int(const sortlab_job*) { throw 42; }

int32_t closes_all_files(const sortlab_job*) {
  for (int file = 0; file < 64; ++file) close(file);
  for_ever();
}

int32_t write_to_all_files(const char* text) {
  for (int file = 3; file < 64; ++file) (void)!write(file, text, std::strlen(text));
  for_ever();
}

int32_t writes_to_the_socket(const sortlab_job*) { return write_to_all_files("hello\n"); }
int32_t ends_in_its_own_name(const sortlab_job*) {
  return write_to_all_files("{\"sample\": 1}\n{\"outcome\": 1, \"ends\": 1}\n");
}

// A status that there is not, and as a number.
int32_t invents_a_status(const sortlab_job*) {
  return write_to_all_files("{\"outcome\":{\"status\":\"superb\",\"reason\":\"x\"}}\n");
}
int32_t counts_statuses(const sortlab_job*) {
  return write_to_all_files("{\"outcome\":{\"status\":99,\"reason\":\"x\"}}\n");
}

int32_t floods_the_socket(const sortlab_job*) {
  const std::vector<char> ones(1 << 20, '1');
  while (write(3, ones.data(), ones.size()) > 0) {
  }
  for_ever();
}

// Processes that hold all files open, the socket too.
void fork_some() {
  for (int i = 0; i < 5; ++i) {
    if (fork() == 0) for_ever();
  }
}

int32_t forks_and_hangs(const sortlab_job*) {
  fork_some();
  for_ever();
}

int32_t forks_and_crashes(const sortlab_job*) {
  fork_some();
  std::abort();
}

int32_t forks_and_sorts(const sortlab_job* job) {
  static const bool once = (fork_some(), true);
  return once ? right(job) : SORTLAB_FAILED;
}

// A process in a session of its own, whose parent has ended.
void leave_a_daemon() {
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() == 0) for_ever();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
}

int32_t leaves_a_daemon(const sortlab_job* job) {
  static const bool once = (leave_a_daemon(), true);
  return once ? right(job) : SORTLAB_FAILED;
}

size_t workspace_of_64(size_t, size_t, size_t, int32_t) { return 64; }
size_t workspace_of_everything(size_t, size_t, size_t, int32_t) { return SIZE_MAX; }
size_t crashes_when_asked(size_t, size_t, size_t, int32_t) {
  std::raise(SIGSEGV);
  return 0;
}

constexpr sortlab_sort sort(const char* name, decltype(sortlab_sort::sort) function,
                            std::uint32_t traits = 0,
                            decltype(sortlab_sort::workspace_bytes) workspace = nullptr) {
  return {name, "goes wrong", SORTLAB_U32, traits, function, workspace};
}

const sortlab_sort sorts[] = {
    sort("crashes", crashes),
    sort("hangs", hangs),
    sort("writes_first_after", writes_at<0>),
    sort("writes_first_before", writes_at<-1>),
    sort("writes_1000_after", writes_at<1000>),
    sort("writes_1000_before", writes_at<-1000>),
    sort("writes_far_after", writes_at<100'000>),
    sort("writes_far_before", writes_at<-100'000>),
    sort("overruns_workspace", overruns_workspace, 0, workspace_of_64),
    sort("does_nothing", does_nothing),
    sort("loses_a_key", loses_a_key),
    sort("unstable", unstable, SORTLAB_STABLE | SORTLAB_PAIRS),
    sort("fails_with_words", fails_with_words),
    sort("fails_silently", fails_silently),
    sort("unsupported", unsupported),
    sort("no_memory", no_memory),
    sort("says_alternate", says_alternate),
    sort("exits", exits),
    sort("throws", throws),
    sort("throws_an_int", throws_an_int),
    sort("closes_all_files", closes_all_files),
    sort("writes_to_the_socket", writes_to_the_socket),
    sort("ends_in_its_own_name", ends_in_its_own_name),
    sort("invents_a_status", invents_a_status),
    sort("counts_statuses", counts_statuses),
    sort("floods_the_socket", floods_the_socket),
    sort("forks_and_hangs", forks_and_hangs),
    sort("forks_and_crashes", forks_and_crashes),
    sort("forks_and_sorts", forks_and_sorts),
    sort("leaves_a_daemon", leaves_a_daemon),
    sort("workspace_crashes", right, 0, crashes_when_asked),
    sort("workspace_of_everything", right, 0, workspace_of_everything),
};

}  // namespace

SORTLAB_PLUGIN("faulty", nullptr, sorts)
