// Stable radix sort: sweeps over the top digits, then each leaf in shared memory.
//
// The passes of the onesweep (sweep/partition_tile.cuh), but only over as many of the top digits as leave
// buckets that a block can sort: two of 8 bits for 2^27 items, whether keys have 32 bits or 64.
// They run from the lower digit to the upper, so the array is then sorted by its top bits, stably.
// Searches in the keys find cuts (top_sweep/leaf_cut.cuh). A leaf, the items between two cuts, is
// sorted in shared memory by the remaining bits, pairs also by place (top_sweep/leaves.cuh).
//
//     data      7c 13 71 10 55 1a        pass over the top digits
//     by top    13 10 1a | 55 | 7c 71    cut, each leaf by itself
//     sorted    10 13 1a | 55 | 71 7c
//
// Against onesweep: a pair of 4 + 4 bytes moves 52 bytes rather than 68, one of 8 + 4 bytes 80
// rather than 200; without values, a key of 4 bytes moves 28 rather than 36, one of 8 bytes 56
// rather than 136.
// Against msd_hybrid: stable, and one count of all digits serves both passes.
//
// The first row that fits decides; the host takes the first two decisions, the device the others:
//
//     items                                         sorted by
//     few: u32 below 2^24, u32 + u32 below 2^23,    all passes, which are fewer kernels
//       keys of 64 bits below 2^19
//     floats of 32 bits, half of one exponent       all passes
//     uneven digits (floats of 64 bits: unless      all passes (top_sweep/leaf_cut.cuh)
//       a sample says even within buckets)
//     digits that leave fitting buckets after       as many passes as that takes, then leaves
//       two passes, or after more
//     so few digits to save that leaves gain        all passes
//       nothing
//     a leaf that turns out to be too large         the other passes, after all (top_sweep/leaf_cut.cuh)
//
// Digits that are equal in all keys are skipped.
//
// Limits: beside the alternate items, the look-back words take up to a sixtieth of the items'
// memory, and the cuts 8 bytes per 3840 items.
//
// Experiments and limits: docs/lab/gpu/radix/top_sweep.md.
// Gain over onesweep: 1.09x (2^27 u32 keys, H200; results/h200/radix.summary.csv).
// Bytes per u32 key at 2^27: 28 (4 to count, 8 in each of 2 passes, 8 in the leaves).
// Source: Adinets and Merrill, Onesweep (2022); Stehle and Jacobsen, hybrid MSD radix sort (2017).
#include <algorithm>
#include <type_traits>

#include "gpu/radix/sorts.hpp"
#include "gpu/radix/top_sweep/leaves.cuh"

namespace sortlab::gpu::radix::top_sweep {

using namespace sweep;

/// Fewer than kFewItems are sorted by all passes, which takes fewer kernels. With fewer than kSharedBelow,
/// only as many blocks run as fit on the GPU, and each sorts several leaves. Else each leaf has a block.
template <class LeafT, unsigned kLeafBlocksT, std::size_t kFewItemsT = 1, std::size_t kSharedT = 0>
struct TopTuning {
  using Leaf = LeafT;
  static constexpr unsigned kLeafBlocksAnSm = kLeafBlocksT;
  static constexpr std::size_t kFewItems = kFewItemsT;
  static constexpr std::size_t kSharedBelow = kSharedT;
};

template <class Tuning, class Bits, class Value>
struct TopSweep {
  using Leaf = typename Tuning::Leaf;
  static constexpr bool kPairs = Items<Bits, Value>::kPairs;

  std::size_t n;
  LeafLimits limits;
  unsigned leaves;
  Sweeps<Bits, Value> sweeps;
  UpperPasses* d_upper;
  std::size_t* d_cuts;
  std::size_t bytes;

