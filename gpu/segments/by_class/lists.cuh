// Classes of segments by their length, and the lists of them that the GPU makes.
//
//   class      0   1   2   3   4    5     6    7     8     9     10    11    12
//   up to      8  16  32  64  128  256   512  1024  2048  4096  8192  16 K  more      keys
//   sorted by  lanes of a warp ......    threads of a block ..............  all blocks
//
// A thread sorts a segment of up to 4 items as soon as it has found it: listing it would take longer.
// measured: 2^24 u32 keys in segments of 2, us: 104 (this) vs 354 (by lanes of a warp); H200, h200/attempts/segments.3.txt.xz
//
// Of keys alone a thread also sorts up to 8 where no segment of its warp has more, all lie one behind the other, and have
// more than 4 on average. The warp brings them to shared memory and back, so that neighbours load and store neighbours.
// measured: 2^27 u32 keys in segments of 8, us: 446 (this) vs 788 (by lanes of a warp). Pairs, and segments of 2 and of
// mixed lengths, took up to 1.7 times as long so; H200, h200/attempts/segments.4.txt
//
// A block counts its other segments by class, reserves a place in each list by one atomic addition, and writes their numbers
// there: one read of the offsets, and no wait of the host. A list has room for all segments of such a length that n
// items can hold.
//
// Segments come from memory of the GPU and may be wrong: begins and ends are cut at n, and a list that is full takes no
// more. So whatever they are, no access leaves the arrays.
#pragma once

#include <algorithm>

#include "common/contract/segments.hpp"
#include "common/utils.hpp"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/primitives/rank_map.hpp"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::segments {

constexpr unsigned kWarpClasses = 6;
constexpr unsigned kBlockClasses = 6;
constexpr unsigned kShortClasses = kWarpClasses + kBlockClasses;
constexpr unsigned kLarge = kShortClasses;
constexpr unsigned kNoClass = ~0u;
constexpr unsigned kMaxLevels = 70;  // of partitions: at least a bit of the key each, and the first
constexpr unsigned kBins = 256;

// The kernel of large segments (large.cuh).
constexpr unsigned kLargeThreads = 512;
constexpr unsigned kLargeWarps = kLargeThreads / kWarp;
constexpr unsigned kLargeBlocks = 2;    // of an SM
constexpr unsigned kMostBlocks = 4096;  // of a GPU
/// Items of a tile: as many as registers hold.
template <class Bits, class Value>
constexpr unsigned kLargeTile = kLargeThreads*(sizeof(Bits) == 4 ? 16 : 8);

constexpr unsigned kCellBits = 8;  // parts of a large segment's range
constexpr unsigned kCells = 1u << kCellBits;

template <class Value>
using PlaceOf = std::conditional_t<std::is_same_v<Value, NoValue>, NoValue, std::uint32_t>;

/// The most items of a block: keys of 8 bytes with places leave less room.
template <class Bits, class Value>
constexpr unsigned kMostOfBlock = 1024 * (sizeof(Bits) == 8 && kValueBytes<Value> > 0 ? 14 : 16);

/// Items that a thread sorts by itself, where it finds the segment. Rows have no lists to be made, so warps sort them.
constexpr unsigned kTiny = 4;

/// The longest segment of a class, and the shortest that is listed.
template <class Bits, class Value>
SORTLAB_HD constexpr unsigned most_of_class(unsigned c) {
  return c + 1 < kShortClasses ? 8u << c : kMostOfBlock<Bits, Value>;
}
template <class Bits, class Value>
SORTLAB_HD constexpr unsigned least_of_class(unsigned c) {
  return c == 0 ? kTiny + 1 : most_of_class<Bits, Value>(c - 1) + 1;
}
template <class Bits, class Value>
SORTLAB_HD constexpr unsigned class_of(std::size_t length) {
  if (length < 2) return kNoClass;
  unsigned c = 0;
  while (c < kShortClasses && length > most_of_class<Bits, Value>(c)) ++c;
  return c;
}

/// The class of pieces of large segments, of which there are few short ones.
constexpr unsigned kLeastPieceClass = 2;

