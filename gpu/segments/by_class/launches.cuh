// Which kernels sort the segments of a call.
#pragma once

#include <algorithm>
#include <tuple>

#include "gpu/primitives/grid/barrier.cuh"
#include "gpu/primitives/launch/early.cuh"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/launch/team.cuh"
#include "gpu/segments/by_class/large.cuh"
#include "gpu/segments/sorts.hpp"

namespace sortlab::gpu::segments {

/// The launches of one sort.
template <class Bits, class Value>
struct Launches {
  const Members<Bits, Value>& members;
  cudaStream_t stream;

  void operator()() const {
    const std::size_t processors = device_attribute(cudaDevAttrMultiProcessorCount);
    if (members.row_class == kNoClass) {
      constexpr std::size_t kBytes = kListBytes<Bits, Value>;
      const std::size_t all = device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
      const std::size_t blocks =
          processors * (kLargeBlocks * (kBytes + 1024) <= all ? kLargeBlocks : 1);
      const std::size_t wanted = members.lists.most_large != 0
                                     ? blocks
                                     : ceil_div(members.cut.count, std::size_t{kLargeThreads});
      launch_team("list_segments", TeamKind::grid, list_segments<GridBarrier, Bits, Value>,
                  {std::min({blocks, wanted, std::size_t{kMostBlocks}}), kLargeThreads, kBytes},
                  stream, members);
    }
    // Long ones first: blocks of the others fill the gaps.
    bool is_first = true;
    sort_in<2>(processors, is_first);
    sort_in<1>(processors, is_first);
    sort_in<0>(processors, is_first);
  }

 private:
  /// The most segments and pieces of a class.
  std::size_t most(unsigned c) const {
    if (members.row_class != kNoClass) return c == members.row_class ? members.cut.count : 0;
    return members.lists.most_segments[c] + members.lists.most_pieces[c];
  }

  template <unsigned kShape>
  void sort_in(std::size_t processors, bool& is_first) const {
    using Kernel = ShortKernel<kShape, Bits, Value>;
    static_assert(Kernel::kBytes <= by_class::kSharedBytes);
    std::size_t blocks = 0;
    for (unsigned c = kWarpClasses; c < kShortClasses; ++c) {
      if (shape_of_class(c) == kShape) blocks += ceil_div(most(c), std::size_t{groups_of_class(c)});
    }
    if constexpr (Kernel::kHasWarps) {
      std::size_t lanes = 0;
      for (unsigned c = 0; c < kWarpClasses; ++c) {
        lanes += most(c) * (c == 0 ? 2 : std::size_t{1} << c);
      }
      blocks += ceil_div(lanes, std::size_t{kWarp} * kWarpsOfBlock);
    }
    if (blocks == 0) return;
    Launcher{stream, members.row_class == kNoClass}(
        "sort_short", sort_short<kShape, Bits, Value>,
        {std::min(blocks, Kernel::Shape::kBlocks * processors), Kernel::Shape::kThreads,
         Kernel::kBytes},
        members, is_first);
    is_first = false;
  }
};

template <class Bits, class Value>
void sort(const Members<Bits, Value>& members, cudaStream_t stream) {
  Launches<Bits, Value>{members, stream}();
}

}  // namespace sortlab::gpu::segments
