// Segments that no block can hold, all of them together: one launch whose blocks share the tiles of all of them, so that
// one giant among tiny ones uses the whole GPU as many large ones do.
//
//   level     | segment A               | segment B           |      up to 256 bins of about equal counts
//   tiles     | 0     | 1     | 2       | 3     | 4           |
//   shares    | block 0       | block 1 | block 1             |      a block's tiles of one segment
//   pieces    |a|a|a|a|a|a|a|a|a|a|a|a|a|b|b|b|b|b|b|b|b|b|b|b|b|
//
// Pieces of up to a block's items go to the lists of the classes; larger ones are partitioned in the next level. Each
// level takes four steps, with barriers of the grid between them: what maps keys to bins, by a sample; the counts of each
// share; where bins begin, and the pieces; the scatter, in which a block goes through its tiles in order and counts on.
// From the second level on, which few keys see, the range of each segment comes first, and is cut evenly, floats by their
// bits: so each level leaves at most an eighth of the range, whatever the keys. A segment of equal keys is done.
//
// Keys alone take the next places of their bins. The partition of pairs is stable, so that they keep the order of their
// places without having them: each share knows how many of a bin the shares before it have.
//
// Bytes per u32 key and level: 12. Source: our own; counts before a scatter as in Merrill and Grimshaw 2011.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "gpu/primitives/block/scan.cuh"
#include "gpu/primitives/block/tile.cuh"
#include "gpu/segments/by_class/blocks.cuh"

namespace sortlab::gpu::segments {

template <class BitsT, class Value>
struct LargeShared {
  using Bits = BitsT;
  static constexpr bool kPairs = Items<Bits, Value>::kPairs;
  static constexpr unsigned kWarps = kLargeWarps;
  static constexpr unsigned kTile = kLargeTile<Bits, Value>;
  Bits keys[kTile];
  Value values[kPairs ? kTile : 1];  // as they came
  std::size_t next[kBins];           // where the bin's next item goes
  std::size_t to[kBins];             // where the tile's first item would go, were it of this bin
  unsigned counts[kBins];
  unsigned nowhere
      [kWarp];  // here count items that are not there: an `if` around an atomic would be a branch
  unsigned cells[kCells];
  std::uint8_t bin[kTile];                   // of the item at each place of `keys`
  std::uint16_t origin[kPairs ? kTile : 1];  // where in the tile it was; its value is still there
  unsigned warp_counts[kPairs ? kLargeWarps : 1][kBins];
  unsigned warp_total[kWarp];
  Bits warp_lowest[kWarp];
  Bits warp_highest[kWarp];
};

/// A large segment of a level.
template <class Bits, class Value>
struct Large {
  std::size_t number;
  std::size_t begin;
  std::size_t length;
  std::size_t first_tile;
  Bits lowest;
  Bits highest;

  __device__ __forceinline__ Large(const LargeList<Bits>& list, std::size_t i)
      : number(i),
        begin(list.begin[i]),
        length(list.length[i]),
        first_tile(list.first_tile[i]),
        lowest(list.lowest[i]),
        highest(list.highest[i]) {}
  __device__ __forceinline__ std::size_t end_tile() const {
    constexpr unsigned kTile = kLargeTile<Bits, Value>;
    return first_tile + (length + kTile - 1) / kTile;
  }
  /// For pieces of some thousand items.
  __device__ __forceinline__ unsigned bins() const {
    unsigned bins = 16;
    while (bins < kBins && std::size_t{bins} * 4096 < length) bins *= 2;
    return bins;
  }
};

/// Maps a large segment's keys to its bins: by cells of equal width, and evenly within each.
template <class Bits>
class LargeMap {
 public:
  __device__ __forceinline__ LargeMap(Bits lowest, Bits highest, const KeyScale<Bits>& scale,
                                      const unsigned* s_cells)
      : lowest_(lowest), highest_(highest), line_(lowest, highest, scale, 16), s_cells_(s_cells) {}
  __device__ __forceinline__ unsigned cell(Bits key) const {
    return line_(min(max(key, lowest_), highest_)) >> (32 - kCellBits);
  }
  /// The bins of several keys. What is the same for all is asked once.
  template <unsigned kCount>
  __device__ __forceinline__ void find_bins(const Bits (&key)[kCount],
                                            unsigned (&bin)[kCount]) const {
    if (lowest_ == highest_) {
#pragma unroll
      for (unsigned j = 0; j < kCount; ++j) bin[j] = (key[j] >= lowest_) + (key[j] > lowest_);
      return;
    }
    if (line_.is_even()) {
#pragma unroll
      for (unsigned j = 0; j < kCount; ++j) {
        bin[j] = line_.evenly(min(max(key[j], lowest_), highest_));
      }
    } else {
#pragma unroll
      for (unsigned j = 0; j < kCount; ++j) bin[j] = line_(min(max(key[j], lowest_), highest_));
    }
#pragma unroll
    for (unsigned j = 0; j < kCount; ++j) {
      const unsigned cell = s_cells_[bin[j] >> (32 - kCellBits)];
      bin[j] = ((cell >> 16) + __umulhi(bin[j] << kCellBits, cell & 0xffff)) >> 8;
    }
  }

