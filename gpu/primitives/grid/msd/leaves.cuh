// The leaves of an MSD radix sort, one after the other: by slots (msd/slot_rank.cuh), where the block's
// shared memory has them, or where that can't be done by dealing to bins (msd/leaf.cuh).
#pragma once

#include "gpu/primitives/block/msd/slot_rank.cuh"
#include "gpu/primitives/grid/msd/leaf_sort.cuh"
#include "gpu/primitives/grid/sweep/common_key.cuh"
#include "gpu/primitives/launch/early.cuh"

namespace sortlab::gpu::msd {

/// Copies leaf `i` of the list, if there is one, to shared memory, to be there when the threads have waited and met.
__device__ __forceinline__ void fetch_leaf(const Plan& plan, unsigned i, unsigned leaves,
                                           Leaf* s_leaf) {
  constexpr unsigned kWords = sizeof(Leaf) / sizeof(Count);
  if (threadIdx.x < kWords && i < leaves) {
    __pipeline_memcpy_async(reinterpret_cast<Count*>(s_leaf) + threadIdx.x,
                            reinterpret_cast<const Count*>(plan.leaves + i) + threadIdx.x,
                            sizeof(Count));
    __pipeline_commit();
  }
}

/// Sorts the keys of a leaf, which the threads hold, and writes them to `to`: by slots, or by dealing
/// if that fails. Calls ahead() as soon as no thread needs its keys.
template <class Shared, class Bits, class Map, class Ahead>
__device__ __forceinline__ void sort_leaf(Bits (&key)[Shared::kItems], const Leaf& leaf,
                                          unsigned size, Bits* to,
                                          const Buffers<Bits, Map>& buffers, unsigned turn,
                                          Shared& s, const Ahead& ahead) {
  const auto low = static_cast<Bits>(leaf.keys.low);
  const auto span = static_cast<Bits>(leaf.keys.span);
  const auto key_map = buffers.key_map_if(leaf.is_raw);
  if (leaf.is_raw) {
    for_rows<Shared>(size, [&](unsigned u, bool) { key[u] = key_map.ordered(key[u]); });
  }
  if constexpr (requires { s.late_count; }) {
    if (sort_by_slots(key, size, low, span, turn, s, ahead)) {
      write_leaf(to, size, buffers.key_map.between(low, low + span), s);
      return;
    }
  }
  deal_leaf(key, size, low, bit_width(span), KeyMap<Bits>{}, s);
  sort_heavy_bins(s);
  ahead();
  sort_light_bins(s, size);
  write_leaf(to, size, buffers.key_map.between(low, low + span), s);
}

/// A block's leaves, one after the other. The keys of the next one are loaded as soon as those of
/// this one lie in shared memory, and the list's entry a leaf before that.
template <class Shared, class Bits, class Map>
__device__ void sort_leaves(const Plan& plan, const Buffers<Bits, Map>& buffers, Shared& s) {
  __shared__ Leaf s_leaf[2];
  const unsigned leaves = unless_left(plan, *plan.leaf_count);
  const unsigned step = gridDim.x;
  unsigned i = blockIdx.x;
  if (i >= leaves) return;
  if constexpr (requires { s.late_count; }) clear_slots(s);
  Bits key[Shared::kItems];
  load_leaf<Shared>(plan.leaves[i], plan.leaves[i].size, buffers, key);
  fetch_leaf(plan, i, leaves, &s_leaf[0]);
  fetch_leaf(plan, i + step, leaves, &s_leaf[1]);
  __pipeline_wait_prior(0);
  __syncthreads();
  for (unsigned slot = 0;; slot ^= 1) {
    const Leaf& leaf = s_leaf[slot];
    i += step;
    const auto ahead = [&] {
      load_leaf<Shared>(s_leaf[slot ^ 1], i < leaves ? s_leaf[slot ^ 1].size : 0, buffers, key);
      fetch_leaf(plan, i + step, leaves, &s_leaf[slot]);
    };
    sort_leaf(key, leaf, leaf.size, buffers.data + leaf.begin, buffers, slot, s, ahead);
    __pipeline_wait_prior(0);
    __syncthreads();  // before shared memory is used again
    if (i >= leaves) return;
  }
}

// The kernel, and its launch.

template <class Block, class Bits = typename Block::Bits>
using SharedOf =
    std::conditional_t<Block::kGroup == 0,
                       LeafShared<Bits, Block::kThreads, Block::kItems, Block::kBinBits>,
                       SlotShared<LeafShared<Bits, Block::kThreads, Block::kItems, Block::kBinBits,
                                             Block::kGroup, kSlotBytes<Bits, Block::kThreads>>>>;

template <class Shared, unsigned kBlocksAnSm, class Bits, class Map>
__global__ void __launch_bounds__(Shared::kThreads, kBlocksAnSm)
    sort_small(Plan plan, Buffers<Bits, Map> buffers,
               __grid_constant__ const sweep::AfterSweeps<Bits> sweeps) {
  await_previous_kernel();
  if (unless_left(plan, 1) == 0) {
    sweeps.finish();
  } else {
    sort_leaves(plan, buffers, *reinterpret_cast<Shared*>(dynamic_shared()));
  }
}

template <class Block, class Bits, class Map>
void launch_leaves(const Plan& plan, const Buffers<Bits, Map>& buffers,
                   const sweep::Sweeps<Bits, NoValue>& sweeps,
                   const sweep::Arrays<Bits, NoValue>& swept, cudaStream_t stream) {
  using Shared = SharedOf<Block>;
  using After = sweep::AfterSweeps<Bits>;
  static_assert(Shared::kThreads == After::kThreads);
  const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
  launch_early("sort_small", sort_small<Shared, Block::kBlocksAnSm, Bits, Map>,
               {std::min(ceil_div(plan.n, plan.max_leaf / 2), Block::kBlocksAnSm * sms),
                Shared::kThreads, std::max(sizeof(Shared), After::kBytes)},
               stream, plan, buffers, After(sweeps, swept));
}

}  // namespace sortlab::gpu::msd
