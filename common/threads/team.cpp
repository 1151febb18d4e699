#include "common/threads/team.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

#include "common/contract/usable_cpus.hpp"
#include "common/threads/futex.hpp"

namespace sortlab::team {
namespace {

using Nanoseconds = std::int64_t;
constexpr Nanoseconds kMicrosecond = 1000, kMillisecond = 1000 * kMicrosecond;

/// A member came late if it stood still for so long. A spinning member reads the clock about once per
/// microsecond, so it sees the gap; a working member compares its end with the caller's.
constexpr Nanoseconds kLate = 100 * kMicrosecond;
/// How long a member spins after its last region, on a calm machine and after a member came late.
/// Measured: cpu/auto, u32, 16 threads on 16 CPUs, Mkeys/s (results/xeon16/busy/constants.csv). 1M keys,
/// idle machine: 1 ms 2016, 3 ms 2204, because the harness takes more than 1 ms between two sorts. 16M
/// keys, 8 CPUs taken by other programs: 0.3 ms 1655, 3 ms 1433. The 5 ms were not compared with 3 ms.
constexpr Nanoseconds kPatience = 5 * kMillisecond, kPatienceWhenBusy = 300 * kMicrosecond;
/// How long members spin for the shorter time after one came late.
constexpr Nanoseconds kBusyFor = 100 * kMillisecond;
/// The time until the next member that left is let in again, on trial. It doubles each time that a
/// member on trial comes late, and is reset when one does not.
constexpr Nanoseconds kSoon = 5 * kMillisecond, kLatest = 100 * kMillisecond;
/// After so long without a region, what is known of the machine is out of date: all members return.
constexpr Nanoseconds kForgetAfter = 1000 * kMillisecond;

constexpr int kNoRank = 1 << 14;
constexpr int kMostThreads = kNoRank - 1;

int most_threads() {
#if defined(SORTLAB_SANITIZED)
  return kMostThreads;  // more of them find more races
#else
  return std::min(kMostThreads, usable_cpus());
#endif
}

Nanoseconds now() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// The current region in one word: its number, whether it is closed, how many threads may take part and
/// how many members joined. A member joins by adding 1; the old value tells it whether the region was open.
struct Board {
  static constexpr std::uint64_t kClosed = std::uint64_t{1} << 15;
  static std::uint64_t of(std::uint32_t number, int threads) {
    return std::uint64_t{number} << 32 | static_cast<std::uint64_t>(threads) << 16;
  }
  static std::uint32_t number(std::uint64_t board) {
    return static_cast<std::uint32_t>(board >> 32);
  }
  static int threads(std::uint64_t board) { return static_cast<int>(board >> 16 & 0xFFFF); }
  static bool is_closed(std::uint64_t board) { return (board & kClosed) != 0; }
  static std::uint32_t joined(std::uint64_t board) {
    return static_cast<std::uint32_t>(board & (kClosed - 1));
  }
};

struct alignas(128) Member {
  std::atomic<int> rank = kNoRank;  // its slot; kNoRank: not in the team
  std::atomic<bool> is_late = false;
  FutexWord asleep = 0;
};

class Team {
 public:
  void run(int threads, Body body, void* context) {
    if (threads <= 1 || busy_.exchange(true, std::memory_order_acquire)) return body(context, 0);
    const Nanoseconds began = now();
    hire(threads);
    look_after(began);
    threads = std::min(threads, static_cast<int>(ranks_.size()) + 1);
    if (threads == 1) {
      body(context, 0);
    } else {
      run_region(threads, body, context, began);
    }
    last_region_ = began;
    busy_.store(false, std::memory_order_release);
  }

  int at_hand(int threads) {
    if (threads <= 1 || busy_.exchange(true, std::memory_order_acquire)) return 1;
    look_after(now());
    const bool all_are_here = out_.empty();
    const int here = static_cast<int>(ranks_.size()) + 1;
    busy_.store(false, std::memory_order_release);
    return all_are_here ? threads : std::min(threads, here);
  }

 private:
  // ---- What the caller does; it holds busy_ ----

