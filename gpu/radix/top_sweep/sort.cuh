// The sweeps over the top digits and the leaves, from the host's side.
#pragma once

#include "gpu/primitives/grid/sweep/all_passes.cuh"
#include "gpu/radix/top_sweep/escape.cuh"
#include "gpu/radix/top_sweep/key_leaf.cuh"
#include "gpu/radix/top_sweep/pair_leaf.cuh"

namespace sortlab::gpu::radix::top_sweep {

using namespace sweep;

/// Fewer than kFewItems are sorted by all passes, which takes fewer kernels.
/// Keys, which are floats then, are spread if it says so.
template <class TileT, class LeafT, unsigned kLeafBlocksT, std::size_t kFewItemsT = 1,
          bool kSpreadsT = false>
struct TopTuning {
  using Tile = TileT;
  using Leaf = LeafT;
  static constexpr unsigned kLeafBlocksAnSm = kLeafBlocksT;
  static constexpr std::size_t kFewItems = kFewItemsT;
  static constexpr bool kSpreads = kSpreadsT;
};

template <class Tuning, class Bits, class Value>
struct TopSweep {
  using Tile = typename Tuning::Tile;
  using Leaf = typename Tuning::Leaf;
  static constexpr bool kPairs = Items<Bits, Value>::kPairs;
  static constexpr unsigned kRounds = 2;

  std::size_t n;
  Portions portions;
  LeafLimits limits;
  unsigned leaves;
  OnesweepSpace<kPasses<Bits>> space;
  LeafPlan* d_leaf_plan;
  std::size_t* d_cuts;
  Bits* d_sample;
  spread::Weighing<Bits>* d_weighing;
  std::size_t bytes;

  TopSweep(std::size_t n, std::byte* workspace, std::size_t few = Portions::kFewTiles)
      : n(n),
        portions(n, sizeof(Bits) + kValueBytes<Value>, Tile::kTile, few),
        limits(limits_of(n)),
        leaves(static_cast<unsigned>(ceil_div(n, std::size_t{limits.window}))),
        space(workspace, portions, kRounds) {
    Layout layout(workspace == nullptr ? nullptr : workspace + space.bytes);
    d_leaf_plan = layout.take<LeafPlan>(1);
    d_cuts = layout.take<std::size_t>(leaves + 1);
    d_sample = layout.take<Bits>(n < Tuning::kFewItems ? 0 : FullestBucket::kSampled);
    d_weighing = layout.take<spread::Weighing<Bits>>(n < Tuning::kFewItems ? 0 : Tuning::kSpreads);
    bytes = space.bytes + layout.bytes();
  }

  /// A leaf of keys that are spread evenly over 2^16 buckets spans, in a window of sqrt(n), as many
  /// buckets as the words have room for.
  static LeafLimits limits_of(std::size_t n) {
    constexpr unsigned kWindow = Leaf::kMaxKeys / 8 * 5;
    unsigned window = 256;
    while (window < kWindow && std::size_t{window} * window < n / 2) window += 256;
    return {std::min(window, kWindow), Leaf::kMaxKeys, 8 * sizeof(Bits) - Leaf::kPlaceBits};
  }

  /// Sorts pairs to `result`, whose items are `data`'s, and keys to `data`. Keys that are spread are equated.
  void sort(const Arrays<Bits, Value>& arrays, const LeafResult<Bits, Value>& result,
            EqualFloats<Bits> equated, cudaStream_t stream) const {
    if (n < Tuning::kFewItems) {
      sort_in_sweeps<Tile>(arrays, n, space, portions, stream);
      if constexpr (kPairs) launch_widen_values(result, n, nullptr, stream);
      return;
    }
    if constexpr (Tuning::kSpreads) {
      weigh(arrays.source.keys, arrays.key_map, stream);
      const EqualSpreadMap<Bits> map{{arrays.key_map, &d_weighing->table}, equated};
      const Arrays<Bits, Value, EqualSpreadMap<Bits>> numbers{arrays.source, arrays.data,
                                                              arrays.alternate, map};
      launch_plan(numbers, n, space, portions, stream);
      plan_without_map(numbers, stream);
      sort_by_top(numbers, result, stream);
    } else {
      launch_plan(arrays, n, space, portions, stream);
      sort_by_top(arrays, result, stream);
    }
  }

