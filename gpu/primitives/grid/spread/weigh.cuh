// Makes the map that spreads floats (spread_map.hpp) from a sample of the keys: all blocks of a grid weigh prefixes, the
// last one shares out the blocks of numbers.
//
//     prefixes    | -8    -0.01 |  0  | 0.01      8 |       those that may occur: from 22 binades below the least of the
//     weight        2 .. 40 .. 1       1 .. 40 .. 3         sample to 3 above the greatest, on either side, and zeros
//     blocks        3 .. 31 .. 2   1   2 .. 31 .. 4         one each, and all others by the weight
//
// A prefix weighs as much as its sampled keys, and some more, the fewer there are, or if its halves differ. If the
// shares are too small for the heavier prefixes, if keys repeat or end in zeros, or too many are uneven within their prefix,
// the keys are sorted without the map.
#pragma once

#include "gpu/primitives/block/scan.cuh"
#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/grid/sampled_place.cuh"
#include "gpu/primitives/spread_map.hpp"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::spread {

constexpr unsigned kThreads = 1024;
constexpr unsigned kDrawn = 2;  // keys of a thread
/// Prefixes may occur up to so many exponents below the least sampled key, and above the greatest.
constexpr unsigned kBelow = 22;
constexpr unsigned kAbove = 3;
/// Prefixes of a thread that may occur.
constexpr unsigned kEach = 4;
constexpr unsigned kMostOccurring = kEach * kThreads;
/// Repeats in a sample of keys that hardly repeat. A sample of 2^16 keys that have under 8000 values makes more.
constexpr unsigned kMostRepeats = 4;
/// Low bits of a key. If they are zeros in all keys of a block's sample, the keys are whole numbers or were of fewer bits:
/// they have so few digits that they are sorted faster without the map.
constexpr unsigned kLowBits = 16;
/// Prefixes on either side of zero's that hold zeros and the smallest numbers.
constexpr unsigned kNearZero = 1;

/// The blocks that draw a sample: enough for 2^18 keys of many, fewer of few.
inline std::size_t blocks_for(std::size_t n) {
  constexpr std::size_t kMost = (std::size_t{1} << 18) / (kThreads * kDrawn);
  constexpr std::size_t kLeast = 32;
  constexpr std::size_t kItemsOfABlock = std::size_t{1} << 19;
  const std::size_t wanted = n / kItemsOfABlock;
  return wanted < kLeast ? kLeast : wanted < kMost ? wanted : kMost;
}

/// A prefix's keys in the sample.
struct Weight {
  unsigned keys;
  unsigned difference;  // of its halves

  Weight() = default;
  __device__ Weight(unsigned half, unsigned other)
      : keys(half + other), difference(half < other ? other - half : half - other) {}
  /// By how much the count would differ by chance.
  __device__ float deviation() const {
    const auto count = static_cast<float>(keys);
    return keys == 0 ? 0 : count * rsqrtf(count);
  }
  /// In 16ths of a key, with room for chance, and for the fuller half.
  __device__ unsigned with_room() const {
    const float slope = fmaxf(static_cast<float>(difference) - 2 * deviation(), 0);
    return 16 * keys + static_cast<unsigned>(24 * deviation() + 16 * slope);
  }
  /// Whether its keys are likely not to be spread evenly within it.
  __device__ bool is_uneven() const {
    return static_cast<float>(difference) > 4 * deviation() && 3 * difference > 2 * keys;
  }
};

/// What all prefixes together have.
struct Totals {
  unsigned keys;
  unsigned uneven;  // keys of uneven prefixes
  unsigned room;    // see Weight::with_room
};

/// The shared memory of a block: the sample's counts, of the two halves of a prefix in one word; then the first block of
/// each prefix that may occur.
template <class Bits>
struct WeighShared {
  union {
    unsigned halves[Spread<Bits>::kPrefixes];
    unsigned first_block[kMostOccurring];
  };
  Reach reach;
  Totals totals;
  unsigned warp_sums[kThreads / kWarp];
};

