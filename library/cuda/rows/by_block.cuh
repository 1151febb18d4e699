// A block sorts a row in shared memory, by bins and networks, as gpu/radix/small sorts few items
// (gpu/radix/small/block.cuh). Bytes a key: one read, one write.
#pragma once

#include "gpu/primitives/block/tile.cuh"
#include "gpu/radix/small/block.cuh"
#include "library/cuda/rows/row_keys.hpp"

namespace sortlab::cuda::detail {

/// Threads, keys of each, and the blocks that an SM should have room for. Place: std::uint32_t, or NoValue for
/// words that have their place among their bits, or none.
template <class BitsT, class PlaceT, unsigned kThreadsT, unsigned kItemsT, unsigned kBlocksT>
struct RowBlock {
  using Bits = BitsT;
  using Place = PlaceT;
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr unsigned kItems = kItemsT;
  static constexpr unsigned kBlocks = kBlocksT;
  static constexpr unsigned kMost = kThreads * kItems;
  using Shared = gpu::radix::small::BlockSortShared<Bits, Place, kThreads, kMost>;
  /// Whether keys of few values are ranked by counts (gpu/radix/small/block.cuh), whose table must fit.
  static constexpr bool kCounts = kMost <= 4096;
};

template <class Block>
__global__ void __launch_bounds__(Block::kThreads, Block::kBlocks)
    sort_rows_by_block(__grid_constant__ const RowKeys<typename Block::Bits> keys,
                       WordForm<typename Block::Bits, typename Block::Bits> form) {
  using Bits = typename Block::Bits;
  constexpr unsigned kThreads = Block::kThreads;
  auto& s = *reinterpret_cast<typename Block::Shared*>(gpu::dynamic_shared());
  const unsigned n = keys.n;
  const std::size_t begin = std::size_t{blockIdx.x} * n;
  Bits word[Block::kItems];
#pragma unroll
  for (unsigned i = 0; i < Block::kItems; ++i) {
    const unsigned p = i * kThreads + threadIdx.x;
    if (p < n) word[i] = form.word(keys.ordered(begin + p), p);
  }
  gpu::radix::small::block_sort<Block::kItems, Block::kCounts>(
      [&](unsigned i) { return word[i]; }, n, [](unsigned i) { return i * kThreads + threadIdx.x; },
      s);
  for (unsigned p = threadIdx.x; p < n; p += kThreads) {
    const auto item = s.items()[p];
    if constexpr (Block::Shared::kPairs) {
      keys.put(begin + p, item.key, item.value);
    } else {
      keys.put(begin + p, form.ordered(item.key), form.place(item.key));
    }
  }
}

}  // namespace sortlab::cuda::detail
