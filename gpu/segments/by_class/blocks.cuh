// Segments of up to 16 K items: a block sorts some of them at a time, a group of its threads each (slots.cuh), or one by bins
// and networks, as gpu/radix/small sorts few items (gpu/radix/small/block.cuh). Bytes a key: one read, one write.
//
//   up to             512    1024    2048    4096    8192     16 K
//   threads            64     128     256     512    1024     1024, by bins
//   of a block of     256     256     256     512    1024     1024
#pragma once

#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/grid/kernel_behind.cuh"
#include "gpu/radix/small/block.cuh"
#include "gpu/segments/by_class/slots.cuh"

namespace sortlab::gpu::segments {

/// A block that sorts items of one segment by bins: threads, items of each, and the blocks that an SM should have room for.
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
constexpr bool kWideWords = sizeof(Bits) + kValueBytes<Value> == 12;
template <class Bits, class Value>
using BlockShapes = std::tuple<BlockShape<Bits, Value, 256, 8, kWideWords<Bits, Value> ? 2 : 4>,
                               BlockShape<Bits, Value, 512, 8, kWideWords<Bits, Value> ? 1 : 2>,
                               BlockShape<Bits, Value, 1024, kMostOfBlock<Bits, Value> / 1024, 1>>;

/// Sorts a segment by bins, with the whole block.
template <class Shape, class Bits, class Value>
__device__ __noinline__ void sort_by_bins(Part<Bits, Value> part, const Arrays<Bits, Value>& arrays,
                                          typename Shape::Shared& s) {
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

/// A kernel's shared memory: of one way to sort after the other.
template <unsigned kShapeT, class Bits, class Value>
struct ShortKernel {
  static constexpr unsigned kShape = kShapeT;
  using Shape = std::tuple_element_t<kShape, BlockShapes<Bits, Value>>;
  using Slots = SlotShared<Bits, Value, Shape::kThreads>;
  using Stage = WarpStage<Bits, Value>;
  static constexpr bool kHasWarps = kShape == 0;
  /// Blocks of the third shape have no room for the slots of keys of 8 bytes with places.
  static constexpr bool kHasSlots = kShape < 2 || !kWideWords<Bits, Value>;
  static_assert(!kHasWarps || Shape::kThreads == kWarpsOfBlock * kWarp);
  static constexpr std::size_t kBytes =
      std::max({sizeof(typename Shape::Shared), kHasSlots ? sizeof(Slots) : 0,
                kHasWarps ? sizeof(Stage) * kWarpsOfBlock : 0});
};

/// The segments of class c, a group of 2^group_bits threads each.
template <class Kernel, class Bits, class Value>
__device__ __forceinline__ void sort_by_groups(const Members<Bits, Value>& members, unsigned c,
                                               unsigned group_bits, std::byte* s_memory) {
  using Shape = typename Kernel::Shape;
  const std::size_t segments = members.segments(c);
  const std::size_t count = segments + members.pieces(c);
  const auto part_at = [&](std::size_t t) {
    return t < count ? members.part(c, t, segments) : Part<Bits, Value>{};
  };
  SlotSort<Bits, Value, Shape::kThreads> sort(
      group_bits, *reinterpret_cast<typename Kernel::Slots*>(s_memory), members.arrays);
  sort.sort_all(count, part_at, [&](std::size_t first) {
    for (unsigned g = 0; g < sort.groups() && first + g < count; ++g) {
      __syncthreads();
      sort_by_bins<Shape>(part_at(first + g), members.arrays,
                          *reinterpret_cast<typename Shape::Shared*>(s_memory));
    }
  });
}

/// The segments of class c, the whole block each.
template <class Shape, class Bits, class Value>
__device__ __forceinline__ void sort_by_blocks(const Members<Bits, Value>& members, unsigned c,
                                               std::byte* s_memory) {
  const std::size_t segments = members.segments(c);
  const std::size_t count = segments + members.pieces(c);
  for (std::size_t t = blockIdx.x; t < count; t += gridDim.x) {
    sort_by_bins<Shape>(members.part(c, t, segments), members.arrays,
                        *reinterpret_cast<typename Shape::Shared*>(s_memory));
  }
}

/// The smallest shape sorts what warps sort, too: a launch less.
template <unsigned kShape, class Bits, class Value>
__global__ void __launch_bounds__(ShortKernel<kShape, Bits, Value>::Shape::kThreads,
                                  ShortKernel<kShape, Bits, Value>::Shape::kBlocks)
    sort_short(__grid_constant__ const Members<Bits, Value> members) {
  using Kernel = ShortKernel<kShape, Bits, Value>;
  std::byte* const s_memory = dynamic_shared();
  if (members.row_class == kNoClass) await_previous_kernel();  // launched early
  if constexpr (kShape == 0) {
    sort_by_warps(members, reinterpret_cast<WarpStage<Bits, Value>*>(s_memory));
#pragma unroll 1
    for (unsigned bits = 6; bits <= 8; ++bits) {
      sort_by_groups<Kernel>(members, kWarpClasses + bits - 6, bits, s_memory);
    }
  } else if constexpr (kShape == 1) {
    sort_by_groups<Kernel>(members, kWarpClasses + 3, 9, s_memory);
  } else {
    if constexpr (Kernel::kHasSlots) {
      sort_by_groups<Kernel>(members, kWarpClasses + 4, 10, s_memory);
    } else {
      sort_by_blocks<typename Kernel::Shape>(members, kWarpClasses + 4, s_memory);
    }
    __syncthreads();
    sort_by_blocks<typename Kernel::Shape>(members, kWarpClasses + 5, s_memory);
  }
}

/// The kernel that sorts a class.
constexpr unsigned shape_of_class(unsigned c) {
  return c < kWarpClasses + 3 ? 0 : c == kWarpClasses + 3 ? 1 : 2;
}
/// Segments of a class that a block of its kernel sorts at a time.
constexpr unsigned groups_of_class(unsigned c) {
  return c == kWarpClasses ? 4 : c == kWarpClasses + 1 ? 2 : 1;
}

}  // namespace sortlab::gpu::segments
