// The kernels of gpu/topk/tournament: the best k of slices that some threads hold in registers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "gpu/primitives/block/crew.cuh"
#include "gpu/primitives/grid/in_order.cuh"
#include "gpu/topk/rounds.cuh"

namespace sortlab::gpu::topk {

/// The crew of a slice: a warp, all threads of a block, or of a cluster of blocks. Each thread has kItems items, of which the
/// best of each of kGroups groups bound the k-th.
template <unsigned kThreadsV, unsigned kItemsV, unsigned kGroupsV, unsigned kClusterV = 1>
struct Shape {
  static constexpr unsigned kOfBlock = kThreadsV, kItems = kItemsV, kGroups = kGroupsV;
  static constexpr unsigned kCluster = kClusterV;
  static constexpr unsigned kThreads = kCluster * kOfBlock;
  static constexpr unsigned kSlice = kThreads * kItems;
  static constexpr unsigned kBlock = kOfBlock == kWarp ? 128 : kOfBlock;  // threads
  static constexpr unsigned kCrews = kBlock / kOfBlock;                   // of a block
  using OfCrew = std::conditional_t<kCluster == 1, Crew<kOfBlock>, ClusterCrew<kCluster, kOfBlock>>;
  /// Of an SM: as many as have room for the items in their registers.
  static constexpr unsigned blocks_of_sm(std::size_t key_bytes) {
    const unsigned threads = kOfBlock == kWarp && kItems * key_bytes <= 32 ? 1536
                             : kCluster > 1 && kItems * key_bytes > 64     ? 512
                                                                           : 1024;
    return threads / kBlock;
  }
  static constexpr std::size_t kCrewBytes = kCrews * sizeof(typename OfCrew::Shared);
  /// For so many the best of groups say enough: the other items up to their bound are few.
  static constexpr unsigned kFew = kGroups < kItems ? kGroups * kThreads / 2 : 0;
  /// Whether a sample saves counts of so many items that its steps are worth their time.
  /// measured: 8 rows of 32,768 f32 as logits, k = 256, a cluster with 8 items for each thread, us: 11.1 without, 14.1 with; H200,
  /// h200/attempts/top_k.8.csv.xz
  static constexpr bool kSamples = kCluster == 1 ? kItems >= 8 : kItems > 16;
  static_assert(kItems <= 32 && kItems % kGroups == 0);
};

/// A slice in the registers of its crew. Item j of a thread lies j times the crew's size behind its first, so neighbours,
/// which may all be among the best, belong to different threads.
template <class Bits, class Of>
class Slice {
 public:
  static constexpr unsigned kThreads = Of::kThreads, kItems = Of::kItems;
  using OfCrew = typename Of::OfCrew;

  __device__ __forceinline__ Slice(const Round<Bits>& round, std::size_t row, unsigned slice) {
    const Field<Bits>& in = round.in;
    const std::size_t begin = row * in.stride;
    first_ = slice * Of::kSlice + OfCrew::thread();
    const Bits* const keys = in.keys + begin;
    const unsigned count = in.count(row);
    const bool is_whole = count >= (slice + 1) * Of::kSlice;
    const unsigned mine = is_whole         ? kItems
                          : count > first_ ? (count - first_ - 1) / kThreads + 1
                                           : 0;
    there_ = mine >= 32 ? ~0u : (1u << mine) - 1;
    if (is_whole) {
#pragma unroll
      for (unsigned j = 0; j < kItems; ++j) bits_[j] = keys[first_ + j * kThreads];
    } else {
#pragma unroll
      for (unsigned j = 0; j < kItems; ++j) {
        bits_[j] = j < mine ? keys[first_ + j * kThreads] : Bits{0};
      }
    }
    if (in.places == nullptr) {
      round.map.order(bits_);
    } else {
      places_ = in.places + begin;
    }
    if (!is_whole) {
#pragma unroll
      for (unsigned j = 0; j < kItems; ++j) {
        if (j >= mine) bits_[j] = kWorst;
      }
    }
    if (places_ == nullptr) return;
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) {  // only such bits may belong to no item
      if (bits_[j] == kWorst && j < mine && place(j) == kNoPlace) there_ ^= 1u << j;
    }
  }

