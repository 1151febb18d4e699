// A block sorts some thousand items that it holds in registers: spread them over as many bins as
// there are items (bins.cuh), then straighten what is left with networks of 8 items a thread
// (windows.cuh).
//
//   bins of equal width over [lowest, highest] key, about one item a bin
//     rank in the bin = returning shared atomic; place = prefix sum of the bins + rank
//   now every item is among those of its bin, and only those can be out of order
//
// A bin of up to kMostInBin keys takes more rounds of networks. A larger one is a crowd, and is spread
// again, over its own range.
//
// Pairs are sorted by key, then by the place that they had in the input: an order without ties, so
// that whatever sorts is stable. A place travels with its key, the value is fetched at the end.
#pragma once

#include "gpu/primitives/warp/lanes.cuh"
#include "gpu/radix/small/bins.cuh"
#include "gpu/radix/small/windows.cuh"

namespace sortlab::gpu::radix::small {

// Bins that are too full, because the leading digits of their items say little: each such crowd is
// spread again over its own range, into as many bins as it has items.
//
//   bins          | a b |  | c d e f g ...  i j k l |  | m |     crowd: more than kMostInBin
//   crowd's bins  |a b  |  |c|d e|f|  ...   |i|j|k l|  |m|       between its lowest and highest key
//
// Until there are no crowds, for it may take a few times: text agrees in its first letters, and then in
// the next ones. Pairs of a crowd with one key are spread by their places; keys alone need no more work.
// In a simulation, 21 inputs of programs of 512K items took 1 to 4 times, text up to 5.

__device__ __forceinline__ std::uint32_t warp_min(std::uint32_t x) {
  return lanes_min(kAllLanes, x);
}
__device__ __forceinline__ std::uint64_t warp_min(std::uint64_t x) {
  const auto high = static_cast<std::uint32_t>(x >> 32);
  const std::uint32_t least = warp_min(high);
  const std::uint32_t low = high == least ? static_cast<std::uint32_t>(x) : ~0u;
  return std::uint64_t{least} << 32 | warp_min(low);
}
template <class Bits>
__device__ __forceinline__ Bits warp_max(Bits x) {
  return static_cast<Bits>(~warp_min(static_cast<Bits>(~x)));
}

/// The lowest and the highest of what the warps have found, each its own.
template <class Shared>
__device__ __forceinline__ void range_of_warps(const Shared& s, typename Shared::Bits& lowest,
                                               typename Shared::Bits& highest) {
  lowest = warp_min(s.warp_lowest[lane_id() % Shared::kWarps]);
  highest = warp_max(s.warp_highest[lane_id() % Shared::kWarps]);
}

/// Maps [lowest, highest] onto [0, bins), upwards and evenly; the lowest and the highest key have a
/// bin of their own. A key that many equal ones repeat is a splitter, so it ends buckets: in a bin
/// with others it would crowd it.
template <class Bits>
class BinMap {
 public:
  __device__ BinMap(Bits lowest, Bits highest, unsigned bins)
      : lowest_(lowest), highest_(highest), last_(bins - 1) {
    const Bits range = highest - lowest;
    if constexpr (sizeof(Bits) == 8) {
      shift_ = static_cast<unsigned>(__clzll(static_cast<long long>(range)));
    } else {
      shift_ = static_cast<unsigned>(__clz(static_cast<int>(range)));
    }
    const float top = static_cast<float>(leading_bits(range));
    factor_ = static_cast<unsigned>(
        __fdividef(static_cast<float>(bins) * (4294967296.0f * 0.999999f), top));
  }
  __device__ __forceinline__ unsigned operator()(Bits key) const {
    if (key == lowest_) return 0;
    if (key == highest_) return last_;
    const unsigned bin = __umulhi(leading_bits(key - lowest_), factor_);
    return min(max(bin, 1u), last_ - 1);
  }

 private:
  /// The distance from the lowest key as a 32-bit fraction of a power of two that holds the range.
  __device__ __forceinline__ unsigned leading_bits(Bits distance) const {
    return static_cast<unsigned>((distance << shift_) >> (8 * sizeof(Bits) - 32));
  }
  Bits lowest_;
  Bits highest_;
  unsigned last_;
  unsigned shift_;
  unsigned factor_;
};

constexpr unsigned kMaxSpreads = 8;     // of crowds; what is left is merged
constexpr unsigned kMostOfSpread = 24;  // items in a bin where it was worth to spread at all

/// Where the items of an item's bin lie, and whether it is the first of them, as one word. No items: no
/// item. A block has at most 2^14.
struct BinStretch {
  unsigned word;

