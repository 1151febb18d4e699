// The memory of a thread of cpu/quick/simd, the buckets that a distribution makes, which are chains of
// blocks, and its counting sort of keys with few values.
//
// Keys are not counted before they are moved: a bucket grows by blocks of a page, which each thread
// takes from its own memory. So a distribution reads every key once and writes it once.
//
//   thread 0   bucket 0: block 3 -> block 9 -> block 12      all full but the last
//              bucket 1: block 0 -> block 7
//   thread 1   bucket 0: block 1 -> ...
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cpu/primitives/few_keys.hpp"
#include "cpu/primitives/parallel.hpp"
#include "cpu/quick/tree_search.hpp"

namespace sortlab::cpu::quick::simd {

inline constexpr std::size_t kBlockBytes = 4096;
// measured: 2^27, 16 threads, Mkeys/s: u64 989 (2^11 buckets) vs 943 (2^10), u32 1821 vs 1799; xeon16,
// quick_simd.4.txt
inline constexpr int kMaxBuckets = 2048;

template <class Key>
inline constexpr std::size_t kBlockKeys = kBlockBytes / sizeof(Key);

/// The largest bucket that is sorted in a core's own cache, and the memory for it. A distribution's
/// two chunk buffers use the same memory.
inline constexpr std::size_t kScratchBytes = std::size_t{2} << 20;
template <class Key>
inline constexpr std::size_t kScratchKeys = kScratchBytes / sizeof(Key);

/// The buckets of one thread.
template <class Key>
struct alignas(kLineBytes) Chains {
  alignas(kLineBytes) Key lines[kMaxBuckets][kLineKeys<Key>];  // keys that do not fill a line yet
  std::size_t counts[kMaxBuckets];
  Key* next[kMaxBuckets];  // where the next line goes; a multiple of kBlockBytes: into a new block
  std::uint32_t head[kMaxBuckets], tail[kMaxBuckets];

  std::byte* own;  // blocks in the alternate buffer ...
  std::size_t own_blocks;
  std::byte* extra;  // ... and in the workspace
  std::uint32_t* following;
  std::uint32_t used;

  Key* block(std::uint32_t id) const {
    std::byte* const at =
        id < own_blocks ? own + id * kBlockBytes : extra + (id - own_blocks) * kBlockBytes;
    return reinterpret_cast<Key*>(at);
  }
  void clear(int buckets) {
    used = 0;
    for (int b = 0; b < buckets; ++b) {
      counts[b] = 0;
      next[b] = nullptr;
    }
  }
  /// Appends a block to a bucket.
  Key* add_block(int bucket) {
    const std::uint32_t id = used++;
    (next[bucket] == nullptr ? head[bucket] : following[tail[bucket]]) = id;
    tail[bucket] = id;
    return block(id);
  }
};

/// How many of some keys are below one key, and how many above it.
struct Sides {
  std::size_t below = 0, above = 0;
};

/// A thread's number of keys of each of few values, and of those with other values (FewValues).
struct FewCounted {
  static constexpr std::size_t kTooMany = static_cast<std::size_t>(-1);
  std::size_t counts[primitives::FewKeys<std::uint32_t>::kMost], missed;
};

template <class Key>
struct alignas(kBlockBytes) ThreadState {
  alignas(kLineBytes) Key slack[kLineKeys<Key>];  // space before a chunk's first piece
  alignas(kLineBytes) Key scratch[kScratchKeys<Key>];
  alignas(kLineBytes) Key more_slack[2 * kLineKeys<Key>];
  Chains<Key> chains;
  Sides sides;
  FewCounted few;
};

/// The keys of a chunk: pieces of about a few lines for each bucket, both copies in scratch.
template <class Key>
constexpr std::size_t chunk_keys(int buckets) {
  const std::size_t most = (std::size_t{256} << 10) / sizeof(Key);
  const std::size_t least =
      static_cast<std::size_t>(buckets) * 64 / kLineKeys<Key> * kLineKeys<Key>;
  return std::min(std::max(least, std::min(4 * least, most)), kScratchKeys<Key> / 4);
}

/// The kernels of one instruction set, for the keys of one kind.
template <class Key>
struct Calls {
  unsigned (*look)(const Key* keys, std::size_t n, Key flip);
  void (*sort_raw)(Key* keys, std::size_t n, Key flip);
  void (*sort_coded)(Key* from, Key* to, std::size_t n, Key flip);
  void (*sort_sample)(Key* sample, std::size_t n);
  void (*fill)(Key* to, std::size_t n, Key key, Key flip);
  Sides (*take_out)(Key* keys, Key* to, std::size_t n, Key key, Key flip);
  void (*sample_raw)(const Key* from, std::size_t n, Key* sample, std::size_t count, Key flip);
  void (*sample_coded)(const Key* from, std::size_t n, Key* sample, std::size_t count, Key flip);
  void (*distribute_raw)(const Key* from, std::size_t n, const Splitters<Key>& splitters,
                         ThreadState<Key>& state, Key flip);
  void (*distribute_coded)(const Key* from, std::size_t n, const Splitters<Key>& splitters,
                           ThreadState<Key>& state, Key flip);
  void (*gather)(const Chains<Key>& chains, int bucket, Key* to);
};

// Keys with few distinct values, for cpu/quick/simd: they are counted, not moved.
//
//   keys   | c a b a x c ..                 each thread counts the values that a sample has
//   other  | x ..                           and copies the keys that have none of them
//   keys   | a a a .. | b b .. | x | c ..   written, in shares of the places
//
// Memory traffic: each key is read once and written once.
// measured: experts, 1 thread, Mkeys/s, before and after: 100,003 u32 866 and 792, f64 461 and 681; 1,000,003 u32 1011
// and 1252, f64 492 and 998; amd2/attempts/few_values.1.txt

template <class Key>
class FewValues {
  using Bits = std::make_unsigned_t<Key>;
  using Table = primitives::FewKeys<Bits>;

