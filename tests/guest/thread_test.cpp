// What a call leaves as it was for the thread that calls it, and what the team takes from no thread.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cfenv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <locale>
#include <memory>
#include <sortlab/sort.hpp>
#include <thread>
#include <vector>

#if defined(__SSE__)
  #include <xmmintrin.h>
#endif

#include "common/contract/usable_cpus.hpp"
#include "tests/guest/system.hpp"
#include "tests/library/process_threads.hpp"

namespace sortlab::tests {
namespace {

/// Sorts by a comparison that calls look() on a thread of the team. False if none came.
template <class Look>
bool looks_on_team(Look look) {
  using Clock = std::chrono::steady_clock;
  const auto last = Clock::now() + std::chrono::seconds(20);
  std::atomic<bool> has_come = false;
  if (threads() != 2) set_threads(2);  // which ends the team
  auto items = keys_of<std::uint32_t>(kItems);
  while (!has_come &&
         Clock::now() < last) {  // a thread that comes late once is left out for a while
    const auto wait_until = Clock::now() + std::chrono::milliseconds(20);
    sortlab::sort(items, [&, caller = pthread_self()](auto a, auto b) {
      if (pthread_equal(caller, pthread_self()) == 0) {
        if (!has_come.exchange(true)) look();
      } else {
        while (!has_come && Clock::now() < wait_until) std::this_thread::yield();
      }
      return a < b;
    });
  }
  return has_come;
}

// ---- Signals ----

TEST(Signals, OfATeamThreadsOwnMakingAloneReachIt) {
  EXPECT_TRUE(in_child([] {
    sigset_t blocked;
    sigemptyset(&blocked);
    MUST(looks_on_team([&] { pthread_sigmask(SIG_SETMASK, nullptr, &blocked); }));
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) {
      MUST(sigismember(&blocked, own) == 0);
    }
    for (const int other : {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGUSR1, SIGCHLD, SIGPROF}) {
      MUST(sigismember(&blocked, other) == 1);
    }
    return true;
  }));
}

TEST(Signals, OfACrashFindTheProgramsHandler) {
  EXPECT_TRUE(in_child([] {
    signal(SIGSEGV, [](int) { _exit(0); });
    looks_on_team([] { raise(SIGSEGV); });
    return false;
  }));
}

// ---- Cancellation ----

/// Whether a thread that is cancelled before f() ends by that, and the process can still sort.
bool is_cancelled_after(void (*f)()) {
  pthread_t thread;
  void* result = nullptr;
  const auto work = [](void* f) -> void* {
    pthread_cancel(pthread_self());
    reinterpret_cast<void (*)()>(f)();
    pthread_testcancel();
    return nullptr;
  };
  pthread_create(&thread, nullptr, work, reinterpret_cast<void*>(f));
  pthread_join(thread, &result);
  return result == PTHREAD_CANCELED && sorts() && looks_on_team([] {});
}

void sort_by_cancellable(int threads) {
  auto items = keys_of<std::uint32_t>(kItems);
  sortlab::sort(items,
                [](auto a, auto b) {
                  pthread_testcancel();
                  return a < b;
                },
                {.threads = threads});
}

TEST(Cancellation, EndsAThreadInItsFirstSort) {
  EXPECT_TRUE(in_child([] { return is_cancelled_after([] { sorts(); }); }));
}

TEST(Cancellation, EndsAThreadInAComparison) {
  EXPECT_TRUE(in_child([] { return is_cancelled_after([] { sort_by_cancellable(1); }); }));
  EXPECT_TRUE(in_child([] { return is_cancelled_after([] { sort_by_cancellable(2); }); }));
}

TEST(Cancellation, EndsAThreadThatEndsTheTeam) {
  EXPECT_TRUE(in_child([] {
    MUST(looks_on_team([] {}));
    return is_cancelled_after([] { end_threads(); });
  }));
}

// ---- Scheduling ----

/// Whether there is a team, and is_good(thread) holds for each of its threads, perhaps after they have begun.
template <class F>
bool holds_for_team(F is_good) {
  for (int i = 0; i < 1000; ++i, usleep(5000)) {
    int members = 0, good = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      const int thread = std::atoi(task.path().filename().c_str());
      if (thread == getpid() || is_ending(task.path())) continue;
      ++members;
      good += is_good(thread);
    }
    if (members > 0 && good == members) return true;
  }
  return false;
}

