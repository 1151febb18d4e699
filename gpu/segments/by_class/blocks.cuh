// Segments of up to 16 K items: a block sorts some of them at a time, a group of its threads each (slots.cuh), or one by
// bins and networks, as gpu/radix/small sorts few items (gpu/radix/small/block.cuh). Bytes a key: one read, one write.
//
//   up to             512    1024    2048    4096    8192     16 K
//   threads            64     128     256     512    1024     1024, by bins or digits
//   of a block of     256     256     256     512    1024     1024
#pragma once

#include <cuda_pipeline_primitives.h>

#include "gpu/primitives/block/scan.cuh"
#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/grid/in_order.cuh"
#include "gpu/radix/small/block.cuh"
#include "gpu/segments/by_class/slots.cuh"
#include "gpu/segments/by_class/warps.cuh"

namespace sortlab::gpu::segments {

// Pairs of few different keys, which crowd into few bins: a block sorts them by digits of 8 bits, the least digit first.
//
//   items of warp 0   | row 0 | row 1 | ...      warp 1   | row 0 | ...      a row has 32 neighbours, one for each lane
//   counts            [warp][digit]: how many of the warp's rows so far; then where the warp's next one goes
//   place             counts[warp][digit] + the lanes below in the row that have the same digit
//
// A key's digits are those of its distance from the lowest key, and only bits in which these distances differ make
// digits. So ids take one pass, all equal keys none. Stable: items come in the order of their places, and each pass keeps it.
// measured: 256 rows of 16,384 u32+u32, us: 64 ids 96 (this) vs 186 (by bins and places), two keys 75 vs 204, 1000 keys far
// apart 140 vs 211; H200, h200/attempts/segments.7.txt.xz

template <class BitsT, class ValueT, unsigned kThreadsT, unsigned kItemsT>
struct DigitShared {
  using Bits = BitsT;
  using Value = ValueT;
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr unsigned kWarps = kThreads / kWarp;
  static constexpr unsigned kItems = kItemsT;  // of a thread
  static constexpr unsigned kDigits = 256;
  static constexpr unsigned kParts = kThreads / kDigits;  // the warps whose counts a thread adds up

  Bits keys[kThreads * kItems];  // distances
  Value values[kThreads * kItems];
  alignas(16) std::uint16_t counts[kWarps][kDigits];
  unsigned sums[kParts][kDigits];
  Bits warp_lowest[kWarps];
  Bits warp_bits[kWarps];
};

/// Sorts one segment with the whole block.
template <class Shared>
class DigitSort {
 public:
  using Bits = typename Shared::Bits;
  using Value = typename Shared::Value;
  using PartOf = Part<Bits, Value>;

  __device__ __forceinline__ DigitSort(Shared& s, const PartOf& part)
      : s_(s), part_(part), left_(static_cast<int>(part.length - at(0))) {}

  /// Begins and ends with a barrier.
  __device__ __forceinline__ void operator()(const Arrays<Bits, Value>& arrays) const {
    __syncthreads();
    fetch_values();
    Bits key[kItems];  // those that are not there repeat one that is
    const Bits* const from = part_.keys + part_.begin + at(0);
    key[0] = is_there(0) ? from[0] : part_.keys[part_.begin];
#pragma unroll
    for (unsigned i = 1; i < kItems; ++i) key[i] = is_there(i) ? from[i * kWarp] : key[0];
    part_.map.order(key);
    const Bits lowest = subtract_lowest(key);
    Bits bits = different_bits(key);
    const bool are_equal = bits == 0;
    __pipeline_wait_prior(0);
    while (bits != 0) {
      const unsigned shift = lowest_bit(bits);
      bits &= static_cast<Bits>(~(Bits{Shared::kDigits - 1} << shift));
      sort_digit(shift, key);
      if (bits == 0) break;
#pragma unroll
      for (unsigned i = 0; i < kItems; ++i) key[i] = is_there(i) ? s_.keys[at(i)] : Bits{0};
    }
    if (are_equal) __syncthreads();
    for (unsigned p = threadIdx.x; p < part_.length; p += Shared::kThreads) {
      arrays.put(part_.begin + p, are_equal ? lowest : lowest + s_.keys[p], s_.values[p]);
    }
    __syncthreads();
  }

 private:
  static constexpr unsigned kItems = Shared::kItems;