/// A piece of a large segment: its place, length, and in which of the two arrays it is.
class Piece {
 public:
  Piece() = default;
  __device__ Piece(std::size_t begin, unsigned length, bool is_in_data)
      : word_(static_cast<std::uint64_t>(begin) << 16 | (is_in_data ? 1u << 15 : 0u) | length) {}
  __device__ std::size_t begin() const { return word_ >> 16; }
  __device__ unsigned length() const { return word_ & 0x7fff; }
  __device__ bool is_in_data() const { return (word_ >> 15 & 1) != 0; }

 private:
  std::uint64_t word_;
};

/// How far apart keys are. Floats become denser towards zero: half of the patterns of bits lie between -1 and 1, and few
/// keys.
template <class Bits>
struct KeyScale {
  Bits zero;               // in order
  unsigned mantissa_bits;  // 0: integers

  static KeyScale of(KeyKind kind, const KeyMap<Bits>& map) {
    if (number_kind(kind.type) != NumberKind::floating) return {0, 0};
    return {map.ordered(0), sizeof(Bits) == 8 ? 52u : 23u};
  }
};

/// Places keys from `lowest` to `highest` on a line, as fractions of 2^32. Of floats, those that are `octaves` octaves
/// below the greatest magnitude are all one.
template <class Bits>
class Linear {
 public:
  __device__ __forceinline__ Linear(Bits lowest, Bits highest, const KeyScale<Bits>& scale,
                                    unsigned octaves)
      : near_below_(0), near_above_(0) {
    if (scale.mantissa_bits != 0) {
      const Bits above = highest > scale.zero ? highest - scale.zero : 0;
      const Bits below = scale.zero > lowest ? scale.zero - lowest : 0;
      const Bits magnitude = max(above, below);
      const Bits wanted = static_cast<Bits>(octaves) << scale.mantissa_bits;
      const Bits near = magnitude > wanted ? magnitude - wanted : 0;
      near_below_ = scale.zero - min(near, scale.zero);
      near_above_ = scale.zero + min(near, static_cast<Bits>(~scale.zero));
    }
    begin_ = apart_from_near(lowest);
    const Bits range = apart_from_near(highest) - begin_;
    if (range == 0) {
      shift_ = 0;
    } else if constexpr (sizeof(Bits) == 8) {
      shift_ = static_cast<unsigned>(__clzll(static_cast<long long>(range)));
    } else {
      shift_ = static_cast<unsigned>(__clz(static_cast<int>(range)));
    }
  }
  __device__ __forceinline__ unsigned operator()(Bits ordered) const {
    return evenly(apart_from_near(ordered));
  }
  /// Whether no keys are one: then evenly() does the same, with less work.
  __device__ __forceinline__ bool is_even() const { return near_below_ == near_above_; }
  __device__ __forceinline__ unsigned evenly(Bits ordered) const {
    return static_cast<unsigned>(((ordered - begin_) << shift_) >> (8 * sizeof(Bits) - 32));
  }

 private:
  __device__ __forceinline__ Bits apart_from_near(Bits ordered) const {
    return ordered - (min(max(ordered, near_below_), near_above_) - near_below_);
  }
  Bits near_below_;
  Bits near_above_;
  Bits begin_;
  unsigned shift_;
};

/// Where the items are.
template <class BitsT, class ValueT>
struct Arrays {
  using Bits = BitsT;
  using Value = ValueT;
  static constexpr bool kPairs = Items<Bits, Value>::kPairs;

  const Bits* source;          // the keys, to be left as they are unless they are the data
  const Value* source_values;  // the same; null: values are places
  Items<Bits, Value> data;
  Items<Bits, Value> alternate;
  std::size_t n;
  RankMap<Bits> map;
  KeyScale<Bits> scale;
  std::uint64_t* wide_places;  // if not null, places go here

  __device__ __forceinline__ void put(std::size_t i, Bits ordered, Value value) const {
    data.keys[i] = map.key(ordered);
    put_value(i, value);
  }
  __device__ __forceinline__ void put_value(std::size_t i, Value value) const {
    if constexpr (kPairs) {
      if (wide_places != nullptr) {
        wide_places[i] = value;
      } else {
        data.values[i] = value;
      }
    }
  }
};

/// Items of one segment or piece, as they are read.
template <class Bits, class Value>
struct Part {
  const Bits* keys;
  const Value* values;  // null: places
  RankMap<Bits> map;
  std::size_t begin;
  unsigned length;

