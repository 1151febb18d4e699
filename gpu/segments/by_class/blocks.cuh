// Segments of up to 16 K items: a block sorts some of them at a time, a group of its threads each (slots.cuh), or one by
// bins and networks, as gpu/radix/small sorts few items (gpu/radix/small/block.cuh). Bytes a key: one read, one write.
//
//   up to             512    1024    2048    4096    8192     16 K
//   threads            64     128     256     512    1024     1024, by bins
//   of a block of     256     256     256     512    1024     1024
#pragma once

#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/grid/in_order.cuh"
#include "gpu/radix/small/block.cuh"
#include "gpu/segments/by_class/slots.cuh"
#include "gpu/segments/by_class/warps.cuh"

namespace sortlab::gpu::segments {

/// A block that sorts items of one segment by bins: threads, items of each, and the blocks that an SM should have room
/// for.
template <class Bits, class Value, unsigned kThreadsT, unsigned kItemsT, unsigned kBlocksT>
struct BlockShape {
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr unsigned kItems = kItemsT;
  static constexpr unsigned kBlocks = kBlocksT;
  static constexpr unsigned kMost = kThreads * kItems;
  using Shared = radix::small::BlockSortShared<Bits, PlaceOf<Value>, kThreads, kMost>;
  /// Whether keys of few values are ranked by counts (gpu/radix/small/block.cuh), whose table must fit.
  static constexpr bool kCounts = kMost <= 4096;
};
/// Each has 1024 threads of an SM, and so 64 registers a thread.
template <class Bits, class Value>
using BlockShapes =
    std::tuple<BlockShape<Bits, Value, 256, 8, 4>, BlockShape<Bits, Value, 512, 8, 2>,
               BlockShape<Bits, Value, 1024, kMostOfBlock<Bits, Value> / 1024, 1>>;

/// Brings an item to the L2 cache.
template <class T>
__device__ __forceinline__ void prefetch([[maybe_unused]] const T* item) {
#ifdef __CUDA_ARCH__
  asm volatile("prefetch.global.L2 [%0];" ::"l"(item));
#endif
}

/// Sorts a segment by bins, with the whole block. Calls ahead() once the keys are in registers.
template <class Shape, class Bits, class Value, class Ahead>
__device__ __forceinline__ void sort_by_bins(const Part<Bits, Value>& part,
                                             const Arrays<Bits, Value>& arrays,
                                             typename Shape::Shared& s, Ahead ahead) {
  constexpr unsigned kThreads = Shape::kThreads;
  constexpr unsigned kItems = Shape::kItems;
  if constexpr (Shape::Shared::kPairs) {  // they are wanted last, in another order
    if (part.values != nullptr) {
      constexpr unsigned kSector = 32 / sizeof(Value);
      for (unsigned i = threadIdx.x * kSector; i < part.length; i += kThreads * kSector) {
        prefetch(part.values + part.begin + i);
      }
    }
  }
  Bits key[kItems];
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    const unsigned p = i * kThreads + threadIdx.x;
    if (p < part.length) key[i] = part.key(p);
  }
  ahead();
  radix::small::block_sort<kItems, Shape::kCounts>(
      [&](unsigned i) { return key[i]; }, part.length,
      [](unsigned i) { return i * kThreads + threadIdx.x; }, s);
  if constexpr (Shape::Shared::kPairs) {
    Value value[kItems];
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      const unsigned p = i * kThreads + threadIdx.x;
      if (p < part.length) value[i] = part.value(s.items()[p].value);
    }
    __syncthreads();  // all values are read before the first is written
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      const unsigned p = i * kThreads + threadIdx.x;
      if (p < part.length) arrays.put(part.begin + p, s.items()[p].key, value[i]);
    }
  } else {
    for (unsigned p = threadIdx.x; p < part.length; p += kThreads) {
      arrays.put(part.begin + p, s.items()[p].key, {});
    }
  }
}

/// The same, for the few segments that slots leave: out of the way of their code.
template <class Shape, class Bits, class Value>
__device__ __noinline__ void sort_left_by_bins(const Part<Bits, Value> part,
                                               const Arrays<Bits, Value>& arrays,
                                               typename Shape::Shared& s) {
  sort_by_bins<Shape>(part, arrays, s, [] {});
}

/// The block's shared memory: of one way to sort after the other. The smallest shape sorts what warps sort, too: a launch
/// less.
template <unsigned kShape, class Bits, class Value>
struct ShortKernel {
  using Shape = std::tuple_element_t<kShape, BlockShapes<Bits, Value>>;
  static constexpr bool kHasWarps = kShape == 0;
  static_assert(!kHasWarps || Shape::kThreads == kWarpsOfBlock * kWarp);
  static constexpr unsigned kLeastGroup = kShape == 0 ? 64 : Shape::kThreads;
  using Slots = SlotShared<Bits, Value, Shape::kThreads, kLeastGroup>;
  static constexpr std::size_t kBytes =
      std::max({sizeof(typename Shape::Shared), sizeof(Slots),
                kHasWarps ? sizeof(WarpStage<Bits, Value>) * kWarpsOfBlock : 0});
};

