// Sorts a leaf of pairs, stably, in the shared memory of one block.
//
// The items of a leaf share their top bits. A word holds the other bits of a key, and below them
// the place where the item was:
//
//     key     | the same in all of the leaf | low bits |
//     word                         | 0 | low bits | place |
//
// No two words are the same, so any sort of the words (msd_leaf.cuh) is a stable sort of the keys.
// The sorted words are the keys, and tell where each value is to be fetched from.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "gpu/primitives/key_map.hpp"
#include "gpu/radix/leaf_cut.cuh"
#include "gpu/radix/msd_leaf.cuh"

namespace sortlab::gpu {

template <class Words, class Value>
struct PairLeafShared : Words {
  static constexpr unsigned kPlaceBits = std::bit_width(Words::kMaxKeys);
  Value values[Words::kMaxKeys];  // as they lay in the array
};

template <class Bits>
__device__ __forceinline__ Bits low_mask(unsigned bits) {
  return (Bits{1} << bits) - 1;
}

/// Sorts as many of the items from `begin` to `end` as their words have room for: all, unless the
/// buckets are small and far apart. Returns how many.
template <class Shared, class Bits, class Value>
__device__ unsigned sort_pair_leaf(Items<Bits, Value> from, Items<Bits, Value> to,
                                   KeyMap<Bits> key_map, unsigned count, unsigned low_bits,
                                   Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  constexpr unsigned kItems = Shared::kItems;
  const Bits first = from.keys[0];
  const Bits last = from.keys[count - 1];
  const unsigned place_bits = msd::bit_width(count);
  unsigned key_bits = low_bits + msd::bit_width((first ^ last) >> low_bits);
  for (unsigned i = threadIdx.x; i < count; i += kThreads) {
    __pipeline_memcpy_async(&s.values[i], from.values + i, sizeof(Value));
  }
  __pipeline_commit();
  Bits words[kItems];
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) {
    const unsigned i = u * kThreads + threadIdx.x;
    words[u] = i < count ? from.keys[i] : Bits{0};
  }
  if (key_bits + place_bits > 8 * sizeof(Bits)) {
    key_bits = 8 * sizeof(Bits) - place_bits;
    unsigned same = 0;
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) {
      const bool has_item = u * kThreads + threadIdx.x < count;
      same += __syncthreads_count(has_item && words[u] >> key_bits == first >> key_bits);
    }
    count = same;
  }
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) {
    const unsigned i = u * kThreads + threadIdx.x;
    words[u] = (words[u] & low_mask<Bits>(key_bits)) << place_bits | i;
  }
  if (threadIdx.x < 16) s.key()[count + threadIdx.x] = ~Bits{0};
  if (threadIdx.x == 0) s.crowded.count = s.large.count = 0;
  msd::deal(words, count, 0, Bits{0}, key_bits + place_bits, s);
  msd::sort_dealt(s, count);
  __pipeline_wait_prior(0);
  __syncthreads();

  const Bits top = first & ~low_mask<Bits>(key_bits);
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < count; i += kThreads) {
    const Bits word = s.key()[i];
    const auto place = static_cast<unsigned>(word & low_mask<Bits>(place_bits));
    to.put(i, {key_map.key(top | word >> place_bits), s.values[place]});
  }
  return count;
}

template <class Shared, unsigned kBlocksAnSm, class Bits, class Value>
__global__ void __launch_bounds__(Shared::kThreads, kBlocksAnSm)
    sort_pair_leaves(Items<Bits, Value> data, Items<Bits, Value> alternate, KeyMap<Bits> key_map,
                     const LeafPlan* leaf_plan, const std::size_t* cuts) {
  const unsigned low_bits = leaf_plan->low_bits;
  if (low_bits == 0) return;
  auto& s = *reinterpret_cast<Shared*>(dynamic_shared());
  const auto from = leaf_plan->from_alternate ? alternate : data;
  const std::size_t end = cuts[blockIdx.x + 1];
  std::size_t begin = cuts[blockIdx.x];
  while (begin < end) {
    begin += sort_pair_leaf(from.from(begin), data.from(begin), key_map,
                            static_cast<unsigned>(end - begin), low_bits, s);
    __syncthreads();  // before shared memory is used for the next items
  }
}

}  // namespace sortlab::gpu
