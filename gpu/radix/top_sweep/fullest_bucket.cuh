// How full the fullest bucket is, by a sample. The digits' own counts can't tell where digits depend on
// each other, as the letters of words do, or the bytes of a value that is repeated.
//
//     sampled keys     the   that  and   the   ...
//     top digits       th    th    an    th
//     counters         [ . . 1 . . . . 3 . . ]       by a hash: the greatest is an estimate, or too much
#pragma once

#include "gpu/primitives/grid/sampled_place.cuh"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::radix::top_sweep {

/// The counters of one block, in its shared memory.
struct FullestBucket {
  static constexpr unsigned kThreads = 1024;
  static constexpr unsigned kKeys = 16;  // a thread
  static constexpr unsigned kSampled = kThreads * kKeys;
  static constexpr unsigned kCounterBits = 14;  // about as many as sampled keys

  /// Of keys that do not share a bucket, chance makes 2^15 squares, give or take 256.
  static constexpr unsigned kEvenSquares = 2 * kSampled + kSampled / 10;

  /// How many of kSampled keys are in the fullest bucket, at most; and the squares of all buckets' counts, added up.
  struct Counted {
    unsigned most;
    unsigned squares;
  };

  unsigned counters[1u << kCounterBits];
  Counted counted;

  /// The thread draws its keys of the sample, ordered.
  template <class Bits>
  __device__ static void draw(const Bits* keys, KeyMap<Bits> key_map, std::size_t n,
                              Bits (&key)[kKeys]) {
#pragma unroll
    for (unsigned k = 0; k < kKeys; ++k) {
      key[k] = keys[sampled_place(k * kThreads + threadIdx.x, kSampled, n)];
    }
#pragma unroll
    for (unsigned k = 0; k < kKeys; ++k) key[k] = key_map.ordered(key[k]);
  }

  /// Counts the keys of buckets, which share the bits from low_bits on. All threads of the block call it, and get the
  /// same.
  template <class Bits>
  __device__ Counted sampled(const Bits (&key)[kKeys], unsigned low_bits) {
    for (unsigned c = threadIdx.x; c < 1u << kCounterBits; c += kThreads) counters[c] = 0;
    if (threadIdx.x == 0) counted = {};
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kKeys; ++k) {
      atomicAdd(&counters[counter_of(key[k] >> low_bits)],
                1u);  // none returns: a heavy key's are one
    }
    __syncthreads();
    Counted mine{};
#pragma unroll
    for (unsigned c = 0; c < 1u << kCounterBits; c += kThreads) {
      const unsigned count = counters[c + threadIdx.x];
      mine = {max(mine.most, count), mine.squares + count * count};
    }
    mine = {lanes_max(kAllLanes, mine.most), warp_sum(mine.squares)};
    if (lane_id() == 0) {
      atomicMax(&counted.most, mine.most);
      atomicAdd(&counted.squares, mine.squares);
    }
    __syncthreads();
    const Counted all = counted;
    __syncthreads();  // before the next call
    return all;
  }

  /// The most that are to be expected of a bucket of `size` keys of n, with room for chance and for other
  /// buckets that share its counter.
  __device__ static float expected(unsigned size, std::size_t n) {
    const float mean =
        static_cast<float>(size) * static_cast<float>(kSampled) / static_cast<float>(n);
    return mean + sqrtf(mean) + 5;
  }

 private:
  template <class Bits>
  __device__ static unsigned counter_of(Bits prefix) {
    constexpr auto kFactor = static_cast<Bits>(0x9e3779b97f4a7c15);
    return static_cast<unsigned>(prefix * kFactor >> (8 * sizeof(Bits) - kCounterBits));
  }
};

}  // namespace sortlab::gpu::radix::top_sweep
