// MSD hybrid radix sort of keys alone: split by the top bits until a bucket fits the shared memory
// of a block, then sort each bucket there.
//
//     data         [ . . . . . . . . . . . . . ]   level 0: count, plan, scatter by the top digit
//     alternate    [  0  |  1  |  2  |    3    ]   level 1: each bucket by its next digit
//     data         [00|01|10|11|20|21|30|31|32 ]   leaves: each sorted by a block, in place
//
// Over LSD: two passes and a leaf rather than four or eight passes, whatever the width of a key:
// 28 bytes per 32-bit key against 36, 56 bytes per 64-bit key against 136. And as keys alone need no
// stability, a key's rank is one shared atomic, which also tells where in the block's memory it
// goes, and a place one global one, without ballots or look-back.
//
// Digits are as wide as evenly spread keys need, and begin at the highest bits in which the keys of
// a bucket differ; the device plans all of it. Up to 8.6 million 32-bit keys are split once, into up
// to 2^12 buckets (20 bytes per key), up to 7.3 million 64-bit keys into up to 2^11. More are split
// twice, by 8 and 7 bits for 2^27, and one read counts both digits; of over 146 million, which are
// split by more than 15 bits in all, each digit is counted by itself (32 bytes).
// Floats, which are uneven as a rule, are mapped to integers that are spread evenly, from two million of 32
// bits on (one million of 64), if a sample says that this can be done (spread_map.hpp). Uneven integers
// that are split twice are split by digits of a number that spreads them evenly (msd/equalizer.cuh,
// msd_hybrid/sample.cuh). Where a sample or the counts tell that too many keys will be in buckets larger
// than a leaf, all are sorted by sweeps over all digits instead (sweep/fall_back.cuh), but for a key that
// most of them are (sweep/common_key.cuh). Otherwise, buckets of more keys than a leaf are split again, in
// one cooperative kernel, as often as it takes; buckets of one value are done; where a bin is one value
// the counts are the result.
// Gains on an H200. Slots and one count, over the same levels by counted tiles, two counts and leaves
// dealt to bins, as speed over CUB's radix sort with u32: 1.81x vs 1.42x at 2^27, 1.79x vs 1.44x at 2^24.
// On an H100, floats of [0, 1), Gkeys/s, spread, and before (sweeps, f64 equalized): 2^24 f32 56.7 vs 46.2, f64
// 31.4 vs 27.2; 2^27 f32 70.2 vs 64.8 (equalized), f64 36.7 vs 34.2 (docs/lab/gpu/radix/msd_hybrid.md).
// What was tried: docs/lab/gpu/radix/msd_hybrid.md.
// Limits: keys alone; the order of equal keys is not kept (and cannot be seen).
// Bytes per u32 key at 2^27: 28 (4 to count, 8 in each of 2 passes, 8 in the leaves).
// Source: Stehle and Jacobsen, A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs, SIGMOD 2017.
#include <algorithm>
#include <type_traits>

#include "common/contract/variant.hpp"
#include "gpu/primitives/given_items.hpp"
#include "gpu/radix/msd_hybrid/sort.cuh"