  void run_region(int threads, Body body, void* context, Nanoseconds began) {
    body_ = body;
    context_ = context;
    began_ = began;
    left_.store(0, std::memory_order_relaxed);
    board_.store(Board::of(++number_, threads));
    wake_next(0, threads);
    body(context, 0);
    closed_at_.store(now(), std::memory_order_relaxed);
    const std::uint32_t joined = Board::joined(board_.fetch_or(Board::kClosed));
    wait_for_all(joined);
  }

  void wait_for_all(std::uint32_t joined) {
    constexpr int kSpins = 2000;
    for (int i = 0; i < kSpins; ++i) {
      if (left_.load(std::memory_order_acquire) == joined) return;
      pause();
    }
    caller_sleeps_.store(true);
    for (std::uint32_t left; (left = left_.load()) != joined;) futex_wait(left_, left);
    caller_sleeps_.store(false, std::memory_order_relaxed);
  }

  /// Starts the threads that `threads` participants need, but no more than there are CPUs.
  void hire(int threads) {
    const int wanted = std::min(threads, most_) - 1;
    while (static_cast<int>(members_.size()) < wanted) {
      Member& member = *members_.emplace_back(std::make_unique<Member>());
      sigset_t all, before;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the program's own threads
      try {
        std::thread([this, &member] { serve(member); }).detach();
      } catch (const std::system_error&) {
        members_.pop_back();
        most_ = static_cast<int>(members_.size()) + 1;
      }
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      if (members_.size() == ranks_.size() + out_.size()) return;
      let_in(member);
    }
  }

  void let_in(Member& member) {
    ranks_.push_back(&member);
    member.is_late.store(false, std::memory_order_relaxed);
    member.rank.store(static_cast<int>(ranks_.size()), std::memory_order_relaxed);
  }

  void put_out(Member& member) {
    const int rank = member.rank.load(std::memory_order_relaxed);
    ranks_.back()->rank.store(rank, std::memory_order_relaxed);
    ranks_[static_cast<std::size_t>(rank) - 1] = ranks_.back();
    ranks_.pop_back();
    member.rank.store(kNoRank, std::memory_order_relaxed);
    out_.push_back(&member);
  }

  /// Removes members that came late. When it is time, lets the one that left first in again.
  void look_after(Nanoseconds time) {
    if (time - last_region_ > kForgetAfter) {
      last_region_ = time;
      gap_ = kSoon;
      on_trial_ = nullptr;
      for (; !out_.empty(); out_.pop_front()) let_in(*out_.front());
      for (Member* const member : ranks_) member->is_late.store(false, std::memory_order_relaxed);
    }
    if (const auto late = late_.load(std::memory_order_acquire); late != late_seen_) {
      late_seen_ = late;
      for (std::size_t i = ranks_.size(); i-- > 0;) {
        Member& member = *ranks_[i];
        if (!member.is_late.exchange(false, std::memory_order_relaxed)) continue;
        put_out(member);
        if (&member == on_trial_) gap_ = std::min(2 * gap_, kLatest);
        if (&member == on_trial_) on_trial_ = nullptr;
        next_trial_ = time + gap_;
        patience_.store(kPatienceWhenBusy, std::memory_order_relaxed);
        calm_from_ = time + kBusyFor;
      }
    }
    if (out_.empty()) {
      if (time > calm_from_) patience_.store(kPatience, std::memory_order_relaxed);
      return;
    }
    if (time < next_trial_) return;
    if (on_trial_ != nullptr) gap_ = kSoon;  // the last one did well
    on_trial_ = out_.front();
    out_.pop_front();
    let_in(*on_trial_);
    next_trial_ = time + gap_;
  }

  // ---- What a member does ----

  [[noreturn]] void serve(Member& me) {
    Nanoseconds idle_since = now();
    for (std::uint32_t seen = 0;;) {
      std::uint64_t board = wait_for_news(me, seen, idle_since);
      seen = Board::number(board);
      if (Board::is_closed(board) || !takes_part(me, board)) continue;
      board = board_.fetch_add(1);
      seen = Board::number(board);
      if (Board::is_closed(board)) continue;
      if (takes_part(me, board)) {
        work(me, Board::threads(board));
        idle_since = now();
      }
      left_.fetch_add(1);
      if (caller_sleeps_.load()) futex_wake(left_);
    }
  }

