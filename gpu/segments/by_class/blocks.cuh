// Segments of up to 16 K items: a block sorts one in shared memory, by bins and networks, as gpu/radix/small sorts few
// items (gpu/radix/small/block.cuh). Bytes a key: one read, one write.
#pragma once

#include "gpu/primitives/block/tile.cuh"
#include "gpu/radix/small/block.cuh"
#include "gpu/segments/by_class/warps.cuh"

namespace sortlab::gpu::segments {

/// Threads, items of each, and the blocks that an SM should have room for.
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
template <class Bits, class Value>
using BlockShapes = std::tuple<
    BlockShape<Bits, Value, 256, 8, sizeof(Bits) == 8 && kValueBytes<Value> != 0 ? 3 : 4>,
    BlockShape<Bits, Value, 512, 8, 2>,
    BlockShape<Bits, Value, 1024, kMostOfBlock<Bits, Value> / 1024, 1>>;

/// Has the block bring items to the L2 cache.
template <class T>
__device__ __forceinline__ void prefetch([[maybe_unused]] const T* items, unsigned count) {
  constexpr unsigned kSector = 32 / sizeof(T);
  for (unsigned i = threadIdx.x * kSector; i < count; i += blockDim.x * kSector) {
#ifdef __CUDA_ARCH__
    asm volatile("prefetch.global.L2 [%0];" ::"l"(items + i));
#endif
  }
}

/// The segments of class c.
template <class Shape, class Bits, class Value>
__device__ __forceinline__ void sort_by_blocks(const Members<Bits, Value>& members, unsigned c,
                                               typename Shape::Shared& s) {
  constexpr unsigned kThreads = Shape::kThreads;
  constexpr unsigned kItems = Shape::kItems;
  const std::size_t segments = members.segments(c);
  const std::size_t count = segments + members.pieces(c);
  for (std::size_t t = blockIdx.x; t < count; t += gridDim.x) {
    const Part<Bits, Value> part = members.part(c, t, segments);
    if constexpr (Shape::Shared::kPairs) {  // they are wanted last, in another order
      if (part.values != nullptr) prefetch(part.values + part.begin, part.length);
    }
    Bits key[kItems];
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      const unsigned p = i * kThreads + threadIdx.x;
      if (p < part.length) key[i] = part.key(p);
    }
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
        if (p < part.length) members.arrays.put(part.begin + p, s.items()[p].key, value[i]);
      }
    } else {
      for (unsigned p = threadIdx.x; p < part.length; p += kThreads) {
        members.arrays.put(part.begin + p, s.items()[p].key, {});
      }
    }
  }
}

/// The smallest shape sorts what warps sort, too: a launch less.
template <unsigned kShape, class Bits, class Value>
struct ShortKernel {
  using Shape = std::tuple_element_t<kShape, BlockShapes<Bits, Value>>;
  static constexpr bool kHasWarps = kShape == 0;
  static_assert(!kHasWarps || Shape::kThreads == kWarpsOfBlock * kWarp);
  union Shared {
    typename Shape::Shared block;
    WarpStage<Bits, Value> warps[kWarpsOfBlock];
  };
  static constexpr std::size_t kBytes = kHasWarps ? sizeof(Shared) : sizeof(typename Shape::Shared);
};

template <unsigned kShape, class Bits, class Value>
__global__ void __launch_bounds__(ShortKernel<kShape, Bits, Value>::Shape::kThreads,
                                  ShortKernel<kShape, Bits, Value>::Shape::kBlocks)
    sort_short(__grid_constant__ const Members<Bits, Value> members) {
  using Kernel = ShortKernel<kShape, Bits, Value>;
  using Shape = typename Kernel::Shape;
  std::byte* const s_memory = dynamic_shared();
  if constexpr (Kernel::kHasWarps) {
    sort_by_warps(members, reinterpret_cast<WarpStage<Bits, Value>*>(s_memory));
    __syncthreads();
  }
  sort_by_blocks<Shape>(members, kWarpClasses + kShape,
                        *reinterpret_cast<typename Shape::Shared*>(s_memory));
}

}  // namespace sortlab::gpu::segments
