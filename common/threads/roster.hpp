// The list of the team's members. Members that came late leave the team, and return on trial.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common/threads/futex.hpp"
#include "common/threads/team.hpp"

namespace sortlab::team {

using Nanoseconds = std::int64_t;
constexpr Nanoseconds kMicrosecond = 1000, kMillisecond = 1000 * kMicrosecond;

/// How long members spin after their last region, on a calm machine and after one came late.
/// Measured: cpu/auto, u32, 16 threads on 16 CPUs, Mkeys/s (results/xeon16/busy/constants.csv). 1M keys,
/// idle machine: 1 ms 2016, 3 ms 2204, because the harness takes more than 1 ms between two sorts. 16M
/// keys, 8 CPUs taken by other programs: 0.3 ms 1655, 3 ms 1433. The 5 ms were not compared with 3 ms.
constexpr Nanoseconds kPatience = 5 * kMillisecond, kPatienceWhenBusy = 300 * kMicrosecond;
/// How long members spin for the shorter time after one came late.
constexpr Nanoseconds kBusyFor = 100 * kMillisecond;
/// How long after a member left the next trial begins. Each trial that fails doubles it.
constexpr Nanoseconds kSoon = 5 * kMillisecond, kLatest = 400 * kMillisecond;
/// How long a trial takes. Linux favours a thread that has slept for some milliseconds. So a
/// short trial succeeds even on a shared CPU. Measured as above, sorts in a row
/// (in_a_row_constants.csv.xz), 8 CPUs taken, 1M and 16M keys: 1479 and 1912 without a least time,
/// 1646 and 2113 with 50 ms, with which kLate rose from 100 to 300 us and kLatest from 100 to 400
/// ms.
constexpr Nanoseconds kTrial = 50 * kMillisecond;
/// If at least this many members, and three quarters of those here, came late since the last region, it was probably
/// a moment: threads of another pool began, or the machine stood still. They stay, but once in kBusyFor only.
/// Measured: 131,072 pairs on 16 CPUs, us, medians of 8 processes: 274 to 574 with this, 327 to 1526 without, because all
/// members had left and returned a few at a time (results/xeon16/attempts/team_moment.1.txt).
constexpr int kManyAtOnce = 4;
/// After this time without a region, the roster's knowledge is out of date, and all members return.
constexpr Nanoseconds kForgetAfter = 1000 * kMillisecond;

class Team;

struct alignas(kApart) Member {
  std::atomic<int> rank = kMostSlots;  // from 1 on; those in the team have the lowest
  std::atomic<bool> is_late = false;
  bool is_on_trial = false;  // the caller's
  FutexWord asleep = 0;
  Team* team = nullptr;
  pthread_t thread = {};
};

/// The caller of a region changes it, between two regions. Members read it at any time.
class Roster {
 public:
  int hired() const { return hired_.load(std::memory_order_relaxed); }
  int here() const { return here_.load(std::memory_order_relaxed); }
  bool is_here(const Member& member) const {
    return member.rank.load(std::memory_order_relaxed) <= here();
  }
  Member& of_rank(int rank) const {
    return *by_rank_[static_cast<std::size_t>(rank)].load(std::memory_order_relaxed);
  }
  /// How long a member may spin.
  Nanoseconds patience() const { return patience_.load(std::memory_order_relaxed); }

  /// A member reports that it came late.
  void came_late(Member& member) {
    if (!is_here(member) || member.is_late.exchange(true, std::memory_order_relaxed)) return;
    late_.fetch_add(1, std::memory_order_release);
  }

  void hire(Member& member) {
    seat(member, hired() + 1);
    hired_.store(hired() + 1);
    let_in(hired());
  }

  /// The members' threads have ended.
  void dismiss_all() {
    here_.store(0);
    hired_.store(0);
    end_trial();
  }