  __device__ __forceinline__ unsigned begin() const { return word & 0x7fff; }
  __device__ __forceinline__ bool is_first() const { return (word & kFirst) != 0; }
  __device__ __forceinline__ unsigned size() const { return word >> 16; }
  /// Whether it holds more than kMost.
  template <unsigned kMost>
  __device__ __forceinline__ bool is_crowd() const {
    return size() > kMost;
  }
  /// Where a crowd begins, in steps of kMost + 1: none is where another one is.
  template <unsigned kMost>
  __device__ __forceinline__ unsigned crowd() const {
    return begin() / (kMost + 1);
  }
  __device__ __forceinline__ BinStretch of(bool is_there, bool is_first) const {
    return {is_there ? word | (is_first ? kFirst : 0) : 0};
  }

 private:
  static constexpr unsigned kFirst = 1u << 15;
};

/// The stretch of a bin, once the bins are laid out. All lanes must come.
template <class Shared>
__device__ __forceinline__ BinStretch stretch_of(unsigned bin, unsigned bins,
                                                 unsigned my_stretch_begin, const Shared& s) {
  const unsigned base = __shfl_sync(kAllLanes, my_stretch_begin,
                                    static_cast<int>(bin >> stretch_shift<Shared>(bins)));
  return {s.bins[bin] + base};
}

/// The crowds by number, and the range that each is spread over; in the memory of the bins.
template <class Shared>
struct Crowds {
  using Bits = typename Shared::Bits;
  static constexpr unsigned kCrowds = Shared::kCapacity / (kMostOfSpread + 1) + 1;

  Bits lowest[kCrowds];  // key, or place if all keys are the same
  Bits highest[kCrowds];
  BinStretch stretch[kCrowds];  // empty: there is no such crowd
  bool has_one_key[kCrowds];

  __device__ static Crowds& in(Shared& s) {
    static_assert(sizeof(Crowds) <= sizeof(Shared::bins));
    return *reinterpret_cast<Crowds*>(s.bins);
  }
  __device__ void clear() {
    for (unsigned c = threadIdx.x; c < kCrowds; c += Shared::kThreads) stretch[c] = {0};
  }

  /// Each warp finds the ranges of some crowds, of `count` items in all.
  __device__ void find_ranges(unsigned count, Shared& s) {
    const auto items = s.items();
    for (unsigned c = warp_id(); c <= count / (kMostOfSpread + 1); c += Shared::kWarps) {
      const BinStretch mine = stretch[c];
      if (mine.size() == 0) continue;
      range(c, mine, [&](unsigned p) { return items[p].key; });
      has_one_key[c] = lowest[c] == highest[c];
      if constexpr (Shared::kPairs) {
        if (has_one_key[c]) range(c, mine, [&](unsigned p) { return Bits{items[p].value}; });
      }
    }
  }