/// The segments of class c, a group of 2^kGroupBits threads each. Returns the block behind the last one that has work.
template <class Kernel, unsigned kGroupBits, class Bits, class Value>
__device__ __forceinline__ std::size_t sort_by_groups(const Members<Bits, Value>& members,
                                                      unsigned c, std::size_t first_block,
                                                      std::byte* s_memory) {
  using Shape = typename Kernel::Shape;
  using Slots = typename Kernel::Slots;
  const std::size_t segments = members.segments(c);
  const std::size_t count = segments + members.pieces(c);
  const auto part_at = [&](std::size_t t) { return members.part(c, t, segments); };
  using Sort = SlotSort<Slots, kGroupBits, Bits, Value>;
  Sort(*reinterpret_cast<Slots*>(s_memory), members.arrays)
      .sort_all(count, first_block % gridDim.x, part_at, [&](const Part<Bits, Value>& part) {
        sort_left_by_bins<Shape>(part, members.arrays,
                                 *reinterpret_cast<typename Shape::Shared*>(s_memory));
      });
  return first_block + ceil_div(count, std::size_t{Sort::kGroups});
}

/// The segments of class c, the whole block each.
template <class Shape, class Bits, class Value>
__device__ __forceinline__ void sort_by_blocks(const Members<Bits, Value>& members, unsigned c,
                                               std::size_t first_block, std::byte* s_memory) {
  const std::size_t segments = members.segments(c);
  const std::size_t count = segments + members.pieces(c);
  for (std::size_t t = (blockIdx.x + gridDim.x - first_block % gridDim.x) % gridDim.x; t < count;
       t += gridDim.x) {
    const auto fetch_next = [&] {
      const std::size_t next = t + gridDim.x;
      if (threadIdx.x == 0 && next < count) prefetch_keys(members.part(c, next, segments));
    };
    sort_by_bins<Shape>(members.part(c, t, segments), members.arrays,
                        *reinterpret_cast<typename Shape::Shared*>(s_memory), fetch_next);
  }
}

/// The classes of one shape. In each, the blocks behind those with work of the class before begin, so that few segments
/// of several classes are sorted at the same time.
///
/// Behind the kernel that makes the lists, these kernels start early, and work side by side: the first one waits for the
/// lists, and each of the others starts when all blocks of the one in front of it have begun, which was behind the lists. Each
/// ends behind the one in front of it, so the last one ends behind all.
template <unsigned kShape, class Bits, class Value>
__global__ void __launch_bounds__(ShortKernel<kShape, Bits, Value>::Shape::kThreads,
                                  ShortKernel<kShape, Bits, Value>::Shape::kBlocks)
    sort_short(__grid_constant__ const Members<Bits, Value> members, bool is_first) {
  using Kernel = ShortKernel<kShape, Bits, Value>;
  std::byte* const s_memory = dynamic_shared();
  if (is_first) await_previous_kernel_alone();
  let_next_kernel_start();
  if constexpr (kShape == 0) {
    std::size_t first = sort_by_groups<Kernel, 8>(members, kWarpClasses + 2, 0, s_memory);
    first = sort_by_groups<Kernel, 7>(members, kWarpClasses + 1, first, s_memory);
    first = sort_by_groups<Kernel, 6>(members, kWarpClasses, first, s_memory);
    __syncthreads();
    sort_by_warps(members, first, reinterpret_cast<WarpStage<Bits, Value>*>(s_memory));
  } else if constexpr (kShape == 1) {
    sort_by_groups<Kernel, 9>(members, kWarpClasses + 3, 0, s_memory);
  } else {
    const std::size_t first = sort_by_groups<Kernel, 10>(members, kWarpClasses + 4, 0, s_memory);
    sort_by_blocks<typename Kernel::Shape>(members, kWarpClasses + 5, first, s_memory);
  }
  if (!is_first) await_previous_kernel_alone();
}

/// The shape of a class that blocks sort.
constexpr unsigned shape_of_class(unsigned c) {
  return c < kWarpClasses + 3 ? 0 : c == kWarpClasses + 3 ? 1 : 2;
}
/// Segments of a class that a block of its kernel sorts at a time.
constexpr unsigned groups_of_class(unsigned c) {
  return c == kWarpClasses ? 4 : c == kWarpClasses + 1 ? 2 : 1;
}

}  // namespace sortlab::gpu::segments