  /// To be called before each region.
  void look_after(Nanoseconds time) {
    if (time - last_region_ > kForgetAfter) begin_anew();
    last_region_ = time;
    if (const auto late = late_.load(std::memory_order_acquire); late != late_seen_) {
      late_seen_ = late;
      put_out_the_late(time);
    }
    if (time >= next_trial_) begin_next_trial(time);
    if (here() == hired() && time >= calm_from_) {
      set_patience(kPatience);
    }
  }

 private:
  void begin_anew() {
    here_.store(hired());
    end_trial();
    for (int rank = 1; rank <= hired(); ++rank) {
      of_rank(rank).is_late.store(false, std::memory_order_relaxed);
    }
    gap_ = kSoon;
    calm_from_ = 0;
  }

  void put_out_the_late(Nanoseconds time) {
    if (was_a_moment(time)) return;
    bool has_failed = false;
    for (int rank = here(); rank > 0; --rank) {
      Member& member = of_rank(rank);
      if (!member.is_late.exchange(false, std::memory_order_relaxed)) continue;
      has_failed = has_failed || member.is_on_trial;
      put_out(rank);
    }
    if (has_failed) gap_ = std::min(2 * gap_, kLatest);
    end_trial();
    next_trial_ = time + gap_;
    calm_from_ = time + kBusyFor;
    set_patience(kPatienceWhenBusy);
  }

  /// Whether the late members stay; then they are no longer late.
  bool was_a_moment(Nanoseconds time) {
    int late = 0;
    for (int rank = 1; rank <= here(); ++rank) late += of_rank(rank).is_late;
    const bool moment = time >= next_moment_ && late >= kManyAtOnce && 4 * late >= 3 * here();
    if (!moment) return false;
    for (int rank = 1; rank <= here(); ++rank) of_rank(rank).is_late = false;
    next_moment_ = time + kBusyFor;
    return true;
  }

  /// Members read it all the time, so it is written only when it changes.
  void set_patience(Nanoseconds patience) {
    if (patience_.load(std::memory_order_relaxed) == patience) return;
    patience_.store(patience, std::memory_order_relaxed);
  }

  /// One member, then two more, then four: a machine that becomes idle is soon used as a whole.
  void begin_next_trial(Nanoseconds time) {
    const int passed = on_trial_;
    if (passed > 0) gap_ = kSoon;
    end_trial();
    on_trial_ = std::min(std::max(1, 2 * passed), hired() - here());
    for (int i = 0; i < on_trial_; ++i) let_in(hired()).is_on_trial = true;
    next_trial_ = time + kTrial;
  }

  void end_trial() {
    on_trial_ = 0;
    for (int rank = 1; rank <= hired(); ++rank) of_rank(rank).is_on_trial = false;
  }

  /// The member of this rank, which has left, becomes the last one of the team.
  Member& let_in(int rank) {
    Member& member = of_rank(rank);
    here_.store(here() + 1);
    swap(rank, here());
    member.is_late.store(false, std::memory_order_relaxed);
    return member;
  }

  void put_out(int rank) {
    swap(rank, here());
    here_.store(here() - 1);
  }

  void swap(int rank, int other) {
    Member &member = of_rank(rank), &other_member = of_rank(other);
    seat(member, other);
    seat(other_member, rank);
  }

  void seat(Member& member, int rank) {
    by_rank_[static_cast<std::size_t>(rank)].store(&member, std::memory_order_relaxed);
    member.rank.store(rank, std::memory_order_relaxed);
  }

  std::atomic<int> hired_ = 0, here_ = 0;
  std::atomic<Nanoseconds> patience_ = kPatience;
  std::array<std::atomic<Member*>, kMostSlots> by_rank_ = {};
  alignas(kApart) std::atomic<std::uint32_t> late_ = 0;
  // The caller's alone.
  std::uint32_t late_seen_ = 0;
  int on_trial_ = 0;
  Nanoseconds gap_ = kSoon, next_trial_ = 0, calm_from_ = 0, next_moment_ = 0, last_region_ = 0;
};

}  // namespace sortlab::team
