// The sweeps over the top digits and the leaves, from the host's side.
#pragma once

#include "gpu/primitives/grid/sweep/all_passes.cuh"
#include "gpu/radix/top_sweep/key_leaf.cuh"
#include "gpu/radix/top_sweep/pair_leaf.cuh"

namespace sortlab::gpu::radix::top_sweep {

using namespace sweep;

/// Fewer than kFewItems are sorted by all passes, which takes fewer kernels.
template <class TileT, class LeafT, unsigned kLeafBlocksT, std::size_t kFewItemsT = 1>
struct TopTuning {
  using Tile = TileT;
  using Leaf = LeafT;
  static constexpr unsigned kLeafBlocksAnSm = kLeafBlocksT;
  static constexpr std::size_t kFewItems = kFewItemsT;
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

  /// Whether all passes are planned from the start. Of floats of 32 bits half may share an exponent, so that the top
  /// digits hardly ever do.
  bool does_all_passes(bool are_floats) const {
    return n < Tuning::kFewItems || (are_floats && sizeof(Bits) == 4);
  }

  /// Sorts pairs to `result`, whose items are `data`'s, and keys to `data`.
  void sort(const Arrays<Bits, Value>& arrays, const LeafResult<Bits, Value>& result,
            bool are_floats, cudaStream_t stream) const {
    if (does_all_passes(are_floats)) {
      sort_in_sweeps<Tile>(arrays, n, space, portions, stream);
      if constexpr (kPairs) launch_widen_values(result, n, nullptr, stream);
      return;
    }
    plan(arrays, stream);
    launch_passes<Tile>(arrays, n, space, portions, stream);
    cut(arrays.data, arrays.alternate, stream);
    sweep_again(arrays, stream);
    sort_leaves(arrays, result, stream);
    if constexpr (kPairs) launch_widen_values(result, n, d_leaf_plan, stream);
  }

  void plan(const Arrays<Bits, Value>& arrays, cudaStream_t stream) const {
    constexpr std::size_t kBytes = std::max(BinCounters<Bits>::kBytes, sizeof(FullestBucket));
    launch_plan("plan_top_sweep", plan_top_sweep<Bits>, kBytes, arrays, n, space, portions, stream,
                limits, d_leaf_plan);
  }
  void cut(Items<Bits, Value> data, Items<Bits, Value> alternate, cudaStream_t stream) const {
    launch_early("cut_leaves", cut_leaves<Bits>,
                 {ceil_div(leaves + 1, kLeavesACutter), kCutThreads}, stream, data.keys,
                 alternate.keys, n, leaves, limits, d_leaf_plan, d_cuts);
  }
  void sweep_again(const Arrays<Bits, Value>& arrays, cudaStream_t stream) const {
    const auto first = first_sweep(arrays, n, space, portions, 1);
    launch_all_passes<Tile, Bits, Value>("sweep_again", top_sweep::sweep_again<Tile, Bits, Value>,
                                         portions, stream, d_leaf_plan, first, space.d_places);
  }
  void sort_leaves(const Arrays<Bits, Value>& arrays, const LeafResult<Bits, Value>& result,
                   cudaStream_t stream) const {
    const Grid shape{leaves, Leaf::kThreads, sizeof(Leaf)};
    if constexpr (kPairs) {
      launch_early("sort_pair_leaves", sort_pair_leaves<Leaf, Tuning::kLeafBlocksAnSm, Bits, Value>,
                   shape, stream, arrays, result, n, space.d_plan, d_leaf_plan, d_cuts);
    } else {
      launch_early("sort_key_leaves", sort_key_leaves<Leaf, Tuning::kLeafBlocksAnSm, Bits>, shape,
                   stream, arrays, n, space.d_plan, d_leaf_plan, d_cuts);
    }
  }
};

}  // namespace sortlab::gpu::radix::top_sweep
