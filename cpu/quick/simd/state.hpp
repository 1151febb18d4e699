// The memory of a thread of cpu/quick/simd, and the buckets that a distribution makes, which are chains of blocks.
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

#include "cpu/primitives/simd/few_values.hpp"
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

template <class Key>
struct alignas(kBlockBytes) ThreadState {
  alignas(kLineBytes) Key slack[kLineKeys<Key>];  // space before a chunk's first piece
  alignas(kLineBytes) Key scratch[kScratchKeys<Key>];
  alignas(kLineBytes) Key more_slack[2 * kLineKeys<Key>];
  Chains<Key> chains;
  Sides sides;
  primitives::simd::FewCounted few;
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
  Sides (*take_out)(Key* keys, Key* to, std::size_t n, Key key, Key flip);
  void (*distribute_raw)(const Key* from, std::size_t n, const Splitters<Key>& splitters,
                         ThreadState<Key>& state, Key flip);
  void (*distribute_coded)(const Key* from, std::size_t n, const Splitters<Key>& splitters,
                           ThreadState<Key>& state, Key flip);
  void (*gather)(const Chains<Key>& chains, int bucket, Key* to);
};

}  // namespace sortlab::cpu::quick::simd
