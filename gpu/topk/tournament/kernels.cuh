// The kernels of gpu/topk/tournament: the best k of slices that some threads hold in registers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gpu/primitives/block/crew.cuh"
#include "gpu/primitives/grid/in_order.cuh"
#include "gpu/topk/rounds.cuh"

namespace sortlab::gpu::topk {

/// The crew of a slice: a warp, or all threads of a block. Each thread has kItems items, of which the best of each of
/// kGroups groups bound the k-th.
template <unsigned kThreadsV, unsigned kItemsV, unsigned kGroupsV>
struct Shape {
  static constexpr unsigned kThreads = kThreadsV, kItems = kItemsV, kGroups = kGroupsV;
  static constexpr unsigned kSlice = kThreads * kItems;
  static constexpr unsigned kBlock = kThreads == kWarp ? 128 : kThreads;  // threads
  static constexpr unsigned kCrews = kBlock / kThreads;
  /// Of an SM: as many as have room for the items in their registers.
  static constexpr unsigned blocks_of_sm(std::size_t key_bytes) {
    return (kThreads == kWarp && kItems * key_bytes <= 32 ? 1536 : 1024) / kBlock;
  }
  static constexpr std::size_t kCrewBytes = kCrews * sizeof(typename Crew<kThreads>::Shared);
  static_assert(kItems <= 32 && kItems % kGroups == 0);
};

/// A slice in the registers of its crew. Item j of a thread lies j times the crew's size behind its first, so neighbours,
/// which may all be among the best, belong to different threads.
template <class Bits, class Of>
class Slice {
 public:
  static constexpr unsigned kThreads = Of::kThreads, kItems = Of::kItems;

