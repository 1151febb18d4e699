// Classes of segments by their length, and the lists of them that the GPU makes.
//
//   class      0   1   2   3   4    5     6    7     8     9     10    11    12
//   up to      8  16  32  64  128  256   512  1024  2048  4096  8192  16 K  more      keys
//   sorted by  lanes of a warp ......    threads of a block ..............  all blocks
//
// A thread sorts a segment of up to 4 items as soon as it has found it: listing it would take longer.
// measured: 2^24 u32 keys in segments of 2, us: 104 (so) vs 354 (by lanes of a warp); H200, h200/attempts/segments.3.txt.xz
//
// Instructions and waits bound such short segments, not the memory. So a warp takes four times 32 segments at a step
// (twice of pairs, with offsets of 64 bits and in other cuts), their numbers are loaded a step ahead, offsets of less
// than 2^32 items are numbers of 32 bits, and all tiny segments are loaded before the first one is sorted.
// measured: 2^24 u32 keys in segments of 1, 2 and 4, us: 50, 56 and 52 (this) vs 163, 125 and 75 (32 segments at a step), in
// exponential:1 200 vs 337; H200, h200/attempts/segments.6.txt.xz
//
// Where 32 segments lie one behind the other, have some, but not many items together, and one has 5 to 8, the warp brings the
// items to shared memory, a thread sorts each segment of up to 8 there, and the warp writes them: neighbours load and
// store neighbours. Items come one such stretch ahead.
// measured: 2^24 u32+u32 in exponential:4, us: 313 (this) vs 362 (segments of 5 to 8 by lanes of a warp); in segments of 8 124 vs
// 144; H200, h200/attempts/segments.5.txt.xz
//
// A block counts its other segments by class, reserves a place in each list by one atomic addition, and writes their numbers
// there: one read of the offsets, and no wait of the host. A list has room for all segments of such a length that n
// items can hold.
//
// Segments come from memory of the GPU and may be wrong: begins and ends are cut at n, and a list that is full takes no
// more. So whatever they are, no access leaves the arrays.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <algorithm>
#include <bit>

#include "common/contract/segments.hpp"
#include "common/utils.hpp"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/primitives/rank_map.hpp"
#include "gpu/primitives/thread/networks.cuh"
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
  if (length > kMostOfBlock<Bits, Value>) return kLarge;
  const auto bits = static_cast<unsigned>(std::bit_width(static_cast<unsigned>(length - 1)));
  return bits > 3 ? bits - 3 : 0;
}
static_assert(class_of<std::uint32_t, NoValue>(most_of_class<std::uint32_t, NoValue>(0)) == 0);
static_assert(class_of<std::uint32_t, NoValue>(least_of_class<std::uint32_t, NoValue>(9)) == 9);
static_assert(class_of<std::uint64_t, std::uint32_t>(kMostOfBlock<std::uint64_t, std::uint32_t>) ==
              kShortClasses - 1);

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

  /// Whether an item that stays where it is needs not be written.
  __device__ __forceinline__ bool is_in_place() const {
    if constexpr (kPairs) {
      if (source_values != data.values || wide_places != nullptr) return false;
    }
    return source == data.keys;
  }
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

/// Brings the keys of a part to the L2 cache: its whole stretches of 16 bytes.
/// measured: 2^27 u32 keys in segments of 16,384, us: 1000 (with) vs 1065 (without); H200, h200/attempts/segments.5.txt.xz
template <class Bits, class Value>
__device__ __forceinline__ void prefetch_keys([[maybe_unused]] const Part<Bits, Value>& part) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  const auto begin = reinterpret_cast<std::uintptr_t>(part.keys + part.begin);
  const std::uintptr_t first = (begin + 15) & ~std::uintptr_t{15};
  const std::uintptr_t end = (begin + part.length * sizeof(Bits)) & ~std::uintptr_t{15};
  if (first >= end) return;
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(first),
               "r"(static_cast<unsigned>(end - first)));
