#include "common/threads/team.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <ctime>
#include <new>
#include <thread>
#include <utility>

#include "common/contract/callers_state.hpp"
#include "common/contract/usable_cpus.hpp"
#include "common/threads/futex.hpp"
#include "common/threads/region.hpp"
#include "common/threads/roster.hpp"

namespace sortlab::team {
namespace {

/// A thread begins with the CPUs, the class and the nice value of the one that starts it. This gives the calling thread
/// those of the process's main thread, but no real-time class, since the team's threads wait by spinning. The system
/// may refuse: only who has the right to do so lowers a nice value. A sandbox may even end a process that tries, so
/// nothing is set that is right already.
void schedule_as_the_process() {
  const pid_t process = getpid();
  int own = SCHED_OTHER;
  sched_param parameters{};
  pthread_getschedparam(pthread_self(), &own, &parameters);
  const int of_process = sched_getscheduler(process) & ~SCHED_RESET_ON_FORK;
  const bool is_modest = of_process == SCHED_BATCH || of_process == SCHED_IDLE;
  if (const int wanted = is_modest ? of_process : SCHED_OTHER; own != wanted) {
    parameters = {};
    pthread_setschedparam(pthread_self(), wanted, &parameters);
  }
  const int nice = getpriority(PRIO_PROCESS, static_cast<id_t>(process));
  if (getpriority(PRIO_PROCESS, 0) != nice) setpriority(PRIO_PROCESS, 0, nice);
  CpuSet cpus, own_cpus;
  if (cpus.read(process) && own_cpus.read(0) && std::memcmp(&cpus, &own_cpus, sizeof cpus) != 0) {
    cpus.apply();
  }
}

/// A member came late if it ended its part of a region so much later than the caller, and was off its
/// CPU for longer than this. If it was on its CPU, it only had more work. Measured: 1M u64 keys of files'
/// sizes, 16 threads, us: 1557 if 0.3 ms alone decide, 1186 if 1 ms does. But then members that were
/// really stopped stay: 100K u32 keys beside 8 busy CPUs 458, not 126
/// (results/xeon16/attempts/team_work.1.txt).
constexpr Nanoseconds kLate = 300 * kMicrosecond;
/// A spinning member came late if it did not run for longer than this. It reads the clock about once per
/// microsecond, so it sees the gap. Virtual machines have shorter gaps all the time; with other programs
/// on 4 to 12 of 16 CPUs, 0.3 and 3 ms make no difference (the same log).
constexpr Nanoseconds kStopped = 3 * kMillisecond;
/// How long after the system refused a thread the team asks again.
constexpr Nanoseconds kRefused = 100 * kMillisecond;

int default_limit() {
#if defined(SORTLAB_SANITIZED)
  return kMostSlots;  // more of them find more races
#else
  return std::min(kMostSlots, count_usable_cpus());
#endif
}

constinit std::atomic<int> the_limit = 0;      // 0: not set
constinit std::atomic<int> limit_by_cpus = 0;  // 0: not read

Nanoseconds now() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

/// How long the thread that calls it was off its CPU.
class OffCpu {
 public:
  /// Begins to count, unless it began less than a millisecond before `time`, which is now: reading the
  /// CPU time takes a system call.
  void watch(Nanoseconds time) {
    if (time - since_ > kMillisecond) since_last();
  }
  /// In nanoseconds, since the last call of either function that read the CPU time.
  Nanoseconds since_last() {
    timespec on_cpu{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &on_cpu);
    since_ = now();
    const Nanoseconds off = since_ - (1000 * kMillisecond * on_cpu.tv_sec + on_cpu.tv_nsec);
    return off - std::exchange(last_, off);
  }

 private:
  Nanoseconds since_ = 0, last_ = 0;
};

/// During its lifetime the calling thread, and each that it starts, takes no signals: those are for the threads of the
/// program.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

/// The calling thread takes signals of its own making: if a comparison crashes, the program's handler is called.
void take_own_signals() {
  sigset_t own;
  sigemptyset(&own);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) {
    sigaddset(&own, signal);
  }
  pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
}

}  // namespace

