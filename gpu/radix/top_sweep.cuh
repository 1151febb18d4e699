// The sweeps over the top digits and the leaves, from the host's side.
#pragma once

#include "gpu/radix/onesweep_passes.cuh"
#include "gpu/radix/pair_leaf.cuh"

namespace sortlab::gpu {

template <class TileT, class LeafT, unsigned kLeafBlocksT>
struct TopTuning {
  using Tile = TileT;
  using Leaf = LeafT;
  static constexpr unsigned kLeafBlocksAnSm = kLeafBlocksT;
};

template <class Tuning, class Key, class Value>
struct TopSweep {
  using Tile = typename Tuning::Tile;
  using Leaf = typename Tuning::Leaf;
  using Bits = BitsOf<Key>;
  static constexpr unsigned kRounds = 2;

  std::size_t n;
  Portions portions;
  LeafLimits limits;
  unsigned leaves;
  OnesweepSpace<kPasses<Key>> space;
  LeafPlan* d_leaf_plan;
  std::size_t* d_cuts;
  std::size_t bytes;

  TopSweep(std::size_t n, std::byte* workspace, std::size_t few = Portions::kFewTiles)
      : n(n),
        portions(n, sizeof(Key) + sizeof(Value), Tile::kTile, few),
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

  template <Order kOrder>
  void sort(Items<Key, Value> data, Items<Key, Value> alternate, cudaStream_t stream) const {
    plan<kOrder>(data, stream);
    plan_top(stream);
    sweep<kOrder>(data, alternate, 0, stream);
    cut(data, alternate, stream);
    sweep<kOrder>(data, alternate, 1, stream);
    launch_copy_home(data, alternate, n, space, stream);
    sort_leaves<kOrder>(data, alternate, stream);
  }

  template <Order kOrder>
  void plan(Items<Key, Value> data, cudaStream_t stream) const {
    launch_plan<kOrder>(data.keys, n, space, portions, stream);
  }
  void plan_top(cudaStream_t stream) const {
    launch("plan_top_passes", plan_top_passes<kPasses<Key>>, {1, kBins}, stream, space.d_plan, n,
           limits, d_leaf_plan);
  }
  template <Order kOrder>
  void sweep(Items<Key, Value> data, Items<Key, Value> alternate, unsigned round,
             cudaStream_t stream) const {
    launch_passes<Tile, kOrder>(data, alternate, n, space, portions,
                                space.d_next_tiles + round * kPasses<Key> * portions.portions,
                                stream);
  }
  void cut(Items<Key, Value> data, Items<Key, Value> alternate, cudaStream_t stream) const {
    launch("cut_leaves", cut_leaves<Bits>, {ceil_div(leaves, kCutThreads), kCutThreads}, stream,
           as_bits(data).keys, as_bits(alternate).keys, n, leaves, limits, d_leaf_plan, d_cuts);
    launch("plan_rest", plan_rest<kPasses<Key>>, {1, 1}, stream, space.d_plan, d_leaf_plan);
  }
  template <Order kOrder>
  void sort_leaves(Items<Key, Value> data, Items<Key, Value> alternate, cudaStream_t stream) const {
    launch("sort_pair_leaves", sort_pair_leaves<Leaf, Tuning::kLeafBlocksAnSm, Bits, Value>,
           {leaves, Leaf::kThreads, sizeof(Leaf)}, stream, as_bits(data), as_bits(alternate),
           key_map_of<Key, kOrder>(), d_leaf_plan, d_cuts);
  }
};

}  // namespace sortlab::gpu