/// Extends *to, in shared or global memory, to another reach.
__device__ __forceinline__ void extend(Reach* to, const Reach& reach) {
  if (reach.nearest > 0) atomicMax(&to->nearest, reach.nearest);
  if (reach.above > 0) atomicMax(&to->above, reach.above);
  if (reach.below > 0) atomicMax(&to->below, reach.below);
}

/// Counts a lane's key. Lanes whose key has the first lane's half of a prefix share an atomic.
template <class Bits>
__device__ __forceinline__ void weigh(Bits ordered, WeighShared<Bits>& s) {
  static_assert(kThreads * kDrawn < 1u << 16);
  const auto half = static_cast<unsigned>(ordered >> (Spread<Bits>::kRestBits - 1));
  const bool shares = half == __shfl_sync(kAllLanes, half, 0);
  const unsigned sharing = __ballot_sync(kAllLanes, shares);
  if (!shares || lane_id() == 0) {
    atomicAdd(&s.halves[half / 2], (shares ? __popc(sharing) : 1u) << half % 2 * 16);
  }
}

/// The reach of a key.
template <class Bits>
__device__ __forceinline__ Reach reach_of(Bits ordered, unsigned zero) {
  const auto prefix = static_cast<unsigned>(ordered >> Spread<Bits>::kRestBits);
  const bool is_above = prefix >= zero;
  const unsigned distance = is_above ? prefix - zero : zero - prefix;
  if (distance <= kNearZero) return {};
  return {Spread<Bits>::kPrefixes - distance, is_above ? distance : 0, is_above ? 0 : distance};
}

/// The prefix of zero.
template <class Bits>
__device__ __forceinline__ unsigned prefix_of_zero(const KeyMap<Bits>& key_map) {
  return static_cast<unsigned>(key_map.ordered(Bits{0}) >> Spread<Bits>::kRestBits);
}

/// The blocks draw a sample of n keys, and add up the weights of its prefixes and how far it reaches.
template <class Bits>
__device__ void weigh_sample(const Bits* keys, KeyMap<Bits> key_map, std::size_t n,
                             Weighing<Bits>& to, WeighShared<Bits>& s) {
  constexpr unsigned kPrefixes = Spread<Bits>::kPrefixes;
  const unsigned threads = gridDim.x * kThreads;
  const unsigned me = blockIdx.x * kThreads + threadIdx.x;
  Bits key[kDrawn];
#pragma unroll
  for (unsigned k = 0; k < kDrawn; ++k) {
    key[k] = keys[sampled_place(k * threads + me, kDrawn * threads, n)];
  }
  Bits any = 0;
#pragma unroll
  for (unsigned k = 0; k < kDrawn; ++k) any |= key[k];
  if (!__syncthreads_or((any & ((Bits{1} << kLowBits) - 1)) != 0)) {
    if (threadIdx.x == 0) atomicAdd(&to.repeats, kMostRepeats + 1);
    return;
  }
  for (unsigned p = me; p < kPrefixes; p += threads) to.table.set_without_numbers(p);
  for (unsigned p = threadIdx.x; p < kPrefixes; p += kThreads) s.halves[p] = 0;
  if (threadIdx.x == 0) s.reach = {};
  __syncthreads();
  Reach reach{};
  unsigned repeats = 0;
#pragma unroll
  for (unsigned k = 0; k < kDrawn; ++k) {
    const Bits ordered = key_map.ordered(key[k]);
    weigh(ordered, s);
    repeats += __shfl_xor_sync(kAllLanes, ordered, 1) == ordered;
    const Reach its = reach_of(ordered, prefix_of_zero(key_map));
    reach = {max(reach.nearest, its.nearest), max(reach.above, its.above),
             max(reach.below, its.below)};
  }
  reach = {lanes_max(kAllLanes, reach.nearest), lanes_max(kAllLanes, reach.above),
           lanes_max(kAllLanes, reach.below)};
  repeats = warp_sum(repeats);
  if (lane_id() == 0) {
    extend(&s.reach, reach);
    if (repeats > 0) atomicAdd(&to.repeats, repeats / 2);
  }
  __syncthreads();
  if (threadIdx.x == 0) extend(&to.reach, s.reach);
  for (unsigned p = threadIdx.x; p < kPrefixes; p += kThreads) {
    const unsigned halves = s.halves[p];
    if ((halves & 0xffff) > 0) atomicAdd(&to.weight[2 * p], halves & 0xffff);
    if (halves >> 16 > 0) atomicAdd(&to.weight[2 * p + 1], halves >> 16);
  }
}

