// What SIMD sorts need besides vectors: keys as signed integers, keys that are in order already, splitters.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include "common/contract/key_types.hpp"
#include "common/utils.hpp"
#include "cpu/primitives/parallel.hpp"

namespace sortlab::cpu::primitives::simd {

/// A job's keys as signed integers. The kernels compare ascending signed integers: the first read
/// converts a key, and the last write converts it back (Coding in register_sort.inl.hpp).
template <class Job>
struct SignedKeys {
  using Key = typename Job::Key;
  using Int = std::make_signed_t<BitsOf<Key>>;
  static constexpr bool kFloat = std::is_floating_point_v<Key>;

  /// The bits of a key that change, apart from the magnitude of negative floats.
  static constexpr Int kFlip = (std::is_unsigned_v<Key> ? std::numeric_limits<Int>::min() : 0) ^
                               (Job::kOrder == Order::descending ? -1 : 0);

  /// The same memory. Until the sort ends, all code accesses the keys there as these integers.
  static Int* of(Key* keys) { return reinterpret_cast<Int*>(keys); }
};

// Input that is in order already, or in reverse order, needs no sorting.

/// The possible results of a look at keys; equal keys give both.
inline constexpr unsigned kAscending = 1, kDescending = 2;

/// The result of `look` for n keys, computed by all threads.
template <class Key>
unsigned look_at_all(unsigned (*look)(const Key* keys, std::size_t n, Key flip), const Key* keys,
                     std::size_t n, Key flip, int threads) {
  if (threads == 1) return look(keys, n, flip);
  std::atomic<unsigned> sequence = kAscending | kDescending;
  const std::size_t share = ceil_div(n, static_cast<std::size_t>(threads));
  parallel::on_all_threads(threads, [&](int t) {
    // Chunks overlap by one key, so that the pair on their border is compared too.
    const std::size_t first = std::min(n, share * static_cast<std::size_t>(t));
    const std::size_t last = std::min(n, first + share + 1);
    sequence &= look(keys + first, last - first, flip);
  });
  return sequence;
}

/// Not inlined, so that it does not lengthen the code path of other input.
template <class Key>
[[gnu::noinline]] void turn_round(Key* keys, std::size_t n, int threads) {
  parallel::for_each_chunk(n / 2, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) std::swap(keys[i], keys[n - 1 - i]);
  });
}

/// Whether the keys are in order. Keys in reverse order are reversed first. One thread looks at the first keys, because
/// most input is in no order; up to kMostBytesAlone it does all, because other threads come too late.
template <class Key>
bool in_order_now(unsigned (*look)(const Key* keys, std::size_t n, Key flip), Key* keys,
                  std::size_t n, Key flip, int threads) {
  constexpr std::size_t kFirst = 4096, kMostBytesAlone = std::size_t{1} << 20;
  if (n > kFirst && look(keys, kFirst, flip) == 0) return false;
  const int crew = n * sizeof(Key) <= kMostBytesAlone ? 1 : threads;
  const unsigned sequence = look_at_all(look, keys, n, flip, crew);
  if (sequence == kDescending) turn_round(keys, n, crew);
  return sequence != 0;
}

// Splitters are keys from a sorted sample that separate the other keys into buckets.

/// The ascending splitters of a distribution: bucket b holds the keys above splitter b - 1, up to
/// and including splitter b. Two consecutive integers as splitters have a bucket of equal keys
/// between them.
template <class Key>
struct Splitters {
  const Key* keys;
  int count;

  /// The greatest key that bucket may hold.
  Key upper(int bucket) const {
    return bucket < count ? keys[bucket] : std::numeric_limits<Key>::max();
  }
  /// Whether that is its only key.
  bool all_equal(int bucket) const {
    constexpr Key kLeast = std::numeric_limits<Key>::min();
    if (bucket == 0) return keys[0] == kLeast;
    return keys[bucket - 1] != std::numeric_limits<Key>::max() &&
           upper(bucket) == keys[bucket - 1] + 1;
  }
};

/// Takes `ways` - 1 splitters from a sorted sample, in equal steps. The first of equal splitters is
/// decremented, so that the frequent key has its own bucket. The greatest key of the sample counts
/// as one more splitter, so at least two buckets will hold keys of the sample.
template <class Key>
Splitters<Key> choose_splitters(const Key* sample, std::size_t sampled, int ways, Key* keys) {
  const auto count = static_cast<std::size_t>(ways) - 1;
  const std::size_t step = (sampled << 16) / static_cast<std::size_t>(ways);
  Key before = sample[0], key = sample[step >> 16];
  int kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Key after = i + 1 < count ? sample[(i + 2) * step >> 16] : sample[sampled - 1];
    if (i == 0 || before != key) {
      const bool least = key == std::numeric_limits<Key>::min();
      if (after == key && !least && (kept == 0 || keys[kept - 1] != key - 1))
        keys[kept++] = key - 1;
      keys[kept++] = key;
    }
    before = key;
    key = after;
  }
  return {keys, kept};
}

}  // namespace sortlab::cpu::primitives::simd