  /// Which of a thread's items are kept, how many those of the threads before it are, and those of all.
  struct Kept {
    unsigned mask, before, all;
  };
  /// The best k, and perhaps a few more but at most `room`. With is_first, of equal keys the first places.
  __device__ __forceinline__ Kept keep(unsigned k, unsigned room, bool is_first,
                                       OfCrew& crew) const {
    Bits bound = kWorst;
    unsigned kept = there_;
    typename OfCrew::Sums sums{0, 0};
    const auto keep_up_to = [&](Bits one) {
      bound = one;
      kept = up_to(one);
      sums = crew.sums(__popc(kept));
    };
    if (k <= Of::kFew) {
      Bits best[Of::kGroups];
#pragma unroll
      for (unsigned g = 0; g < Of::kGroups; ++g) {
        best[g] = bits_[g];
#pragma unroll
        for (unsigned j = g + Of::kGroups; j < kItems; j += Of::kGroups) {
          best[g] = min(best[g], bits_[j]);
        }
      }
      keep_up_to(least_bound<Bits>(k, slack_of(k), crew, [&](auto use) {
#pragma unroll
        for (unsigned g = 0; g < Of::kGroups; ++g) use(best[g]);
      }));
    }
    if (sums.all < k || sums.all > room) {
      const Bits most = sums.all < k ? kWorst - 1 : min(bound, kWorst - 1);
      const auto each = [&](auto use) {
#pragma unroll
        for (unsigned j = 0; j < kItems; ++j) use(bits_[j]);
      };
      if constexpr (kThreads == kWarp) {
        keep_up_to(least_bound_by_halves<Bits>(k, room - k, crew, each, most));
      } else {
        keep_up_to(least_bound<Bits>(k, room - k, crew, each, most, [&](Bits& low, Bits& high) {
          return between_samples(k, low, high, crew);
        }));
      }
      if (sums.all < k) keep_up_to(kWorst);
      if (sums.all > room) {
        kept = without_ties(k, bound, kept, is_first, crew);
        sums = crew.sums(__popc(kept));
      }
    }
    return {kept, sums.before, sums.all};
  }

  /// Calls put(at, bits, place) for the kept items of this thread.
  template <class Put>
  __device__ __forceinline__ void for_kept(const Kept& kept, Put put) const {
    unsigned at = kept.before;
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) {
      if ((kept.mask >> j & 1) != 0) put(at++, bits_[j], place(j));
    }
  }
  /// The same in another order: the places `at` of a warp's items are neighbours. All its lanes call it.
  template <class Put>
  __device__ __forceinline__ void for_kept_together(const Kept& kept, Put put) const {
    unsigned at = __shfl_sync(kAllLanes, kept.before, 0);
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) {
      const bool is_one = (kept.mask >> j & 1) != 0;
      const unsigned lanes = __ballot_sync(kAllLanes, is_one);
      if (is_one) put(at + __popc(lanes_below(lanes)), bits_[j], place(j));
      at += __popc(lanes);
    }
  }
  /// Calls use(bits, place) for the item of a mask of one, if it is this thread's.
  template <class Use>
  __device__ __forceinline__ void for_only(unsigned mask, Use use) const {
    if (mask == 0) return;
    const unsigned taken = first_of(mask);
    Bits one = kWorst;
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) one = j == taken ? bits_[j] : one;
    use(one, place(taken));
  }

 private:
  static constexpr Bits kWorst = static_cast<Bits>(~Bits{0});

  __device__ __forceinline__ std::uint32_t place(unsigned j) const {
    const unsigned i = first_ + j * kThreads;
    return places_ == nullptr ? i : places_[i];
  }

  /// Brings the ends of a range nearer to the k-th, so that few items are counted in bins. Of each kOf items of a thread one,
  /// at a place that no pattern of the keys has, is in a sample. Returns how many items are below the range.
  __device__ __forceinline__ unsigned between_samples(unsigned k, Bits& low, Bits& high,
                                                      OfCrew& crew) const {
    constexpr unsigned kSamples = kThreads < 256 ? 256 / kThreads : 1, kOf = kItems / kSamples;
    if constexpr (!Of::kSamples) return 0;
    const typename OfCrew::template Cut<Bits> cut(low, high);
    const unsigned scattered = OfCrew::thread() * 0x9e3779b9u;
#pragma unroll
    for (unsigned n = 0; n < kSamples; ++n) {
      const unsigned taken = (scattered >> (27 - 5 * n)) % kOf;
      Bits one = kWorst;
#pragma unroll
      for (unsigned j = 0; j < kOf; ++j) one = j == taken ? bits_[n * kOf + j] : one;
      if (cut.has(one)) crew.count(cut.bin(one));
    }
    const float rank = static_cast<float>(k) / kOf, spread = 4 * sqrtf(rank) + 2;
    const bool has_begin = rank > spread + 1;
    typename OfCrew::Found found[2];
    crew.find({has_begin ? static_cast<unsigned>(rank - spread) : 1u,
               static_cast<unsigned>(rank + spread) + 1},
              found);
    if (found[1].inside != 0) high = cut.last_of(found[1].bin);
    if (!has_begin || found[0].inside == 0) return 0;
    low = cut.first_of(found[0].bin);
    unsigned mine = 0;
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) mine += bits_[j] < low ? 1 : 0;
    const unsigned below = crew.sum(mine);
    if (below < k) return below;
    low = cut.low;
    high = cut.high;
    return 0;
  }

  /// A mask of the items up to a bound.
  __device__ __forceinline__ unsigned up_to(Bits bound) const {
    unsigned mask = 0;
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) mask |= bits_[j] <= bound ? 1u << j : 0;
    return mask & there_;
  }

  /// A mask of the best k of those kept up to a bound, many of which equal it.
  __device__ __forceinline__ unsigned without_ties(unsigned k, Bits bound, unsigned kept,
                                                   bool is_first, OfCrew& crew) const {
    const unsigned less = bound == 0 ? 0 : up_to(bound - 1);
    const unsigned equal = kept ^ less;
    const unsigned need = k - crew.sum(__popc(less));
    unsigned mine = 0;
    if (is_first) {
      const auto last = least_bound<std::uint32_t>(need, 0, crew, [&](auto use) {
#pragma unroll 1
        for (unsigned rest = equal; rest != 0; rest &= rest - 1) use(place(first_of(rest)));
      });
#pragma unroll 1
      for (unsigned rest = equal; rest != 0; rest &= rest - 1) {
        if (place(first_of(rest)) <= last) mine |= rest & (0 - rest);
      }
    } else {
      const unsigned before = crew.sums(__popc(equal)).before;
#pragma unroll 1
      for (unsigned rest = equal, at = before; rest != 0 && at < need; rest &= rest - 1, ++at) {
        mine |= rest & (0 - rest);
      }
    }
    return less | mine;
  }
  static __device__ unsigned first_of(unsigned mask) { return __ffs(static_cast<int>(mask)) - 1; }

  Bits bits_[kItems];
  unsigned there_;  // which of these are items
  unsigned first_;  // place of the first one
  const std::uint32_t* places_ = nullptr;
};