 public:
  FewValues(const Calls<Key>& calls, Key flip) : calls_(calls), flip_(flip) {}

  /// Whether n keys seem to have few values, n at least kMostSampled.
  bool find(const Key* keys, std::size_t n) {
    Key sample[kMostSampled];
    constexpr std::size_t kFirst = 2 * Table::kMost;  // enough to reject most inputs
    take_sample(keys, n, sample, kFirst);
    calls_.sort_raw(sample, kFirst, flip_);
    if (std::unique(sample, sample + kFirst) - sample > std::ptrdiff_t{Table::kMost}) return false;
    const std::size_t sampled = std::clamp(n / 64, kFirst, kMostSampled);
    take_sample(keys, n, sample, sampled);
    calls_.sort_raw(sample, sampled, flip_);
    return table_.find(reinterpret_cast<Bits*>(sample), sampled);
  }

  /// Sorts them, with a second buffer; `counted(t)` is memory of thread t. Returns false, and changes no key,
  /// if keys that the sample has missed are not rare.
  template <class CountedOf>
  bool sort(Key* keys, Key* other, std::size_t n, int threads, CountedOf counted) const {
    const auto begin = [&](int t) { return primitives::parallel::chunk_begin(n, threads, t); };
    primitives::parallel::on_all_threads(threads, [&](int t) {
      count(keys + begin(t), begin(t + 1) - begin(t), other + begin(t), counted(t));
    });
    std::size_t counts[Table::kMost] = {}, missed = 0;
    for (int t = 0; t < threads; ++t) {
      const FewCounted& some = counted(t);
      if (some.missed == FewCounted::kTooMany) return false;
      std::copy_n(other + begin(t), some.missed, other + missed);
      missed += some.missed;
      for (std::size_t k = 0; k < table_.count(); ++k) counts[k] += some.counts[k];
    }
    // Sorted together with the keys that were missed, the values find their places.
    for (std::size_t k = 0; k < table_.count(); ++k) {
      other[missed++] = static_cast<Key>(table_.key(k));
    }
    calls_.sort_raw(other, missed, flip_);
    struct Run {
      std::size_t first, last;
      Key key;
    } runs[Table::kMost];
    std::size_t place = 0, run = 0;
    for (std::size_t i = 0; i < missed; ++i) {
      const auto bits = static_cast<Bits>(other[i]);
      if (table_.difference(table_.slot_of(bits), bits) != 0) {
        keys[place++] = other[i];
      } else {
        const std::size_t first = place;
        place += counts[table_.place_of(bits)];
        runs[run++] = {first, place, other[i]};
      }
    }
    primitives::parallel::on_all_threads(threads, [&](int t) {
      for (std::size_t r = 0; r < run; ++r) {
        const std::size_t first = std::max(begin(t), runs[r].first);
        const std::size_t last = std::min(begin(t + 1), runs[r].last);
        if (first < last) std::fill(keys + first, keys + last, runs[r].key);
      }
    });
    return true;
  }

 private:
  static constexpr std::size_t kMostSampled = 1024;

  static void take_sample(const Key* keys, std::size_t n, Key* sample, std::size_t count) {
    const std::size_t step = n / count;
    for (std::size_t i = 0; i < count; ++i) {
      sample[i] = keys[i * step + (step * (i * 40503 & 0xFFFF) >> 16)];
    }
  }

  /// Counts n keys by value, and copies those that the table lacks. Neighbours use different counters, so that none
  /// waits for an equal key before it.
  void count(const Key* keys, std::size_t n, Key* to, FewCounted& counted) const {
    constexpr std::size_t kCopies = 4, kAtOnce = 2 * kCopies;
    constexpr std::size_t kMostMissed = 32;  // one key in so many, and at first some more
    std::uint32_t counts[kCopies][Table::kSlots] = {};
    std::size_t missed = 0;
    Bits difference = 0;
    const auto count_one = [&](std::size_t i) {
      const auto bits = static_cast<Bits>(keys[i]);
      const std::size_t slot = table_.slot_of(bits);
      difference |= table_.difference(slot, bits);
      ++counts[i % kCopies][slot];
    };
    const auto copy_missed = [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const auto bits = static_cast<Bits>(keys[i]);
        const std::size_t slot = table_.slot_of(bits);
        if (table_.difference(slot, bits) == 0) continue;
        --counts[i % kCopies][slot];
        to[missed++] = keys[i];
      }
      difference = 0;
    };
    std::size_t i = 0;
    for (; i + kAtOnce <= n; i += kAtOnce) {
#pragma GCC unroll 8
      for (std::size_t k = 0; k < kAtOnce; ++k) count_one(i + k);
      if (difference == 0) continue;
      copy_missed(i, i + kAtOnce);
      if (missed > i / kMostMissed + kMostSampled / 4) {
        counted.missed = FewCounted::kTooMany;
        return;
      }
    }
    const std::size_t rest = i;
    for (; i < n; ++i) count_one(i);
    if (difference != 0) copy_missed(rest, n);
    for (std::size_t k = 0; k < table_.count(); ++k) {
      std::uint32_t all = 0;
      for (const auto& copy : counts) all += copy[table_.slot_of(table_.key(k))];
      counted.counts[k] = all;
    }
    counted.missed = missed;
  }

  const Calls<Key>& calls_;
  Key flip_;
  Table table_;
};

}  // namespace sortlab::cpu::quick::simd