  void work(Member& me, int threads) {
    const int rank = me.rank.load(std::memory_order_relaxed);
    wake_next(rank, threads);
    body_(context_, rank);
    if (!Board::is_closed(board_.load(std::memory_order_acquire))) return;
    const Nanoseconds closed_at = closed_at_.load(std::memory_order_relaxed);
    if (now() - closed_at > std::max(kLate, closed_at - began_)) came_late(me);
  }

  static bool takes_part(const Member& me, std::uint64_t board) {
    return me.rank.load(std::memory_order_relaxed) < Board::threads(board);
  }

  /// The board once its number is not `seen` any more. A member that has been idle for long sleeps.
  std::uint64_t wait_for_news(Member& me, std::uint32_t seen, Nanoseconds& idle_since) {
    for (Nanoseconds last = now();;) {
      std::uint64_t board = board_.load(std::memory_order_acquire);
      for (int i = 0; i < 16 && Board::number(board) == seen; ++i) {
        pause();
        board = board_.load(std::memory_order_acquire);
      }
      const Nanoseconds time = now();
      if (time - last > kLate) came_late(me);
      if (Board::number(board) != seen) return board;
      last = time;
      const bool is_out = me.rank.load(std::memory_order_relaxed) == kNoRank;
      if (is_out || time - idle_since > patience_.load(std::memory_order_relaxed)) {
        sleep(me, seen);
        last = idle_since = now();
      }
    }
  }

  void sleep(Member& me, std::uint32_t seen) {
    me.asleep.store(1);
    if (Board::number(board_.load()) == seen) {
      while (me.asleep.load() == 1) futex_wait(me.asleep, 1);
    }
    me.asleep.store(0);
  }

  void came_late(Member& me) {
    if (me.is_late.exchange(true, std::memory_order_relaxed)) return;
    late_.fetch_add(1, std::memory_order_release);
  }

  /// Wakes sleeping members. Each wake-up costs microseconds, so in a large team members help.
  void wake_next(int rank, int threads) {
    constexpr int kCalls = 16;
    const int first = kCalls * rank + 1;
    for (int next = first; next < std::min(first + kCalls, threads); ++next) {
      FutexWord& asleep = ranks_[static_cast<std::size_t>(next) - 1]->asleep;
      if (asleep.load() == 1 && asleep.exchange(0) == 1) futex_wake(asleep);
    }
  }

  alignas(128) std::atomic<std::uint64_t> board_ = Board::kClosed;
  alignas(128) FutexWord left_ = 0;
  alignas(128) std::atomic<bool> caller_sleeps_ = false;
  std::atomic<Nanoseconds> closed_at_ = 0, patience_ = kPatience;
  std::atomic<std::uint32_t> late_ = 0;
  // Written by the caller before a region is open, read by those that joined.
  alignas(128) Body body_ = nullptr;
  void* context_ = nullptr;
  Nanoseconds began_ = 0;
  std::vector<Member*> ranks_;  // the members in the team; the first has rank 1
  // The caller's alone.
  alignas(128) std::atomic<bool> busy_ = false;
  std::vector<std::unique_ptr<Member>> members_;
  std::deque<Member*> out_;
  Member* on_trial_ = nullptr;
  int most_ = most_threads();
  std::uint32_t number_ = 0, late_seen_ = 0;
  Nanoseconds gap_ = kSoon, next_trial_ = 0, calm_from_ = 0, last_region_ = 0;
};

std::atomic<Team*> the_team = nullptr;

/// Never destroyed: its threads sleep in it until the process ends. A forked child has none of them.
Team& team_of_process() {
  static const bool made = [] {
    the_team = new Team;
    pthread_atfork(nullptr, nullptr, [] { the_team = new Team; });
    return true;
  }();
  static_cast<void>(made);
  return *the_team.load(std::memory_order_acquire);
}

}  // namespace

void run(int threads, Body body, void* context) { team_of_process().run(threads, body, context); }

int at_hand(int threads) { return team_of_process().at_hand(threads); }

}  // namespace sortlab::team