/// One round: a crew for each slice of each row.
template <class Bits, class Of>
__global__ void __launch_bounds__(Of::kBlock, Of::blocks_of_sm(sizeof(Bits)))
    play_round(Round<Bits> round) {
  await_previous_kernel();
  using OfCrew = typename Of::OfCrew;
  const unsigned crew_number = threadIdx.x / Of::kOfBlock;  // in the block
  OfCrew crew(reinterpret_cast<typename OfCrew::Shared*>(dynamic_shared())[crew_number]);
  const std::size_t number = std::size_t{blockIdx.x} / Of::kCluster * Of::kCrews + crew_number;
  const std::size_t row = round.in.slices == 1 ? number : number / round.in.slices;
  if (row >= round.rows) return;  // a whole crew, so none of a larger one is missed
  const auto slice_number = static_cast<unsigned>(number - row * round.in.slices);
  const unsigned k = round.k_of(row);
  if (k == 0 && round.kept.bits == nullptr) return;
  const Slice<Bits, Of> slice(round, row, slice_number);
  crew.start();

  const bool is_last = round.kept.bits == nullptr;
  const bool is_exact = is_last && !round.is_sorted && (Of::kCluster > 1 || round.k > Of::kFew);
  typename Slice<Bits, Of>::Kept kept{};
  if (k != 0) kept = slice.keep(k, is_exact ? k : round.room, round.is_first, crew);
  if (is_last && !round.is_sorted && kept.all == k) {
    if (k == 1) {
      slice.for_only(kept.mask, [&](Bits one, std::uint32_t place) {
        round.best.write(row, 0, {one, place}, round.map);
      });
      return;
    }
    // An array at a time, so that little code is read where few are wanted.
    const Best<Bits>& best = round.best;
    const std::size_t begin = row * best.room;
    if (best.best != nullptr && best.keys == nullptr) {
      slice.for_kept_together(kept, [&](unsigned at, Bits one, std::uint32_t) {
        best.best[begin + at] = round.map.key(one);
      });
    } else if (best.best != nullptr) {
      slice.for_kept_together(kept, [&](unsigned at, Bits, std::uint32_t place) {
        best.best[begin + at] = best.keys[row * best.stride + place];
      });
    }
    if (best.places != nullptr) {
      slice.for_kept_together(
          kept, [&](unsigned at, Bits, std::uint32_t place) { best.places[begin + at] = place; });
    }
    if (best.wide_places != nullptr) {
      slice.for_kept_together(kept, [&](unsigned at, Bits, std::uint32_t place) {
        best.wide_places[begin + at] = place;
      });
    }
    return;
  }
  const auto s_kept =
      SharedItems<Bits>::at(dynamic_shared() + Of::kCrewBytes, crew_number, Of::kCrews, round.room);
  Bits* const bits = is_last ? s_kept.bits : round.kept.bits + number * round.room;
  std::uint32_t* const places = is_last ? s_kept.places : round.kept.places + number * round.room;
  slice.for_kept(kept, [&](unsigned at, Bits one, std::uint32_t place) {
    bits[at] = one;
    places[at] = place;
  });
  if (!is_last) {
    for (unsigned at = kept.all + OfCrew::thread(); at < round.room; at += Of::kThreads) {
      bits[at] = static_cast<Bits>(~Bits{0});
      places[at] = kNoPlace;
    }
    return;
  }
  if constexpr (Of::kCluster == 1) {  // a cluster's items are kept, or the result
    rank_items(s_kept, kept.all, crew, [&](unsigned rank, const Contestant<Bits>& item) {
      if (rank < k) round.best.write(row, rank, item, round.map);
    });
  }
}

}  // namespace sortlab::gpu::topk