class Team {
 public:
  void run(int slots, Body body, void* context) {
    if (slots <= 1 || busy_.exchange(true, std::memory_order_acquire)) {
      for (int slot = 0; slot < slots; ++slot) body(context, slot);
      return;
    }
    hire(slots);
    roster_.look_after(now());
    const Region::News region =
        region_.open(slots, std::min(slots, roster_.here() + 1), body, context);
    wake_next(0, region.crew);
    region_.work(region, 0);
    worked_until_.store(now(), std::memory_order_release);
    region_.wait(region);
    busy_.store(false, std::memory_order_release);
  }

  int at_hand(int threads) {
    if (const int set = the_limit.load(std::memory_order_relaxed)) threads = std::min(threads, set);
    if (threads > 1 && !busy_.exchange(true, std::memory_order_acquire)) {
      roster_.look_after(now());
      busy_.store(false, std::memory_order_release);
    }
    const int here = roster_.here();
    return here == roster_.hired() ? threads : std::min(threads, here + 1);
  }

  void end() {
    const Undisturbed undisturbed;  // a thread that is cancelled here would leave the team busy
    while (busy_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
    is_ending_.store(true);
    region_.open(0, 0, nullptr, nullptr);
    for (int rank = 1; rank <= roster_.hired(); ++rank) {
      FutexWord& asleep = roster_.of_rank(rank).asleep;
      if (asleep.exchange(0) == 1) futex_wake(asleep);
    }
    for (int rank = 1; rank <= roster_.hired(); ++rank) {
      pthread_join(roster_.of_rank(rank).thread, nullptr);
    }
    for (int rank = roster_.hired(); rank > 0; --rank) delete &roster_.of_rank(rank);
    roster_.dismiss_all();
    refused_until_ = 0;
    is_ending_.store(false);
    busy_.store(false, std::memory_order_release);
  }

 private:
  // ---- The caller's functions; it holds busy_ ----

  /// Starts the threads that `slots` slots need, but no more than the limit. If there is no memory or the system
  /// refuses, the region has fewer.
  void hire(int slots) {
    const int wanted = std::min(slots, limit()) - 1;
    if (roster_.hired() >= wanted || now() < refused_until_) return;
    const Undisturbed undisturbed;
    const SignalsBlocked blocked;
    while (roster_.hired() < wanted) {
      if (!hire_one()) {
        refused_until_ = now() + kRefused;
        return;
      }
    }
  }

  bool hire_one() {
    auto* const member = new (std::nothrow) Member;
    if (member == nullptr) return false;
    member->team = this;
    const auto serve = [](void* hired) -> void* {
      Member& me = *static_cast<Member*>(hired);
      me.team->serve(me);
      return nullptr;
    };
    if (pthread_create(&member->thread, nullptr, serve, member) != 0) {
      delete member;
      return false;
    }
    roster_.hire(*member);
    return true;
  }

  // ---- The members' functions ----

  /// Nothing of the thread that started this one is kept: that may be any thread of the program.
  void serve(Member& me) {
    schedule_as_the_process();
    take_own_signals();
    const NotCancelled by_a_comparison;
    OffCpu off_cpu;
    Nanoseconds idle_since = now();
    for (RegionNumber seen = 0;;) {
      const Region::News region = wait_for_news(me, seen, idle_since);
      if (is_ending_.load()) return;
      seen = region.number;
      const int rank = me.rank.load(std::memory_order_relaxed);
      if (rank >= region.crew) continue;
      wake_next(rank, region.crew);
      const Nanoseconds began = now();
      off_cpu.watch(began);
      if (!region_.work(region, rank)) continue;
      idle_since = now();
      const Nanoseconds others_until = worked_until_.load(std::memory_order_acquire);
      if (others_until > began &&
          idle_since - others_until > std::max(kLate, others_until - began) &&
          off_cpu.since_last() > kLate) {
        roster_.came_late(me);
      }
    }
  }

  /// The next region after `seen`. A member that has been idle for long sleeps.
  Region::News wait_for_news(Member& me, RegionNumber seen, Nanoseconds& idle_since) {
    for (Nanoseconds last = now();;) {
      Region::News news = region_.news();
      for (int i = 0; i < 16 && news.number == seen; ++i) {
        pause();
        news = region_.news();
      }
      const Nanoseconds time = now();
      if (time - last > kStopped) roster_.came_late(me);
      if (news.number != seen) return news;
      last = time;
      if (!roster_.is_here(me) || time - idle_since > roster_.patience()) {
        sleep(me, seen);
        last = idle_since = now();
      }
    }
  }

  void sleep(Member& me, RegionNumber seen) {
    me.asleep.store(1);
    if (region_.news().number == seen) {
      while (me.asleep.load() == 1) futex_wait(me.asleep, 1);
    }
    me.asleep.store(0);
  }

  /// Wakes sleeping members. Each wake-up costs microseconds, so in a large team members help.
  void wake_next(int rank, int crew) {
    constexpr int kCalls = 16;
    const int first = kCalls * rank + 1;
    for (int next = first; next < std::min(first + kCalls, crew); ++next) {
      FutexWord& asleep = roster_.of_rank(next).asleep;
      if (asleep.load() == 1 && asleep.exchange(0) == 1) futex_wake(asleep);
    }
  }

  Region region_;
  alignas(kApart) std::atomic<Nanoseconds> worked_until_ = 0;  // the caller, in the last region
  alignas(kApart) Roster roster_;
  // Only the caller uses these.
  alignas(kApart) std::atomic<bool> busy_ = false;
  Nanoseconds refused_until_ = 0;
  std::atomic<bool> is_ending_ = false;
};

namespace {

/// The process's; null until it is needed. Never destroyed: its threads sleep in it until they are to end, or the
/// process ends.
constinit std::atomic<Team*> the_team = nullptr;

/// A forked child has none of the team's threads, and may have other CPUs. If there is no memory to register that, a
/// child has a team that never comes.
void watch_forks() {
  static constinit std::atomic<bool> is_watched = false;
  if (is_watched.load(std::memory_order_acquire)) return;
  const auto begin_anew = [] {
    the_team.store(nullptr);
    limit_by_cpus.store(0);
  };
  // Two threads may both come here, and register the same twice. To wait for one another they would need a lock.
  if (pthread_atfork(nullptr, nullptr, begin_anew) == 0) is_watched.store(true);
}

/// Null if there is no memory.
[[gnu::noinline]] Team* made_team() {
  const KeptErrno error;
  watch_forks();
  Team* const made = new (std::nothrow) Team;
  Team* other = nullptr;
  if (made == nullptr || the_team.compare_exchange_strong(other, made)) return made;
  delete made;
  return other;
}

Team* team_of_process() {
  Team* const team = the_team.load(std::memory_order_acquire);
  return team != nullptr ? team : made_team();
}

[[gnu::noinline]] int read_limit() {
  watch_forks();
  const int limit = default_limit();
  limit_by_cpus.store(limit, std::memory_order_relaxed);
  return limit;
}

}  // namespace

void run(int slots, Body body, void* context) {
  if (Team* const team = team_of_process()) return team->run(slots, body, context);
  for (int slot = 0; slot < slots; ++slot) body(context, slot);
}

int at_hand(int threads) {
  Team* const team = team_of_process();
  return team != nullptr ? team->at_hand(threads) : 1;
}

void limit(int threads) {
  the_limit.store(std::min(threads, kMostSlots));
  end();
}

int limit() {
  const int set = the_limit.load(std::memory_order_relaxed);
  if (set > 0) return set;
  const int by_cpus = limit_by_cpus.load(std::memory_order_relaxed);
  return by_cpus > 0 ? by_cpus : read_limit();
}

void end() {
  limit_by_cpus.store(0);
  if (Team* const team = the_team.load(std::memory_order_acquire)) team->end();
}

}  // namespace sortlab::team