 private:
  template <class XOf>
  __device__ __forceinline__ void range(unsigned c, BinStretch mine, XOf x_of) {
    auto least = static_cast<Bits>(~Bits{0});
    Bits most = 0;
#pragma unroll 4
    for (unsigned i = lane_id(); i < mine.size(); i += kWarp) {
      const Bits x = x_of(mine.begin() + i);
      least = x < least ? x : least;
      most = x > most ? x : most;
    }
    least = warp_min(least);
    most = warp_max(most);
    __syncwarp();
    lowest[c] = least;
    highest[c] = most;
    __syncwarp();
  }
};

/// Sorts the `count` items that `spread` has put among those of their bins: spreads the crowds until there
/// are none. The bins are those of the map that block_sort begins with, which is drawn again here: if it
/// were passed on, registers would hold it while the items are spread. Begins and ends with a barrier.
template <class Shared>
__device__ __noinline__ void sort_crowds(unsigned count, Shared& s) {
  using Bits = typename Shared::Bits;
  constexpr bool kPairs = Shared::kPairs;
  constexpr unsigned kThreads = Shared::kThreads;
  constexpr unsigned kItems = Shared::kCapacity / kThreads;
  const unsigned used = (count + kThreads - 1) / kThreads;
  const unsigned bins_shift = count > Shared::kMaxBins ? 1 : 0;
  __syncthreads();

  // The thread's items, and their bins.
  Bits key[kItems];
  unsigned place[kItems]{};  // 0 for keys alone
  BinStretch stretch[kItems];
  const unsigned bins = bins_for<Shared>(count);
  Bits lowest;
  Bits highest;
  range_of_warps(s, lowest, highest);
  const BinMap<Bits> bin_map(lowest, highest, bins);
  // The lowest and the highest key have bins of their own.
  const bool by_place = kPairs && s.items()[0].key == s.items()[count - 1].key;
  unsigned stretch_begins = stretch_begin(s);
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (i >= used) continue;
    const unsigned p = i * kThreads + threadIdx.x;
    const auto item = s.items()[min(p, count - 1)];
    key[i] = item.key;
    if constexpr (kPairs) place[i] = item.value;
    const Bits x = by_place ? Bits{place[i]} : key[i];
    const BinStretch mine = stretch_of(bin_map(x), bins, stretch_begins, s);
    stretch[i] = mine.of(p < count, p == mine.begin());
  }

  for (unsigned spreads = 0;; ++spreads) {
    // The crowds, unless they need no more work.
    bool is_mixed = false;
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      if (i >= used || !stretch[i].template is_crowd<kMostOfSpread>()) continue;
      is_mixed = is_mixed || kPairs || s.items()[stretch[i].begin()].key != key[i];
    }
    if (!__syncthreads_or(is_mixed)) break;
    if (spreads == kMaxSpreads) {
      block_merge_sort<kThreads, Shared::kCapacity>(s.items(), count);
      return;
    }
    auto& crowds = Crowds<Shared>::in(s);
    crowds.clear();
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      if (i >= used || !stretch[i].template is_crowd<kMostOfSpread>()) continue;
      if (stretch[i].is_first())
        crowds.stretch[stretch[i].template crowd<kMostOfSpread>()] = stretch[i];
    }
    __syncthreads();
    crowds.find_ranges(count, s);
    __syncthreads();

    // A bin for each place of a crowd; one for all items of another bin, as before.
    unsigned bin[kItems];
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      bin[i] = kNowhere;
      if (i >= used || stretch[i].size() == 0) continue;
      bin[i] = stretch[i].begin() >> bins_shift;
      if (stretch[i].template is_crowd<kMostOfSpread>()) {
        // Of two places a bin, those that the crowd has for itself: with one more key it would need another spread.
        const unsigned first = (stretch[i].begin() + bins_shift) >> bins_shift;
        const unsigned own = ((stretch[i].begin() + stretch[i].size()) >> bins_shift) - first;
        const unsigned c = stretch[i].template crowd<kMostOfSpread>();
        const bool has_one_key = crowds.has_one_key[c];
        if (!kPairs && has_one_key) {
          const unsigned any = (i * kThreads + threadIdx.x) * 0x9e3779b9u;
          bin[i] = first + __umulhi(any, own);
        } else {
          const BinMap<Bits> map(crowds.lowest[c], crowds.highest[c], own);
          bin[i] = first + map(kPairs && has_one_key ? Bits{place[i]} : key[i]);
        }
      }
    }
    __syncthreads();
    const unsigned new_bins = empty_bins(count, s);
    __syncthreads();
    if (!spread<kMostOfSpread>([&](unsigned i) { return key[i]; },
                               [&](unsigned i) { return place[i]; }, bin, new_bins, count, s)) {
      break;
    }
    __syncthreads();
    stretch_begins = stretch_begin(s);
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      if (i >= used) continue;
      const bool is_there = bin[i] != kNowhere;
      stretch[i] = stretch_of(is_there ? place_in(bin[i]) : 0, new_bins, stretch_begins, s)
                       .of(is_there, rank_in(bin[i]) == 0);
    }
    __syncthreads();  // before the bins are used again
  }
  straighten(s, count);
}