/// The prefixes that may occur, in order: below zero, near zero, above zero.
template <class Bits>
struct Occurring {
  static constexpr unsigned kPrefixes = Spread<Bits>::kPrefixes;
  unsigned first_below;
  unsigned below;  // so many
  unsigned first_near;
  unsigned near;
  unsigned first_above;
  unsigned above;

  __device__ Occurring(const Reach& reach, unsigned zero) {
    constexpr unsigned kOfAnExponent = Spread<Bits>::kOfAnExponent;
    const unsigned sampled = kPrefixes - reach.nearest;
    const unsigned nearest = sampled > kBelow * kOfAnExponent + kNearZero
                                 ? sampled - kBelow * kOfAnExponent
                                 : kNearZero + 1;
    const unsigned furthest_below =
        reach.below == 0 ? 0 : min(reach.below + kAbove * kOfAnExponent, zero);
    const unsigned furthest_above =
        reach.above == 0 ? 0 : min(reach.above + kAbove * kOfAnExponent, kPrefixes - 1 - zero);
    first_below = zero - furthest_below;
    below = furthest_below < nearest ? 0 : furthest_below - nearest + 1;
    first_near = zero - min(zero, kNearZero);
    near = min(zero + kNearZero, kPrefixes - 1) - first_near + 1;
    first_above = zero + nearest;
    above = furthest_above < nearest ? 0 : furthest_above - nearest + 1;
  }
  __device__ unsigned count() const { return below + near + above; }
  __device__ bool is_near_zero(unsigned i) const { return i >= below && i - below < near; }
  __device__ unsigned prefix(unsigned i) const {
    return i < below         ? first_below + i
           : is_near_zero(i) ? first_near + (i - below)
                             : first_above + (i - below - near);
  }
};

/// The blocks for each 16th of a key's room: all that are left, rounded down a little so that the sum can't be more.
template <class Bits>
__device__ float blocks_for_a_16th(unsigned occurring, const Totals& all) {
  return static_cast<float>(Spread<Bits>::kBlocks - occurring) / static_cast<float>(all.room) *
         0.9999f;
}

/// Whether the map will do: the numbers of the densest keys have at least `least_evenness` of the mean's room, and few
/// keys are uneven within their prefixes.
template <class Bits>
__device__ bool will_do(unsigned occurring, const Totals& all, float least_evenness) {
  if (all.room == 0 || all.uneven > all.keys / 8) return false;
  const float mean = static_cast<float>(all.keys) / static_cast<float>(Spread<Bits>::kPrefixes);
  return 16 * mean * blocks_for_a_16th<Bits>(occurring, all) >= least_evenness;
}

/// Adds up what all threads have. Barriers.
template <class Bits>
__device__ Totals add_up(Totals mine, WeighShared<Bits>& s) {
  if (threadIdx.x == 0) s.totals = {};
  __syncthreads();
  mine = {warp_sum(mine.keys), warp_sum(mine.uneven), warp_sum(mine.room)};
  if (lane_id() == 0) {
    atomicAdd(&s.totals.keys, mine.keys);
    atomicAdd(&s.totals.uneven, mine.uneven);
    atomicAdd(&s.totals.room, mine.room);
  }
  __syncthreads();
  return s.totals;
}

