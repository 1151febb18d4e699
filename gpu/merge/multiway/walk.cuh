// A merge pass for items whose equal keys must keep their order: each thread walks along two runs in
// shared memory and takes the left one of two equal keys. In a network (merge_sort/tile.cuh) each key
// would need its place beside it, and a comparison would be seven instructions instead of two.
//
//     level 1    | run 0 | run 1 |   | run 2 | run 3 |    K outputs a thread, with their positions
//     level 2    |      left     |   |     right     |    K outputs a thread, with their values
//
// An output is twelve instructions a level, but 32 lanes that walk load from 32 places of the tile:
// the banks of the shared memory are what bounds it. K is odd, so that stores have no bank conflict
// and nothing has to be padded; so runs come, and the outputs go, by bulk copies.
// measured: 2^27 u32+u32, all merges, ms: 3.85 (walks) vs 5.54 (networks with places); H200,
// merge_multiway.14.txt
// Source: Merge Path (Odeh, Green et al. 2012), with the odd K of moderngpu (Baxter 2013).
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/utils.hpp"
#include "gpu/merge/multiway/pass.cuh"
#include "gpu/primitives/block/bulk_copy.cuh"
#include "gpu/primitives/block/merge_sort/plan.cuh"
#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::merge::multiway {

/// The types of a pass, and what a block has in shared memory.
template <class LessT, class KeyT, class ValueT, class ShapeT>
struct WalkPlan : ShapeT {
  using Less = LessT;
  using State = typename StateOf<Less>::Type;
  using Key = KeyT;
  using Value = ValueT;
  using Data = Items<Key, Value>;
  static constexpr bool kPlaced = true;
  static constexpr unsigned kItems = ShapeT::kItems;
  static constexpr unsigned kThreads = ShapeT::kThreads;
  static_assert(kItems % 2 == 1, "lanes store to different banks");
  static_assert(kThreads >= kWays * kWarp, "a warp loads a run");
  // The first pair of runs may leave a thread short of outputs.
  static constexpr unsigned kMergedCount = (kThreads - 1) * kItems / kLine * kLine;
  // Runs keep the place in a line that they have in the memory; a walk goes on behind their ends.
  static constexpr unsigned kSlots =
      larger(kMergedCount + kWays * kLine, kThreads* kItems) + kItems + 1;
  static_assert(kSlots <= 0x10000, "a position is a 16-bit number");
  static constexpr std::size_t kKeyBytes = ceil_div(kSlots * sizeof(Key), 16) * 16;
  static constexpr std::size_t kBytesOfValues = ceil_div(kSlots * kValueBytes<Value>, 16) * 16;
  static constexpr std::size_t kSharedBytes =
      kKeyBytes + (Data::kPairs ? kBytesOfValues + kSlots * sizeof(std::uint16_t) : 0);
  static_assert(kSharedBytes <= 226 * 1024, "a key is too large for a tile in shared memory");

  __device__ static Key* keys() { return reinterpret_cast<Key*>(dynamic_shared()); }
  __device__ static Value* values() {
    return reinterpret_cast<Value*>(dynamic_shared() + kKeyBytes);
  }
  /// Of the outputs of level 1.
  __device__ static std::uint16_t* positions() {
    return reinterpret_cast<std::uint16_t*>(dynamic_shared() + kKeyBytes + kBytesOfValues);
  }
};

/// Two runs at positions of the tile: [left, left_end) and [right, right_end).
struct TwoRuns {
  unsigned left;
  unsigned left_end;
  unsigned right;
  unsigned right_end;

  __device__ __forceinline__ unsigned left_count() const { return left_end - left; }
  __device__ __forceinline__ unsigned right_count() const { return right_end - right; }
};

