// Sorts that can be loaded but fail when called, each in a different way.
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

// The test's keys are all equal, so reversed values are in order but not stable.
int32_t unstable(const sortlab_job* job) {
  auto* const values = static_cast<std::uint32_t*>(job->values);
  if (values != nullptr) std::reverse(values, values + job->n);
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

// An unknown status, and the same as a number.
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

// A process in its own session whose parent has ended.
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

int32_t workspace_of_64(const sortlab_job*, size_t* bytes) {
  *bytes = 64;
  return SORTLAB_OK;
}

int32_t workspace_of_everything(const sortlab_job*, size_t* bytes) {
  *bytes = SIZE_MAX;
  return SORTLAB_OK;
}

int32_t crashes_when_asked(const sortlab_job*, size_t*) {
  std::raise(SIGSEGV);
  return SORTLAB_OK;
}

int32_t fails_to_ask(const sortlab_job* job, size_t*) {
  std::snprintf(job->message, job->message_bytes, "no temporary storage for n = %zu", job->n);
  return SORTLAB_FAILED;
}

int32_t can_not_say(const sortlab_job*, size_t*) { return SORTLAB_UNSUPPORTED; }

int32_t creates(const sortlab_job*, void**) { return SORTLAB_OK; }
int32_t fails_to_create(const sortlab_job*, void**) { return 7; }
int32_t no_memory_to_create(const sortlab_job*, void**) { return SORTLAB_NO_MEMORY; }
int32_t throws_when_created(const sortlab_job*, void**) { throw std::runtime_error("no context"); }
int32_t hangs_when_created(const sortlab_job*, void**) { for_ever(); }
void destroys(void*) {}
void crashes_when_destroyed(void*) { std::raise(SIGSEGV); }

// Each state is a line of the file that SORTLAB_TEST_STATES names: "created", later "destroyed".
void note_state(const char* what) {
  const char* const path = std::getenv("SORTLAB_TEST_STATES");
  if (path == nullptr) return;
  std::FILE* const file = std::fopen(path, "a");
  std::fprintf(file, "%s\n", what);
  std::fclose(file);
}

int the_state;

int32_t notes_create(const sortlab_job*, void** state) {
  note_state("created");
  *state = &the_state;
  return SORTLAB_OK;
}

void notes_destroy(void* state) { note_state(state == &the_state ? "destroyed" : "lost"); }

int32_t fails_with_state(const sortlab_job* job) {
  return job->state == &the_state ? does_nothing(job) : SORTLAB_FAILED;
}

// Sorts of u32 keys, each with its own function.
template <std::int32_t (*function)(const sortlab_job*), std::uint32_t kValues = SORTLAB_NO_VALUES,
          std::uint32_t kTraits = 0>
constexpr sortlab_instance instance{SORTLAB_U32, kValues, SORTLAB_ASCENDING, kTraits, function};

template <std::int32_t (*function)(const sortlab_job*)>
constexpr sortlab_plugin_sort sort(
    const char* name, decltype(sortlab_plugin_sort::workspace_bytes) workspace = nullptr,
    decltype(sortlab_plugin_sort::create) create = nullptr,
    decltype(sortlab_plugin_sort::destroy) destroy = nullptr) {
  return {name, "goes wrong", nullptr, nullptr, 0, &instance<function>,
          1,    workspace,    create,  destroy};
}

const sortlab_plugin_sort sorts[] = {
    sort<crashes>("crashes"),
    sort<hangs>("hangs"),
    sort<writes_at<0>>("writes_first_after"),
    sort<writes_at<-1>>("writes_first_before"),
    sort<writes_at<1000>>("writes_1000_after"),
    sort<writes_at<-1000>>("writes_1000_before"),
    sort<writes_at<100'000>>("writes_far_after"),
    sort<writes_at<-100'000>>("writes_far_before"),
    sort<overruns_workspace>("overruns_workspace", workspace_of_64),
    sort<does_nothing>("does_nothing"),
    sort<loses_a_key>("loses_a_key"),
    {"unstable", "goes wrong", nullptr, nullptr, 0,
     &instance<unstable, SORTLAB_NO_VALUES | SORTLAB_VALUES_4, SORTLAB_STABLE>, 1, nullptr, nullptr,
     nullptr},
    sort<fails_with_words>("fails_with_words"),
    sort<fails_silently>("fails_silently"),
    sort<unsupported>("unsupported"),
    sort<no_memory>("no_memory"),
    sort<says_alternate>("says_alternate"),
    sort<exits>("exits"),
    sort<throws>("throws"),
    sort<throws_an_int>("throws_an_int"),
    sort<closes_all_files>("closes_all_files"),
    sort<writes_to_the_socket>("writes_to_the_socket"),
    sort<ends_in_its_own_name>("ends_in_its_own_name"),
    sort<invents_a_status>("invents_a_status"),
    sort<counts_statuses>("counts_statuses"),
    sort<floods_the_socket>("floods_the_socket"),
    sort<forks_and_hangs>("forks_and_hangs"),
    sort<forks_and_crashes>("forks_and_crashes"),
    sort<forks_and_sorts>("forks_and_sorts"),
    sort<leaves_a_daemon>("leaves_a_daemon"),
    sort<right>("workspace_crashes", crashes_when_asked),
    sort<right>("workspace_of_everything", workspace_of_everything),
    sort<right>("workspace_fails", fails_to_ask),
    sort<right>("workspace_unknown", can_not_say),
    sort<right>("create_fails", nullptr, fails_to_create, destroys),
    sort<right>("create_lacks_memory", nullptr, no_memory_to_create, destroys),
    sort<right>("create_throws", nullptr, throws_when_created, destroys),
    sort<right>("create_hangs", nullptr, hangs_when_created, destroys),
    sort<right>("destroy_crashes", nullptr, creates, crashes_when_destroyed),
    sort<fails_with_state>("fails_with_state", nullptr, notes_create, notes_destroy),
    sort<right>("sorts_with_state", nullptr, notes_create, notes_destroy),
};

}  // namespace

SORTLAB_PLUGIN("faulty", nullptr, sorts)
