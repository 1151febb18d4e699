// The best k of rows of up to 8192 keys, in any order: 1 to 16 warps find the k-th of a row by counts in bins, and rank the items
// that share its bin.
//
//   bins of the row   . 3 . 9 12 [ 7 ] 5 . 2 ..        the bins before the k-th's are the best
//   its bin           x x x x x x x                    each is compared with the others: the rank is its place in the result
//
// Over a round: most rows take one count. At least k groups of items have their best up to the worst of these, so only items up
// to that one are counted, and the bins are narrow; of floats, those near 0 share a bin. Where all SMs are busy, a thread has up
// to 32 items, so that sums over a warp are few. Where all of a bin are equal, their places are counted in the same way. k = 1
// needs no count: the best item is where the range begins.
// measured: us, f32: 512 rows of 1024 as logits, k = 50: 6.4 (this) vs 7.7 (all items counted), 4096 uniform ones, k = 256: 15.8
// vs 21.8 (a round), 4096 of 4096 as logits, k = 256: 48 vs 83 (a round); H200, h200/attempts/top_k.10.csv.xz. One row of 256,
// k = 1: 4.0 vs 4.9 (a round), where a kernel without work takes 3.9; top_k.13.csv.xz
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/primitives/block/crew.cuh"
#include "gpu/primitives/grid/relaxed.cuh"
#include "gpu/topk/rounds.cuh"

namespace sortlab::gpu::topk {

template <class Bits, unsigned kThreadsV, unsigned kItemsV>
struct ShortShape {
  static constexpr unsigned kThreads = kThreadsV, kItems = kItemsV, kSlice = kThreads * kItems;
  static constexpr unsigned kCrews = kThreads == kWarp ? 4 : 1;  // of a block
  static constexpr unsigned kFew = kWarp;                        // items that are compared
  static constexpr bool kSkips = kItems > 16;  // where most places of a thread have no wanted item
  using OfCrew = Crew<kThreads>;
  struct alignas(2 * sizeof(Bits)) Item : Contestant<Bits> {};
  struct Shared {
    typename OfCrew::Shared crew;
    Item items[kFew];
    unsigned written, open;
  };
};

/// Numbers of a range from its begin on. Of floats, those that are much nearer to 0 than the farthest one may be one number, as
/// most bits of floats stand for such ones, and few of the keys.
template <class Bits>
class Fold {
 public:
  __device__ Fold(Bits low, Bits high) : low_(low), from_(high), to_(high) {}
  __device__ Fold(Bits low, Bits high, const RankMap<Bits>& map) : Fold(low, high) {
    constexpr Bits kOctaves = Bits{8} << (sizeof(Bits) == 4 ? 23 : 52);
    if (map.flip_if_negative == 0 || high - low <= 4 * kOctaves) return;
    const Bits zero = map.KeyMap<Bits>::ordered(0);
    const Bits before = low < zero ? zero - low : 0, behind = high > zero ? high - zero : 0;
    const Bits near = max(before, behind) - kOctaves;
    from_ = low < zero ? zero - min(near, before) : low;
    to_ = high > zero ? zero + min(near, behind) : high;
  }
  __device__ Bits at(Bits word) const {
    return static_cast<Bits>(min(word, from_) - low_ + (max(word, to_) - to_));
  }
  /// The words from `first` to `last`, which are numbers of the range.
  __device__ void keep(Bits first, Bits last, Bits& low, Bits& high) const {
    const Bits edge = from_ - low_, gap = to_ - from_;
    low = low_ + first + (first > edge ? gap : 0);
    high = low_ + last + (last >= edge ? gap : 0);
  }