  template <class Arrays>
  void sort_by_top(const Arrays& arrays, const LeafResult<Bits, Value>& result,
                   cudaStream_t stream) const {
    plan_top(arrays.source.keys, arrays.key_map, stream);
    launch_passes<Tile>(arrays, n, space, portions, stream);
    cut(arrays.data, arrays.alternate, stream);
    sweep_again(arrays, stream);
    launch_copy_home(arrays, n, space, stream);
    sort_leaves(arrays, result, stream);
    if constexpr (kPairs) launch_widen_values(result, n, d_leaf_plan, stream);
  }

  /// Makes the table that spreads the keys.
  void weigh(const Bits* keys, KeyMap<Bits> key_map, cudaStream_t stream) const {
    // Buckets of less even numbers would be too large for leaves.
    constexpr float kLeastEvenness = 0.6f;
    check(cudaMemsetAsync(d_weighing, 0, spread::Weighing<Bits>::kClearedWords * sizeof(unsigned),
                          stream),
          "cudaMemsetAsync");
    launch_early("weigh_keys", spread::weigh_keys<Bits>,
                 {spread::blocks_for(n), spread::kThreads, sizeof(spread::WeighShared<Bits>)},
                 stream, keys, key_map, n, kLeastEvenness, d_weighing, nullptr);
  }
  /// Plans again if the table has no numbers for some keys.
  void plan_without_map(const Arrays<Bits, Value, EqualSpreadMap<Bits>>& arrays,
                        cudaStream_t stream) const {
    constexpr std::size_t kBytes = BinCounters<Bits>::kBytes;
    launch_early("forget_map", forget_map<Bits>, {1, spread::kThreads}, stream, space.d_plan,
                 d_weighing);
    launch_early("plan_again", plan_again<Bits, kCounterBytes>,
                 {device_attribute(cudaDevAttrMultiProcessorCount), kPlanThreads, kBytes}, stream,
                 arrays.source.keys, arrays.has_own_source(), arrays.key_map, n, space.d_plan,
                 reinterpret_cast<uint4*>(space.d_words), portions.tiles * kBins / 4, d_weighing);
  }

  template <class Map>
  void plan_top(const Bits* keys, Map key_map, cudaStream_t stream) const {
    launch_early("plan_top_passes", plan_top_passes<Bits, Map>,
                 {FullestBucket::kKeys, FullestBucket::kThreads, sizeof(FullestBucket)}, stream,
                 keys, key_map, space.d_plan, n, limits, d_leaf_plan, d_sample);
  }
  void cut(Items<Bits, Value> data, Items<Bits, Value> alternate, cudaStream_t stream) const {
    launch_early("cut_leaves", cut_leaves<Bits>,
                 {ceil_div(leaves + 1, kLeavesACutter), kCutThreads}, stream, data.keys,
                 alternate.keys, n, leaves, limits, d_leaf_plan, d_cuts);
  }
  template <class Map>
  void sweep_again(const Arrays<Bits, Value, Map>& arrays, cudaStream_t stream) const {
    const auto first = first_sweep(arrays, n, space, portions, 1);
    launch_all_passes<Tile, Bits, Value>("sweep_again",
                                         top_sweep::sweep_again<Tile, Bits, Value, Map>, portions,
                                         stream, d_leaf_plan, first, space.d_places);
  }
  template <class Map>
  void sort_leaves(const Arrays<Bits, Value, Map>& arrays, const LeafResult<Bits, Value>& result,
                   cudaStream_t stream) const {
    const Grid shape{leaves, Leaf::kThreads, sizeof(Leaf)};
    if constexpr (kPairs) {
      launch_early("sort_pair_leaves",
                   sort_pair_leaves<Leaf, Tuning::kLeafBlocksAnSm, Bits, Value, Map>, shape, stream,
                   arrays.data, arrays.alternate, result, arrays.key_map, d_leaf_plan, d_cuts);
    } else {
      launch_early("sort_key_leaves", sort_key_leaves<Leaf, Tuning::kLeafBlocksAnSm, Bits>, shape,
                   stream, arrays.data.keys, arrays.alternate.keys, arrays.data.keys,
                   arrays.key_map, d_leaf_plan, d_cuts);
    }
  }
};

}  // namespace sortlab::gpu::radix::top_sweep
