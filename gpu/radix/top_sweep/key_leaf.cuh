// Sorts a leaf of keys alone in the shared memory of one block: with one bit per key
// (bit_rank.cuh), or, if many keys are nearly equal, like the leaves of an MSD sort (msd/leaf.cuh).
//
// Equal keys need not be distinguished, so keys carry no places, and all bits of a word belong to
// the key.
#pragma once

#include "gpu/primitives/block/msd/leaf.cuh"
#include "gpu/primitives/key_map.hpp"
#include "gpu/radix/top_sweep/bit_rank.cuh"
#include "gpu/radix/top_sweep/leaf_cut.cuh"

namespace sortlab::gpu::radix::top_sweep {

template <class Words, class MapT>
struct KeyLeafShared : Words {
  using Map = MapT;
  static constexpr unsigned kPlaceBits = 0;

  Map map;
};

template <class Shared, class Bits>
__device__ void sort_key_leaf(const Bits* from, Bits* to, KeyMap<Bits> key_map, unsigned count,
                              unsigned low_bits, Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  const Bits first_bucket = from[0] >> low_bits;
  const Bits base = first_bucket << low_bits;
  const unsigned key_bits = low_bits + msd::bit_width((from[count - 1] >> low_bits) - first_bucket);
  Bits keys[Shared::kItems];
#pragma unroll
  for (unsigned u = 0; u < Shared::kItems; ++u) {
    const unsigned i = u * kThreads + threadIdx.x;
    keys[u] = i < count ? from[i] - base : Bits{0};
  }
  if (!sort_by_bits(keys, count, key_bits, s)) {
    if (threadIdx.x < 16) s.key()[count + threadIdx.x] = ~Bits{0};
    if (threadIdx.x == 0) s.crowded.count = s.large.count = 0;
    msd::deal(keys, count, 0, Bits{0}, key_bits, s);
    msd::sort_dealt(s, count);
  }
#pragma unroll 8
  for (unsigned i = threadIdx.x; i < count; i += kThreads) {
    to[i] = key_map.key(base + s.key()[i]);
  }
}

/// Sorts the leaves. If there are none, brings the keys home.
template <class Shared, unsigned kBlocksAnSm, class Bits>
__global__ void __launch_bounds__(Shared::kThreads, kBlocksAnSm)
    sort_key_leaves(__grid_constant__ const Arrays<Bits, NoValue> arrays, std::size_t n,
                    const Plan<kPasses<Bits>>* plan, const LeafPlan* leaf_plan,
                    const std::size_t* cuts) {
  await_previous_kernel();
  const unsigned low_bits = leaf_plan->low_bits;
  if (low_bits == 0) {
    bring_home(arrays, n, plan->ends_in, arrays.data);
    return;
  }
  auto& s = *reinterpret_cast<Shared*>(dynamic_shared());
  const Bits* const from = (leaf_plan->from_alternate ? arrays.alternate : arrays.data).keys;
  Bits* const to = arrays.data.keys;
  const std::size_t end = cuts[blockIdx.x + 1];
  for (std::size_t begin = cuts[blockIdx.x]; begin < end;) {
    const std::size_t next = end_of_leaf(from, begin, end, low_bits, Shared::kMaxKeys);
    sort_key_leaf(from + begin, to + begin, arrays.key_map, static_cast<unsigned>(next - begin),
                  low_bits, s);
    begin = next;
    __syncthreads();  // before shared memory is used for the next keys
  }
}

}  // namespace sortlab::gpu::radix::top_sweep
