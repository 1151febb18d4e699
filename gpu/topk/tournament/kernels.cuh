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
  static constexpr std::size_t kSumsBytes = kCrews * 2 * kWarps * sizeof(unsigned);
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

/// The least word that at least k numbers of a crew do not exceed, or one with up to `slack` more; all ones if there are
/// not so many. count_up_to(word): how many of this thread's numbers do not exceed it. Two bits in a round.
template <class Word, unsigned kThreads, class CountUpTo>
__device__ __forceinline__ Word least_bound(unsigned k, unsigned slack, Crew<kThreads>& crew,
                                            CountUpTo count_up_to) {
  Word bound = 0;
#pragma unroll 1
  for (int bit = 8 * sizeof(Word) - 2; bit >= 0; bit -= 2) {
    const Word step = Word{1} << bit;
    const Word first = bound | (step - 1);  // and one and two steps more
    // Counts of up to 2^15 items in the halves of a word.
    const unsigned two = crew.sum(count_up_to(first) | count_up_to(first + step) << 16);
    const unsigned third = crew.sum(count_up_to(first + 2 * step));
    const unsigned counts[] = {two & 0xffff, two >> 16, third};
    unsigned digit = 0;
#pragma unroll
    for (unsigned d = 0; d < 3; ++d) digit += counts[d] < k ? 1 : 0;
    const Word tried = first + digit * step;
    if (digit < 3 && counts[digit] <= k + slack) return tried;
    bound |= digit * step;
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

/// A slice in the registers of its crew. Item j of a thread lies j times the crew's size behind its first, so neighbours,
/// which may all be among the best, belong to different threads.
template <class Bits, class Of>
class Slice {
 public:
  static constexpr unsigned kThreads = Of::kThreads, kItems = Of::kItems;

  __device__ __forceinline__ Slice(const Round<Bits>& round, std::size_t row, unsigned slice) {
    const Contestants<Bits>& in = round.in;
    const std::size_t begin = row * in.stride;
    first_ = slice * Of::kSlice + Crew<kThreads>::thread();
    const Bits* const keys = in.keys + begin;
    const unsigned mine = in.length > first_ ? (in.length - first_ - 1) / kThreads + 1 : 0;
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
    Bits best[Of::kGroups];
#pragma unroll
    for (unsigned g = 0; g < Of::kGroups; ++g) {
      best[g] = bits_[g];
#pragma unroll
      for (unsigned j = g + Of::kGroups; j < kItems; j += Of::kGroups) {
        best[g] = min(best[g], bits_[j]);
      }
    }
    const Bits bound = least_bound<Bits>(k, k / 8 + 2, crew, [&](Bits tried) {
      unsigned mine = 0;
#pragma unroll
      for (unsigned g = 0; g < Of::kGroups; ++g) mine += best[g] <= tried ? 1 : 0;
      return mine;
    });
    unsigned kept = up_to(bound);
    unsigned count = crew.sum(__popc(kept));
    if (count > room) {
      kept = exactly(k, bound, crew);
      count = k;
    }
    const unsigned mine = __popc(kept);
    const unsigned up_to_mine = warp_inclusive_scan(mine);
    unsigned at = crew.before(__shfl_sync(kAllLanes, up_to_mine, kWarp - 1)) + up_to_mine - mine;
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) {
      if ((kept >> j & 1) != 0) put(at++, bits_[j], place(j));
    }
    return count;
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

  __device__ __forceinline__ unsigned count_up_to(Bits bound) const {
    unsigned count = 0;
#pragma unroll
    for (unsigned j = 0; j < kItems; ++j) count += bits_[j] <= bound ? 1 : 0;
    return count;
  }

  /// A mask of the best k, all of which are up to `bound`, and of equal ones of those in the first places.
  __device__ __forceinline__ unsigned exactly(unsigned k, Bits bound, Crew<kThreads>& crew) const {
    unsigned less = bound == 0 ? 0 : up_to(bound - 1);
    unsigned count = crew.sum(__popc(less));
    if (count >= k) {  // else many equal the bound
      bound = least_bound<Bits>(k, 0, crew, [&](Bits tried) { return count_up_to(tried); });
      less = bound == 0 ? 0 : up_to(bound - 1);
      count = crew.sum(__popc(less));
    }
    const unsigned equal = up_to(bound) ^ less;
    const auto equal_up_to = [&](std::uint32_t tried) {
      if (places_ == nullptr) {
        const unsigned items = tried < first_ ? 0 : (tried - first_) / kThreads + 1;
        return items >= 32 ? equal : equal & ((1u << items) - 1);
      }
      unsigned mask = 0;
#pragma unroll 1
      for (unsigned rest = equal; rest != 0; rest &= rest - 1) {
        const unsigned j = __ffs(static_cast<int>(rest)) - 1;
        if (place(j) <= tried) mask |= 1u << j;
      }
      return mask;
    };
    const auto last = least_bound<std::uint32_t>(
        k - count, 0, crew, [&](std::uint32_t tried) { return __popc(equal_up_to(tried)); });
    return less | equal_up_to(last);
  }

  Bits bits_[kItems];
  unsigned there_;  // which of these are items
  unsigned first_;  // place of the first one
  const std::uint32_t* places_ = nullptr;
};

/// One round: a crew for each slice of each row.
template <class Bits, class Of>
__global__ void __launch_bounds__(Of::kBlock, 1024 / Of::kBlock) play_round(Round<Bits> round) {
  using OfCrew = Crew<Of::kThreads>;
  auto* const s_sums = reinterpret_cast<unsigned*>(dynamic_shared());
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

  auto* const s_all = reinterpret_cast<Bits*>(dynamic_shared() + Of::kSumsBytes);
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