 private:
  Bits low_, from_, to_;
};

/// kKeysAlone: no places are wanted, and each key can be computed from its bits.
template <class Bits, class Of, bool kKeysAlone>
__global__ void __launch_bounds__(Of::kCrews* Of::kThreads) play_short(Round<Bits> round) {
  constexpr unsigned kThreads = Of::kThreads, kItems = Of::kItems, kWarps = kThreads / kWarp;
  constexpr unsigned kFew = Of::kFew;
  constexpr Bits kWorst = static_cast<Bits>(~Bits{0});
  using OfCrew = typename Of::OfCrew;
  __shared__ typename Of::Shared s_crews[Of::kCrews];
  const unsigned crew_number = Of::kCrews == 1 ? 0 : threadIdx.x / kThreads;
  const unsigned thread = Of::kCrews == 1 ? threadIdx.x : OfCrew::thread();
  const std::size_t row = std::size_t{blockIdx.x} * Of::kCrews + crew_number;
  if (Of::kCrews > 1 && row >= round.rows) return;  // a whole crew
  typename Of::Shared& s = s_crews[crew_number];
  const unsigned length = round.in.length;
  const Bits* const keys = round.in.keys + row * round.in.stride;
  const auto place = [&](unsigned j) { return j * kThreads + thread; };
  Bits words[kItems];
  const bool is_whole = length == Of::kSlice;
  if (is_whole) {
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) words[j] = keys[place(j)];
  } else {
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) words[j] = place(j) < length ? keys[place(j)] : Bits{0};
  }
  round.map.order(words);
  if (!is_whole) {  // behind all items of the row, by their places if not by their bits
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) words[j] = place(j) < length ? words[j] : kWorst;
  }
  OfCrew crew(s.crew);
  if (thread == 0) s.written = s.open = 0;
  if (thread < kFew) s.items[thread] = {{kWorst, kNoPlace}};
  unsigned need = round.k_of(row);
  if (need == 0) return;

  // A group is the items of one thread, or a part of these, down to one item.
  constexpr unsigned kGroups = kItems < 4 ? kItems : 4;
  const auto is_item = [&](unsigned j) { return is_whole || place(j) < length; };
  Bits best[kGroups];
#pragma unroll
  for (unsigned j = 0; j < kItems; ++j) {
    best[j % kGroups] = j < kGroups ? words[j] : min(best[j % kGroups], words[j]);
  }
  Bits low = best[0], high = 0;
#pragma unroll
  for (unsigned g = 1; g < kGroups; ++g) low = min(low, best[g]);
  if (need <= kThreads) {
    high = thread < length ? low : 0;
  } else if (need <= kGroups * kThreads) {
#pragma unroll
    for (unsigned g = 0; g < kGroups; ++g) high = max(high, is_item(g) ? best[g] : 0);
  } else {
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) high = max(high, is_item(j) ? words[j] : 0);
  }
  crew.extend(low, high);
  Best<Bits> out = round.best;
  if constexpr (kKeysAlone) {
    out.keys = nullptr;
    out.places = nullptr;
    out.wide_places = nullptr;
  }
  if (need == 1) {
    std::uint32_t first = kNoPlace, last = 0;
    if (out.places != nullptr || out.wide_places != nullptr || out.keys != nullptr) {
#pragma unroll
      for (unsigned j = kItems; j-- > 0;) {
        if (words[j] == low && is_item(j)) first = place(j);
      }
      crew.extend(first, last);
    }
    if (thread == 0) out.write(row, 0, {low, first}, round.map);
    return;
  }

  const unsigned lanes_before = (1u << lane_id()) - 1;
  unsigned written = 0;
  bool are_places = false;  // of keys that equal this one:
  Bits equal = 0;
  const auto key = [&](unsigned j) { return are_places ? equal : words[j]; };