// Pairs of few distinct keys, in a block that holds them in the order of their places: a pair's rank
// among those of its key is then a count, and needs no comparison.
//
//   row      the items that a warp holds side by side: lanes in the order of the places
//   table    | crowd | row 0 | row 1 | ... |    how many of the row's items are of the crowd
//     rank = sum of the rows before + lanes of the crowd below
//
// Crowds are bins of more than kMostInBin pairs; all others keep the rank that they have in their
// bin. Against spreading crowds by their places (above), which does for any order: no
// network has to put them right.
// measured: 2^12 u32+u32, two distinct keys, replayed as a graph, us: 13.0 (this) vs 15.1 (spread); H200,
// small.9.txt

/// A table in the memory of the items' keys, which are in registers, too.
template <class Shared>
struct CrowdRows {
  static constexpr unsigned kCrowds = Shared::kCapacity / (kMostInBin + 1) + 1;
  static constexpr unsigned kRowsALane = (Shared::kCapacity / kWarp + kWarp - 1) / kWarp;
  static constexpr unsigned kRows = kRowsALane * kWarp;
  static_assert(sizeof(std::uint16_t) * kCrowds * kRows <= sizeof(Shared::keys));

  std::uint16_t count[kCrowds][kRows];

  __device__ void clear() {
    for (unsigned c = warp_id(); c < kCrowds; c += Shared::kWarps) {
      for (unsigned row = lane_id(); row < kRows; row += kWarp) count[c][row] = 0;
    }
  }
  /// Each row's count becomes the sum of those before.
  __device__ void sum_up() {
    for (unsigned c = warp_id(); c < kCrowds; c += Shared::kWarps) {
      std::uint16_t* const mine = &count[c][lane_id() * kRowsALane];
      unsigned sum = 0;
#pragma unroll
      for (unsigned r = 0; r < kRowsALane; ++r) sum += mine[r];
      unsigned before = warp_inclusive_scan(sum) - sum;
#pragma unroll
      for (unsigned r = 0; r < kRowsALane; ++r) {
        const unsigned size = mine[r];
        mine[r] = static_cast<std::uint16_t>(before);
        before += size;
      }
    }
  }
};

/// Spreads the `count` pairs once more, those of crowds in order, after `spread`, which has left a
/// pair's rank with bin[i]; item i * threads + t is thread t's, and so ordered by place. Or returns
/// false and leaves everything as it is, if some crowd has several keys. There are barriers to come
/// before it, and after it, before an item is read.
template <class Shared, unsigned kItems, class KeyOf, class PlaceOf>
__device__ __forceinline__ bool spread_repeats(KeyOf key_of, PlaceOf place_of,
                                               const unsigned (&bin)[kItems], unsigned bins,
                                               unsigned count, Shared& s) {
  using Rows = CrowdRows<Shared>;
  const unsigned used = (count + Shared::kThreads - 1) / Shared::kThreads;
  const unsigned my_stretch_begin = stretch_begin(s);

  // Where each pair's bin begins, and which crowd that is.
  unsigned begin[kItems];
  unsigned crowd[kItems];
  bool is_pure = true;
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    crowd[i] = kNowhere;
    if (i >= used) continue;
    const bool is_there = bin[i] != kNowhere;
    const BinStretch stretch =
        stretch_of(is_there ? place_in(bin[i]) : 0, bins, my_stretch_begin, s);
    begin[i] = stretch.begin();
    if (is_there && stretch.is_crowd<kMostInBin>()) {
      crowd[i] = stretch.crowd<kMostInBin>();
      is_pure = is_pure && s.items()[begin[i]].key == key_of(i);
    }
  }
  if (!__syncthreads_and(is_pure)) return false;

  auto& rows = *reinterpret_cast<Rows*>(s.keys);
  rows.clear();
  __syncthreads();
  unsigned rank[kItems];
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (i >= used) continue;
    const unsigned peers = __match_any_sync(kAllLanes, crowd[i]);
    rank[i] = rank_in(bin[i]);
    if (crowd[i] == kNowhere) continue;
    rank[i] = static_cast<unsigned>(__popc(lanes_below(peers)));
    if (rank[i] == 0) {
      rows.count[crowd[i]][i * Shared::kWarps + warp_id()] =
          static_cast<std::uint16_t>(__popc(peers));
    }
  }
  __syncthreads();
  rows.sum_up();
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (crowd[i] != kNowhere) rank[i] += rows.count[crowd[i]][i * Shared::kWarps + warp_id()];
  }
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (bin[i] != kNowhere) s.put(begin[i] + rank[i], key_of(i), place_of(i));
  }
  return true;
}