  /// The place of a thread's item i: a warp's items are neighbours.
  __device__ __forceinline__ static unsigned at(unsigned i) {
    return warp_id() * (kItems * kWarp) + i * kWarp + lane_id();
  }
  __device__ __forceinline__ bool is_there(unsigned i) const {
    return static_cast<int>(i * kWarp) < left_;
  }
  __device__ __forceinline__ static unsigned lowest_bit(std::uint32_t x) {
    return static_cast<unsigned>(__ffs(static_cast<int>(x))) - 1;
  }
  __device__ __forceinline__ static unsigned lowest_bit(std::uint64_t x) {
    return static_cast<unsigned>(__ffsll(static_cast<long long>(x))) - 1;
  }
  __device__ __forceinline__ static unsigned digit_of(Bits key, unsigned shift) {
    return static_cast<unsigned>(key >> shift) % Shared::kDigits;
  }

  /// Has the values, or their places, brought to shared memory. A thread reads there only what it has brought.
  __device__ __forceinline__ void fetch_values() const {
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      if (!is_there(i)) continue;
      if (part_.values == nullptr) {
        s_.values[at(i)] = static_cast<Value>(at(i));
      } else {
        __pipeline_memcpy_async(&s_.values[at(i)], &part_.values[part_.begin + at(i)],
                                sizeof(Value));
      }
    }
    __pipeline_commit();
  }

  /// Each key becomes its distance from the lowest one of the block, which is returned.
  __device__ __forceinline__ Bits subtract_lowest(Bits (&key)[kItems]) const {
    Bits lowest = key[0];
#pragma unroll
    for (unsigned i = 1; i < kItems; ++i) lowest = min(lowest, key[i]);
    lowest = radix::small::warp_min(lowest);
    if (lane_id() == 0) s_.warp_lowest[warp_id()] = lowest;
    __syncthreads();
    lowest = radix::small::warp_min(s_.warp_lowest[lane_id() % Shared::kWarps]);
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) key[i] -= lowest;
    return lowest;
  }
  /// The bits in which distances differ: the lowest key's are all 0.
  __device__ __forceinline__ Bits different_bits(const Bits (&key)[kItems]) const {
    Bits bits = 0;
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) bits |= key[i];
    bits = warp_or(bits);
    if (lane_id() == 0) s_.warp_bits[warp_id()] = bits;
    __syncthreads();
    return warp_or(s_.warp_bits[lane_id() % Shared::kWarps]);
  }
  __device__ __forceinline__ static Bits warp_or(Bits x) {
#pragma unroll
    for (unsigned distance = kWarp / 2; distance > 0; distance /= 2) {
      x |= __shfl_xor_sync(kAllLanes, x, distance);
    }
    return x;
  }

  /// Moves the items to the order of a digit. The keys go to shared memory, and so do the values.
  __device__ __forceinline__ void sort_digit(unsigned shift, const Bits (&key)[kItems]) const {
    std::uint16_t* const counts = s_.counts[warp_id()];
    static_assert(sizeof(std::uint16_t) * Shared::kDigits == kWarp * sizeof(uint4));
    reinterpret_cast<uint4*>(counts)[lane_id()] = make_uint4(0, 0, 0, 0);
    __syncwarp();
    unsigned places[(kItems + 1) / 2] = {};  // two in a word
    const auto place = [&](unsigned i) { return places[i / 2] >> i % 2 * 16 & 0xffff; };
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      const unsigned digit = digit_of(key[i], shift);
      const unsigned peers = __match_any_sync(kAllLanes, is_there(i) ? digit : Shared::kDigits);
      const unsigned below = static_cast<unsigned>(__popc(lanes_below(peers)));
      const unsigned rank = counts[digit] + below;
      __syncwarp();
      if (is_there(i) && below == 0) {
        counts[digit] = static_cast<std::uint16_t>(rank + static_cast<unsigned>(__popc(peers)));
      }
      __syncwarp();
      places[i / 2] += rank << i % 2 * 16;
    }
    __syncthreads();
    sum_up_counts();
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      places[i / 2] += unsigned{counts[digit_of(key[i], shift)]} << i % 2 * 16;
      if (is_there(i)) s_.keys[place(i)] = key[i];
    }
    Value value[kItems];
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) value[i] = is_there(i) ? s_.values[at(i)] : Value{};
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      if (is_there(i)) s_.values[place(i)] = value[i];
    }
    __syncthreads();
  }

  /// Each count becomes the place of the first such item of the warp.
  __device__ __forceinline__ void sum_up_counts() const {
    constexpr unsigned kEach = Shared::kWarps / Shared::kParts;
    const unsigned digit = threadIdx.x % Shared::kDigits;
    const unsigned part = threadIdx.x / Shared::kDigits;
    unsigned mine[kEach];
    unsigned sum = 0;
#pragma unroll
    for (unsigned w = 0; w < kEach; ++w) {
      mine[w] = s_.counts[part * kEach + w][digit];
      sum += mine[w];
    }
    s_.sums[part][digit] = sum;
    __syncthreads();
    unsigned below = 0;
    unsigned all = 0;
#pragma unroll
    for (unsigned p = 0; p < Shared::kParts; ++p) {
      const unsigned its = s_.sums[p][digit];
      below += p < part ? its : 0;
      all += its;
    }
    const unsigned begin = sum_of_threads_below<Shared::kDigits>(all);
    if (part == 0) s_.sums[0][digit] = begin;
    __syncthreads();
    unsigned next = s_.sums[0][digit] + below;
#pragma unroll
    for (unsigned w = 0; w < kEach; ++w) {
      s_.counts[part * kEach + w][digit] = static_cast<std::uint16_t>(next);
      next += mine[w];
    }
  }

  Shared& s_;
  const PartOf& part_;
  int left_;  // items from the thread's first one to the last one
};