 private:
  Bits lowest_;
  Bits highest_;
  Linear<Bits> line_;
  const unsigned* s_cells_;
};

/// A block's part of a level.
template <class Bits, class Value>
class LargeLevel {
 public:
  using Shared = LargeShared<Bits, Value>;
  using Segment = Large<Bits, Value>;
  static constexpr bool kPairs = Shared::kPairs;
  static constexpr unsigned kTile = Shared::kTile;
  static constexpr unsigned kEach = kTile / kLargeThreads;

  __device__ LargeLevel(const Members<Bits, Value>& members, unsigned level, Shared& s)
      : members_(members),
        lists_(members.lists),
        list_(members.lists.large[level % 2]),
        level_(level),
        s_(s) {
    const std::size_t listed = lists_.d_counters->large[level] >> 40;
    count_ = min(listed, lists_.most_large);
    // Not those that were counted: overlapping segments may be more than the list holds.
    tiles_ = count_ == 0 ? 0 : Segment(list_, count_ - 1).end_tile();
  }
  __device__ bool is_empty() const { return count_ == 0; }

  /// From the second level on: the lowest and the highest key of each segment.
  __device__ void find_ranges() const {
    for_each_share([&](const Segment& large, std::size_t tile, std::size_t end) {
      Bits lowest = static_cast<Bits>(~Bits{0});
      Bits highest = 0;
      for (; tile < end; ++tile) {
        const Part<Bits, Value> part = part_of(large, tile);
        Bits key[kEach];
        load_rows<false>(part, key);
#pragma unroll
        for (unsigned j = 0; j < kEach; ++j) {
          lowest = min(lowest, key[j]);
          highest = max(highest, key[j]);
        }
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
          lower(&list_.lowest[large.number], lowest);
          raise(&list_.highest[large.number], highest);
        }
      }
      __syncthreads();
    });
  }

  /// What maps the keys of each segment to bins. In the first level a sample says how many keys each cell has. Later
  /// ones, of which there are few, know the range, and cut it evenly: that ends, whatever the keys. A warp has a segment,
  /// but a block one of many bins, whose sample is large.
  __device__ void make_maps() const {
    constexpr unsigned kManyBins = kBins / 2;
    const auto has_many = [&](std::size_t i) { return Segment(list_, i).bins() >= kManyBins; };
    for (std::size_t i = global_warp(); i < count_; i += global_warps()) {
      if (!has_many(i)) make_map<kWarp>(i, warp_id());
    }
    __syncthreads();
    for (std::size_t i = blockIdx.x; i < count_; i += gridDim.x) {
      if (has_many(i)) make_map<kLargeThreads>(i, 0);
    }
  }

  /// How many items each share has in each bin.
  __device__ void count() const {
    for_each_share([&](const Segment& large, std::size_t tile, std::size_t end) {
      if (is_sorted(large)) return;
      const auto map = map_of(large);
      if (threadIdx.x < kBins) s_.counts[threadIdx.x] = 0;
      __syncthreads();
      for (; tile < end; ++tile) {
        const Part<Bits, Value> part = part_of(large, tile);
        if (threadIdx.x == 0 && tile + 1 < end) prefetch_keys(part_of(large, tile + 1));
        if (part.length == kTile) {
          count_tile<true>(map, part);
        } else {
          count_tile<false>(map, part);
        }
      }
      __syncthreads();
      if (threadIdx.x < kBins) {
        const unsigned size = s_.counts[threadIdx.x];
        share_counts(large, blockIdx.x)[threadIdx.x] = size;
        if (!kPairs && size != 0) add(bin_begins(large.number) + threadIdx.x, size);
      }
      __syncthreads();
    });
  }

