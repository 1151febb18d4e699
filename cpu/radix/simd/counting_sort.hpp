// Sorts keys of a narrow range with all threads, for cpu/radix/simd: by counting, without moving
// keys.
//
//   data      | batch | batch | ..         each thread counts its batches in its own counters
//   scratch   | counters of thread 0 | .. of thread 1 | ..    added up, in shares of the values
//   data      | 0 0 0 1 1 2 2 2 2 | ..     written, in shares of the places
//
// Memory traffic: each key is read once and written once.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>

#include "cpu/primitives/parallel.hpp"
#include "cpu/radix/simd/state.hpp"

namespace sortlab::cpu::radix::simd {

template <class Key>
class CountingSort {
 public:
  CountingSort(const BucketCalls<Key>& calls, Key flip, ThreadState<Key>* states,
               const Range<Key>& range, const Plan& plan)
      : calls_(calls),
        flip_(flip),
        states_(states),
        range_(range),
        plan_(plan),
        counters_(static_cast<std::size_t>(range.last) + 2),
        stride_(counters_ <= kMostCopied ? counters_ : 0) {}

  static bool is_worth_while(const Range<Key>& range, std::size_t n, int threads) {
    constexpr std::size_t kKeysPerCounter = 4;
    return range.last < kMostCounters - 1 && n <= std::numeric_limits<std::uint32_t>::max() &&
           n / kKeysPerCounter / static_cast<std::size_t>(threads) > range.last;
  }

  /// Returns false, and changes nothing, if any key is beyond the range.
  bool sort(Key* keys, std::size_t n) const {
    std::atomic<std::size_t> next{0};
    const auto on_all = [&](auto step) {
      primitives::parallel::on_all_threads(plan_.threads, step);
    };
    const auto crew = static_cast<std::size_t>(plan_.threads);
    on_all([&](std::size_t me) { count_some(keys, n, next, counts(me)); });
    on_all([&](std::size_t me) { add_up(me, crew); });
    if (counts(0)[counters_ - 1] > 0) return false;
    on_all([&](std::size_t me) { write_share(keys, n, me, crew); });
    return true;
  }

 private:
  static constexpr std::size_t kBatch = std::size_t{1} << 16;

  std::uint32_t* counts(std::size_t t) const {
    return states_[t].template scratch_of<std::uint32_t>();
  }
  /// Where the share of a thread in counters or places begins.
  static std::size_t share(std::size_t all, std::size_t t, std::size_t crew) {
    return all * t / crew;
  }

  void count_some(const Key* keys, std::size_t n, std::atomic<std::size_t>& next,
                  std::uint32_t* mine) const {
    std::fill_n(mine, stride_ == 0 ? counters_ : kCountCopies * stride_, 0);
    for (std::size_t i = next.fetch_add(kBatch); i < n; i = next.fetch_add(kBatch)) {
      calls_.count(keys + i, std::min(kBatch, n - i), range_, mine, stride_, flip_);
      if (any_beyond(mine)) next = n;  // all threads end
    }
    for (std::size_t copy = 1; stride_ > 0 && copy < kCountCopies; ++copy) {
      for (std::size_t i = 0; i < counters_; ++i) mine[i] += mine[copy * stride_ + i];
    }
  }
  bool any_beyond(const std::uint32_t* mine) const {
    std::uint32_t beyond = mine[counters_ - 1];
    for (std::size_t copy = 1; stride_ > 0 && copy < kCountCopies; ++copy) {
      beyond += mine[copy * stride_ + counters_ - 1];
    }
    return beyond > 0;
  }
  void add_up(std::size_t me, std::size_t crew) const {
    const std::size_t begin = share(counters_, me, crew), end = share(counters_, me + 1, crew);
    std::uint32_t* const sum = counts(0);
    for (std::size_t t = 1; t < crew; ++t) {
      const std::uint32_t* const theirs = counts(t);
      for (std::size_t i = begin; i < end; ++i) sum[i] += theirs[i];
    }
    states_[me].counted = std::accumulate(sum + begin, sum + end, std::size_t{0});
  }
  void write_share(Key* keys, std::size_t n, std::size_t me, std::size_t crew) const {
    const std::size_t begin = share(n, me, crew), end = share(n, me + 1, crew);
    const std::uint32_t* const sum = counts(0);
    std::size_t before = begin, t = 0;
    while (before > states_[t].counted) before -= states_[t++].counted;
    std::size_t offset = share(counters_, t, crew);
    while (before > sum[offset]) before -= sum[offset++];
    // One thread does not wait for memory: stores that bypass the caches take longer.
    calls_.write_counted(sum, range_, offset, before, keys + begin, end - begin, flip_,
                         plan_.stream && crew > 1);
  }

  const BucketCalls<Key>& calls_;
  Key flip_;
  ThreadState<Key>* states_;
  Range<Key> range_;
  Plan plan_;
  std::size_t counters_;
  std::size_t stride_;  // from a counter to its copy; 0: there is none
};

}  // namespace sortlab::cpu::radix::simd