  __device__ __forceinline__ Bits key(unsigned i) const { return map.ordered(keys[begin + i]); }
  __device__ __forceinline__ Value value(unsigned i) const {
    if constexpr (Items<Bits, Value>::kPairs) {
      return values == nullptr ? static_cast<Value>(i) : values[begin + i];
    } else {
      return {};
    }
  }
};

/// Large segments of one level, in the order in which they took their tiles.
template <class Bits>
struct LargeList {
  std::size_t* begin;
  std::size_t* length;
  std::size_t* first_tile;
  Bits* lowest;
  Bits* highest;
};

/// Counts that begin as zeros.
struct Counters {
  unsigned segments[kShortClasses];
  unsigned pieces[kShortClasses];
  unsigned long long large[kMaxLevels + 1];  // segments << 40 | tiles, by level
};

/// All lists, in the workspace.
template <class Bits, class Value>
struct Lists {
  Counters* d_counters;
  std::uint32_t* d_segments[kShortClasses];
  Piece* d_pieces[kShortClasses];
  std::size_t most_segments[kShortClasses];
  std::size_t most_pieces[kShortClasses];
  LargeList<Bits> large[2];
  std::size_t most_large;
  std::size_t* d_bin_begins;  // kBins for each large segment; of keys alone, where a bin goes on
  unsigned* d_share_counts;   // kBins for each block's tiles of one segment
  unsigned* d_cells;  // kCells for each large segment: the first bin, and how many, in 256ths
  std::size_t bytes;

  /// No segment is longer than `longest`. Rows need no lists but of large ones.
  Lists(std::byte* d_workspace, std::size_t n, std::size_t count, std::size_t longest,
        bool is_rows) {
    Layout layout(d_workspace);
    d_counters = layout.take<Counters>(1);
    const std::size_t most = kMostOfBlock<Bits, Value>;
    const bool has_large = longest > most;
    for (unsigned c = 0; c < kShortClasses; ++c) {
      const std::size_t least = least_of_class<Bits, Value>(c);
      most_segments[c] = is_rows || least > longest ? 0 : std::min(count, n / least);
      d_segments[c] = layout.take<std::uint32_t>(most_segments[c]);
      most_pieces[c] =
          has_large && c >= kLeastPieceClass ? n / std::max<std::size_t>(least, 16) + 1 : 0;
      d_pieces[c] = layout.take<Piece>(most_pieces[c]);
    }
    most_large = has_large ? n / most + 1 : 0;
    for (LargeList<Bits>& list : large) {
      list.begin = layout.take<std::size_t>(most_large);
      list.length = layout.take<std::size_t>(most_large);
      list.first_tile = layout.take<std::size_t>(most_large);
      list.lowest = layout.take<Bits>(most_large);
      list.highest = layout.take<Bits>(most_large);
    }
    d_bin_begins = layout.take<std::size_t>(most_large * kBins);
    d_share_counts = layout.take<unsigned>(has_large ? (most_large + kMostBlocks) * kBins : 0);
    d_cells = layout.take<unsigned>(most_large * kCells);
    bytes = layout.bytes();
  }

  __device__ void add_large(unsigned level, std::size_t begin, std::size_t length) const {
    constexpr unsigned kTile = kLargeTile<Bits, Value>;
    const std::size_t tiles = (length + kTile - 1) / kTile;
    const unsigned long long before =
        atomicAdd(&d_counters->large[level], 1ull << 40 | static_cast<unsigned long long>(tiles));
    const std::size_t i = before >> 40;
    if (i >= most_large) return;
    const LargeList<Bits>& list = large[level % 2];
    list.begin[i] = begin;
    list.length[i] = length;
    list.first_tile[i] = before & ((1ull << 40) - 1);
    list.lowest[i] = static_cast<Bits>(~Bits{0});
    list.highest[i] = 0;
  }
  /// Adds a piece of each lane, unless its length is 0. All lanes must come.
  __device__ void add_pieces(std::size_t begin, unsigned length, bool is_in_data) const {
    const unsigned c =
        length == 0 ? kNoClass : max(class_of<Bits, Value>(max(length, 2u)), kLeastPieceClass);
    const unsigned peers = __match_any_sync(kAllLanes, c);
    const unsigned below = static_cast<unsigned>(__popc(lanes_below(peers)));
    unsigned first = 0;
    if (c != kNoClass && below == 0) {
      first = atomicAdd(&d_counters->pieces[c], static_cast<unsigned>(__popc(peers)));
    }
    const unsigned i = __shfl_sync(kAllLanes, first, __ffs(static_cast<int>(peers)) - 1) + below;
    if (c != kNoClass && i < most_pieces[c]) d_pieces[c][i] = Piece(begin, length, is_in_data);
  }
};