TEST(Scheduling, OfAPinnedThreadIsItsOwn) {
  CpuSet all;
  ASSERT_TRUE(all.read(getpid()));
  if (all.count() < 2) GTEST_SKIP() << "one CPU";
  EXPECT_TRUE(in_child([&] {
    bool is_pinned = false;
    std::thread([&] {
      CpuSet one;
      one.add(allowed_cpus().front());
      is_pinned = one.apply();
      sorts();
    }).join();
    MUST(is_pinned && (kSanitized || threads() == count_usable_cpus()));
    MUST(threads() > 1);
    return holds_for_team([&](int thread) {
      CpuSet its;
      return its.read(thread) && its.count() == all.count();
    });
  }));
}

TEST(Scheduling, OfTheProcessIsReadAnewByAChildAndAfterTheTeamEnded) {
  if (kSanitized || count_usable_cpus() < 2) GTEST_SKIP() << "one CPU";
  EXPECT_TRUE(in_child([&] {
    MUST(threads() > 1);
    CpuSet one;
    one.add(allowed_cpus().back());
    MUST(one.apply());
    MUST(in_child([] { return threads() == 1; }));
    end_threads();
    return threads() == 1;
  }));
}

/// Gives the calling thread a class and a nice value. False if the system refuses.
bool take_class(int policy, int nice) {
  const sched_param parameters{.sched_priority = policy == SCHED_FIFO ? 1 : 0};
  return sched_setscheduler(0, policy, &parameters) == 0 && setpriority(PRIO_PROCESS, 0, nice) == 0;
}

TEST(Scheduling, ClassOfTheFirstCallerIsItsOwn) {
  const int usual = sched_getscheduler(0), usual_nice = getpriority(PRIO_PROCESS, 0);
  if (usual == SCHED_FIFO || usual == SCHED_RR) GTEST_SKIP() << "a real-time process";
  int tried = 0;
  for (const int policy : {SCHED_FIFO, SCHED_BATCH, SCHED_IDLE}) {
    const int nice = std::min(usual_nice + (policy == SCHED_IDLE ? 5 : 0), 19);
    const auto may_return = [&] {
      return take_class(policy, nice) && take_class(usual, usual_nice);
    };
    if (!in_child(may_return)) continue;
    ++tried;
    EXPECT_TRUE(in_child([&] {
      set_threads(2);
      std::thread([&] { take_class(policy, nice) && sorts(); }).join();
      return holds_for_team([&](int thread) {
        return sched_getscheduler(thread) == usual &&
               getpriority(PRIO_PROCESS, static_cast<id_t>(thread)) == usual_nice;
      });
    })) << policy;
  }
  if (tried == 0) GTEST_SKIP() << "no class may be changed and restored";
}

/// Whether sorts may use so many CPUs, if the control group allows as many.
bool may_use(int cpus) {
  const int quota = static_cast<int>(std::ceil(cpu_quota().value_or(cpus)));
  return kSanitized || threads() == std::clamp(quota, 1, cpus);
}

TEST(Scheduling, OnMoreCpusThanAnOldMaskHolds) {
  EXPECT_TRUE(in_child([] {
    refuse_affinity(EINVAL);
    return allowed_cpus() == std::vector({0, 2000, 8000}) && may_use(3) && sorts();
  }));
}

TEST(Scheduling, InASandboxThatTellsNoMask) {
  EXPECT_TRUE(in_child([] {
    refuse_affinity(EPERM);
    return may_use(static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))) && sorts();
  }));
}

// ---- Floating-point environment ----