/// Where the left run stands after the first `diagonal` outputs. A range is halved, not cut at
/// powers of two, so that lanes look at words in different banks.
template <class Less, class Key>
__device__ __forceinline__ unsigned left_after(const Key* s_keys, TwoRuns runs, unsigned diagonal) {
  const unsigned least = diagonal > runs.right_count() ? diagonal - runs.right_count() : 0;
  const unsigned both = runs.left + runs.right + diagonal;
  unsigned left = runs.left + least;
  unsigned rest = min(diagonal, runs.left_count()) - least;
#pragma unroll 1
  while (rest > 0) {
    const unsigned step = (rest + 1) / 2;
    const unsigned next = left + step;
    const bool passes = !Less{}(s_keys[both - next], s_keys[next - 1]);
    left = passes ? next : left;
    rest = passes ? rest - step : step - 1;
  }
  return left;
}

/// The K outputs of the merge from number `diagonal` on, or fewer and then anything, and where they
/// were.
template <class Less, unsigned kItems, class Key>
__device__ __forceinline__ void walk(const Key* s_keys, TwoRuns runs, unsigned diagonal,
                                     Key (&keys)[kItems], unsigned (&positions)[kItems]) {
  unsigned left = left_after<Less>(s_keys, runs, diagonal);
  unsigned right = runs.left + runs.right + diagonal - left;
  Key left_key = s_keys[left];
  Key right_key = s_keys[right];
#pragma unroll
  for (unsigned r = 0; r < kItems; ++r) {
    const bool takes_right =
        left >= runs.left_end || (right < runs.right_end && Less{}(right_key, left_key));
    keys[r] = takes_right ? right_key : left_key;
    positions[r] = takes_right ? right : left;
    const Key next = s_keys[positions[r] + 1];
    left_key = takes_right ? left_key : next;
    right_key = takes_right ? next : right_key;
    left += takes_right ? 0 : 1;
    right += takes_right ? 1 : 0;
  }
}

/// Where the runs of a part lie in the tile.
struct Positions {
  unsigned begin[kWays];
  unsigned end[kWays];

  explicit __device__ __forceinline__ Positions(const Part& part) {
    unsigned free = 0;
#pragma unroll
    for (unsigned run = 0; run < kWays; ++run) {
      begin[run] = free + (static_cast<unsigned>(part.run_first[run]) - free) % kLine;
      free = end[run] = begin[run] + part.run_count[run];
    }
  }
};

/// Loads the runs of a part, a warp each.
template <class P>
__device__ __forceinline__ void load_runs(typename P::Data from, const Part& part,
                                          const Positions& at, BulkLoads& s_loads) {
  const auto of_warp = [](const auto& of_runs) {
    const auto even = warp_id() < 2 ? of_runs[0] : of_runs[2];
    const auto odd = warp_id() < 2 ? of_runs[1] : of_runs[3];
    return warp_id() % 2 == 0 ? even : odd;
  };
  const std::size_t first = of_warp(part.run_first);
  const unsigned count = of_warp(part.run_count);
  const unsigned position = of_warp(at.begin);
  if (warp_id() < kWays) {
    const Stretch keys(first, count, gpu::has_whole_lines(from.keys));
    if constexpr (P::Data::kPairs) {
      const Stretch values(first, count, has_whole_lines(from.values));
      s_loads.expect(keys.in_lines * sizeof(typename P::Key) +
                     values.in_lines * sizeof(typename P::Value));
      s_loads.start(P::values() + position, from.values + first, count, values);
    } else {
      s_loads.expect(keys.in_lines * sizeof(typename P::Key));
    }
    s_loads.start(P::keys() + position, from.keys + first, count, keys);
  }
  s_loads.wait();
}

/// What a thread of a merge makes: K outputs, and where in the tile they come from.
template <class P>
struct Outputs {
  static constexpr unsigned kItems = P::kItems;
  typename P::Key keys[kItems];
  unsigned positions[kItems];

  /// The first level: merges the runs in pairs, the left pair's outputs first. A thread makes outputs of
  /// one pair; `left_slots` is how many the left pair has room for.
  __device__ __forceinline__ void merge_pairs(const Positions& at, unsigned left_count,
                                              unsigned right_count, unsigned left_slots) {
    const unsigned own = threadIdx.x * kItems;
    const bool in_left = own < left_slots;
    const TwoRuns pair = in_left ? TwoRuns{at.begin[0], at.end[0], at.begin[1], at.end[1]}
                                 : TwoRuns{at.begin[2], at.end[2], at.begin[3], at.end[3]};
    walk<typename P::Less>(P::keys(), pair,
                           in_left ? min(own, left_count) : min(own - left_slots, right_count),
                           keys, positions);
  }

