// Segments that no block can hold, all of them together: one launch whose blocks share the tiles of all of them, so that
// one giant among tiny ones uses the whole GPU as many large ones do.
//
//   level     | segment A               | segment B           |      up to 256 bins of equal width over
//   tiles     | 0     | 1     | 2       | 3     | 4           |      [lowest, highest] key of each
//   pieces    |a|a|a|a|a|a|a|a|a|a|a|a|a|b|b|b|b|b|b|b|b|b|b|b|b|
//
// Pieces of up to a block's items go to the lists of the classes; larger ones are partitioned in the next level. A
// segment of equal keys is done. Each level takes five steps, with barriers of the grid between them: the range of each
// segment, the counts of each tile, their prefix sums along the tiles of a bin, the pieces, and the scatter. The
// partition is stable, so that items keep the order of their places without having them.
//
// Bytes per u32 key and level: 16. Source: our own; counts per tile as in Merrill and Grimshaw 2011.
#pragma once

#include "gpu/primitives/block/scan.cuh"
#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/grid/barrier.cuh"
#include "gpu/segments/by_class/blocks.cuh"

namespace sortlab::gpu::segments {

constexpr unsigned kLargeThreads = 512;
constexpr unsigned kLargeWarps = kLargeThreads / kWarp;
constexpr unsigned kLargeEach = kTile / kLargeThreads;
constexpr unsigned kLargeBlocks = 2;  // of an SM

template <class BitsT, class Value>
struct LargeShared {
  using Bits = BitsT;
  static constexpr bool kPairs = Items<Bits, Value>::kPairs;
  static constexpr unsigned kWarps = kLargeWarps;
  Bits keys[kTile];
  Value values[kPairs ? kTile : 1];
  std::size_t to[kBins];  // where the bin's first item would go, were it the tile's first
  unsigned counts[kBins];
  std::uint16_t warp_counts[kLargeWarps][kBins];
  unsigned warp_total[kWarp];
  Bits warp_lowest[kWarp];
  Bits warp_highest[kWarp];
};

/// The bins of a large segment: pieces of some thousand items, if its keys are spread evenly.
__device__ __forceinline__ unsigned bins_of_large(std::size_t length) {
  unsigned bins = 16;
  while (bins < kBins && std::size_t{bins} * 2048 < length) bins *= 2;
  return bins;
}

/// A large segment of a level.
template <class Bits>
struct Large {
  std::size_t begin;
  std::size_t length;
  std::size_t first_tile;
  Bits lowest;
  Bits highest;

  __device__ __forceinline__ Large(const LargeList<Bits>& list, std::size_t i)
      : begin(list.begin[i]),
        length(list.length[i]),
        first_tile(list.first_tile[i]),
        lowest(list.lowest[i]),
        highest(list.highest[i]) {}
  __device__ __forceinline__ std::size_t tiles() const { return (length + kTile - 1) / kTile; }
  __device__ __forceinline__ bool is_sorted() const { return lowest == highest; }
  __device__ __forceinline__ unsigned bins() const { return bins_of_large(length); }
  __device__ __forceinline__ radix::small::BinMap<Bits> map() const {
    return {lowest, highest, bins()};
  }
};

/// A block's share of a level.
template <class Bits, class Value>
class LargeLevel {
 public:
  using Shared = LargeShared<Bits, Value>;
  static constexpr bool kPairs = Shared::kPairs;

  __device__ LargeLevel(const Members<Bits, Value>& members, unsigned level, Shared& s)
      : members_(members),
        lists_(members.lists),
        list_(members.lists.large[level % 2]),
        level_(level),
        s_(s) {
    const unsigned long long word = lists_.d_counters->large[level];
    count_ = min(static_cast<std::size_t>(word >> 40), lists_.most_large);
    tiles_ = min(static_cast<std::size_t>(word & ((1ull << 40) - 1)), lists_.most_tiles);
  }
  __device__ bool is_empty() const { return count_ == 0; }

