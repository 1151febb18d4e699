// Plans the passes over the top digits alone, and cuts the array into leaves after them.
//
// After stable passes over the top digits, the least significant of them first, the array is sorted
// by its top bits: keys that share these are together, in a bucket. A leaf is a few buckets, the
// work of one block. Buckets are not counted: cut w is the beginning of the bucket that contains
// the place w * window, and a search in the keys finds it.
//
//     places     |        |        |        |        |      w * window
//     buckets    [  a  ][ b ][ c ][  d   ][e][  f   ][ g ]
//     cuts       ^      ^         ^          ^       ^
//
// So a leaf holds fewer items than a window and a bucket together, for any sizes of buckets. A leaf
// too large for a block is sorted in parts, cut in the same way.
//
// The number of top digits is a prediction (FullestBucket and what is above it). If it is wrong, and a bucket is too large,
// all passes are done after all, because the items are still in an order that keeps the sort stable.
#pragma once

#include "gpu/primitives/grid/sampled_place.cuh"
#include "gpu/primitives/grid/sweep/pass_plan.cuh"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/launch/early.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::radix::top_sweep {

// Which of the top digits make buckets that fit a leaf, so that passes over these alone will do.
//
// It is predicted from the digits' counts, as if digits were independent: n times the share of the heaviest
// bin of each. Where bins are uneven, all passes are done, but for floats of 64 bits of which a sample says that it
// will do (FullestBucket).

// How full the fullest bucket is, by a sample. The digits' own counts don't show where digits depend on
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

/// What the digits' counts show.
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

/// Whether passes from counts.first on will do: by the counts, or by a sample if these are not enough. All threads of the block
/// call it.
template <class Bits>
__device__ bool top_passes_will_do(const FirstPassByCounts& counts, const Bits* keys,
                                   KeyMap<Bits> key_map, std::size_t n, unsigned needed,
                                   LeafLimits limits, FullestBucket& fullest) {
  if (counts.first == 0 || !counts.needs_sample) return counts.first > 0;
  if (!may_be_even_within<Bits>(key_map, needed, counts.first)) return false;
  Bits key[FullestBucket::kKeys];
  FullestBucket::draw(keys, key_map, n, key);
  return makes_leaves(key, counts.first, n, limits, fullest);
}

/// The block that has planned all passes leaves out those over the low digits if the top ones will probably make buckets
/// that fit.
template <class Bits>
__device__ void plan_top_passes(const Bits* keys, KeyMap<Bits> key_map, std::size_t n,
                                LeafLimits limits, FullestBucket& fullest,
                                Plan<kPasses<Bits>>& plan, UpperPasses& upper) {
  constexpr unsigned kPassCount = kPasses<Bits>;
  __shared__ unsigned long long s_most[kPassCount];
  if (threadIdx.x < kPassCount) s_most[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = threadIdx.x; i < kPassCount * kBins; i += kPlanThreads) {
    atomicMax(&s_most[i / kBins], __ldcg(&plan.counts[i / kBins][i % kBins]));
  }
  __syncthreads();
  const unsigned needed = plan.needed;
  const FirstPassByCounts counts = first_pass_by_counts<Bits>(s_most, n, needed, limits);
  const bool will_do = top_passes_will_do(counts, keys, key_map, n, needed, limits, fullest);
  if (threadIdx.x > 0) return;
  upper = {.needed = needed};
  if (!will_do) return;
  const unsigned top = needed >> counts.first << counts.first;
  const unsigned sweeps = __popc(top);
  set_passes(plan.passes, top, 0);
  plan.ends_in = EndsIn::data;  // the leaves write all items back
  for (PassPlan& pass : plan.passes) pass.is_last = false;
  upper = {counts.first * kDigitBits, sweeps % 2 == 1, sweeps, needed};
}

/// Counts the digits of all passes, and plans those over the top ones.
template <class Bits>
__global__ void __launch_bounds__(kPlanThreads, 1)
    plan_top_sweep(const Bits* keys, bool has_own_source, KeyMap<Bits> key_map, std::size_t n,
                   Plan<kPasses<Bits>>* plan, uint4* words, std::size_t word_vectors,
                   LeafLimits limits, UpperPasses* upper) {
  await_previous_kernel();
  if (!count_and_plan(keys, has_own_source, key_map, n, plan, words, word_vectors)) return;
  __syncthreads();
  plan_top_passes(keys, key_map, n, limits, *reinterpret_cast<FullestBucket*>(dynamic_shared()),
                  *plan, *upper);
}