  __device__ __forceinline__ Slice(const Round<Bits>& round, std::size_t row, unsigned slice) {
    const Field<Bits>& in = round.in;
    const std::size_t begin = row * in.stride;
    first_ = slice * Of::kSlice + Crew<kThreads>::thread();
    const Bits* const keys = in.keys + begin;
    const unsigned count = in.count(row);
    const unsigned mine = count > first_ ? (count - first_ - 1) / kThreads + 1 : 0;
    there_ = mine >= 32 ? ~0u : (1u << mine) - 1;
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) {
      bits_[j] = j < mine ? keys[first_ + j * kThreads] : Bits{0};
    }
    if (in.places == nullptr) {
      round.map.order(bits_);
    } else {
      places_ = in.places + begin;
    }
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) {
      if (j >= mine) bits_[j] = kWorst;
    }
    if (places_ == nullptr) return;
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) {  // only such bits may belong to no item
      if (bits_[j] == kWorst && j < mine && place(j) == kNoPlace) there_ ^= 1u << j;
    }
  }

  /// Calls put(at, bits, place) for the best k, and perhaps a few more but at most `room`, in any order. Returns how many
  /// they are. Of equal keys the first places are kept.
  template <class Put>
  __device__ __forceinline__ unsigned keep(unsigned k, unsigned room, Crew<kThreads>& crew,
                                           Put put) const {
    Bits bound = kWorst;
    unsigned kept = there_;
    typename Crew<kThreads>::Sums sums{0, ~0u};
    if (k <= Of::kGroups * kThreads / 2) {
      Bits best[Of::kGroups];
#pragma unroll
      for (unsigned g = 0; g < Of::kGroups; ++g) {
        best[g] = bits_[g];
#pragma unroll
        for (unsigned j = g + Of::kGroups; j < kItems; j += Of::kGroups) {
          best[g] = min(best[g], bits_[j]);
        }
      }
      bound = least_bound<Bits>(k, k / 8 + 2, crew, [&](auto use) {
#pragma unroll
        for (unsigned g = 0; g < Of::kGroups; ++g) use(best[g]);
      });
      kept = up_to(bound);
      sums = crew.sums(__popc(kept));
    }
    if (sums.all > room) {
      kept = exactly(k, bound, crew);
      sums = crew.sums(__popc(kept));
    }
    unsigned at = sums.before;
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) {
      if ((kept >> j & 1) != 0) put(at++, bits_[j], place(j));
    }
    return sums.all;
  }

 private:
  static constexpr Bits kWorst = static_cast<Bits>(~Bits{0});

  __device__ __forceinline__ std::uint32_t place(unsigned j) const {
    const unsigned i = first_ + j * kThreads;
    return places_ == nullptr ? i : places_[i];
  }

  /// A mask of the items up to a bound.
  __device__ __forceinline__ unsigned up_to(Bits bound) const {
    unsigned mask = 0;
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) mask |= bits_[j] <= bound ? 1u << j : 0;
    return mask & there_;
  }

  /// A mask of the best k, all of which are up to `bound`, and of equal ones of those in the first places.
  __device__ __forceinline__ unsigned exactly(unsigned k, Bits bound, Crew<kThreads>& crew) const {
    unsigned less = bound == 0 ? 0 : up_to(bound - 1);
    unsigned count = crew.sum(__popc(less));
    if (count >= k) {  // else many equal the bound
      bound = least_bound<Bits>(k, 0, crew, [&](auto use) {
#pragma unroll
        for (unsigned j = 0; j < kItems; ++j) use(bits_[j]);
      });
      less = bound == 0 ? 0 : up_to(bound - 1);
      count = crew.sum(__popc(less));
    }
    const unsigned equal = up_to(bound) ^ less;
    const auto last = least_bound<std::uint32_t>(k - count, 0, crew, [&](auto use) {
#pragma unroll 1
      for (unsigned rest = equal; rest != 0; rest &= rest - 1) use(place(first_of(rest)));
    });
    unsigned kept = less;
#pragma unroll 1
    for (unsigned rest = equal; rest != 0; rest &= rest - 1) {
      if (place(first_of(rest)) <= last) kept |= rest & (0 - rest);
    }
    return kept;
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
  using OfCrew = Crew<Of::kThreads>;
  const unsigned crew_number = threadIdx.x / Of::kThreads;
  OfCrew crew(reinterpret_cast<typename OfCrew::Shared*>(dynamic_shared())[crew_number]);
  const std::size_t number = std::size_t{blockIdx.x} * Of::kCrews + crew_number;
  const std::size_t row = round.in.slices == 1 ? number : number / round.in.slices;
  if (row >= round.rows) return;  // a whole crew, so none of a larger one is missed
  const auto slice_number = static_cast<unsigned>(number - row * round.in.slices);
  const unsigned k = round.k_of(row);
  if (k == 0 && round.kept.bits == nullptr) return;
  const Slice<Bits, Of> slice(round, row, slice_number);

  if (round.kept.bits != nullptr) {
    Bits* const bits = round.kept.bits + number * round.room;
    std::uint32_t* const places = round.kept.places + number * round.room;
    unsigned count = 0;
    if (k != 0) {
      count = slice.keep(k, round.room, crew, [&](unsigned at, Bits one, std::uint32_t place) {
        bits[at] = one;
        places[at] = place;
      });
    }
    for (unsigned at = count + OfCrew::thread(); at < round.room; at += Of::kThreads) {
      bits[at] = static_cast<Bits>(~Bits{0});
      places[at] = kNoPlace;
    }
    return;
  }

  const auto s_kept =
      SharedItems<Bits>::at(dynamic_shared() + Of::kCrewBytes, crew_number, Of::kCrews, round.room);
  const unsigned count =
      slice.keep(k, round.room, crew, [&](unsigned at, Bits one, std::uint32_t place) {
        s_kept.put(at, {one, place});
      });
  if (!round.is_sorted && count == k) {
    OfCrew::meet();
    for (unsigned i = OfCrew::thread(); i < k; i += Of::kThreads) {
      round.best.write(row, i, s_kept[i], round.map);
    }
    return;
  }
  rank_items(s_kept, count, crew, [&](unsigned rank, const Contestant<Bits>& item) {
    if (rank < k) round.best.write(row, rank, item, round.map);
  });
}

}  // namespace sortlab::gpu::topk