  /// The lowest and the highest key of each segment.
  __device__ void find_ranges() const {
    for_each_tile([&](std::size_t i, const Large<Bits>& large, std::size_t tile) {
      const Part<Bits, Value> part = part_of(large, tile);
      Bits lowest = static_cast<Bits>(~Bits{0});
      Bits highest = 0;
#pragma unroll
      for (unsigned j = 0; j < kLargeEach; ++j) {
        const unsigned p = j * kLargeThreads + threadIdx.x;
        if (p >= part.length) continue;
        const Bits key = part.key(p);
        lowest = min(lowest, key);
        highest = max(highest, key);
      }
      lowest = radix::small::warp_min(lowest);
      highest = radix::small::warp_max(highest);
      if (lane_id() == 0) {
        s_.warp_lowest[warp_id()] = lowest;
        s_.warp_highest[warp_id()] = highest;
      }
      __syncthreads();
      if (warp_id() == 0) {
        radix::small::range_of_warps(s_, lowest, highest);
        if (lane_id() == 0) {
          lower(&list_.lowest[i], lowest);
          raise(&list_.highest[i], highest);
        }
      }
      __syncthreads();
    });
  }

  /// How many items each tile has in each bin: a row of tiles for each bin of the segment.
  __device__ void count() const {
    for_each_tile([&](std::size_t, const Large<Bits>& large, std::size_t tile) {
      if (large.is_sorted()) return;
      const auto map = large.map();
      const unsigned bins = large.bins();
      if (threadIdx.x < bins) s_.counts[threadIdx.x] = 0;
      __syncthreads();
      const Part<Bits, Value> part = part_of(large, tile);
#pragma unroll
      for (unsigned j = 0; j < kLargeEach; ++j) {
        const unsigned p = j * kLargeThreads + threadIdx.x;
        if (p < part.length) atomicAdd(&s_.counts[map(part.key(p))], 1u);
      }
      __syncthreads();
      if (threadIdx.x < bins) *tile_count(large, tile, threadIdx.x) = s_.counts[threadIdx.x];
      __syncthreads();
    });
  }

  /// Counts become the sum of the tiles before; a warp has a bin of a segment.
  __device__ void sum_up() const {
    const std::size_t all = count_ * kBins;
    for (std::size_t u = global_warp(); u < all; u += global_warps()) {
      const Large<Bits> large(list_, u / kBins);
      const unsigned bin = static_cast<unsigned>(u % kBins);
      if (large.is_sorted() || bin >= large.bins()) continue;
      const std::size_t tiles = large.tiles();
      unsigned* const row = tile_count(large, 0, bin);
      unsigned before = 0;
      for (std::size_t first = 0; first < tiles; first += kWarp) {
        const std::size_t tile = first + lane_id();
        const unsigned mine = tile < tiles ? row[tile] : 0;
        const unsigned up_to = warp_inclusive_scan(mine);
        if (tile < tiles) row[tile] = before + up_to - mine;
        before += __shfl_sync(kAllLanes, up_to, kWarp - 1);
      }
      if (lane_id() == 0) lists_.d_bin_begins[u] = before;
    }
  }

  /// Where each bin begins, and what is to be done with it. A warp has a segment.
  __device__ void list_pieces() const {
    for (std::size_t i = global_warp(); i < count_; i += global_warps()) {
      const Large<Bits> large(list_, i);
      if (large.is_sorted()) continue;
      std::size_t begin = large.begin;
      for (unsigned first = 0; first < large.bins(); first += kWarp) {
        const unsigned bin = first + lane_id();
        const std::size_t size = bin < large.bins() ? lists_.d_bin_begins[i * kBins + bin] : 0;
        const std::size_t up_to = warp_inclusive_scan(size);
        const std::size_t mine = begin + up_to - size;
        if (bin < large.bins()) lists_.d_bin_begins[i * kBins + bin] = mine;
        if (size > kMostOfBlock<Bits, Value>) {
          if (level_ < kMaxLevels) lists_.add_large(level_ + 1, mine, size);
        } else if (size > 0) {
          lists_.add_piece(mine, static_cast<unsigned>(size), goes_to_data());
        }
        begin += __shfl_sync(kAllLanes, up_to, kWarp - 1);
      }
    }
  }

