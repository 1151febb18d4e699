// A parallel region: slots of work. One thread takes each slot.
//
// The caller opens it. Then the caller and the threads that see the region take free slots, one
// after the other, and call the body for each. A late thread finds no free slot and has nothing to
// do. So the caller waits for started slots, but never for a thread to come.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common/threads/futex.hpp"
#include "common/threads/team.hpp"
#include "common/threads/thread_sanitizer.hpp"

namespace sortlab::team {

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");  // `yield` does nothing on most cores
#endif
}

/// Each region has a larger number than the previous one, so that old state never looks new.
using RegionNumber = std::uint64_t;

/// One call of the body. It has its own cache lines, so that threads which begin at the same time
/// do not wait for each other.
class alignas(kApart) Slot {
 public:
  bool take(RegionNumber region) {
    std::uint64_t state = state_.load(std::memory_order_relaxed);
    return state < 2 * region &&
           state_.compare_exchange_strong(state, 2 * region, std::memory_order_acquire);
  }
  void finish(RegionNumber region) { state_.store(2 * region + 1); }
  bool is_finished(RegionNumber region) const { return state_.load() == 2 * region + 1; }

 private:
  /// Twice the number of the last region in which it was taken, plus 1 once it is finished.
  std::atomic<std::uint64_t> state_ = 0;
};

/// The region that is open now. The team has one, and opens it again and again.
class Region {
 public:
  /// The data that a member polls.
  struct News {
    RegionNumber number;
    int slots;
    int crew;  // how many threads may take part
  };

  News news() const {
    const std::uint64_t word = news_.load(std::memory_order_acquire);
    return {word >> 2 * kBits, static_cast<int>(word >> kBits & kMask),
            static_cast<int>(word & kMask)};
  }

  /// The caller's. `crew` is at most `slots`, which is at most kMostSlots.
  News open(int slots, int crew, Body body, void* context) {
    body_ = body;
    context_ = context;
    thread_sanitizer::release(this);
    const std::uint64_t word = (news().number + 1) << kBits | static_cast<std::uint64_t>(slots);
    news_.store(word << kBits | static_cast<std::uint64_t>(crew));
    return {news().number, slots, crew};
  }

  /// Anybody's: takes free slots, `first` before the others. Returns whether there was one.
  bool work(const News& region, int first) {
    bool has_worked = false;
    for (int i = 0; i < region.slots; ++i) {
      const int number = first + i < region.slots ? first + i : first + i - region.slots;
      Slot& slot = slots_[static_cast<std::size_t>(number)];
      if (!slot.take(region.number)) continue;
      thread_sanitizer::acquire(this);
      body_(context_, number);
      thread_sanitizer::release(this);
      slot.finish(region.number);
      has_worked = true;
    }
    if (has_worked && caller_sleeps_.load() == 1 && caller_sleeps_.exchange(0) == 1) {
      futex_wake(caller_sleeps_);
    }
    return has_worked;
  }

  /// The caller's, after its own work(), so that no slot is free: waits until all are finished.
  void wait(const News& region) {
    constexpr int kSpins = 2000;
    int finished = 0;
    const auto is_over = [&] {
      while (finished < region.slots &&
             slots_[static_cast<std::size_t>(finished)].is_finished(region.number)) {
        ++finished;
      }
      if (finished < region.slots) return false;
      thread_sanitizer::acquire(this);
      return true;
    };
    for (int i = 0; i < kSpins; ++i) {
      if (is_over()) return;
      pause();
    }
    for (;;) {
      caller_sleeps_.store(1);
      if (is_over()) break;
      futex_wait(caller_sleeps_, 1);
    }
    caller_sleeps_.store(0);
  }

 private:
  static constexpr int kBits = 10;
  static constexpr std::uint64_t kMask = (1 << kBits) - 1;
  static_assert(kMostSlots <= static_cast<int>(kMask));

  // One cache line has all that a member reads to begin.
  alignas(kApart) std::atomic<std::uint64_t> news_ = 0;
  Body body_ = nullptr;  // this and the next are read by a thread that holds a slot
  void* context_ = nullptr;
  alignas(kApart) FutexWord caller_sleeps_ = 0;
  std::array<Slot, kMostSlots> slots_;
};

}  // namespace sortlab::team
