// Which of the top digits make buckets that fit a leaf, so that passes over these alone will do.
//
// It is predicted from the digits' counts, as if digits were independent: n times the share of the heaviest
// bin of each. Where bins are uneven, all passes are done, but for floats of 64 bits of which a sample says that it
// will do (FullestBucket).
#pragma once

#include "gpu/primitives/grid/sampled_place.cuh"
#include "gpu/primitives/grid/sweep/digit.cuh"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::radix::top_sweep {

// How full the fullest bucket is, by a sample. The digits' own counts can't tell where digits depend on
// each other, as the letters of words do, or the bytes of a value that is repeated.
//
//     sampled keys     the   that  and   the   ...
//     top digits       th    th    an    th
//     counters         [ . . 1 . . . . 3 . . ]       by a hash: the greatest is an estimate, or too much

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

using namespace sweep;

/// The work of a block.
struct LeafLimits {
  unsigned window;
  unsigned most;  // items
  unsigned most_low_bits;
};

/// The first pass, from the top on, that the counts allow, and whether all bins down to it are even.
struct PredictedPass {
  unsigned first;  // 0: none
  bool is_even;
};

/// A bucket may be larger than predicted by this factor.
constexpr float kUneven = 1.4F;

/// `most[pass]` is the heaviest bin of a digit; `needed` has a bit for each pass that is needed.
template <class Bits>
__device__ PredictedPass predict_first_pass(const unsigned long long (&most)[kPasses<Bits>],
                                            std::size_t n, unsigned needed, LeafLimits limits) {
  constexpr float kEvenShare = 1.25F / kBins;  // a bin of keys that are spread evenly has less
  auto bucket = static_cast<float>(n);
  bool is_even = true;
  for (unsigned pass = kPasses<Bits>; pass-- > 0;) {
    if ((needed >> pass & 1) == 0) continue;
    const float share = static_cast<float>(most[pass]) / static_cast<float>(n);
    bucket *= share;
    is_even = is_even && share < kEvenShare;
    if (bucket * kUneven <= static_cast<float>(limits.most) &&
        pass * kDigitBits <= limits.most_low_bits) {
      return {pass, is_even};
    }
  }
  return {0, false};
}

/// The lowest pass below which two or more are left out, which is worth it; 0 if there is none.
__device__ inline unsigned lowest_worth_it(unsigned needed) {
  const unsigned rest = needed & (needed - 1);
  const unsigned worth_it = rest & (rest - 1);
  return worth_it == 0 ? 0 : static_cast<unsigned>(__ffs(static_cast<int>(worth_it))) - 1;
}

/// What the digits' counts tell.
struct FirstPassByCounts {
  unsigned
      first;  // the pass that they allow, so that those below are left out; 0: none that is worth it
  bool needs_sample;
};

template <class Bits>
__device__ FirstPassByCounts first_pass_by_counts(const unsigned long long (&most)[kPasses<Bits>],
                                                  std::size_t n, unsigned needed,
                                                  LeafLimits limits) {
  const unsigned last = lowest_worth_it(needed);
  if (last == 0) return {0, false};
  const PredictedPass predicted = predict_first_pass<Bits>(most, n, needed, limits);
  if (predicted.first < last) return {0, false};
  return {predicted.first, !predicted.is_even};
}

/// Whether keys whose top digits are uneven may yet be even within buckets, so that it is worth to ask the sample: floats
/// of 64 bits of which all digits differ, and of which three passes at most make the buckets. With more passes, buckets are
/// small and far apart, and leaves take long for these.
template <class Bits>
__device__ bool may_be_even_within(KeyMap<Bits> key_map, unsigned needed, unsigned first) {
  constexpr unsigned kMostPasses = 3;
  constexpr unsigned kAllPasses = (1u << kPasses<Bits>)-1;
  return sizeof(Bits) == 8 && key_map.flip_if_negative != 0 && needed == kAllPasses &&
         __popc(needed >> first) <= static_cast<int>(kMostPasses);
}

/// Whether passes from this one on will probably make buckets that fit a leaf, by the block's keys of the sample, and in
/// which keys do not crowd: leaves take long for these, too. All threads of the block call it.
template <class Bits>
__device__ bool makes_leaves(const Bits (&key)[FullestBucket::kKeys], unsigned pass, std::size_t n,
                             LeafLimits limits, FullestBucket& fullest) {
  return static_cast<float>(fullest.sampled(key, pass * kDigitBits).most) <=
             FullestBucket::expected(limits.most, n) &&
         fullest.sampled(key, (pass - 1) * kDigitBits).squares <= FullestBucket::kEvenSquares;
}

}  // namespace sortlab::gpu::radix::top_sweep