/// The lowest and the highest of the block's x, of the items i of each thread that are there.
template <unsigned kItems, class Shared, class IsThere, class XOf>
__device__ __forceinline__ void block_range(Shared& s, IsThere is_there, XOf x_of,
                                            typename Shared::Bits& lowest,
                                            typename Shared::Bits& highest) {
  using Bits = typename Shared::Bits;
  lowest = static_cast<Bits>(~Bits{0});
  highest = 0;
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (is_there(i)) {
      const Bits x = x_of(i);
      lowest = x < lowest ? x : lowest;
      highest = x > highest ? x : highest;
    }
  }
  lowest = warp_min(lowest);
  highest = warp_max(highest);
  if (lane_id() == 0) {
    s.warp_lowest[warp_id()] = lowest;
    s.warp_highest[warp_id()] = highest;
  }
  __syncthreads();
  range_of_warps(s, lowest, highest);
}

/// For block_sort(): all items are sorted.
struct NeverLeft {
  __device__ bool operator()() const { return false; }
};

/// Sorts `count` items into s.keys and s.places, and returns true. Number i * threads + t is thread t's, its key is
/// key_of(i), its place place_of(i); i is less than kItems. Begins and ends with a barrier. kByPlace:
/// items come in the order of their places. Items that crowd are not sorted if are_left() says so, the same to
/// all threads, when they lie in their bins, and none if are_left(lowest key, highest key) does: then it returns false.
template <unsigned kItems, bool kByPlace = false, class Shared, class KeyOf, class PlaceOf,
          class AreLeft = NeverLeft>
__device__ __forceinline__ bool block_sort(KeyOf key_of, unsigned count, PlaceOf place_of,
                                           Shared& s, AreLeft are_left = {}) {
  using Bits = typename Shared::Bits;
  constexpr unsigned kThreads = Shared::kThreads;
  constexpr bool kPairs = Shared::kPairs;
  const auto is_there = [count](unsigned i) { return i * kThreads + threadIdx.x < count; };
  __syncthreads();
  const unsigned bins = empty_bins(count, s);

  // Bins over the range of the keys; over that of the places, if the keys are all the same.
  Bits lowest;
  Bits highest;
  block_range<kItems>(s, is_there, key_of, lowest, highest);
  if constexpr (requires { are_left(lowest, highest); }) {
    if (are_left(lowest, highest)) return false;
  }
  const bool all_equal = lowest == highest;
  if (all_equal) {
    if constexpr (kPairs) {
      __syncthreads();
      block_range<kItems>(
          s, is_there, [&](unsigned i) { return Bits{place_of(i)}; }, lowest, highest);
    }
    if (lowest == highest) {  // keys alone, or a single pair
#pragma unroll
      for (unsigned i = 0; i < kItems; ++i) {
        if (is_there(i)) s.put(i * kThreads + threadIdx.x, key_of(i), place_of(i));
      }
      __syncthreads();
      return true;
    }
  }
  const BinMap<Bits> bin_map(lowest, highest, bins);
  unsigned bin[kItems];
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    bin[i] = kNowhere;
    if (!is_there(i)) continue;
    if constexpr (kPairs) {
      bin[i] = all_equal ? bin_map(Bits{place_of(i)}) : bin_map(key_of(i));
    } else {
      bin[i] = bin_map(key_of(i));
    }
  }
  const bool is_crowded = spread(key_of, place_of, bin, bins, count, s);
  if constexpr (Shared::kSpreadsCrowds) {
    if (is_crowded) {
      if (are_left()) return false;
      if constexpr (kPairs && kByPlace) {
        __syncthreads();
        if (spread_repeats(key_of, place_of, bin, bins, count, s)) {
          straighten(s, count);
          return true;
        }
      }
      sort_crowds(count, s);
      return true;
    }
  }
  straighten(s, count);
  return true;
}

}  // namespace sortlab::gpu::radix::small