  /// Where each bin begins, of pairs in each share, and what is to be done with the bins. A warp has a segment, but a
  /// block one of pairs that many blocks share.
  __device__ void list_pieces() const {
    for (std::size_t i = global_warp(); i < count_; i += global_warps()) {
      const Segment large(list_, i);
      if (is_sorted(large) || (kPairs && is_of_many(large))) continue;
      unsigned size[kBins / kWarp] = {};
      if constexpr (kPairs) {
        const std::size_t last = block_of(large.end_tile() - 1);
        for (std::size_t block = block_of(large.first_tile); block <= last; ++block) {
          unsigned* const counts = share_counts(large, block);
          unsigned mine[kBins / kWarp];
#pragma unroll
          for (unsigned k = 0; k < kBins / kWarp; ++k) mine[k] = counts[k * kWarp + lane_id()];
#pragma unroll
          for (unsigned k = 0; k < kBins / kWarp; ++k) {
            counts[k * kWarp + lane_id()] = size[k];
            size[k] += mine[k];
          }
        }
      } else {
#pragma unroll
        for (unsigned k = 0; k < kBins / kWarp; ++k) {
          size[k] = static_cast<unsigned>(bin_begins(i)[k * kWarp + lane_id()]);
        }
      }
      list_bins(large, size);
    }
    if constexpr (kPairs) list_pieces_of_many();
  }

  /// Each item to its bin. A segment of equal keys goes to where its result is.
  __device__ void scatter() const {
    for_each_share([&](const Segment& large, std::size_t tile, std::size_t end) {
      if (!is_sorted(large)) return scatter_share(large, tile, end);
      for (; tile < end; ++tile) {
        const Part<Bits, Value> part = part_of(large, tile);
        for (unsigned p = threadIdx.x; p < part.length; p += kLargeThreads) {
          members_.arrays.put(part.begin + p, part.key(p), value_of(large, part, tile, p));
        }
      }
    });
  }