  /// Each item to its bin. A segment of equal keys goes to where its result is.
  __device__ void scatter() const {
    for_each_tile([&](std::size_t i, const Large<Bits>& large, std::size_t tile) {
      const Part<Bits, Value> part = part_of(large, tile);
      const unsigned first = warp_id() * (kTile / kLargeWarps) + lane_id();
      Bits key[kLargeEach];
      Value value[kLargeEach];
#pragma unroll
      for (unsigned j = 0; j < kLargeEach; ++j) {
        const unsigned p = first + j * kWarp;
        key[j] = p < part.length ? part.key(p) : Bits{};
        if constexpr (kPairs) {
          value[j] = p >= part.length         ? Value{}
                     : part.values != nullptr ? part.value(p)
                                              : static_cast<Value>(tile * kTile + p);
        }
      }
      if (large.is_sorted()) {
#pragma unroll
        for (unsigned j = 0; j < kLargeEach; ++j) {
          const unsigned p = first + j * kWarp;
          if (p < part.length) members_.arrays.put(part.begin + p, key[j], value[j]);
        }
        return;
      }
      const auto map = large.map();
      const unsigned bins = large.bins();
      for (unsigned b = threadIdx.x; b < kLargeWarps * kBins / 2; b += kLargeThreads) {
        reinterpret_cast<unsigned*>(s_.warp_counts)[b] = 0;
      }
      __syncthreads();

      // The rank among the warp's items of the bin, by their order.
      unsigned bin[kLargeEach];
      unsigned rank[kLargeEach];
      std::uint16_t* const warp_counts = s_.warp_counts[warp_id()];
#pragma unroll
      for (unsigned j = 0; j < kLargeEach; ++j) {
        const bool is_there = first + j * kWarp < part.length;
        bin[j] = is_there ? map(key[j]) : kBins;
        const unsigned peers = __match_any_sync(kAllLanes, bin[j]);
        const unsigned below = static_cast<unsigned>(__popc(lanes_below(peers)));
        const unsigned before = is_there ? warp_counts[bin[j]] : 0;
        rank[j] = before + below;
        __syncwarp();
        if (is_there && below == 0) {
          warp_counts[bin[j]] = static_cast<std::uint16_t>(before + __popc(peers));
        }
        __syncwarp();
      }
      __syncthreads();

      // Where each warp's items of a bin begin in the tile, and each bin in the segment.
      unsigned size = 0;
      if (threadIdx.x < bins) {
#pragma unroll
        for (unsigned w = 0; w < kLargeWarps; ++w) {
          const unsigned mine = s_.warp_counts[w][threadIdx.x];
          s_.warp_counts[w][threadIdx.x] = static_cast<std::uint16_t>(size);
          size += mine;
        }
      }
      const unsigned begin = block_exclusive_scan_by_lanes<kLargeThreads>(size, s_.warp_total);
      if (threadIdx.x < bins) {
#pragma unroll
        for (unsigned w = 0; w < kLargeWarps; ++w) {
          s_.warp_counts[w][threadIdx.x] += static_cast<std::uint16_t>(begin);
        }
        s_.to[threadIdx.x] = lists_.d_bin_begins[i * kBins + threadIdx.x] +
                             *tile_count(large, tile, threadIdx.x) - begin;
      }
      __syncthreads();
#pragma unroll
      for (unsigned j = 0; j < kLargeEach; ++j) {
        if (first + j * kWarp >= part.length) continue;
        const unsigned p = warp_counts[bin[j]] + rank[j];
        s_.keys[p] = key[j];
        if constexpr (kPairs) s_.values[p] = value[j];
      }
      __syncthreads();
      const Items<Bits, Value>& to =
          goes_to_data() ? members_.arrays.data : members_.arrays.alternate;
#pragma unroll
      for (unsigned j = 0; j < kLargeEach; ++j) {
        const unsigned p = j * kLargeThreads + threadIdx.x;
        if (p >= part.length) continue;
        const Bits mine = s_.keys[p];
        const std::size_t at = min(s_.to[map(mine)] + p, members_.arrays.n - 1);
        to.keys[at] = mine;
        if constexpr (kPairs) to.values[at] = s_.values[p];
      }
      __syncthreads();
    });
  }

