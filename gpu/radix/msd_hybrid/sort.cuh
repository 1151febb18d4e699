// The MSD radix sort from start to end: which kernels, in which order, with what shared memory.
#pragma once

#include "gpu/primitives/grid/sweep/common_key.cuh"
#include "gpu/radix/msd_hybrid/kernels.cuh"

namespace sortlab::gpu::radix::msd_hybrid {

using sweep::FallBack;

/// The widths of the blocks and tiles of one key width. Keys, which are floats then, are spread if it says so
/// (spread_map.hpp): `kFilledT` 64ths of the range of their numbers are taken to have keys.
template <class ScatterT, unsigned kScatterBlocks, class LeafT, unsigned kLeafBlocks,
          bool kSpreadsT = false, unsigned kFilledT = 64>
struct Tuning {
  using Scatter = ScatterT;
  using Leaf = LeafT;
  static constexpr unsigned kScatterBlocksAnSm = kScatterBlocks;
  static constexpr unsigned kLeafBlocksAnSm = kLeafBlocks;
  static constexpr bool kSpreads = kSpreadsT;
  static constexpr unsigned kFilled = kFilledT;
  static constexpr unsigned kTile = Scatter::kThreads * Scatter::kItems;
  /// Whether one level will do for as many keys as the tuning is for: two have digits of up to 9 bits.
  static constexpr bool kSplitsOnce = Scatter::kBins > 1u << 9;
  static_assert(!kSplitsOnce || (Scatter::kThreads == sweep::kPlanThreads && kScatterBlocks == 1),
                "the kernel that scatters may have to plan the sweeps");
};

/// Bits that evenly spread keys are split by.
inline unsigned even_bits(const Plan& plan) {
  return plan.n <= plan.max_leaf ? 0
                                 : bit_width(plan.n / full_leaf(plan.max_leaf) * 64 / plan.filled);
}

/// Blocks that clear counters at the start, of which one looks at a sample, and that check the bins
/// of two digits.
constexpr std::size_t kStartBlocks = 8;
constexpr std::size_t kCheckBlocks = 8;

/// Levels that evenly spread keys need.
inline unsigned even_levels(const Plan& plan) {
  return (even_bits(plan) + plan.max_digit_bits - 1) / plan.max_digit_bits;
}

template <class Tuning>
Plan make_plan(Layout& layout, std::size_t n) {
  using Bits = typename Tuning::Scatter::Bits;
  constexpr unsigned kDigitBits = std::bit_width(Tuning::Scatter::kBins) - 1;
  Plan plan(layout, n, Tuning::kTile, Tuning::Leaf::kMaxKeys, kDigitBits, 8 * sizeof(Bits));
  plan.filled = Tuning::kFilled;
  plan.even_levels = even_levels(plan);
  plan.falls_back = Tuning::kSpreads || plan.even_levels > 0;
  plan.first_bits = choose_digit_bits(n, 8 * sizeof(Bits), plan.max_leaf, kDigitBits, plan.filled);
  if (plan.even_levels == 2 && even_bits(plan) <= kMaxBitsAhead) {
    plan.ahead_bits = even_bits(plan) - plan.first_bits;
  }
  if (Tuning::kSpreads) {
    auto* const weighing = layout.take<spread::Weighing<Bits>>(1);
    plan.weighing = reinterpret_cast<unsigned*>(weighing);
    plan.weighing_words = spread::Weighing<Bits>::kClearedWords;
  }
  return plan;
}

/// The most blocks that are of use for the tiles of a level.
inline std::size_t level_blocks(const Plan& plan) {
  return ceil_div(plan.n, plan.tile) + plan.n / plan.max_leaf / 8 + 1;
}

template <class Tuning, class Bits, class Map>
void count_and_split(const Plan& plan, unsigned level, const Buffers<Bits, Map>& buffers,
                     const sweep::AroundSweeps<Bits>& sweeps, std::size_t sms,
                     cudaStream_t stream) {
  using Scatter = typename Tuning::Scatter;
  constexpr unsigned kBins = Scatter::kBins;
  using Split = SplitShared<kPlanThreads, kBins>;
  if (plan.counts_once()) {
    if (level == 0) {
      launch_early("count_or_plan_sweeps",
                   count_or_plan_sweeps<Tuning::kSplitsOnce, Split, Bits, Map>,
                   {sms, sweep::kPlanThreads,
                    std::max({sizeof(CountAllShared), sweeps.kBytes, sizeof(Split)})},
                   stream, plan, buffers, sweeps);
    }
  } else if constexpr (!Tuning::kSplitsOnce) {
    launch_early("count_digits", count_digits<kBins, Bits, Map>,
                 {std::min(level_blocks(plan), kCountBlocksAnSm * sms), kCountThreads}, stream,
                 plan, level, buffers);
  }
  const std::size_t blocks = std::min(level_blocks(plan), Tuning::kScatterBlocksAnSm * sms);
  if constexpr (Tuning::kSplitsOnce) {
    launch_early("scatter_or_plan_sweeps", scatter_or_plan_sweeps<Scatter, Bits, Map>,
                 {blocks, Scatter::kThreads, std::max(sizeof(Scatter), sweeps.kBytes)}, stream,
                 plan, buffers, sweeps);
  } else {
    launch_early("plan_buckets", plan_buckets<Split>,
                 {level > 0             ? 2 * sms
                  : plan.ahead_bits > 0 ? 1 + kCheckBlocks
                                        : 1,
                  kPlanThreads, sizeof(Split)},
                 stream, plan, level);
    launch_early("scatter_keys", scatter_keys<Scatter, Tuning::kScatterBlocksAnSm, Bits, Map>,
                 {blocks, Scatter::kThreads, sizeof(Scatter)}, stream, plan, level, buffers);
  }
}

/// The workspace, in bytes.
template <class Tuning>
std::size_t bytes_of(std::size_t n) {
  Layout layout;
  const Plan plan = make_plan<Tuning>(layout, n);
  using Bits = typename Tuning::Scatter::Bits;
  const std::size_t sweeps = FallBack<Bits>(n, nullptr).space.bytes;
  return std::max(layout.bytes() + (plan.falls_back ? sweeps : 0), sweeps);
}

template <class Bits>
sweep::Arrays<Bits, NoValue> swept_arrays(const Buffers<Bits>& buffers) {
  return {{buffers.raw, {}}, {buffers.data, {}}, {buffers.alternate, {}}, buffers.key_map};
}

/// The buffers of keys that are spread by the table of the plan.
template <class Bits>
Buffers<Bits, SpreadMap<Bits>> spread_buffers(const Plan& plan, const Buffers<Bits>& buffers) {
  const auto* const weighing = reinterpret_cast<const spread::Weighing<Bits>*>(plan.weighing);
  return {buffers.data, buffers.alternate, {buffers.key_map, &weighing->table}, buffers.raw};
}

/// Looks at a sample of the keys and makes the table that spreads them.
template <class Bits>
void launch_weigh(const Plan& plan, const Buffers<Bits>& buffers, cudaStream_t stream) {
  // Numbers that fill less of their range than was planned leave bins that are too large.
  const float least_evenness = static_cast<float>(plan.filled) / 64 * 9 / 10;
  launch_early("weigh_keys", weigh_keys<Bits>,
               {spread::blocks_for(plan.n), spread::kThreads,
                std::max(sizeof(spread::WeighShared<Bits>), sizeof(Look))},
               stream, plan, buffers, least_evenness,
               reinterpret_cast<spread::Weighing<Bits>*>(plan.weighing));
}

/// Sorts by sweeps over all digits: what would be fallen back on anyway. The workspace that levels would need
/// will do.
template <class Bits>
void sweep_alone(cudaStream_t stream, std::byte* workspace, const Buffers<Bits>& buffers,
                 std::size_t n) {
  if (n > 0) sweep::sweep_alone(FallBack<Bits>(n, workspace), swept_arrays(buffers), n, stream);
}

template <class Tuning, class Bits>
void sort_on(cudaStream_t stream, std::byte* workspace, const Buffers<Bits>& buffers,
             std::size_t n) {
  if (n == 0) return;
  using Leaf = typename Tuning::Leaf;
  Layout layout(workspace);
  Plan plan = make_plan<Tuning>(layout, n);
  // With more than two levels, what the fall-back begins with would be gone.
  const bool has_levels =
      Tuning::kSplitsOnce ? plan.even_levels == 1 || !plan.falls_back : plan.even_levels <= 2;
  if (!has_levels) return sweep_alone(stream, workspace, buffers, n);
  plan.raw_is_data = buffers.raw == buffers.data;
  const FallBack<Bits> fall_back(n, workspace + layout.bytes());
  if (plan.falls_back) {
    plan.fall_back = fall_back.cleared();
    plan.fall_back_words = fall_back.cleared_words();
  }
  const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
  const unsigned levels = plan.even_levels;
  launch_early("start_plan", start_plan<Bits>, {kStartBlocks, Look::kThreads}, stream, plan,
               buffers, levels > 0 && !Tuning::kSpreads);
  const auto swept = swept_arrays(buffers);
  const sweep::AroundSweeps<Bits> sweeps(fall_back, swept, n);
  const auto split_and_sort = [&](const auto& split) {
    using Map = typename std::decay_t<decltype(split)>::Map;
    for (unsigned level = 0; level < levels; ++level) {
      count_and_split<Tuning>(plan, level, split, sweeps, sms, stream);
    }
    if (plan.falls_back) {
      if constexpr (!Tuning::kSplitsOnce) {
        launch_early("plan_sweeps", plan_sweeps<Bits>,
                     {sweep::plan_blocks(n), sweep::kPlanThreads, sweeps.kBytes}, stream, plan,
                     sweeps);
      }
      sweep::launch_sweeps(fall_back, swept, n, stream);
    }
    launch_early("sort_small", sort_small<Leaf, Tuning::kLeafBlocksAnSm, Bits, Map>,
                 {std::min(ceil_div(n, plan.max_leaf / 2), Tuning::kLeafBlocksAnSm * sms),
                  Leaf::kThreads, sizeof(Leaf)},
                 stream, plan, split, sweeps);
  };
  if constexpr (Tuning::kSpreads) {
    launch_weigh(plan, buffers, stream);
    split_and_sort(spread_buffers(plan, buffers));
  } else {
    split_and_sort(buffers);
  }
}

}  // namespace sortlab::gpu::radix::msd_hybrid
