// The kernels of gpu/topk/tournament: the best k of slices that some threads hold in registers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/rank_map.hpp"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::topk {

constexpr std::uint32_t kNoPlace = 0xffffffffu;

/// The crew of a slice: a warp, or all threads of a block. Each thread has kItems items, of which the best of each of
/// kGroups groups bound the k-th.
template <unsigned kThreadsV, unsigned kItemsV, unsigned kGroupsV>
struct Shape {
  static constexpr unsigned kThreads = kThreadsV, kItems = kItemsV, kGroups = kGroupsV;
  static constexpr unsigned kSlice = kThreads * kItems;
  static constexpr unsigned kWarps = kThreads / kWarp;
  static constexpr unsigned kBlock = kThreads == kWarp ? 128 : kThreads;  // threads
  static constexpr unsigned kCrews = kBlock / kThreads;
  static_assert(kItems <= 32 && kItems % kGroups == 0);
};

/// What one round reads: the user's keys, or what the round before has kept, whose items have places.
template <class Bits>
struct Contestants {
  const Bits* keys;
  const std::uint32_t* places;  // null: the user's keys
  std::size_t stride;           // from one row's begin to the next one's
  unsigned length;              // of a row
  unsigned slices;              // of a row
};

/// And what it leaves: for each slice `room` items, of which those behind the kept ones have no place.
template <class Bits>
struct Kept {
  Bits* bits;
  std::uint32_t* places;
};

/// The result, which the last round writes.
template <class Bits>
struct Best {
  const Bits* keys;  // the user's, to be copied from
  std::size_t stride;
  Bits* best;
  std::uint32_t* places;
  std::uint64_t* wide_places;
  unsigned room;  // from one row to the next
};

template <class Bits>
struct Round {
  Contestants<Bits> in;
  Kept<Bits> kept;  // null in the last round
  unsigned room;    // for what is kept of a slice; in the last round a power of two
  RankMap<Bits> map;
  const std::uint32_t* ks;
  unsigned k;
  std::size_t rows;
  Best<Bits> best;

  __device__ unsigned k_of(std::size_t row) const { return ks == nullptr ? k : min(ks[row], k); }
};

/// What the threads of a crew do together. `s_sums` has two words for each warp.
template <unsigned kThreads>
class Crew {
 public:
  static constexpr unsigned kWarps = kThreads / kWarp;
  __device__ explicit Crew(unsigned* s_sums) : s_sums_(s_sums) {}

  static __device__ unsigned thread() { return threadIdx.x % kThreads; }
  static __device__ unsigned warp() { return thread() / kWarp; }

  static __device__ void meet() {
    if constexpr (kThreads == kWarp) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }

  /// The sum over all threads, for each. Sums take turns with two arrays, so one barrier is enough.
  __device__ unsigned sum(unsigned mine) {
    const unsigned of_warp = __reduce_add_sync(kAllLanes, mine);
    if constexpr (kThreads == kWarp) return of_warp;
    unsigned* const s_now = next();
    if (lane_id() == 0) s_now[warp()] = of_warp;
    __syncthreads();
    return __reduce_add_sync(kAllLanes, lane_id() < kWarps ? s_now[lane_id()] : 0);
  }

  /// The sum over the warps before this one.
  __device__ unsigned before(unsigned of_warp) {
    if constexpr (kThreads == kWarp) return 0;
    unsigned* const s_now = next();
    if (lane_id() == 0) s_now[warp()] = of_warp;
    __syncthreads();
    return __reduce_add_sync(kAllLanes, lane_id() < warp() ? s_now[lane_id()] : 0);
  }

 private:
  __device__ unsigned* next() {
    turn_ ^= 1;
    return s_sums_ + turn_ * kWarps;
  }
  unsigned* s_sums_;
  unsigned turn_ = 0;
};