  /// Puts the outputs of the first level into the tile, with the positions of their values. Two
  /// barriers.
  __device__ __forceinline__ void store_pairs() const {
    auto* const s_keys = P::keys();
    auto* const s_positions = P::positions();
    const unsigned own = threadIdx.x * kItems;
    __syncthreads();
#pragma unroll
    for (unsigned r = 0; r < kItems; ++r) {
      s_keys[own + r] = keys[r];
      if constexpr (P::Data::kPairs) s_positions[own + r] = positions[r];
    }
    __syncthreads();
  }

  /// The second level: merges both outputs of the first.
  __device__ __forceinline__ void merge_both(unsigned left_count, unsigned right_count,
                                             unsigned left_slots, unsigned count) {
    const unsigned own = threadIdx.x * kItems;
    walk<typename P::Less>(P::keys(), {0, left_count, left_slots, left_slots + right_count},
                           min(own, count), keys, positions);
  }

  /// Puts the outputs into the tile: keys as `map` makes them, and the values that belong to them. A
  /// barrier before.
  template <class Map>
  __device__ __forceinline__ void store_both(unsigned count, const Map& map) const {
    constexpr bool kPairs = P::Data::kPairs;
    auto* const s_keys = P::keys();
    auto* const s_values = P::values();
    auto* const s_positions = P::positions();
    const unsigned own = threadIdx.x * kItems;
    typename P::Value values[kPairs ? kItems : 1];
    if constexpr (kPairs) {
#pragma unroll
      for (unsigned r = 0; r < kItems; ++r) {
        if (own + r < count) values[r] = s_values[s_positions[positions[r]]];
      }
    }
    __syncthreads();
#pragma unroll
    for (unsigned r = 0; r < kItems; ++r) {
      s_keys[own + r] = map.key(keys[r]);
      if constexpr (kPairs) s_values[own + r] = values[r];
    }
  }
};

/// Writes the tile's outputs to the array, and samples them.
template <class P, class Map>
__device__ __forceinline__ void write_outputs(typename P::Data to, const Part& part,
                                              typename P::Key* samples) {
  auto* const s_keys = P::keys();
  const auto out = to.from(part.begin);
  before_bulk_stores();
  store_lines<P::kThreads>(out.keys, s_keys, part.count);
  if constexpr (P::Data::kPairs) store_lines<P::kThreads>(out.values, P::values(), part.count);
  if constexpr (!kMayChange<Map>) {  // the last pass needs no samples
    store_samples<P>(part.begin, part.count, samples, [=](unsigned i) { return s_keys[i]; });
  }
  wait_for_bulk_stores();
}

/// Merges the runs of each group of four, and samples the result; `map` makes the output's keys.
template <class P, class Map>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    walk_runs(typename P::Data from, typename P::Data to, Pass pass, const Cut* cuts,
              const unsigned* unsorted, bool copies_sorted, typename P::Key* samples, Map map,
              typename P::State state) {
  hold<typename P::Less>(state);
  constexpr unsigned kItems = P::kItems;
  __shared__ BulkLoads s_loads;
  s_loads.init(kWays);
  Part part;
  if (!find_part<P>(from, to, pass, cuts, unsorted, copies_sorted, samples, map, part)) return;
  const Positions at(part);
  load_runs<P>(from, part, at, s_loads);

  const unsigned left_count = part.run_count[0] + part.run_count[1];
  const unsigned right_count = part.count - left_count;
  const unsigned left_slots = (left_count + kItems - 1) / kItems * kItems;
  Outputs<P> outputs;
  outputs.merge_pairs(at, left_count, right_count, left_slots);
  outputs.store_pairs();
  outputs.merge_both(left_count, right_count, left_slots, part.count);
  outputs.store_both(part.count, map);
  write_outputs<P, Map>(to, part, samples);
}

}  // namespace sortlab::gpu::merge::multiway