/// The segments of each class and the pieces, as the kernels that sort them find them.
template <class BitsT, class ValueT>
struct Members {
  using Bits = BitsT;
  using Value = ValueT;
  Arrays<Bits, Value> arrays;
  Cut cut;
  Lists<Bits, Value> lists;
  unsigned row_class;  // of all rows, which need no list; else kNoClass

  __device__ __forceinline__ std::size_t segments(unsigned c) const {
    if (row_class != kNoClass) return c == row_class ? cut.count : 0;
    return min(std::size_t{lists.d_counters->segments[c]}, lists.most_segments[c]);
  }
  __device__ __forceinline__ std::size_t pieces(unsigned c) const {
    if (lists.most_pieces[c] == 0) return 0;
    return min(std::size_t{lists.d_counters->pieces[c]}, lists.most_pieces[c]);
  }
  /// Number t of a class: the segments, then the pieces.
  __device__ __forceinline__ Part<Bits, Value> part(unsigned c, std::size_t t,
                                                    std::size_t segments) const {
    if (t < segments) {
      const std::size_t s = row_class != kNoClass ? t : lists.d_segments[c][t];
      const std::size_t begin = min(cut.begin(s), arrays.n);
      const std::size_t end = min(cut.end(s), arrays.n);
      const std::size_t length = end > begin ? end - begin : 0;
      return {arrays.source, arrays.source_values, arrays.map, begin,
              min(static_cast<unsigned>(length), most_of_class<Bits, Value>(c))};
    }
    const Piece piece = lists.d_pieces[c][t - segments];
    const Items<Bits, Value>& items = piece.is_in_data() ? arrays.data : arrays.alternate;
    return {items.keys, items.values, {}, piece.begin(), piece.length()};
  }
};

/// Keys of a warp's segments in shared memory, with a gap after each 8, against bank conflicts.
constexpr unsigned kTinyOfStretch = 8;
template <class Bits>
struct Stretch {
  Bits keys[kWarp * (kTinyOfStretch + 1)];

  __device__ __forceinline__ static unsigned slot(unsigned i) { return i + i / kTinyOfStretch; }
};

/// A segment of up to kMost items, in the registers of a thread.
template <class Bits, class Value, unsigned kMost>
struct Tiny {
  Bits key[kMost];
  Value value[kMost];

  __device__ __forceinline__ void load(const Arrays<Bits, Value>& arrays, std::size_t begin,
                                       unsigned length) {
#pragma unroll
    for (unsigned i = 0; i < kMost; ++i) {
      key[i] = i < length ? arrays.source[begin + i] : Bits{0};
      if constexpr (Arrays<Bits, Value>::kPairs) {
        value[i] = arrays.source_values == nullptr ? static_cast<Value>(i)
                   : i < length                    ? arrays.source_values[begin + i]
                                                   : Value{0};
      }
    }
  }
  /// From and to a warp's stretch, where the segment begins at `first`.
  __device__ __forceinline__ void take(const Stretch<Bits>& s_stretch, unsigned first,
                                       unsigned length) {
#pragma unroll
    for (unsigned i = 0; i < kMost; ++i) {
      key[i] = i < length ? s_stretch.keys[s_stretch.slot(first + i)] : Bits{0};
    }
  }
  __device__ __forceinline__ void leave(Stretch<Bits>& s_stretch, unsigned first,
                                        unsigned length) const {
#pragma unroll
    for (unsigned i = 0; i < kMost; ++i) {
      if (i < length) s_stretch.keys[s_stretch.slot(first + i)] = key[i];
    }
  }
  /// Exchanges of neighbours: equal keys keep their order.
  __device__ __forceinline__ void sort(const Arrays<Bits, Value>& arrays, unsigned length) {
    arrays.map.order(key);
#pragma unroll
    for (unsigned i = 0; i < kMost; ++i) key[i] = i < length ? key[i] : static_cast<Bits>(~Bits{0});
#pragma unroll
    for (unsigned round = 0; round < kMost; ++round) {
#pragma unroll
      for (unsigned i = round % 2; i + 1 < kMost; i += 2) {
        const bool is_after = key[i + 1] < key[i];
        exchange_if(is_after, key[i], key[i + 1]);
        if constexpr (Arrays<Bits, Value>::kPairs) exchange_if(is_after, value[i], value[i + 1]);
      }
    }
    arrays.map.restore(key);
  }
  __device__ __forceinline__ void put(const Arrays<Bits, Value>& arrays, std::size_t begin,
                                      unsigned length) const {
#pragma unroll
    for (unsigned i = 0; i < kMost; ++i) {
      if (i >= length) continue;
      arrays.data.keys[begin + i] = key[i];
      arrays.put_value(begin + i, value[i]);
    }
  }

