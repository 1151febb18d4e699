// Which kernels sort the segments of a call.
#pragma once

#include <algorithm>
#include <tuple>

#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/launch/team.cuh"
#include "gpu/segments/by_class/blocks.cuh"
#include "gpu/segments/by_class/large.cuh"
#include "gpu/segments/by_class/warps.cuh"

namespace sortlab::gpu::segments {

/// The launches of one sort.
template <class Bits, class Value>
struct Launches {
  const Members<Bits, Value>& members;
  std::size_t longest;
  cudaStream_t stream;

  /// The most segments and pieces of a class.
  std::size_t most(unsigned c) const {
    if (members.row_class != kNoClass) return c == members.row_class ? members.cut.count : 0;
    return members.lists.most_segments[c] + members.lists.most_pieces[c];
  }

  void operator()() const {
    const std::size_t processors = device_attribute(cudaDevAttrMultiProcessorCount);
    if (members.row_class == kNoClass) {
      clear(members.lists.d_counters, sizeof(Counters), stream);
      constexpr std::size_t kShare = std::size_t{kClassifyThreads} * kClassifyEach;
      launch("classify", classify<Bits, Value>,
             {ceil_div(members.cut.count, kShare), kClassifyThreads}, stream, members.arrays,
             members.cut, members.lists);
      if (members.lists.most_large != 0) partition(processors);
    }
    std::size_t warps = 0;
    for (unsigned c = 0; c < kWarpClasses; ++c) {
      const std::size_t lanes = c == 0 ? 2 : std::size_t{1} << c;
      warps += ceil_div(most(c) * lanes, std::size_t{kWarp});
    }
    constexpr std::size_t kWarpBlocks = 16;  // of an SM
    launch("sort_by_warps", sort_by_warps<Bits, Value>,
           {std::min(ceil_div(warps, std::size_t{kWarpsOfBlock}), kWarpBlocks * processors),
            kWarpThreads},
           stream, members);
    by_blocks<0>(processors);
  }

 private:
  void partition(std::size_t processors) const {
    constexpr std::size_t kBytes = sizeof(LargeShared<Bits, Value>);
    launch_team("partition_large", TeamKind::grid, partition_large<Bits, Value>,
                {kLargeBlocks * processors, kLargeThreads, kBytes}, stream, members);
  }

  template <unsigned kShape>
  void by_blocks(std::size_t processors) const {
    if constexpr (kShape < kBlockClasses) {
      using Shape = std::tuple_element_t<kShape, BlockShapes<Bits, Value>>;
      const unsigned c = kWarpClasses + kShape;
      const std::size_t blocks = std::min<std::size_t>(most(c), Shape::kBlocks * processors);
      launch("sort_by_blocks", sort_by_blocks<Shape, Bits, Value>,
             {blocks, Shape::kThreads, sizeof(typename Shape::Shared)}, stream, members, c);
      by_blocks<kShape + 1>(processors);
    }
  }
};

template <class Bits, class Value>
void sort(const Members<Bits, Value>& members, std::size_t longest, cudaStream_t stream) {
  Launches<Bits, Value>{members, longest, stream}();
}

}  // namespace sortlab::gpu::segments
