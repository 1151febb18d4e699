// Looks at a sample of the keys before the first count: are their top bits spread evenly? If not,
// which curve equalizes them (equalizer.cuh), and is that enough?
//
// One block, which runs in any case, draws 2^12 keys. Only if the sum of squares of its bins' counts
// says that the keys are uneven, all SMs draw 2^19 or 2^20 more and weigh the prefixes of the sampled range.
#pragma once

#include <cooperative_groups.h>

#include "gpu/primitives/block/msd/keys.cuh"
#include "gpu/primitives/grid/last_block.cuh"
#include "gpu/primitives/grid/msd/plan.cuh"
#include "gpu/primitives/grid/sampled_place.cuh"

namespace sortlab::gpu::radix::msd_hybrid {

using namespace msd;

constexpr unsigned kSampleThreads = 1024;
constexpr unsigned kGlance = 4;    // keys a thread of the first sample
constexpr unsigned kFewKeys = 4;   // and of the second one, for one level,
constexpr unsigned kManyKeys = 8;  // for two
constexpr unsigned kGlanceBins = 256;

/// Thread `thread` of `threads` draws keys, each from somewhere in a stretch of its own.
template <unsigned kKeys, class Bits>
__device__ __forceinline__ void draw(const Buffers<Bits>& buffers, std::size_t n, unsigned thread,
                                     unsigned threads, Bits (&key)[kKeys]) {
#pragma unroll
  for (unsigned k = 0; k < kKeys; ++k) {
    key[k] = buffers.raw[sampled_place(k * threads + thread, kKeys * threads, n)];
  }
#pragma unroll
  for (unsigned k = 0; k < kKeys; ++k) key[k] = buffers.key_map.ordered(key[k]);
}

/// The least and the greatest of the block's keys: to *min and *max, which its first lanes lower
/// and raise.
template <unsigned kKeys, class Bits>
__device__ __forceinline__ void find_range(const Bits (&key)[kKeys], Count* min, Count* max) {
  Bits least = key[0];
  Bits most = key[0];
#pragma unroll
  for (unsigned k = 1; k < kKeys; ++k) {
    least = key[k] < least ? key[k] : least;
    most = key[k] > most ? key[k] : most;
  }
#pragma unroll
  for (unsigned distance = kWarp / 2; distance > 0; distance /= 2) {
    const Bits other_least = __shfl_xor_sync(kAllLanes, least, distance);
    const Bits other_most = __shfl_xor_sync(kAllLanes, most, distance);
    least = other_least < least ? other_least : least;
    most = other_most > most ? other_most : most;
  }
  if (lane_id() == 0) {
    if (least < *min) atomicMin(min, Count{least});
    if (most > *max) atomicMax(max, Count{most});
  }
}

struct GlanceShared {
  unsigned counts[kGlanceBins];
  unsigned squares;
  unsigned repeats;
  Count differing;  // bits
  Count min;
  Count max;
};

/// One block draws a few keys and decides three things. Are the keys equalized? Do they go to the
/// fall-back (sweeps) at once? If neither, how many keys may be left to further levels? A sweep takes a
/// fifth of the time of two levels and leaves with 64-bit keys, a third with 32-bit keys, and every byte
/// in which keys differ needs one. Keys of few values are done after few levels.
template <class Bits>
__device__ void glance(const Plan& plan, const Buffers<Bits>& buffers, GlanceShared& s) {
  constexpr unsigned kDrawn = kGlance * kSampleThreads;
  // Even keys' sum of squares is chi-squared times 16, and more: five of its deviations above.
  constexpr unsigned kEvenSquares = kDrawn * kDrawn / kGlanceBins + kDrawn + 5 * 361;
  constexpr unsigned kFewRepeats = kDrawn / 32;
  constexpr unsigned kShift = 8 * sizeof(Bits) - 8;
  Equalizing& to = *plan.equalizing;
  Bits key[kGlance];
  draw(buffers, plan.n, threadIdx.x, kSampleThreads, key);
  if (threadIdx.x < kGlanceBins) s.counts[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    s.squares = s.repeats = 0;
    s.differing = 0;
    s.min = ~Count{0};
    s.max = 0;
  }
  __syncthreads();
  unsigned repeats = 0;
#pragma unroll
  for (unsigned k = 0; k < kGlance; ++k) {
    atomicAdd(&s.counts[static_cast<unsigned>(key[k] >> kShift)], 1u);
    repeats += __shfl_xor_sync(kAllLanes, key[k], 1) == key[k];
  }
  Bits differing = 0;
#pragma unroll
  for (unsigned k = 0; k < kGlance; ++k) {
    differing |= key[k] ^ __shfl_sync(kAllLanes, key[0], 0);
  }
  const bool is_new = (differing & ~static_cast<Bits>(s.differing)) != 0;
  if (is_new) atomicOr(&s.differing, Count{differing});
  repeats = warp_sum(repeats);
  find_range(key, &s.min, &s.max);
  if (lane_id() == 0 && repeats > 0) atomicAdd(&s.repeats, repeats);
  __syncthreads();
  if (threadIdx.x < kGlanceBins) {
    const unsigned square = warp_sum(s.counts[threadIdx.x] * s.counts[threadIdx.x]);
    if (lane_id() == 0) atomicAdd(&s.squares, square);
  }
  __syncthreads();
  unsigned sweeps = 0;
  for (Count bits = s.differing | (s.min ^ s.max); bits > 0; bits >>= 8) sweeps += (bits & 255) > 0;
  // Equal 64-bit keys may hide others, for which there would be eight sweeps.
  const bool is_left = sweeps < 4 && (sweeps > 0 || sizeof(Bits) == 4);
  const bool is_on = s.squares > kEvenSquares && s.max > s.min && !is_left;
  if (threadIdx.x == 0) {
    *plan.is_left = is_left;
    to.is_on = is_on;
    to.blocks_done = 0;
    to.min = s.min;
    to.max = s.max;
    to.most_large = sweeps > 0 && sweeps <= 4  ? plan.n / 8
                    : s.repeats <= kFewRepeats ? plan.n / 2
                                               : plan.n;
  }
  if (!is_on) return;
  for (unsigned i = threadIdx.x; i < 2 * kPrefixes; i += kSampleThreads) to.weight[i] = 0;
}

/// Draws the lines: a prefix gets numbers by its weight, and some more, the fewer of its keys were
/// drawn. Keys of prefixes whose halves differ by more than chance are likely not to become even: says
/// whether they are too many.
__device__ inline bool draw_lines(Equalizing& to, std::size_t n) {
  constexpr unsigned kEach = kPrefixes / kSampleThreads;
  constexpr Count kLastPlace = (1u << kPlaceBits) - 1;
  __shared__ Count s_sums[kSampleThreads / kWarp];
  const unsigned first = kEach * threadIdx.x;
  Count end[kEach];
  Count sum = 0;
  unsigned drawn = 0;
  unsigned uneven = 0;
#pragma unroll
  for (unsigned e = 0; e < kEach; ++e) {
    const unsigned half = __ldcg(&to.weight[2 * (first + e)]);
    const unsigned other = __ldcg(&to.weight[2 * (first + e) + 1]);
    const unsigned weight = half + other;
    const float deviation = sqrtf(static_cast<float>(weight));
    const unsigned difference = half < other ? other - half : half - other;
    drawn += weight;
    if (static_cast<float>(difference) > 4 * deviation) uneven += weight;
    sum += 16 * weight + static_cast<unsigned>(32 * deviation);
    end[e] = sum;
  }
  Count all;
  const Count below = block_exclusive_scan<kSampleThreads>(sum, &all, s_sums);
  const auto place = [&](Count weight) { return static_cast<unsigned>(weight * kLastPlace / all); };
  unsigned begin = place(below);
#pragma unroll
  for (unsigned e = 0; e < kEach; ++e) {
    const unsigned next = place(below + end[e]);
    to.equalizer.line[first + e] = begin << kHeightBits | min(next - begin, kMaxHeight);
    begin = next;
  }
  Count all_drawn;
  Count all_uneven;
  block_exclusive_scan<kSampleThreads>(Count{drawn}, &all_drawn, s_sums);
  block_exclusive_scan<kSampleThreads>(Count{uneven}, &all_uneven, s_sums);
  return all_uneven * n > to.most_large * all_drawn;
}

/// Weighs the prefixes if the keys are to be equalized; the last block draws the lines, and leaves
/// keys to the fall-back that these will not make even enough. The blocks meet once.
template <unsigned kKeys, class Bits>
__global__ void __launch_bounds__(kSampleThreads) equalize(Plan plan, Buffers<Bits> buffers) {
  Equalizing& to = *plan.equalizing;
  if (!to.is_on) return;
  Bucket& all = plan.even.buckets[0];
  __shared__ unsigned s_weight[2 * kPrefixes];
  Bits key[kKeys];
  draw(buffers, plan.n, blockIdx.x * kSampleThreads + threadIdx.x, gridDim.x * kSampleThreads, key);
  find_range(key, &to.min, &to.max);
  for (unsigned i = threadIdx.x; i < 2 * kPrefixes; i += kSampleThreads) s_weight[i] = 0;
  cooperative_groups::this_grid().sync();
  SampledRange range;
  range.low = __ldcg(&to.min);
  range.span = __ldcg(&to.max) - range.low;
  range.up = static_cast<unsigned>(__clzll(static_cast<long long>(range.span)));
#pragma unroll
  for (unsigned k = 0; k < kKeys; ++k) {
    atomicAdd(&s_weight[range.word_of(key[k]) >> (kRestBits - 1)], 1u);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < 2 * kPrefixes; i += kSampleThreads) {
    const unsigned h = (i + blockIdx.x * 2 * kWarp) % (2 * kPrefixes);  // blocks begin apart
    if (s_weight[h] > 0) atomicAdd(&to.weight[h], s_weight[h]);
  }
  if (!is_last_block(&to.blocks_done)) return;
  const bool is_left = draw_lines(to, plan.n);
  if (threadIdx.x == 0) {
    if (is_left) *plan.is_left = 1;
    to.equalizer.sampled = range;
    to.equalizer.max_key = Bits(~Bits{0});
    to.equalizer.part_bits = kPlaceBits - plan.number_bits;
    all.is_equalized = 1;
    all.range_bits = plan.number_bits;
  }
}

}  // namespace sortlab::gpu::radix::msd_hybrid