namespace sortlab {
namespace {

using Key32 = std::uint32_t;
using Key64 = std::uint64_t;

/// Blocks and tiles for the H200.
template <unsigned kThreads, unsigned kItems, unsigned kBinBits, unsigned kGroup>
using SlotLeaf =
    gpu::msd::SlotShared<gpu::msd::LeafShared<Key32, kThreads, kItems, kBinBits, kGroup,
                                              gpu::msd::kSlotBytes<Key32, kThreads>>>;
using Leaf32 = SlotLeaf<512, 10, 12, 5>;

using Once = gpu::radix::msd_hybrid::Tuning<gpu::msd::ScatterShared<Key32, 1024, 32, 4096>, 1,
                                            Leaf32, 3, gpu::radix::msd_hybrid::Uneven::sweeps>;
using Twice = gpu::radix::msd_hybrid::Tuning<gpu::msd::ScatterShared<Key32, 512, 24, 256, 91>, 2,
                                             Leaf32, 3, gpu::radix::msd_hybrid::Uneven::sweeps>;
using TwiceLarge =
    gpu::radix::msd_hybrid::Tuning<gpu::msd::ScatterShared<Key32, 1024, 24, 512, 91>, 1, Leaf32, 3,
                                   gpu::radix::msd_hybrid::Uneven::equalize>;

// Floats are spread (spread_map.hpp). Those of either sign fill little more than three quarters of the numbers, or 50
// 64ths, so leaves are a little larger.
template <class Scatter, unsigned kScatterBlocks, class Leaf, unsigned kLeafBlocks>
using Floats = gpu::radix::msd_hybrid::Tuning<Scatter, kScatterBlocks, Leaf, kLeafBlocks,
                                              gpu::radix::msd_hybrid::Uneven::spread, 50>;
constexpr std::size_t kFloatsSpreadFrom = 2'000'000;
constexpr std::size_t kFloatsSpreadFrom64 = 1'000'000;
using FloatLeaf32 = SlotLeaf<512, 12, 12, 6>;
using OnceFloats = Floats<gpu::msd::ScatterShared<Key32, 1024, 32, 4096>, 1, FloatLeaf32, 3>;
using TwiceFloats = Floats<gpu::msd::ScatterShared<Key32, 512, 24, 256, 91>, 2, FloatLeaf32, 3>;
// Of 2^27 floats of [0, 1), each value comes eight times, and a leaf has 570 values: with more slots than values, few
// slots are for two.
// measured: f32, 2^27, Gkeys/s: [0, 1) 70.2 (640 slots) vs 63.4 (512), normal 60.1 vs 62.7; H100, spread.1.txt
using TwiceLargeFloats =
    Floats<gpu::msd::ScatterShared<Key32, 1024, 24, 512, 91>, 1, SlotLeaf<640, 10, 12, 5>, 2>;
constexpr std::size_t kManyFloatsFrom = 140'000'000;
using ManyFloats = Floats<gpu::msd::ScatterShared<Key32, 1024, 24, 512, 91>, 1, FloatLeaf32, 3>;

using Leaf64 = gpu::msd::LeafShared<Key64, 512, 12, 13>;
using Once64 =
    gpu::radix::msd_hybrid::Tuning<gpu::msd::ScatterShared<Key64, 1024, 16, 2048>, 1, Leaf64, 2>;
using Twice64 = gpu::radix::msd_hybrid::Tuning<gpu::msd::ScatterShared<Key64, 512, 16>, 2, Leaf64,
                                               2, gpu::radix::msd_hybrid::Uneven::equalize>;
using TwiceLarge64 =
    gpu::radix::msd_hybrid::Tuning<gpu::msd::ScatterShared<Key64, 1024, 16, 256, 91>, 1, Leaf64, 2,
                                   gpu::radix::msd_hybrid::Uneven::equalize>;
using OnceFloats64 = Floats<gpu::msd::ScatterShared<Key64, 1024, 16, 2048>, 1, Leaf64, 2>;
using TwiceFloats64 = Floats<gpu::msd::ScatterShared<Key64, 512, 16>, 2, Leaf64, 2>;
using TwiceLargeFloats64 = Floats<gpu::msd::ScatterShared<Key64, 1024, 16, 256, 91>, 1, Leaf64, 2>;

/// Whether n floats are spread: with two levels at most, as after a third one what the fall-back begins with would be gone.
template <class Tuning>
bool are_spread(std::size_t n) {
  constexpr bool kIsWide = sizeof(typename Tuning::Scatter::Bits) == 8;
  gpu::Layout layout;
  return n >= (kIsWide ? kFloatsSpreadFrom64 : kFloatsSpreadFrom) &&
         gpu::radix::msd_hybrid::make_plan<Tuning>(layout, n).even_levels <= 2;
}

/// Calls use(tuning) for n keys of 4 or 8 bytes, which may be floats.
template <class Use>
auto with_tuning(std::size_t n, Key32, bool are_floats, Use use) {
  // Two waves of Once's tiles.
  // measured: u32, ms: 8.4 million keys 0.128 (Once), 10 million 0.193 (Once) vs 0.171 (Twice); H200,
  // slots.5.txt
  constexpr std::size_t kOnceBelow = 8'650'000;
  // One block per SM is slower where tiles are few.
  // measured: u32, ms: at 2^24 0.250 (one block) vs 0.234 (two), at 2^27 1.55 vs 1.60; H200,
  // slots.3.txt and .4
  constexpr std::size_t kLargeFrom = 1u << 26;
  const bool spreads = are_floats && are_spread<ManyFloats>(n);
  if (n < kOnceBelow) return spreads ? use(OnceFloats{}) : use(Once{});
  if (n < kLargeFrom) return spreads ? use(TwiceFloats{}) : use(Twice{});
  if (!spreads) return use(TwiceLarge{});
  return n < kManyFloatsFrom ? use(TwiceLargeFloats{}) : use(ManyFloats{});
}
template <class Use>
auto with_tuning(std::size_t n, Key64, bool are_floats, Use use) {
  // Three waves of Once64's tiles and more; beyond, Twice64 is ahead before they need a fourth wave.
  // measured: u64, ms: 6.6 million keys 0.188 (Once64) vs 0.223 (Twice64), 8.0 million 0.210 vs 0.249;
  // H200, small.7.txt and .8
  constexpr std::size_t kOnceBelow = 7'300'000;
  // measured: 2^27 u64, ms: 2.93 (with slots) vs 3.05 (without); H200, equalize.1.txt
  constexpr std::size_t kLargeFrom = 1u << 26;
  const bool spreads = are_floats && are_spread<TwiceLargeFloats64>(n);
  if (n < kOnceBelow) return spreads ? use(OnceFloats64{}) : use(Once64{});
  if (n < kLargeFrom) return spreads ? use(TwiceFloats64{}) : use(Twice64{});
  return spreads ? use(TwiceLargeFloats64{}) : use(TwiceLarge64{});
}

struct MsdHybrid {
  static constexpr Info info{
      .summary = "MSD partition by the top bits, buckets sorted in shared memory",
      .source = "Stehle and Jacobsen 2017",
      .after = "gpu/radix/ballot_1bit",
      .candidate = Candidate{.rank = 6, .block_kib = 189, .sm_kib = 190},
      .memory = Memory::device,
      .stable = false,
      .alternate = true};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    const auto bytes = [&]<class Tuning>(Tuning) {
      return gpu::radix::msd_hybrid::bytes_of<Tuning>(request.n);
    };
    const auto most = [&](auto bits) {
      return std::max(with_tuning(request.n, bits, false, bytes),
                      with_tuning(request.n, bits, true, bytes));
    };
    return request.key_bytes == 4 ? most(Key32{}) : most(Key64{});
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Key = typename Job::Key;
    using Bits = BitsOf<Key>;
    const gpu::msd::Buffers<Bits> buffers{gpu::as_bits(job.data).keys,
                                          gpu::as_bits(job.alternate).keys, gpu::key_map_of(job),
                                          gpu::given_items(job).keys};
    if constexpr (std::is_same_v<Key, float>) {
      if (job.n < kFloatsSpreadFrom) {
        gpu::radix::msd_hybrid::sweep_alone(job.stream, job.workspace.data(), buffers, job.n);
        return ResultIn::data;
      }
    }
    with_tuning(job.n, Bits{}, std::is_floating_point_v<Key>, [&]<class Tuning>(Tuning) {
      gpu::radix::msd_hybrid::sort_on<Tuning>(job.stream, job.workspace.data(), buffers, job.n);
    });
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(MsdHybrid, AllKeys, KeysOnly);

}  // namespace
}  // namespace sortlab