 private:
  /// The map of segment i, by kThreads threads, which are team number `team` of the block.
  template <unsigned kThreads>
  __device__ __forceinline__ void make_map(std::size_t i, unsigned team) const {
    constexpr bool kIsBlock = kThreads == kLargeThreads;
    constexpr unsigned kEachLane = kCells / kWarp;
    const unsigned thread = threadIdx.x % kThreads;
    const auto meet = [] {
      if constexpr (kIsBlock) {
        __syncthreads();
      } else {
        __syncwarp();
      }
    };
    unsigned* const s_count = reinterpret_cast<unsigned*>(s_.keys) + team * kCells;
    static_assert(sizeof(unsigned) * kLargeWarps * kCells <= sizeof(s_.keys));
    const Segment large(list_, i);
    const unsigned bins = large.bins();
    if (level_ == 0) {
      const unsigned sample = bins * 16;
      Bits lowest = static_cast<Bits>(~Bits{0});
      Bits highest = 0;
      for (unsigned c = thread; c < kCells; c += kThreads) s_count[c] = 0;
      for_sample<kThreads>(large, sample, [&](Bits key) {
        lowest = min(lowest, key);
        highest = max(highest, key);
      });
      lowest = radix::small::warp_min(lowest);
      highest = radix::small::warp_max(highest);
      if constexpr (kIsBlock) {
        if (lane_id() == 0) {
          s_.warp_lowest[warp_id()] = lowest;
          s_.warp_highest[warp_id()] = highest;
        }
        __syncthreads();
        radix::small::range_of_warps(s_, lowest, highest);
      }
      if (thread == 0) {
        list_.lowest[i] = lowest;
        list_.highest[i] = highest;
      }
      meet();
      const LargeMap<Bits> map(lowest, highest, members_.arrays.scale, nullptr);
      for_sample<kThreads>(large, sample,
                           [&](Bits key) { atomicAdd(&s_count[map.cell(key)], 1u); });
    }
    meet();
    // Bins have 2^8 parts. A sampled key stands for 2^8 * bins / sample = 16 of them; a cell, without a sample, for
    // `bins`.
    if (thread < kWarp) {
      unsigned begin = 0;
#pragma unroll
      for (unsigned k = 0; k < kEachLane; ++k) {
        const unsigned c = k * kWarp + lane_id();
        const unsigned size = level_ == 0 ? s_count[c] * 16 : bins;
        const unsigned up_to = warp_inclusive_scan(size);
        lists_.d_cells[i * kCells + c] = (begin + up_to - size) << 16 | min(size, 0xffffu);
        begin += __shfl_sync(kAllLanes, up_to, kWarp - 1);
      }
#pragma unroll
      for (unsigned k = 0; k < kBins / kWarp; ++k) {
        lists_.d_bin_begins[i * kBins + k * kWarp + lane_id()] = 0;
      }
    }
    meet();
  }
  /// Calls use(key) for some keys of a segment, four neighbours at equal distances, by kThreads threads. Neighbours come
  /// with one access of the memory.
  template <unsigned kThreads, class Use>
  __device__ __forceinline__ void for_sample(const Segment& large, unsigned sample, Use use) const {
    const Arrays<Bits, Value>& arrays = members_.arrays;
    const std::size_t distance = large.length / sample;
    const unsigned thread = threadIdx.x % kThreads;
    constexpr unsigned kAtOnce = kThreads == kWarp ? 8 : 4;
    for (unsigned first = 0; first < sample; first += kAtOnce * kThreads) {
      Bits key[kAtOnce];
#pragma unroll
      for (unsigned k = 0; k < kAtOnce; ++k) {
        const unsigned i = first + k * kThreads + thread;
        key[k] = arrays.source[large.begin + i / 4 * 4 * distance + i % 4];
      }
      arrays.map.order(key);
#pragma unroll
      for (unsigned k = 0; k < kAtOnce; ++k) use(key[k]);
    }
  }

  /// The map of a segment, once its cells are in shared memory. All threads come, and meet before they use it.
  __device__ __forceinline__ LargeMap<Bits> map_of(const Segment& large) const {
    if (threadIdx.x < kCells) {
      s_.cells[threadIdx.x] = lists_.d_cells[large.number * kCells + threadIdx.x];
    }
    const KeyScale<Bits> scale = level_ == 0 ? members_.arrays.scale : KeyScale<Bits>{};
    return {large.lowest, large.highest, scale, s_.cells};
  }
  /// Whether all keys are known to be equal.
  __device__ __forceinline__ bool is_sorted(const Segment& large) const {
    return level_ != 0 && large.lowest == large.highest;
  }

  /// Lists the bins of a segment, of which a lane has every 32nd.
  __device__ __forceinline__ void list_bins(const Segment& large,
                                            const unsigned (&size)[kBins / kWarp]) const {
    std::size_t begin = large.begin;
#pragma unroll
    for (unsigned k = 0; k < kBins / kWarp; ++k) {
      const std::size_t up_to = warp_inclusive_scan(std::size_t{size[k]});
      const std::size_t mine = begin + up_to - size[k];
      bin_begins(large.number)[k * kWarp + lane_id()] = mine;
      const bool is_large = size[k] > kMostOfBlock<Bits, Value>;
      if (is_large && level_ < kMaxLevels) lists_.add_large(level_ + 1, mine, size[k]);
      lists_.add_pieces(mine, is_large ? 0 : size[k], goes_to_data());
      begin += __shfl_sync(kAllLanes, up_to, kWarp - 1);
    }
  }