#pragma unroll 1
  for (;;) {
    unsigned inside = 0, before = 0;  // words between the ends, and below them
    auto fold = are_places ? Fold<Bits>(low, high) : Fold<Bits>(low, high, round.map);
#pragma unroll 1
    while (low != high) {
      const typename OfCrew::template Cut<Bits> cut(0, fold.at(high));
#pragma unroll
      for (unsigned j = 0; j < kItems; ++j) crew.count(cut.bin_or_behind(fold.at(words[j])));
      const auto found = crew.find(need);
      need -= found.before;
      before += found.before;
      inside = found.inside;
      fold.keep(cut.first_of(found.bin), cut.last_of(found.bin), low, high);
      if (inside == need || inside <= kFew) break;
      fold = Fold<Bits>(low, high);
    }
    // Those below the ends are wanted, and perhaps all between them. The first warp writes from the begin on, a second one
    // backwards.
    const bool are_all = inside == need;
    const Bits bound = are_all ? high : static_cast<Bits>(low - 1);
    if (are_all) before += inside;
    const bool is_back = kWarps == 2 && thread >= kWarp;
    const unsigned step = is_back ? ~0u : 1;
    unsigned start = is_back ? written + before - 1 : written;
    if constexpr (kWarps > 2) {
      unsigned of_warp = 0;
#pragma unroll
      for (unsigned j = 0; j < kItems; ++j) {
        of_warp += __popc(__ballot_sync(kAllLanes, words[j] <= bound));
      }
      if (before == 0) of_warp = 0;
      if (lane_id() == 0 && of_warp != 0) start = add_alone(&s.written, of_warp);
      start = __shfl_sync(kAllLanes, start, 0);
    }
    const auto write = [&](auto put) {
      unsigned at = start;
#pragma unroll
      for (unsigned j = 0; j < kItems; ++j) {
        const bool is_one = words[j] <= bound;
        const unsigned lanes = __ballot_sync(kAllLanes, is_one);
        if (Of::kSkips && lanes == 0) continue;
        if (is_one) put(at + step * __popc(lanes & lanes_before), j);
        at += step * __popc(lanes);
      }
    };
    if (before != 0) {
      const std::size_t begin = row * out.room;
      if (out.best != nullptr) {
        Bits* const best = out.best + begin;
        if (out.keys == nullptr) {
          write([&](unsigned at, unsigned j) { best[at] = round.map.key(key(j)); });
        } else {
          const Bits* const its = out.keys + row * out.stride;
          write([&](unsigned at, unsigned j) { best[at] = its[place(j)]; });
        }
      }
      if (out.places != nullptr) {
        std::uint32_t* const places = out.places + begin;
        write([&](unsigned at, unsigned j) { places[at] = place(j); });
      }
      if (out.wide_places != nullptr) {
        std::uint64_t* const places = out.wide_places + begin;
        write([&](unsigned at, unsigned j) { places[at] = place(j); });
      }
    }
    if (are_all) return;
    written += before;
    if (inside != 0 && inside <= kFew) {
      unsigned open = 0;
#pragma unroll
      for (unsigned j = 0; j < kItems; ++j) {
        open |= words[j] - low <= high - low ? 1u << j : 0;
      }
      if (open != 0) {
        unsigned at = atomicAdd(&s.open, static_cast<unsigned>(__popc(open)));
#pragma unroll
        for (unsigned j = 0; j < kItems; ++j) {
          if ((open >> j & 1) != 0) s.items[at++] = {{words[j], place(j)}};
        }
      }
      OfCrew::meet();
      if (thread < inside) {
        constexpr unsigned kAtOnce = 4;
        const Contestant<Bits> mine = s.items[thread];
        unsigned rank = 0;
#pragma unroll 1
        for (unsigned begin = 0; begin < inside; begin += kAtOnce) {
#pragma unroll
          for (unsigned i = 0; i < kAtOnce; ++i) rank += s.items[begin + i].is_before(mine) ? 1 : 0;
        }
        if (rank < need) {
          out.write(row, written + rank, {are_places ? equal : mine.bits, mine.place}, round.map);
        }
      }
      return;
    }
    are_places = true;
    equal = low;
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) {
      words[j] = words[j] == equal ? static_cast<Bits>(place(j)) : kWorst;
    }
    low = 0;
    high = Of::kSlice - 1;
  }
}

}  // namespace sortlab::gpu::topk
