// The linker lets the library call the functions __wrap_... here in place of the C library's (--wrap).
#include "tests/guest/system.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace sortlab::tests {
namespace {

std::atomic<long> calls_left = -1;  // -1: none is waited for
std::function<bool()> event_at_call;
bool refuses_threads = false;
int affinity_error = 0;

bool refuses() {
  if (calls_left < 0 || calls_left.fetch_sub(1) != 0) return false;
  return event_at_call();
}

}  // namespace

testing::AssertionResult in_child(const std::function<bool()>& f) {
  using Clock = std::chrono::steady_clock;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) [&]() noexcept { _exit(f() ? 0 : 1); }();
  int status = 0;
  const auto last = Clock::now() + std::chrono::seconds(30);
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() > last) kill(child, SIGKILL);
    usleep(300);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return testing::AssertionSuccess();
  if (WIFSIGNALED(status)) {
    return testing::AssertionFailure() << "ended by signal " << WTERMSIG(status);
  }
  return testing::AssertionFailure() << "exit code " << WEXITSTATUS(status);
}

void at_call(long n, std::function<bool()> event) {
  calls_left = -1;
  event_at_call = std::move(event);
  calls_left = n;
}

bool has_come() { return calls_left.exchange(-1) < 0; }

void refuse_threads(bool refused) { refuses_threads = refused; }

void refuse_affinity(int error) { affinity_error = error; }

}  // namespace sortlab::tests

using sortlab::tests::refuses;

extern "C" {
void* __real_malloc(std::size_t bytes);
void* __wrap_malloc(std::size_t bytes) {
  if (!refuses()) return __real_malloc(bytes);
  errno = ENOMEM;
  return nullptr;
}

void* __real_mmap(void* at, std::size_t bytes, int access, int flags, int file, off_t offset);
void* __wrap_mmap(void* at, std::size_t bytes, int access, int flags, int file, off_t offset) {
  if (!refuses()) return __real_mmap(at, bytes, access, flags, file, offset);
  errno = ENOMEM;
  return MAP_FAILED;
}

int __real_pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*f)(void*),
                          void* argument);
int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*f)(void*),
                          void* argument) {
  return refuses() || sortlab::tests::refuses_threads
             ? EAGAIN
             : __real_pthread_create(thread, how, f, argument);
}

int __real_sched_getaffinity(pid_t thread, std::size_t bytes, cpu_set_t* set);
int __wrap_sched_getaffinity(pid_t thread, std::size_t bytes, cpu_set_t* set) {
  using sortlab::tests::affinity_error;
  if (affinity_error == 0) return __real_sched_getaffinity(thread, bytes, set);
  errno = affinity_error;
  if (affinity_error != EINVAL || bytes < 8192 / 8) return -1;
  CPU_ZERO_S(bytes, set);
  for (const std::size_t cpu : {0, 2000, 8000}) CPU_SET_S(cpu, bytes, set);
  return 0;
}
}

namespace {

[[gnu::noinline]] void* allocated(std::size_t bytes, std::align_val_t alignment) noexcept {
  void* memory = nullptr;
  const auto least = std::max(static_cast<std::size_t>(alignment), alignof(std::max_align_t));
  return refuses() || posix_memalign(&memory, least, bytes) != 0 ? nullptr : memory;
}
void* not_null(void* memory) { return memory != nullptr ? memory : throw std::bad_alloc(); }

}  // namespace

// AddressSanitizer would notice a function of these that is its own.
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return not_null(allocated(bytes, alignment));
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocated(bytes, alignment);
}
void* operator new(std::size_t bytes) { return not_null(allocated(bytes, std::align_val_t(1))); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocated(bytes, std::align_val_t(1));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