 private:
  __device__ bool goes_to_data() const { return level_ % 2 == 1; }
  __device__ std::size_t global_warp() const {
    return std::size_t{blockIdx.x} * kLargeWarps + warp_id();
  }
  __device__ std::size_t global_warps() const { return std::size_t{gridDim.x} * kLargeWarps; }
  __device__ unsigned* tile_count(const Large<Bits>& large, std::size_t tile, unsigned bin) const {
    return lists_.d_tile_counts + large.first_tile * kBins + bin * large.tiles() + tile;
  }

  /// The items of a tile: in the first level as they came, then in ordered bits.
  __device__ __forceinline__ Part<Bits, Value> part_of(const Large<Bits>& large,
                                                       std::size_t tile) const {
    const std::size_t first = tile * kTile;
    const auto length = static_cast<unsigned>(min(large.length - first, std::size_t{kTile}));
    const Arrays<Bits, Value>& arrays = members_.arrays;
    if (level_ == 0) {
      return {arrays.source, arrays.are_numbered ? nullptr : arrays.data.values, arrays.map,
              large.begin + first, length};
    }
    const Items<Bits, Value>& items = goes_to_data() ? arrays.alternate : arrays.data;
    return {items.keys, items.values, {}, large.begin + first, length};
  }

  /// Calls use(i, segment i, tile) for the block's tiles, which are neighbours.
  template <class Use>
  __device__ __forceinline__ void for_each_tile(Use use) const {
    const std::size_t share = tiles_ / gridDim.x;
    const std::size_t rest = tiles_ % gridDim.x;
    std::size_t tile = blockIdx.x * share + min(std::size_t{blockIdx.x}, rest);
    const std::size_t end = tile + share + (blockIdx.x < rest ? 1 : 0);
    if (tile >= end) return;
    std::size_t i = 0;  // the last segment that begins at this tile or before
    for (std::size_t high = count_; high - i > 1;) {
      const std::size_t middle = (i + high) / 2;
      (list_.first_tile[middle] <= tile ? i : high) = middle;
    }
    while (tile < end) {
      const Large<Bits> large(list_, i);
      const std::size_t stop = min(end, large.first_tile + large.tiles());
      for (; tile < stop; ++tile) use(i, large, tile - large.first_tile);
      ++i;
      if (i == count_) return;
    }
  }

  __device__ static void lower(std::uint32_t* to, std::uint32_t x) { atomicMin(to, x); }
  __device__ static void raise(std::uint32_t* to, std::uint32_t x) { atomicMax(to, x); }
  __device__ static void lower(std::uint64_t* to, std::uint64_t x) {
    atomicMin(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(x));
  }
  __device__ static void raise(std::uint64_t* to, std::uint64_t x) {
    atomicMax(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(x));
  }

  const Members<Bits, Value>& members_;
  const Lists<Bits, Value>& lists_;
  const LargeList<Bits>& list_;
  unsigned level_;
  Shared& s_;
  std::size_t count_;
  std::size_t tiles_;
};

template <class Bits, class Value>
__global__ void __launch_bounds__(kLargeThreads, kLargeBlocks)
    partition_large(__grid_constant__ const Members<Bits, Value> members) {
  auto& s = *reinterpret_cast<LargeShared<Bits, Value>*>(dynamic_shared());
  const GridBarrier barrier;
  for (unsigned level = 0; level <= kMaxLevels; ++level) {
    const LargeLevel<Bits, Value> work(members, level, s);
    if (work.is_empty()) return;
    work.find_ranges();
    barrier.sync();
    work.count();
    barrier.sync();
    work.sum_up();
    barrier.sync();
    work.list_pieces();
    barrier.sync();
    work.scatter();
    barrier.sync();
  }
}

}  // namespace sortlab::gpu::segments