/// Writes whose each block is. Blocks behind the last one are the last prefix's, as ranges of numbers may end there.
template <class Bits>
__device__ void name_blocks(const Occurring<Bits>& occurring, const unsigned* s_first_block,
                            Spread<Bits>& table) {
  constexpr unsigned kBlocksOfAThread = Spread<Bits>::kPrefixes / kThreads;
  const unsigned begin = threadIdx.x * kBlocksOfAThread;
  // The last prefix whose first block is not behind this one.
  unsigned i = 0;
  for (unsigned end = occurring.count(); end - i > 1;) {
    const unsigned middle = (i + end) / 2;
    (s_first_block[middle] <= begin ? i : end) = middle;
  }
  // Eight in one write: the writes of a warp's lanes are far apart, and one at a time would take most of the time.
  constexpr unsigned kAtOnce = sizeof(uint4) / sizeof(std::uint16_t);
  for (unsigned b = begin; b < begin + kBlocksOfAThread; b += kAtOnce) {
    unsigned pairs[kAtOnce / 2];
#pragma unroll
    for (unsigned k = 0; k < kAtOnce; ++k) {
      while (i + 1 < occurring.count() && s_first_block[i + 1] <= b + k) ++i;
      const unsigned prefix = occurring.prefix(i);
      pairs[k / 2] = k % 2 == 0 ? prefix : pairs[k / 2] | prefix << 16;
    }
    *reinterpret_cast<uint4*>(&table.prefix_of[b]) = {pairs[0], pairs[1], pairs[2], pairs[3]};
  }
}

/// A block makes the table from the sample's counts; says whether the map will do.
template <class Bits>
__device__ bool make_table(Weighing<Bits>& to, KeyMap<Bits> key_map, float least_evenness,
                           WeighShared<Bits>& s) {
  const Reach reach{__ldcg(&to.reach.nearest), __ldcg(&to.reach.above), __ldcg(&to.reach.below)};
  const Occurring<Bits> occurring(reach, prefix_of_zero(key_map));
  const unsigned count = occurring.count();
  if (reach.nearest == 0 || count > kMostOccurring || count > Spread<Bits>::kBlocks / 2 ||
      __ldcg(&to.repeats) > kMostRepeats) {
    return false;
  }
  const unsigned first = threadIdx.x * kEach;
  unsigned room[kEach];
  Totals mine{};
#pragma unroll
  for (unsigned e = 0; e < kEach; ++e) {
    const unsigned i = first + e;
    const unsigned p = i < count ? occurring.prefix(i) : 0;
    const unsigned half = i < count ? __ldcg(&to.weight[2 * p]) : 0;
    const unsigned other = i < count ? __ldcg(&to.weight[2 * p + 1]) : 0;
    const Weight weight(half, other);
    // Zeros need no room: they are one value.
    room[e] = occurring.is_near_zero(i) ? 0 : weight.with_room();
    mine.keys += weight.keys;
    mine.uneven += weight.is_uneven() ? weight.keys : 0;
    mine.room += room[e];
  }
  const Totals all = add_up(mine, s);
  if (!will_do<Bits>(count, all, least_evenness)) return false;

  const float for_a_16th = blocks_for_a_16th<Bits>(count, all);
  unsigned blocks[kEach];
  unsigned sum = 0;
#pragma unroll
  for (unsigned e = 0; e < kEach; ++e) {
    const unsigned share = static_cast<unsigned>(static_cast<float>(room[e]) * for_a_16th);
    blocks[e] = first + e < count ? 1 + share : 0;
    sum += blocks[e];
  }
  unsigned shared_out;
  unsigned block = block_exclusive_scan<kThreads>(sum, &shared_out, s.warp_sums);
#pragma unroll
  for (unsigned e = 0; e < kEach; ++e) {
    s.first_block[first + e] = block;
    if (blocks[e] > 0) to.table.set(occurring.prefix(first + e), block, blocks[e]);
    block += blocks[e];
  }
  __syncthreads();
  name_blocks(occurring, s.first_block, to.table);
  return true;
}

}  // namespace sortlab::gpu::spread