 private:
  template <class T>
  __device__ __forceinline__ static void exchange_if(bool condition, T& a, T& b) {
    const T first = condition ? b : a;
    b = condition ? a : b;
    a = first;
  }
};

/// The segments of a warp's threads, if they are one stretch of keys alone, all short, but too long for Tiny: then a warp
/// loads it. Else an empty one.
struct StretchPlace {
  std::size_t begin;
  unsigned size;

  __device__ __forceinline__ StretchPlace(std::size_t first, std::size_t end) : begin(0), size(0) {
    if (!__all_sync(kAllLanes, end - first <= kTinyOfStretch)) return;
    const std::size_t before = __shfl_up_sync(kAllLanes, end, 1);
    if (!__all_sync(kAllLanes, lane_id() == 0 || first == before)) return;
    begin = __shfl_sync(kAllLanes, first, 0);
    const auto all = static_cast<unsigned>(__shfl_sync(kAllLanes, end, kWarp - 1) - begin);
    size = all > kTiny * kWarp ? all : 0;
  }
};

/// Sorts the segments of kCount such stretches, a thread one of each.
template <unsigned kCount, class Bits>
__device__ __forceinline__ void sort_stretches(const Arrays<Bits, NoValue>& arrays,
                                               const StretchPlace (&stretch)[kCount],
                                               const std::size_t (&begin)[kCount],
                                               const std::size_t (&end)[kCount],
                                               Stretch<Bits>& s_stretch) {
  Bits key[kCount][kTinyOfStretch];
#pragma unroll
  for (unsigned k = 0; k < kCount; ++k) {
#pragma unroll
    for (unsigned j = 0; j < kTinyOfStretch; ++j) {
      const unsigned i = j * kWarp + lane_id();
      if (i < stretch[k].size) key[k][j] = arrays.source[stretch[k].begin + i];
    }
  }
#pragma unroll
  for (unsigned k = 0; k < kCount; ++k) {
    if (stretch[k].size == 0) continue;
#pragma unroll
    for (unsigned j = 0; j < kTinyOfStretch; ++j) {
      const unsigned i = j * kWarp + lane_id();
      if (i < stretch[k].size) s_stretch.keys[s_stretch.slot(i)] = key[k][j];
    }
    __syncwarp();
    const auto first = static_cast<unsigned>(begin[k] - stretch[k].begin);
    const auto length = static_cast<unsigned>(end[k] - begin[k]);
    Tiny<Bits, NoValue, kTinyOfStretch> tiny;
    tiny.take(s_stretch, first, length);
    tiny.sort(arrays, length);
    tiny.leave(s_stretch, first, length);
    __syncwarp();
#pragma unroll
    for (unsigned j = 0; j < kTinyOfStretch; ++j) {
      const unsigned i = j * kWarp + lane_id();
      if (i < stretch[k].size) {
        arrays.data.keys[stretch[k].begin + i] = s_stretch.keys[s_stretch.slot(i)];
      }
    }
    __syncwarp();
  }
}