/// A block that sorts items of one segment by bins, or pairs of few keys by digits: threads, items of each, and the blocks
/// that an SM should have room for.
template <class Bits, class Value, unsigned kThreadsT, unsigned kItemsT, unsigned kBlocksT>
struct BlockShape {
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr unsigned kItems = kItemsT;
  static constexpr unsigned kBlocks = kBlocksT;
  static constexpr unsigned kMost = kThreads * kItems;
  using Bins = radix::small::BlockSortShared<Bits, PlaceOf<Value>, kThreads, kMost>;
  using Digits = DigitShared<Bits, Value, kThreads, kItems>;  // of pairs
  union Shared {
    Bins bins;
    std::conditional_t<Bins::kPairs, Digits, char> digits;
  };
  /// Whether keys of few values and many digits are ranked by counts (gpu/radix/small/block.cuh), whose table must fit.
  static constexpr bool kCounts = sizeof(Bits) == 8 && kMost <= 4096;
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

/// Which pairs are sorted by digits: those whose keys lie close together, and those that crowd, unless they have many
/// digits.
/// measured: 292 rows of 14,336 u64+u32, 64 keys far apart, us: 315 (by eight digits) vs 294 (so), 282 without digits; H200,
/// h200/attempts/segments.7.txt.xz; experts in rows of 1000 u64+u32: 250 (the range read again) vs 261 (kept in a register);
/// h200/attempts/segments.8.txt.xz
template <class Bins>
class LeftToDigits {
  using Bits = typename Bins::Bits;

 public:
  __device__ __forceinline__ explicit LeftToDigits(const Bins& s) : s_(s) {}

  __device__ __forceinline__ bool operator()(Bits lowest, Bits highest) const {
    return (highest - lowest) >> 8 == 0;
  }
  __device__ __forceinline__ bool operator()() const {
    if constexpr (sizeof(Bits) == 4) {
      return true;
    } else {
      Bits lowest;
      Bits highest;
      radix::small::range_of_warps(s_, lowest, highest);
      return (highest - lowest) >> 32 == 0;
    }
  }

 private:
  const Bins& s_;
};

/// Out of the way of the code for other keys.
template <class Shape, class Bits, class Value>
__device__ __noinline__ void sort_by_digits(const Part<Bits, Value> part,
                                            const Arrays<Bits, Value>& arrays,
                                            typename Shape::Digits& s) {
  if (part.length != 0) DigitSort<typename Shape::Digits>(s, part)(arrays);
}

/// Sorts a segment by bins, with the whole block. Calls ahead() once the keys are in registers.
template <class Shape, class Bits, class Value, class Ahead>
__device__ __forceinline__ void sort_by_bins(const Part<Bits, Value>& part,
                                             const Arrays<Bits, Value>& arrays,
                                             typename Shape::Shared& s_any, Ahead ahead) {
  typename Shape::Bins& s = s_any.bins;
  constexpr unsigned kThreads = Shape::kThreads;
  constexpr unsigned kItems = Shape::kItems;
  if constexpr (Shape::Bins::kPairs) {  // they are wanted last, in another order
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
  const auto key_of = [&](unsigned i) { return key[i]; };
  const auto place_of = [](unsigned i) { return i * kThreads + threadIdx.x; };
  if constexpr (Shape::Bins::kPairs) {
    if (!radix::small::block_sort<kItems, Shape::kCounts>(key_of, part.length, place_of, s,
                                                          LeftToDigits(s))) {
      return sort_by_digits<Shape>(part, arrays, s_any.digits);
    }
  } else {
    radix::small::block_sort<kItems>(key_of, part.length, place_of, s);
  }
  if constexpr (Shape::Bins::kPairs) {
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