  TopSweep(std::size_t n, std::byte* workspace)
      : n(n),
        limits(limits_of(n)),
        leaves(static_cast<unsigned>(ceil_div(n, std::size_t{limits.window}))),
        sweeps(n, workspace, true) {
    Layout layout(workspace == nullptr ? nullptr : workspace + sweeps.space.bytes);
    d_upper = layout.take<UpperPasses>(1);
    d_cuts = layout.take<std::size_t>(leaves + 1);
    bytes = sweeps.space.bytes + layout.bytes();
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

  /// Sorts pairs to `result`, whose items are `data`'s, and keys to `data`. The keys of pairs may be stretched ones.
  void sort(const Arrays<Bits, Value>& arrays, const LeafResult<Bits, Value>& result,
            const Stretched* stretched, bool are_floats, cudaStream_t stream) const {
    const bool has_leaves = !does_all_passes(are_floats);
    if (has_leaves) {
      plan(arrays, stream);
      sweeps.sweep(arrays, stream);
      cut(arrays.data, arrays.alternate, stream);
      sweeps.sweep_again(arrays, d_upper, stream);
    } else {
      sweeps.sort(arrays, stream);
    }
    if constexpr (kPairs) {
      const UpperPasses* const upper = has_leaves ? d_upper : nullptr;
      if (stretched == nullptr) {
        if (has_leaves) sort_leaves(arrays, result, arrays.key_map, stream);
      } else {
        const StretchMap<Bits> key_map(
            key_map_of<Bits>(stretched->kind),
            {static_cast<Bits>(stretched->base), static_cast<Bits>(stretched->factor)});
        if (has_leaves) sort_leaves(arrays, result, key_map, stream);
        launch_shrink(result.items.keys, key_map, n, upper, stream);
      }
      launch_widen_values(result, n, upper, stream);
    } else if (has_leaves) {
      sort_leaves(arrays, stream);
    }
  }

  void plan(const Arrays<Bits, Value>& arrays, cudaStream_t stream) const {
    constexpr std::size_t kBytes = std::max(BinCounters<Bits>::kBytes, sizeof(FullestBucket));
    launch_plan("plan_top_sweep", plan_top_sweep<Bits>, kBytes, arrays, n, sweeps.space,
                sweeps.portions, stream, limits, d_upper);
  }
  void cut(Items<Bits, Value> data, Items<Bits, Value> alternate, cudaStream_t stream) const {
    launch_early("cut_leaves", cut_leaves<Bits>,
                 {ceil_div(leaves + 1, kLeavesACutter), kCutThreads}, stream, data.keys,
                 alternate.keys, n, leaves, limits, d_upper, d_cuts);
  }
  template <class Map>
  void sort_leaves(const Arrays<Bits, Value>& arrays, const LeafResult<Bits, Value>& result,
                   const Map& key_map, cudaStream_t stream) const {
    launch_early("sort_pair_leaves",
                 sort_pair_leaves<Leaf, Tuning::kLeafBlocksAnSm, (Tuning::kSharedBelow > 0), Bits,
                                  Value, Map>,
                 leaf_shape(), stream, arrays, result, key_map, n, sweeps.space.d_plan, d_upper,
                 d_cuts, leaves);
  }
  void sort_leaves(const Arrays<Bits, Value>& arrays, cudaStream_t stream) const {
    static_assert(Tuning::kSharedBelow == 0, "a block of sort_key_leaves sorts one leaf");
    launch_early("sort_key_leaves", sort_key_leaves<Leaf, Tuning::kLeafBlocksAnSm, Bits>,
                 leaf_shape(), stream, arrays, n, sweeps.space.d_plan, d_upper, d_cuts);
  }
  Grid leaf_shape() const {
    const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
    const std::size_t fit = n < Tuning::kSharedBelow ? Tuning::kLeafBlocksAnSm * sms : leaves;
    return {std::min<std::size_t>(leaves, fit), Leaf::kThreads, sizeof(Leaf)};
  }
};

}  // namespace sortlab::gpu::radix::top_sweep

namespace sortlab {
namespace gpu::radix::top_sweep {
namespace {

template <class Bits>
using Words = msd::LeafShared<Bits, 512, 12, 12>;
using Map = BitMap<17, 512>;
template <class Bits>
using PairLeaf = PairLeafShared<Words<Bits>, Map, std::uint32_t>;
template <unsigned kThreads, unsigned kItems>
using SlotWords = msd::SlotShared<msd::LeafShared<std::uint32_t, kThreads, kItems, 11, 4,
                                                  msd::kSlotBytes<std::uint32_t, kThreads>>>;
using SlotPairLeaf = SlotPairLeafShared<SlotWords<256, 12>, std::uint32_t>;
template <class Bits>
using KeyLeaf = KeyLeafShared<Words<Bits>, Map>;

template <class Bits, class Value>
struct TuningOf;
template <>
struct TuningOf<std::uint32_t, std::uint32_t> {
  static constexpr std::size_t kFewest = 1u << 23;
  static constexpr std::size_t kMostOfFew = 140'000'000;
  using Type = TopTuning<PairLeaf<std::uint32_t>, 3, kFewest>;
  // For buckets so small that they fit into smaller leaves. Uneven keys have no leaves: a block for each would start only to end.
  // measured: 2^27 u32+u32, leaves alone, ms: 0.791 (these) vs 0.896 (PairLeaf); H200, slots.3.txt; 16.8 million, us: text 504
  // (shared) vs 513, uniform 416 vs 413; H200, h200/attempts/timeline.1.txt.xz
  using Few = TopTuning<SlotPairLeaf, 4, kFewest, 1u << 25>;
};
template <>
struct TuningOf<std::uint64_t, std::uint32_t> {
  using Type = TopTuning<PairLeaf<std::uint64_t>, 2, 1u << 19>;
};
template <>
struct TuningOf<std::uint32_t, NoValue> {
  using Type = TopTuning<KeyLeaf<std::uint32_t>, 3, 1u << 24>;
};
template <>
struct TuningOf<std::uint64_t, NoValue> {
  using Type = TopTuning<KeyLeaf<std::uint64_t>, 2, 1u << 19>;
};

/// Calls use(sort) for n items.
template <class Bits, class Value, class Use>
auto with_sort(std::size_t n, std::byte* workspace, Use use) {
  using Tuning = TuningOf<Bits, Value>;
  if constexpr (requires { typename Tuning::Few; }) {
    if (n <= Tuning::kMostOfFew) {
      return use(TopSweep<typename Tuning::Few, Bits, Value>(n, workspace));
    }
  }
  return use(TopSweep<typename Tuning::Type, Bits, Value>(n, workspace));
}

}  // namespace

std::size_t workspace_bytes(std::size_t key_bytes, std::size_t value_bytes, std::size_t n) {
  return visit_widths(key_bytes, value_bytes, [n]<class Bits, class Value>(Bits, Value) {
    return with_sort<Bits, Value>(n, nullptr, [](const auto& sort) { return sort.bytes; });
  });
}

void sort(const Call& call) {
  if (call.n == 0) return;
  call.visit([&]<class Bits, class Value>(Bits, Value) {
    with_sort<Bits, Value>(call.n, call.d_workspace, [&](const auto& sort) {
      const auto arrays = call.as<Arrays, Bits, Value>();
      sort.sort(arrays, {arrays.data, call.d_wide_values, call.drops_keys}, call.stretched,
                call.are_floats(), call.stream);
    });
  });
}

}  // namespace gpu::radix::top_sweep

namespace {

struct TopSweep {
  static constexpr Info info{
      .summary = "stable sweeps over the top digits, leaves sorted in shared memory",
      .source = "Adinets and Merrill 2022; Stehle and Jacobsen 2017",
      .after = "gpu/radix/onesweep",
      .candidate = gpu::radix::top_sweep::kCandidate,
      .memory = Memory::device,
      .stable = true,
      .alternate = true};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    return gpu::radix::top_sweep::workspace_bytes(request.key_bytes, request.value_bytes,
                                                  request.n);
  }
  static ResultIn sort_erased(const ErasedJob& job) {
    gpu::radix::top_sweep::sort(gpu::radix::Call::of(job));
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(TopSweep, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