  /// Whether so many blocks share a segment that one warp would take long.
  __device__ __forceinline__ bool is_of_many(const Segment& large) const {
    constexpr std::size_t kFew = 8;
    return block_of(large.end_tile() - 1) - block_of(large.first_tile) > kFew;
  }
  /// Such a segment is the last one of the block that has its first tile, and is listed by it: two threads a bin.
  __device__ void list_pieces_of_many() const {
    const std::size_t end = first_tile_of(std::size_t{blockIdx.x} + 1);
    if (end == first_tile_of(blockIdx.x)) return;
    const Segment large(list_, segment_at(end - 1));
    const std::size_t first = block_of(large.first_tile);
    if (first != blockIdx.x || !is_of_many(large) || is_sorted(large)) return;
    const std::size_t last = block_of(large.end_tile() - 1);
    const unsigned bin = threadIdx.x % kBins;
    const std::size_t half = (last - first + 2) / 2;
    const std::size_t from = threadIdx.x < kBins ? first : first + half;
    const std::size_t to = threadIdx.x < kBins ? first + half : last + 1;
    unsigned size = 0;
#pragma unroll 8
    for (std::size_t block = from; block < to; ++block) size += share_counts(large, block)[bin];
    if (threadIdx.x < kBins) s_.counts[bin] = size;
    __syncthreads();
    unsigned before = threadIdx.x < kBins ? 0 : s_.counts[bin];
    constexpr unsigned kAtOnce = 8;
    for (std::size_t block = from; block < to; block += kAtOnce) {
      unsigned mine[kAtOnce];
#pragma unroll
      for (unsigned j = 0; j < kAtOnce; ++j) {
        mine[j] = block + j < to ? share_counts(large, block + j)[bin] : 0;
      }
#pragma unroll
      for (unsigned j = 0; j < kAtOnce; ++j) {
        if (block + j < to) share_counts(large, block + j)[bin] = before;
        before += mine[j];
      }
    }
    __syncthreads();
    if (threadIdx.x >= kBins) s_.counts[bin] = before;
    __syncthreads();
    if (warp_id() != 0) return;
    unsigned sizes[kBins / kWarp];
#pragma unroll
    for (unsigned k = 0; k < kBins / kWarp; ++k) sizes[k] = s_.counts[k * kWarp + lane_id()];
    list_bins(large, sizes);
  }