#endif
}

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

/// A warp's stretch of segments in shared memory, and the next one, with a gap after each 8 items, against bank conflicts.
template <class Bits, class Value>
struct StretchShared {
  static constexpr bool kPairs = Items<Bits, Value>::kPairs;
  static constexpr unsigned kMost = sizeof(Bits) == 8 ? 256 : 320;
  static constexpr unsigned kSlots = kMost + kMost / 8;
  Bits keys[2][kSlots];
  Value values[kPairs ? 2 : 1][kPairs ? kSlots : 1];

  __device__ __forceinline__ static unsigned slot(unsigned i) { return i + i / 8; }
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
  /// From and to half `half` of a warp's stretches, where the segment begins at `first`.
  __device__ __forceinline__ void take(const StretchShared<Bits, Value>& s, unsigned half,
                                       unsigned first, unsigned length, bool has_values) {
#pragma unroll
    for (unsigned i = 0; i < kMost; ++i) {
      const unsigned slot = s.slot(first + i);
      key[i] = i < length ? s.keys[half][slot] : Bits{0};
      if constexpr (Arrays<Bits, Value>::kPairs) {
        value[i] = !has_values ? static_cast<Value>(i) : i < length ? s.values[half][slot] : 0;
      }
    }
  }
  __device__ __forceinline__ void leave(StretchShared<Bits, Value>& s, unsigned half,
                                        unsigned first, unsigned length) const {
#pragma unroll
    for (unsigned i = 0; i < kMost; ++i) {
      if (i >= length) continue;
      const unsigned slot = s.slot(first + i);
      s.keys[half][slot] = key[i];
      if constexpr (Arrays<Bits, Value>::kPairs) s.values[half][slot] = value[i];
    }
  }
  /// Exchanges of neighbours: equal keys keep their order.
  __device__ __forceinline__ void sort(const Arrays<Bits, Value>& arrays, unsigned length) {
    arrays.map.order(key);
#pragma unroll
    for (unsigned i = 0; i < kMost; ++i) key[i] = i < length ? key[i] : static_cast<Bits>(~Bits{0});
    if constexpr (Arrays<Bits, Value>::kPairs) {
#pragma unroll
      for (unsigned round = 0; round < kMost; ++round) {
#pragma unroll
        for (unsigned i = round % 2; i + 1 < kMost; i += 2) {
          const bool is_after = key[i + 1] < key[i];
          exchange_if(is_after, key[i], key[i + 1]);
          exchange_if(is_after, value[i], value[i + 1]);
        }
      }
    } else {
      sort_by_exchanges<kMost>([&](unsigned i, unsigned j) { order(key[i], key[j]); });
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

/// Where a segment lies. The end may be before the begin.
template <class Number>
struct Span {
  Number begin;
  Number end;

  __device__ __forceinline__ unsigned length() const {
    const Number length = end > begin ? end - begin : 0;
    return static_cast<unsigned>(min(length, Number{~0u}));
  }
};

/// Segments by offsets, each of which begins where the one before ends, of fewer than 2^32 items.
template <class Offset, unsigned kEachT>
class Offsets {
 public:
  using Number = std::uint32_t;
  using Raw = Span<Offset>;
  static constexpr unsigned kEach = kEachT;  // times 32 segments that a warp takes at a step

  __device__ static bool are_in(const Cut& cut, std::size_t n) {
    return cut.is_wide == (sizeof(Offset) == 8) && cut.begins != nullptr && n <= ~Number{0} &&
           cut.ends == static_cast<const Offset*>(cut.begins) + 1;
  }
  __device__ Offsets(const Cut& cut, std::size_t n)
      : offsets_(static_cast<const Offset*>(cut.begins)), n_(static_cast<Number>(n)) {}

  /// Segments s, s + 32, ... of which those less than `behind` behind s are there; the others are empty.
  __device__ __forceinline__ void load(std::size_t s, unsigned behind, Raw (&to)[kEach]) const {
    const Offset* const at = offsets_ + s;
#pragma unroll
    for (unsigned k = 0; k < kEach; ++k) {
      const bool is_there = k * kWarp < behind;
      to[k].begin = is_there ? at[k * kWarp] : 0;
      to[k].end = is_there ? at[k * kWarp + 1] : 0;
    }
  }
  /// What of it lies among the items.
  __device__ __forceinline__ Span<Number> cut(const Raw& raw) const {
    const auto in = [&](Offset offset) { return static_cast<Number>(min(offset, Offset{n_})); };
    return {in(raw.begin), in(raw.end)};
  }
  /// Whether the segments of all lanes lie one behind the other.
  __device__ __forceinline__ bool are_in_row(const Span<Number>& span) const {
    return __all_sync(kAllLanes, span.begin <= span.end) != 0;
  }

 private:
  const Offset* offsets_;
  Number n_;
};

/// Segments of any cut.
class AnySpans {
 public:
  using Number = std::size_t;
  using Raw = Span<Number>;
  static constexpr unsigned kEach = 2;

  __device__ AnySpans(const Cut& its, std::size_t n) : cut_(its), n_(n) {}

  __device__ __forceinline__ void load(std::size_t s, unsigned behind, Raw (&to)[kEach]) const {
#pragma unroll
    for (unsigned k = 0; k < kEach; ++k) {
      to[k] = {0, 0};
      if (k * kWarp < behind) to[k] = {cut_.begin(s + k * kWarp), cut_.end(s + k * kWarp)};
    }
  }
  __device__ __forceinline__ Span<Number> cut(const Raw& raw) const {
    return {min(raw.begin, n_), min(raw.end, n_)};
  }
  __device__ __forceinline__ bool are_in_row(const Span<Number>& span) const {
    const Number before = __shfl_up_sync(kAllLanes, span.end, 1);
    return __all_sync(kAllLanes,
                      span.begin <= span.end && (lane_id() == 0 || span.begin == before)) != 0;
  }

 private:
  const Cut& cut_;
  std::size_t n_;
};

/// 32 segments, one of each lane, that lie one behind the other and are short together: a warp brings their items to shared
/// memory, where a thread sorts each.
template <class Bits, class Value, class Number>
class Stretch {
 public:
  using Shared = StretchShared<Bits, Value>;
  static constexpr unsigned kLongest = 8;  // that a thread sorts
  // Fewer items are sorted where they are, and their longer segments listed: that takes fewer instructions.
  static constexpr unsigned kLeast = 48;
  // Wide items are stored in many places at once so slowly that so many are a stretch even if none needs a list.
  static constexpr bool kIsWide = sizeof(Bits) + kValueBytes<Value> > 4;
  static constexpr unsigned kLeastOfWide = 80;

  /// All lanes come to each of these functions.
  template <class Spans>
  __device__ __forceinline__ static bool are_one(const Spans& spans, const Span<Number>& mine) {
    const Number begin = __shfl_sync(kAllLanes, mine.begin, 0);
    const Number end = __shfl_sync(kAllLanes, mine.end, kWarp - 1);  // 0 if there is no segment
    if (end <= begin || end - begin < kLeast || end - begin > Shared::kMost) return false;
    if (!(kIsWide && end - begin >= kLeastOfWide)) {
      const unsigned length = mine.length();
      if (!__any_sync(kAllLanes, length > kTiny && length <= kLongest)) return false;
    }
    return spans.are_in_row(mine);
  }
  __device__ __forceinline__ explicit Stretch(const Span<Number>& mine)
      : begin_(__shfl_sync(kAllLanes, mine.begin, 0)),
        size_(static_cast<unsigned>(__shfl_sync(kAllLanes, mine.end, kWarp - 1) - begin_)) {}

  /// Has the items brought to shared memory.
  __device__ __forceinline__ void start(const Arrays<Bits, Value>& arrays, Shared& s,
                                        unsigned half) const {
#pragma unroll 2
    for (unsigned i = lane_id(); i < size_; i += kWarp) {
      __pipeline_memcpy_async(&s.keys[half][s.slot(i)], &arrays.source[begin_ + std::size_t{i}],
                              sizeof(Bits));
      if constexpr (Shared::kPairs) {
        if (arrays.source_values != nullptr) {
          __pipeline_memcpy_async(&s.values[half][s.slot(i)],
                                  &arrays.source_values[begin_ + std::size_t{i}], sizeof(Value));
        }
      }
    }
  }
  /// Sorts the short segments, and writes all items: those of longer ones as they came. The items are there.
  __device__ __forceinline__ void sort(const Arrays<Bits, Value>& arrays, Shared& s, unsigned half,
                                       const Span<Number>& mine) const {
    __syncwarp();
    const unsigned length = mine.length() <= kLongest ? mine.length() : 0;
    const auto place = static_cast<unsigned>(mine.begin - begin_);
    if (!kIsWide || __any_sync(kAllLanes, length > kTiny)) {
      sort_each<kLongest>(arrays, s, half, place, length);
    } else {
      sort_each<kTiny>(arrays, s, half, place, length);
    }
    __syncwarp();
#pragma unroll 2
    for (unsigned i = lane_id(); i < size_; i += kWarp) {
      arrays.data.keys[begin_ + std::size_t{i}] = s.keys[half][s.slot(i)];
      if constexpr (Shared::kPairs) {
        arrays.put_value(begin_ + std::size_t{i}, s.values[half][s.slot(i)]);
      }
    }
    __syncwarp();  // before others are loaded there
  }

 private:
  template <unsigned kMost>
  __device__ __forceinline__ static void sort_each(const Arrays<Bits, Value>& arrays, Shared& s,
                                                   unsigned half, unsigned place, unsigned length) {
    Tiny<Bits, Value, kMost> tiny;
    tiny.take(s, half, place, length, arrays.source_values != nullptr);
    tiny.sort(arrays, length);
    tiny.leave(s, half, place, length);
  }

  Number begin_;
  unsigned size_;
};

/// Sorts the first kAtOnce of a thread's segments, those of up to kMost items: all are loaded before the first one is sorted.
template <unsigned kMost, unsigned kAtOnce, class Bits, class Value, class Number>
__device__ __forceinline__ void sort_tiny(const Arrays<Bits, Value>& arrays,
                                          const Span<Number>* mine, const unsigned* length) {
  Tiny<Bits, Value, kMost> tiny[kAtOnce];
#pragma unroll
  for (unsigned k = 0; k < kAtOnce; ++k) tiny[k].load(arrays, mine[k].begin, length[k]);
#pragma unroll
  for (unsigned k = 0; k < kAtOnce; ++k) {
    tiny[k].sort(arrays, length[k]);
    tiny[k].put(arrays, mine[k].begin, length[k]);
  }
}

/// The first kBy become the last. So a loop that is not unrolled, and always uses the first one, has all in registers.
template <unsigned kBy = 1, class T, std::size_t kCount>
__device__ __forceinline__ void rotate(T (&a)[kCount]) {
  T old[kCount];
#pragma unroll
  for (unsigned k = 0; k < kCount; ++k) old[k] = a[k];
#pragma unroll
  for (unsigned k = 0; k < kCount; ++k) a[k] = old[(k + kBy) % kCount];
}

/// Counts of a block's segments by class, and where its part of each list begins. Of two steps: a warp may begin the next one
/// while others still read.
struct ListShared {
  unsigned count[2][kShortClasses];
  unsigned first[2][kShortClasses];
};

/// Puts each segment into the list of its class, by all blocks of the grid. Tiny segments, and short ones of a stretch, are
/// sorted at once. A warp takes kEach times 32 segments at a step; their begins and ends come a step ahead, and the items of a
/// stretch one stretch. Few loops are unrolled: most of the code would come from memory for the first time.
template <unsigned kThreads, class Spans, class Bits, class Value>
__device__ __forceinline__ void classify_spans(const Members<Bits, Value>& members,
                                               const Spans& spans,
                                               StretchShared<Bits, Value>& s_stretch,
                                               ListShared& s_list) {
  constexpr unsigned kEach = Spans::kEach;
  using SpanOf = Span<typename Spans::Number>;
  using StretchOf = Stretch<Bits, Value, typename Spans::Number>;
  constexpr unsigned kAtOnce = StretchOf::kIsWide ? 1 : 2;
  const Arrays<Bits, Value>& arrays = members.arrays;
  const Lists<Bits, Value>& lists = members.lists;
  const std::size_t count = members.cut.count;
  const unsigned least = arrays.is_in_place() ? 2 : 1;  // shorter segments need no work
  const std::size_t threads = std::size_t{gridDim.x} * kThreads;
  const auto each = static_cast<unsigned>(min((count + threads - 1) / threads, std::size_t{kEach}));
  const std::size_t step = threads * each;
  std::size_t first = std::size_t{blockIdx.x} * kThreads * each;
  std::size_t s = first + warp_id() * kWarp * each + lane_id();
  typename Spans::Raw next[kEach];
  const auto load_next = [&](std::size_t at) {
    const std::size_t most = std::size_t{kWarp} * each - lane_id();
    spans.load(at, at < count ? static_cast<unsigned>(min(count - at, most)) : 0, next);
  };
  const auto start_next = [&] {
    const SpanOf its = spans.cut(next[0]);
    const bool is_stretch = StretchOf::are_one(spans, its);
    if (is_stretch) StretchOf(its).start(arrays, s_stretch, 0);
    __pipeline_commit();
    return is_stretch;
  };
  load_next(s);
  bool first_is_stretch = start_next();
  for (unsigned turn = 0; first < count; first += step, s += step, turn ^= 1) {
    if (threadIdx.x < kShortClasses) s_list.count[turn][threadIdx.x] = 0;
    SpanOf mine[kEach];
    unsigned length[kEach];
#pragma unroll
    for (unsigned k = 0; k < kEach; ++k) {
      mine[k] = spans.cut(next[k]);
      length[k] = mine[k].length();
    }
    load_next(s + step);
    unsigned stretches = first_is_stretch ? 1 : 0;  // a bit for each 32 segments
#pragma unroll
    for (unsigned k = 1; k < kEach; ++k) {
      if (StretchOf::are_one(spans, mine[k])) stretches |= 1u << k;
    }
    if (stretches != 0) {
#pragma unroll 1
      for (unsigned k = 0; k < kEach; ++k) {
        if ((stretches >> (k + 1) & 1) != 0) {
          StretchOf(mine[1]).start(arrays, s_stretch, (k + 1) % 2);
        }
        __pipeline_commit();
        if ((stretches >> k & 1) != 0) {
          __pipeline_wait_prior(1);
          StretchOf(mine[0]).sort(arrays, s_stretch, k % 2, mine[0]);
          if (length[0] <= StretchOf::kLongest) length[0] = 0;  // no work is left
        }
        rotate(mine);
        rotate(length);
      }
    }
    unsigned tiny[kEach];
    unsigned longest = 0;
#pragma unroll
    for (unsigned k = 0; k < kEach; ++k) {
      tiny[k] = length[k] >= least && length[k] <= kTiny ? length[k] : 0;
      longest = max(longest, tiny[k]);
    }
    if (__any_sync(kAllLanes, longest > 2)) {
#pragma unroll 1
      for (unsigned k = 0; k < kEach; k += kAtOnce) {
        sort_tiny<kTiny, kAtOnce>(arrays, mine, tiny);
        rotate<kAtOnce>(mine);
        rotate<kAtOnce>(tiny);
      }
    } else if (__any_sync(kAllLanes, longest != 0)) {
      sort_tiny<2, kEach>(arrays, mine, tiny);
    }
    first_is_stretch = start_next();
    bool is_listed = false;
#pragma unroll
    for (unsigned k = 0; k < kEach; ++k) is_listed |= length[k] > kTiny;
    if (!__syncthreads_or(is_listed)) continue;
    constexpr unsigned kClassShift = 16;
    unsigned listed[kEach];  // class and rank, or none
#pragma unroll 1
    for (unsigned k = 0; k < kEach; ++k) {
      unsigned my_class = length[0] > kTiny ? class_of<Bits, Value>(length[0]) : kNoClass;
      if (my_class == kLarge) {
        lists.add_large(0, mine[0].begin, length[0]);
        my_class = kNoClass;
      }
      const unsigned peers = __match_any_sync(kAllLanes, my_class);
      const unsigned below = static_cast<unsigned>(__popc(lanes_below(peers)));
      unsigned before = 0;
      if (my_class != kNoClass && below == 0) {
        before = atomicAdd(&s_list.count[turn][my_class], static_cast<unsigned>(__popc(peers)));
      }
      const unsigned rank =
          __shfl_sync(kAllLanes, before, __ffs(static_cast<int>(peers)) - 1) + below;
      listed[0] = my_class == kNoClass ? kNoClass : my_class << kClassShift | rank;
      rotate(listed);
      rotate(mine);
      rotate(length);
    }
    __syncthreads();
    if (threadIdx.x < kShortClasses && s_list.count[turn][threadIdx.x] != 0) {
      s_list.first[turn][threadIdx.x] =
          atomicAdd(&lists.d_counters->segments[threadIdx.x], s_list.count[turn][threadIdx.x]);
    }
    __syncthreads();
#pragma unroll 1
    for (unsigned k = 0; k < kEach; ++k, rotate(listed)) {
      if (listed[0] == kNoClass) continue;
      const unsigned my_class = listed[0] >> kClassShift;
      const std::size_t i =
          std::size_t{s_list.first[turn][my_class]} + listed[0] % (1u << kClassShift);
      if (i >= lists.most_segments[my_class]) continue;
      lists.d_segments[my_class][i] = static_cast<std::uint32_t>(s + k * kWarp);
    }
  }
}

/// The same, in the way that the cut's numbers want.
template <unsigned kThreads, class Bits, class Value>
__device__ __forceinline__ void classify(const Members<Bits, Value>& members,
                                         StretchShared<Bits, Value>& s_stretch) {
  __shared__ ListShared s_list;
  const Cut& cut = members.cut;
  const std::size_t n = members.arrays.n;
  const auto with = [&](const auto& spans) {
    classify_spans<kThreads>(members, spans, s_stretch, s_list);
  };
  // More of pairs, and of longer segments of 8-byte keys, would not fit into the registers.
  // measured: 2^24 u64 keys, us: exponential:2 272 (twice 32) vs 322 (four times), fixed:8 98 vs 109, but exponential:1 316 vs
  // 267; H200, h200/attempts/segments.7.txt.xz
  constexpr bool kArePairs = Arrays<Bits, Value>::kPairs;
  const bool are_longer = sizeof(Bits) == 8 && n >= 2 * cut.count;
  if (Offsets<std::uint32_t, 2>::are_in(cut, n)) {
    if (kArePairs || are_longer) {
      with(Offsets<std::uint32_t, 2>(cut, n));
    } else if constexpr (!kArePairs) {
      with(Offsets<std::uint32_t, 4>(cut, n));
    }
  } else if (Offsets<std::uint64_t, 2>::are_in(cut, n)) {
    with(Offsets<std::uint64_t, 2>(cut, n));
  } else {
    with(AnySpans(cut, n));
  }
}

}  // namespace sortlab::gpu::segments
