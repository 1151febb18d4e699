// The leaves of an MSD radix sort, sorted by a function: a block takes one after the other to its shared memory, whatever
// the keys are. leaf_sort.cu has it, compiled once for each width of keys; how a leaf is sorted is in leaves.cuh.
#pragma once

#include <type_traits>

#include "gpu/primitives/grid/msd/plan.cuh"
#include "gpu/primitives/grid/sweep/sweeps.cuh"

namespace sortlab::gpu::msd {

/// A block that sorts leaves: so many keys a thread hold a leaf, and are dealt to 2^kBinBits bins, or first, kGroup keys a
/// thread at a time, to slots.
template <class BitsT, unsigned kThreadsT, unsigned kItemsT, unsigned kBinBitsT, unsigned kBlocksT,
          unsigned kGroupT = 0>
struct LeafBlock {
  using Bits = BitsT;
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr unsigned kItems = kItemsT;
  static constexpr unsigned kBinBits = kBinBitsT;
  static constexpr unsigned kBlocksAnSm = kBlocksT;
  static constexpr unsigned kGroup = kGroupT;  // 0: without slots
  static constexpr unsigned kMaxKeys = kThreads * kItems;
};

/// Those for the H200.
template <class Bits>
using LeafBlockOf =
    std::conditional_t<sizeof(Bits) == 4, LeafBlock<std::uint32_t, 512, 10, 12, 3, 5>,
                       LeafBlock<std::uint64_t, 512, 12, 13, 2>>;

/// Sorts the leaves that are planned, of at most Block::kMaxKeys keys, to buffers.data, or ends what the sweeps have begun.
template <class Block, class Bits, class Map>
void launch_leaves(const Plan& plan, const Buffers<Bits, Map>& buffers,
                   const sweep::Sweeps<Bits, NoValue>& sweeps,
                   const sweep::Arrays<Bits, NoValue>& swept, cudaStream_t stream);

}  // namespace sortlab::gpu::msd