/// The least number that at least k of all threads' numbers do not exceed, or one with up to `slack` more; all ones if
/// there are not so many.
template <unsigned kCount, unsigned kThreads, class Bits>
__device__ Bits bound_of(const Bits (&numbers)[kCount], unsigned k, unsigned slack,
                         Crew<kThreads>& crew) {
  Bits bound = 0;
  for (int bit = 8 * sizeof(Bits) - 1; bit >= 0; --bit) {
    const Bits tried = bound | static_cast<Bits>((Bits{1} << bit) - 1);
    unsigned mine = 0;
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) mine += numbers[i] <= tried ? 1 : 0;
    const unsigned count = crew.sum(mine);
    if (count < k) {
      bound |= Bits{1} << bit;
    } else if (count <= k + slack) {
      return tried;
    }
  }
  return bound;
}

/// Sorts `count` items, a power of two, by their bits and then their places.
template <unsigned kThreads, class Bits>
__device__ void sort_items(Bits* s_bits, std::uint32_t* s_places, unsigned count) {
  for (unsigned size = 2; size <= count; size *= 2) {
    for (unsigned distance = size / 2; distance > 0; distance /= 2) {
      Crew<kThreads>::meet();
      for (unsigned i = Crew<kThreads>::thread(); i < count / 2; i += kThreads) {
        const unsigned low = 2 * i - (i & (distance - 1)), high = low + distance;
        const Bits a = s_bits[low], b = s_bits[high];
        const std::uint32_t place_a = s_places[low], place_b = s_places[high];
        const bool is_less = b < a || (b == a && place_b < place_a);
        if (is_less == ((low & size) == 0)) {
          s_bits[low] = b;
          s_bits[high] = a;
          s_places[low] = place_b;
          s_places[high] = place_a;
        }
      }
    }
  }
  Crew<kThreads>::meet();
}

/// A slice in the registers of its crew: item j of a lane lies 32 j behind the lane's first, so a warp's items follow
/// each other in the order (j, lane).
template <class Bits, class Of>
class Slice {
 public:
  static constexpr unsigned kThreads = Of::kThreads, kItems = Of::kItems;

  __device__ Slice(const Round<Bits>& round, std::size_t row, unsigned slice) {
    const Contestants<Bits>& in = round.in;
    const std::size_t begin = row * in.stride;
    first_ = slice * Of::kSlice + Crew<kThreads>::warp() * (kItems * kWarp) + lane_id();
    const Bits* const keys = in.keys + begin;
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) {
      const unsigned i = first_ + j * kWarp;
      bits_[j] = static_cast<Bits>(~Bits{0});
      if (i < in.length) {
        bits_[j] = keys[i];
        there_ |= 1u << j;
      }
    }
    if (in.places == nullptr) {
#pragma unroll
      for (unsigned j = 0; j < kItems; ++j) {
        if ((there_ >> j & 1) != 0) bits_[j] = round.map.ordered(bits_[j]);
      }
      return;
    }
    places_ = in.places + begin;
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) {  // only such bits may belong to no item
      if ((there_ >> j & 1) == 0 || bits_[j] != static_cast<Bits>(~Bits{0})) continue;
      if (places_[first_ + j * kWarp] == kNoPlace) there_ ^= 1u << j;
    }
  }

  /// Calls put(at, bits, place) for the best k, and perhaps a few more but at most `room`: `at` counts in the order of
  /// places. Returns how many they are.
  template <class Put>
  __device__ unsigned keep(unsigned k, unsigned room, Crew<kThreads>& crew, Put put) const {
    Bits best[Of::kGroups];
#pragma unroll
    for (unsigned g = 0; g < Of::kGroups; ++g) {
      best[g] = bits_[g];
#pragma unroll
      for (unsigned j = g + Of::kGroups; j < kItems; j += Of::kGroups) {
        best[g] = min(best[g], bits_[j]);
      }
    }
    Bits bound = bound_of(best, k, k / 8 + 2, crew);
    unsigned equals = ~0u;  // how many that equal the bound are kept
    unsigned count = crew.sum(mine_up_to(bound, true));
    if (count > room) {
      bound = bound_of(bits_, k, 0, crew);
      equals = k - crew.sum(mine_up_to(bound, false));
      count = k;
    }
    write(bound, equals, crew, put);
    return count;
  }

 private:
  __device__ unsigned mine_up_to(Bits bound, bool with_equals) const {
    unsigned mine = 0;
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) {
      const bool is_kept = bits_[j] < bound || (with_equals && bits_[j] == bound);
      mine += is_kept ? there_ >> j & 1 : 0;
    }
    return mine;
  }

  template <class Put>
  __device__ void write(Bits bound, unsigned equals, Crew<kThreads>& crew, Put put) const {
    unsigned less = 0, equal = 0;  // masks of items
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) {
      less |= bits_[j] < bound ? 1u << j : 0;
      equal |= bits_[j] == bound ? 1u << j : 0;
    }
    less &= there_;
    equal &= there_;
    unsigned less_before = crew.before(__reduce_add_sync(kAllLanes, __popc(less)));
    unsigned equal_before = crew.before(__reduce_add_sync(kAllLanes, __popc(equal)));
    const unsigned any = __reduce_or_sync(kAllLanes, less | equal);
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) {
      if ((any >> j & 1) == 0) continue;
      const bool is_less = (less >> j & 1) != 0, is_equal = (equal >> j & 1) != 0;
      const unsigned lanes_less = __ballot_sync(kAllLanes, is_less);
      const unsigned lanes_equal = __ballot_sync(kAllLanes, is_equal);
      const unsigned my_less = less_before + __popc(lanes_below(lanes_less));
      const unsigned my_equal = equal_before + __popc(lanes_below(lanes_equal));
      if (is_less || (is_equal && my_equal < equals)) {
        const unsigned i = first_ + j * kWarp;
        put(my_less + min(my_equal, equals), bits_[j], places_ == nullptr ? i : places_[i]);
      }
      less_before += __popc(lanes_less);
      equal_before += __popc(lanes_equal);
    }
  }

  Bits bits_[kItems];
  unsigned there_ = 0;  // which of these are items
  unsigned first_;      // place of the first one
  const std::uint32_t* places_ = nullptr;
};