/// Puts each segment into the list of its class, by all blocks of the grid. Tiny segments are sorted at once.
template <unsigned kThreads, class Bits, class Value>
__device__ __forceinline__ void classify(const Members<Bits, Value>& members,
                                         Stretch<Bits>& s_stretch) {
  constexpr unsigned kEach = 2;
  __shared__ unsigned s_count[kShortClasses];
  __shared__ unsigned s_first[kShortClasses];
  const Arrays<Bits, Value>& arrays = members.arrays;
  const Cut& cut = members.cut;
  const Lists<Bits, Value>& lists = members.lists;
  constexpr std::size_t kShare = std::size_t{kThreads} * kEach;
  for (std::size_t first = blockIdx.x * kShare; first < cut.count; first += gridDim.x * kShare) {
    if (threadIdx.x < kShortClasses) s_count[threadIdx.x] = 0;
    unsigned my_class[kEach];
    bool is_listed = false;
    {
      std::size_t begin[kEach];
      std::size_t end[kEach];
      unsigned tiny_length[kEach];
      bool any_is_tiny = false;
#pragma unroll
      for (unsigned k = 0; k < kEach; ++k) {
        const std::size_t s = first + k * kThreads + threadIdx.x;
        begin[k] = s < cut.count ? min(cut.begin(s), arrays.n) : 0;
        end[k] = s < cut.count ? min(cut.end(s), arrays.n) : 0;
      }
      bool is_sorted[kEach] = {};
      if constexpr (!Arrays<Bits, Value>::kPairs) {
        static_assert(kEach == 2);
        const StretchPlace stretch[kEach] = {{begin[0], end[0]}, {begin[1], end[1]}};
#pragma unroll
        for (unsigned k = 0; k < kEach; ++k) is_sorted[k] = stretch[k].size != 0;
        if (is_sorted[0] || is_sorted[1]) {
          sort_stretches(arrays, stretch, begin, end, s_stretch);
        }
      }
#pragma unroll
      for (unsigned k = 0; k < kEach; ++k) {
        const std::size_t length = end[k] > begin[k] && !is_sorted[k] ? end[k] - begin[k] : 0;
        tiny_length[k] = length <= kTiny ? static_cast<unsigned>(length) : 0;
        my_class[k] = length <= kTiny ? kNoClass : class_of<Bits, Value>(length);
        if (my_class[k] == kLarge) {
          lists.add_large(0, begin[k], length);
          my_class[k] = kNoClass;
        }
        is_listed |= my_class[k] != kNoClass;
        any_is_tiny |= tiny_length[k] != 0;
      }
      if (__any_sync(kAllLanes, any_is_tiny)) {
        Tiny<Bits, Value, kTiny> tiny[kEach];
#pragma unroll
        for (unsigned k = 0; k < kEach; ++k) tiny[k].load(arrays, begin[k], tiny_length[k]);
#pragma unroll
        for (unsigned k = 0; k < kEach; ++k) {
          tiny[k].sort(arrays, tiny_length[k]);
          tiny[k].put(arrays, begin[k], tiny_length[k]);
        }
      }
    }
    if (!__syncthreads_or(is_listed)) continue;
    unsigned rank[kEach];
#pragma unroll
    for (unsigned k = 0; k < kEach; ++k) {
      const unsigned peers = __match_any_sync(kAllLanes, my_class[k]);
      const unsigned below = static_cast<unsigned>(__popc(lanes_below(peers)));
      unsigned before = 0;
      if (my_class[k] != kNoClass && below == 0) {
        before = atomicAdd(&s_count[my_class[k]], static_cast<unsigned>(__popc(peers)));
      }
      rank[k] = __shfl_sync(kAllLanes, before, __ffs(static_cast<int>(peers)) - 1) + below;
    }
    __syncthreads();
    if (threadIdx.x < kShortClasses && s_count[threadIdx.x] != 0) {
      s_first[threadIdx.x] =
          atomicAdd(&lists.d_counters->segments[threadIdx.x], s_count[threadIdx.x]);
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kEach; ++k) {
      if (my_class[k] == kNoClass) continue;
      const std::size_t i = std::size_t{s_first[my_class[k]]} + rank[k];
      if (i >= lists.most_segments[my_class[k]]) continue;
      lists.d_segments[my_class[k]][i] =
          static_cast<std::uint32_t>(first + k * kThreads + threadIdx.x);
    }
    __syncthreads();
  }
}

}  // namespace sortlab::gpu::segments