  __device__ __forceinline__ std::size_t* bin_begins(std::size_t segment) const {
    return lists_.d_bin_begins + segment * kBins;
  }
  __device__ static std::size_t add(std::size_t* to, std::size_t x) {
    static_assert(sizeof(std::size_t) == sizeof(unsigned long long));
    return atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(x));
  }

  // Most tiles are full: then no item must be asked whether it is there.
  // measured, with a sample of neighbours and half the barriers: 2^24 u32 keys in segments of 65,536, us: 303 (this) vs 322; pairs
  // 472 vs 513; H200, h200/attempts/segments.5.txt.xz

  template <bool kIsFull>
  __device__ __forceinline__ void count_tile(const LargeMap<Bits>& map,
                                             const Part<Bits, Value>& part) const {
    Bits key[kEach];
    load_rows<kIsFull>(part, key);
    unsigned bin[kEach];
    map.find_bins(key, bin);
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      const bool is_there = kIsFull || j * kLargeThreads + threadIdx.x < part.length;
      atomicAdd(is_there ? &s_.counts[bin[j]] : &s_.nowhere[lane_id()], 1u);
    }
  }

  __device__ __forceinline__ void scatter_share(const Segment& large, std::size_t tile,
                                                std::size_t end) const {
    Bits key[kEach];
    load(large, tile, key);
    const auto map = map_of(large);
    if (threadIdx.x < kBins) {
      const unsigned count = share_counts(large, blockIdx.x)[threadIdx.x];
      std::size_t* const begin = bin_begins(large.number) + threadIdx.x;
      // Pairs keep their order: the count is that of the shares before. Keys alone take the next places.
      s_.next[threadIdx.x] = kPairs ? *begin + count : count != 0 ? add(begin, count) : 0;
      s_.counts[threadIdx.x] = 0;
    }
    __syncthreads();
    for (; tile < end; ++tile) {
      const Part<Bits, Value> part = part_of(large, tile);
      const bool is_unordered = part.length == kTile
                                    ? scatter_tile<true>(large, map, part, tile, end, key)
                                    : scatter_tile<false>(large, map, part, tile, end, key);
      if constexpr (kPairs) {
        if (__syncthreads_or(is_unordered)) repair(*this, large, part, tile);
      }
    }
  }
  /// Takes the tile's keys, and leaves those of the next one, which come while this one is written. Says whether this
  /// thread saw pairs of a bin out of order.
  template <bool kIsFull>
  __device__ __forceinline__ bool scatter_tile(const Segment& large, const LargeMap<Bits>& map,
                                               const Part<Bits, Value>& part, std::size_t tile,
                                               std::size_t end, Bits (&key)[kEach]) const {
    if constexpr (kPairs) fetch_values<kIsFull>(part);
    unsigned place[kEach];  // in the tile, with the bin in the upper half
    rank<kIsFull>(map, part.length, key, place);
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      if (!kIsFull && place[j] == kNoPlace) continue;
      const unsigned p = place[j] & 0xffff;
      s_.keys[p] = key[j];
      s_.bin[p] = static_cast<std::uint8_t>(place[j] >> 16);
      if constexpr (kPairs) s_.origin[p] = static_cast<std::uint16_t>(at(j));
    }
    if (tile + 1 < end) load(large, tile + 1, key);
    if constexpr (kPairs) __pipeline_wait_prior(0);
    __syncthreads();
    return write<kIsFull>(large, part, tile);
  }

  static constexpr unsigned kNoPlace = ~0u;
  /// The place of a thread's item j in the tile: a warp's items are neighbours.
  __device__ static unsigned at(unsigned j) {
    return warp_id() * (kTile / kLargeWarps) + j * kWarp + lane_id();
  }
  __device__ __forceinline__ void load(const Segment& large, std::size_t tile,
                                       Bits (&key)[kEach]) const {
    const Part<Bits, Value> part = part_of(large, tile);
    if (part.length == kTile) {
      const Bits* const from = part.keys + part.begin + at(0);
#pragma unroll
      for (unsigned j = 0; j < kEach; ++j) key[j] = from[j * kWarp];
    } else {
#pragma unroll
      for (unsigned j = 0; j < kEach; ++j) {
        key[j] = part.keys[part.begin + min(at(j), part.length - 1)];
      }
    }
    part.map.order(key);
  }
  /// The keys of a tile: a row for all threads, then the next one.
  template <bool kIsFull>
  __device__ __forceinline__ void load_rows(const Part<Bits, Value>& part,
                                            Bits (&key)[kEach]) const {
    const Bits* const from = part.keys + part.begin;
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      const unsigned p = j * kLargeThreads + threadIdx.x;
      key[j] = from[kIsFull ? p : min(p, part.length - 1)];
    }
    part.map.order(key);
  }
  /// Has the values brought to shared memory, in their places in the tile, while the keys are ranked.
  template <bool kIsFull>
  __device__ __forceinline__ void fetch_values(const Part<Bits, Value>& part) const {
    if (part.values != nullptr) {
      const Value* const from = part.values + part.begin;
#pragma unroll
      for (unsigned j = 0; j < kEach; ++j) {
        const unsigned p = j * kLargeThreads + threadIdx.x;
        if (kIsFull || p < part.length) {
          __pipeline_memcpy_async(s_.values + p, from + p, sizeof(Value));
        }
      }
    }
    __pipeline_commit();
  }
  __device__ __forceinline__ static Value value_of(const Segment& large,
                                                   const Part<Bits, Value>& part, std::size_t tile,
                                                   unsigned p) {
    if constexpr (kPairs) {
      if (part.values == nullptr) {
        return static_cast<Value>((tile - large.first_tile) * kTile + p);
      }
    }
    return part.value(p);
  }

  /// Writes the tile. Says whether this thread saw pairs of a bin out of order.
  template <bool kIsFull>
  __device__ __forceinline__ bool write(const Segment& large, const Part<Bits, Value>& part,
                                        std::size_t tile) const {
    const Items<Bits, Value>& to =
        goes_to_data() ? members_.arrays.data : members_.arrays.alternate;
    const std::size_t last = members_.arrays.n - 1;
    bool is_unordered = false;
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      const unsigned p = j * kLargeThreads + threadIdx.x;
      const bool is_there = kIsFull || p < part.length;
      const unsigned bin = is_there ? s_.bin[p] : 0;
      const std::size_t place = min(s_.to[bin] + p, last);
      if constexpr (kPairs) {
        const unsigned origin = is_there ? s_.origin[p] : 0;
        const unsigned mine = bin << 16 | origin;
        unsigned before = __shfl_up_sync(kAllLanes, mine, 1);
        if (lane_id() == 0) before = is_there && p > 0 ? bin_and_origin(p - 1) : 0;
        is_unordered |= is_there && mine < before;
        if (is_there) {
          to.values[place] =
              part.values == nullptr ? value_of(large, part, tile, origin) : s_.values[origin];
        }
      }
      if (is_there) to.keys[place] = s_.keys[p];
    }
    return is_unordered;
  }
  __device__ __forceinline__ unsigned bin_and_origin(unsigned p) const {
    return unsigned{s_.bin[p]} << 16 | s_.origin[p];
  }
  /// Exchanges neighbours of a bin that are out of order, and writes the tile again.
  __device__ __noinline__ static void repair(const LargeLevel it, const Segment& large,
                                             const Part<Bits, Value> part, std::size_t tile) {
    if constexpr (kPairs) {
      Shared& s = it.s_;
      bool is_unordered = true;
      while (__syncthreads_or(is_unordered)) {
        is_unordered = false;
        for (unsigned odd = 0; odd < 2; ++odd) {
          for (unsigned p = 2 * threadIdx.x + odd; p + 1 < part.length; p += 2 * kLargeThreads) {
            if (it.bin_and_origin(p + 1) < it.bin_and_origin(p)) {  // of the same bin
              const Bits key = s.keys[p];
              s.keys[p] = s.keys[p + 1];
              s.keys[p + 1] = key;
              const std::uint16_t origin = s.origin[p];
              s.origin[p] = s.origin[p + 1];
              s.origin[p + 1] = origin;
              is_unordered = true;
            }
          }
          __syncthreads();
        }
      }
      (void)it.template write<false>(large, part, tile);
      __syncthreads();
    }
  }

  /// The place of each item in the tile, in the order of the bins. Says where the tile's items go, and counts on. Pairs
  /// of a bin keep their order, but for those of a row of 32, as the atomics of a warp may come in any order: write()
  /// looks. Keys find s_.counts empty, and leave it so. Its barriers part all that tiles do with the same memory.
  template <bool kIsFull>
  __device__ __forceinline__ void rank(const LargeMap<Bits>& map, unsigned length,
                                       const Bits (&key)[kEach], unsigned (&place)[kEach]) const {
    unsigned* const begins = s_.warp_counts[kPairs ? warp_id() : 0];
    unsigned* const counts = kPairs ? begins : s_.counts;
    if constexpr (kPairs) {
#pragma unroll
      for (unsigned b = 0; b < kBins; b += kWarp) counts[b + lane_id()] = 0;
      __syncwarp();
    }
    map.find_bins(key, place);
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      const bool is_there = kIsFull || at(j) < length;
      const unsigned before = atomicAdd(is_there ? &counts[place[j]] : &s_.nowhere[lane_id()], 1u);
      place[j] = is_there ? place[j] | before << 16 : kBins;
      if constexpr (kPairs) __syncwarp();  // row by row
    }
    __syncthreads();
    unsigned size = 0;
    if (threadIdx.x < kBins) {
      if constexpr (kPairs) {
#pragma unroll
        for (unsigned w = 0; w < kLargeWarps; ++w) size += s_.warp_counts[w][threadIdx.x];
      } else {
        size = s_.counts[threadIdx.x];
        s_.counts[threadIdx.x] = 0;
      }
    }
    const unsigned begin = sum_of_threads_below<kBins>(size);
    if (threadIdx.x < kBins) {
      unsigned next = begin;
#pragma unroll
      for (unsigned w = 0; w < (kPairs ? kLargeWarps : 1); ++w) {
        const unsigned mine = s_.warp_counts[w][threadIdx.x];
        s_.warp_counts[w][threadIdx.x] = next;
        next += mine;
      }
      s_.to[threadIdx.x] = s_.next[threadIdx.x] - begin;
      s_.next[threadIdx.x] += size;
    }
    __syncthreads();
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      const unsigned bin = place[j] & 0xffff;
      const bool is_there = kIsFull || bin != kBins;
      place[j] = is_there ? (begins[bin] + (place[j] >> 16)) | bin << 16 : kNoPlace;
    }
  }

  __device__ bool goes_to_data() const { return level_ % 2 == 1; }
  __device__ std::size_t global_warp() const {
    return std::size_t{blockIdx.x} * kLargeWarps + warp_id();
  }
  __device__ std::size_t global_warps() const { return std::size_t{gridDim.x} * kLargeWarps; }

  // Blocks have neighbouring tiles, some one more than the others.
  __device__ std::size_t first_tile_of(std::size_t block) const {
    return block * (tiles_ / gridDim.x) + min(block, tiles_ % gridDim.x);
  }
  __device__ std::size_t block_of(std::size_t tile) const {
    const std::size_t share = tiles_ / gridDim.x;
    const std::size_t longer = tiles_ % gridDim.x;  // blocks with a tile more
    const std::size_t of_longer = longer * (share + 1);
    return tile < of_longer ? tile / (share + 1) : longer + (tile - of_longer) / share;
  }
  /// From share to share, either the segment or the block is the next one, so their sum numbers the shares.
  __device__ unsigned* share_counts(const Segment& large, std::size_t block) const {
    return lists_.d_share_counts + (large.number + block) * kBins;
  }

  /// The items of a tile: in the first level as they came, then in ordered bits.
  __device__ __forceinline__ Part<Bits, Value> part_of(const Segment& large,
                                                       std::size_t tile) const {
    const std::size_t first = (tile - large.first_tile) * kTile;
    const auto length = static_cast<unsigned>(min(large.length - first, std::size_t{kTile}));
    const Arrays<Bits, Value>& arrays = members_.arrays;
    if (level_ == 0) {
      return {arrays.source, arrays.source_values, arrays.map, large.begin + first, length};
    }
    const Items<Bits, Value>& items = goes_to_data() ? arrays.alternate : arrays.data;
    return {items.keys, items.values, {}, large.begin + first, length};
  }

  /// The last segment that begins at this tile or before.
  __device__ std::size_t segment_at(std::size_t tile) const {
    std::size_t i = 0;
    for (std::size_t high = count_; high - i > 1;) {
      const std::size_t middle = (i + high) / 2;
      (list_.first_tile[middle] <= tile ? i : high) = middle;
    }
    return i;
  }
  /// Calls use(segment, first tile, end) for the block's shares.
  template <class Use>
  __device__ __forceinline__ void for_each_share(Use use) const {
    std::size_t tile = first_tile_of(blockIdx.x);
    const std::size_t end = first_tile_of(std::size_t{blockIdx.x} + 1);
    if (tile >= end) return;
    for (std::size_t i = segment_at(tile); tile < end && i < count_; ++i) {
      const Segment large(list_, i);
      const std::size_t stop = min(end, large.end_tile());
      use(large, tile, stop);
      tile = stop;
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
constexpr std::size_t kListBytes = std::max(sizeof(LargeShared<Bits, Value>),
                                            sizeof(StretchShared<Bits, Value>) * kLargeWarps);

/// Lists the segments of each class, and partitions the large ones until all pieces are in lists, too.
template <class Barrier, class Bits, class Value>
__global__ void __launch_bounds__(kLargeThreads, kLargeBlocks)
    list_segments(__grid_constant__ const Members<Bits, Value> members) {
  auto& s = *reinterpret_cast<LargeShared<Bits, Value>*>(dynamic_shared());
  const Barrier barrier;
  if (blockIdx.x == 0) {
    auto* const words = reinterpret_cast<unsigned*>(members.lists.d_counters);
    for (unsigned i = threadIdx.x; i < sizeof(Counters) / sizeof(unsigned); i += kLargeThreads) {
      words[i] = 0;
    }
  }
  barrier.sync();
  if (members.lists.most_large == 0) let_next_kernel_start();
  classify<kLargeThreads>(
      members, reinterpret_cast<StretchShared<Bits, Value>*>(dynamic_shared())[warp_id()]);
  if (members.lists.most_large == 0) return;
  barrier.sync();
  for (unsigned level = 0; level <= kMaxLevels; ++level) {
    const LargeLevel<Bits, Value> work(members, level, s);
    if (work.is_empty()) return;
    if (level != 0) {
      work.find_ranges();
      barrier.sync();
    }
    work.make_maps();
    barrier.sync();
    work.count();
    barrier.sync();
    work.list_pieces();
    barrier.sync();
    work.scatter();
    barrier.sync();
  }
}

}  // namespace sortlab::gpu::segments