/// The beginning of the bucket that contains `place`, if it has at most `most` items.
template <class Bits>
__device__ std::size_t begin_of_bucket(const Bits* bits, std::size_t place, std::size_t n,
                                       unsigned low_bits, unsigned most) {
  if (place >= n) return n;
  const Bits prefix = bits[place] >> low_bits;
  std::size_t before = place > most ? place - most : 0;  // all before here are of other buckets
  std::size_t begin = place;                             // all from here to place are of this one
  while (before < begin) {
    const std::size_t middle = before + (begin - before) / 2;
    if (bits[middle] >> low_bits == prefix) {
      begin = middle;
    } else {
      before = middle + 1;
    }
  }
  return begin;
}

/// The end of the part of a leaf that begins at `begin` and is one block's work: `begin` itself if
/// the bucket there has more than `most` items.
template <class Bits>
__device__ std::size_t end_of_leaf(const Bits* bits, std::size_t begin, std::size_t end,
                                   unsigned low_bits, unsigned most) {
  return end - begin <= most ? end : begin_of_bucket(bits, begin + most, end, low_bits, most);
}

constexpr unsigned kCutThreads = 128;
constexpr unsigned kLeavesACutter = kCutThreads - 1;  // a block

/// Cuts the array into `leaves` leaves: leaf w begins at cuts[w]. A thread searches for one cut,
/// and gets the next one, where its leaf ends, from its neighbour.
template <class Bits>
__global__ void __launch_bounds__(kCutThreads)
    cut_leaves(const Bits* data, const Bits* alternate, std::size_t n, unsigned leaves,
               LeafLimits limits, UpperPasses* upper, std::size_t* cuts) {
  __shared__ std::size_t s_begin[kCutThreads];
  await_previous_kernel();
  const unsigned low_bits = upper->low_bits;
  if (low_bits == 0) return;
  const Bits* const bits = upper->from_alternate ? alternate : data;
  const std::size_t leaf = std::size_t{blockIdx.x} * kLeavesACutter + threadIdx.x;
  std::size_t begin = begin_of_bucket(bits, leaf * limits.window, n, low_bits, limits.most);
  s_begin[threadIdx.x] = begin;
  __syncthreads();
  if (leaf > leaves || threadIdx.x == kLeavesACutter) return;
  cuts[leaf] = begin;
  if (leaf == leaves) return;
  const std::size_t end = s_begin[threadIdx.x + 1];
  while (begin < end) {
    const std::size_t next = end_of_leaf(bits, begin, end, low_bits, limits.most);
    if (next <= begin) {
      upper->are_due = 1;
      break;
    }
    begin = next;
  }
}

// Where the leaves of pairs write what they have sorted. Places that are wanted as 8 bytes (an argsort's indices are) are
// written so at once: a kernel that widens them afterwards would read and write each once more.
//
// If there are no leaves, as all passes have been done, such a kernel does it after all.
// measured: argsort of 2^27 u32, H100, us: 3318 (at once) vs 3941 (afterwards); argsort.1.txt

/// Items, or their values as 8 bytes each.
template <class Bits, class Value>
struct LeafResult {
  Items<Bits, Value> items;
  std::uint64_t* wide_values = nullptr;  // if not null, values go here alone
  bool drops_keys = false;

  __device__ __forceinline__ LeafResult from(std::size_t offset) const {
    return {items.from(offset), wide_values == nullptr ? nullptr : wide_values + offset,
            drops_keys};
  }
  /// `key()` returns the key.
  template <class Key>
  __device__ __forceinline__ void put(std::size_t i, Key key, Value value) const {
    if (!drops_keys) items.keys[i] = key();
    if (wide_values != nullptr) {
      wide_values[i] = value;
    } else {
      items.values[i] = value;
    }
  }
};

/// Widens the values, unless leaves have done it. Without a plan there are no leaves.
template <class Value>
__global__ void __launch_bounds__(kCopyThreads)
    widen_values(const Value* values, std::uint64_t* wide, std::size_t n,
                 const UpperPasses* upper) {
  await_previous_kernel();
  if (upper != nullptr && upper->low_bits != 0) return;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
    wide[i] = values[i];
  }
}

template <class Bits, class Value>
void launch_widen_values(const LeafResult<Bits, Value>& result, std::size_t n,
                         const UpperPasses* upper, cudaStream_t stream) {
  if (result.wide_values == nullptr) return;
  const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
  launch_early("widen_values", widen_values<Value>,
               {std::min(2 * sms, ceil_div(n, kCopyThreads)), kCopyThreads}, stream,
               static_cast<const Value*>(result.items.values), result.wide_values, n, upper);
}

}  // namespace sortlab::gpu::radix::top_sweep