/// One round: a crew for each slice of each row.
template <class Bits, class Of>
__global__ void __launch_bounds__(Of::kBlock, 1024 / Of::kBlock) play_round(Round<Bits> round) {
  using OfCrew = Crew<Of::kThreads>;
  __shared__ unsigned s_sums[Of::kCrews * 2 * Of::kWarps];
  const unsigned crew_number = threadIdx.x / Of::kThreads;
  OfCrew crew(s_sums + crew_number * 2 * Of::kWarps);
  const std::size_t number = std::size_t{blockIdx.x} * Of::kCrews + crew_number;
  const std::size_t row = number / round.in.slices;
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

  auto* const s_all = reinterpret_cast<Bits*>(dynamic_shared());
  Bits* const s_bits = s_all + crew_number * round.room;
  std::uint32_t* const s_places =
      reinterpret_cast<std::uint32_t*>(s_all + Of::kCrews * round.room) + crew_number * round.room;
  const unsigned count =
      slice.keep(k, round.room, crew, [&](unsigned at, Bits one, std::uint32_t place) {
        s_bits[at] = one;
        s_places[at] = place;
      });
  unsigned size = 2;
  while (size < count) size *= 2;
  for (unsigned at = count + OfCrew::thread(); at < size; at += Of::kThreads) {
    s_bits[at] = static_cast<Bits>(~Bits{0});
    s_places[at] = kNoPlace;
  }
  sort_items<Of::kThreads>(s_bits, s_places, size);
  const Best<Bits>& to = round.best;
  for (unsigned i = OfCrew::thread(); i < k; i += Of::kThreads) {
    const std::uint32_t place = s_places[i];
    const std::size_t at = row * to.room + i;
    if (to.best != nullptr) to.best[at] = to.keys[row * to.stride + place];
    if (to.places != nullptr) to.places[at] = place;
    if (to.wide_places != nullptr) to.wide_places[at] = place;
  }
}

}  // namespace sortlab::gpu::topk