template <class Float>
std::vector<Float> tiny_and_huge(std::size_t n) {
  auto keys = keys_of<Float>(n);
  using Bits = std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>;
  for (std::size_t i = 0; i < n; i += 3) {  // denormal numbers of both signs, and signalling NaNs
    const auto sign = static_cast<Bits>(i % 2) << (8 * sizeof(Float) - 1);
    const auto exponent =
        i % 9 == 0 ? std::bit_cast<Bits>(std::numeric_limits<Float>::infinity()) : Bits{0};
    keys[i] = std::bit_cast<Float>(static_cast<Bits>(sign | exponent | (i * 7919 % 60'000 + 1)));
  }
  return keys;
}

template <class Float>
bool sorts_as_before() {
  for (const std::size_t n : {std::size_t{5}, std::size_t{300}, std::size_t{4000}, kMany}) {
    for (const Floats floats : {Floats::total_order, Floats::nans_last}) {
      const auto keys = tiny_and_huge<Float>(n);
      auto before = keys, now = keys;
      std::vector<std::uint32_t> order_before(n), order(n);
      std::fenv_t environment;
      std::fegetenv(&environment);
      sortlab::sort(now, {.floats = floats});
      sortlab::argsort(keys, order, {.floats = floats});
      std::fesetenv(FE_DFL_ENV);
      sortlab::sort(before, {.floats = floats});
      sortlab::argsort(keys, order_before, {.floats = floats});
      std::fesetenv(&environment);
      MUST(same_bytes(now, before) && order == order_before);
    }
  }
  return true;
}

bool sorts_floats_as_before() { return sorts_as_before<float>() && sorts_as_before<double>(); }

TEST(Arithmetic, OfTheCallerChangesNoOrderOfKeys) {
  for (const int rounding : {FE_UPWARD, FE_DOWNWARD}) {
    EXPECT_TRUE(in_child([&] {
      std::fesetround(rounding);
      return sorts_floats_as_before() && std::fegetround() == rounding;
    }));
  }
#if defined(__SSE__)
  EXPECT_TRUE(in_child([] {
    constexpr unsigned kDenormalsAreZero = 0x8040;
    _mm_setcsr(_mm_getcsr() | kDenormalsAreZero);
    return sorts_floats_as_before() && (_mm_getcsr() & kDenormalsAreZero) == kDenormalsAreZero;
  }));
#endif
}

#if defined(__GLIBC__) && defined(__x86_64__)
TEST(Arithmetic, ThatTrapsDoesNotTrapInSorts) {
  EXPECT_TRUE(in_child([] {
    constexpr int kTraps = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW;
    feenableexcept(kTraps);
    return sorts_floats_as_before() && fetestexcept(kTraps) == 0 && fegetexcept() == kTraps;
  }));
}
#endif

TEST(Arithmetic, OfAComparisonIsTheCallersOnEachThread) {
  EXPECT_TRUE(in_child([] {
    for (const int rounding : {FE_UPWARD, FE_TONEAREST, FE_DOWNWARD}) {
      int on_team = -1;
      std::fesetround(rounding);
      MUST(looks_on_team([&] { on_team = std::fegetround(); }));
      MUST(on_team == rounding);
    }
    return true;
  }));
}

// ---- errno and locale ----

TEST(Errno, IsKept) {
  EXPECT_TRUE(in_child([] {
    errno = 1234;
    MUST(threads() > 0 && errno == 1234);
    for (int i = 0; i < (kSanitized ? 3 : 30); ++i) {
      MUST(sorts() && errno == 1234);
      end_threads();
      release_memory();
      MUST(errno == 1234);
    }
    sortlab_sorter* const sorter = sortlab_sorter_create();
    MUST(sortlab_sorter_memory(sorter, std::size_t{16} << 20) != nullptr && errno == 1234);
    sortlab_sorter_destroy(sorter);
    MUST(kept_memory() > 0 && errno == 1234);
    set_kept_memory(0);
    return errno == 1234;
  }));
}

/// Reads no file right.
struct Foreign : std::codecvt<char, char, std::mbstate_t> {
  static inline int calls = 0;
  bool do_always_noconv() const noexcept override { return ++calls < 0; }
};

TEST(Locale, IsNotUsed) {
  EXPECT_TRUE(in_child([] {
    std::locale::global(std::locale(std::locale(), new Foreign));
    return sorts() && threads() > 0 && Foreign::calls == 0;
  }));
}

}  // namespace
}  // namespace sortlab::tests
