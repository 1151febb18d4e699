// Which tuning of the sort takes n keys, and the sort with it. Its kernels are compiled in a file for each width of keys.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/radix/msd_hybrid/sort.cuh"

namespace sortlab::gpu::radix::msd_hybrid {

using Key32 = std::uint32_t;
using Key64 = std::uint64_t;

/// Blocks and tiles for the H200.
template <unsigned kThreads, unsigned kItems, unsigned kBinBits, unsigned kGroup>
using SlotLeaf = msd::SlotShared<
    msd::LeafShared<Key32, kThreads, kItems, kBinBits, kGroup, msd::kSlotBytes<Key32, kThreads>>>;
using Leaf32 = SlotLeaf<512, 10, 12, 5>;

using Once = Tuning<msd::ScatterShared<Key32, 1024, 32, 4096>, 1, Leaf32, 3>;
using Twice = Tuning<msd::ScatterShared<Key32, 512, 24, 256, 91>, 2, Leaf32, 3>;
using TwiceLarge = Tuning<msd::ScatterShared<Key32, 1024, 24, 512, 91>, 1, Leaf32, 3>;

using Leaf64 = msd::LeafShared<Key64, 512, 12, 13>;
using Once64 = Tuning<msd::ScatterShared<Key64, 1024, 16, 2048>, 1, Leaf64, 2>;
using Twice64 = Tuning<msd::ScatterShared<Key64, 512, 16>, 2, Leaf64, 2>;
using TwiceLarge64 = Tuning<msd::ScatterShared<Key64, 1024, 16, 256, 91>, 1, Leaf64, 2>;

// Floats of 64 bits are spread (spread_map.hpp). Those of either sign fill little more than three quarters of the
// numbers, or 50 64ths.
template <class Scatter, unsigned kScatterBlocks, class Leaf, unsigned kLeafBlocks>
using Floats = Tuning<Scatter, kScatterBlocks, Leaf, kLeafBlocks, true, 50>;
/// Fewer floats of 64 bits, and all of 32, are sorted by sweeps.
/// measured: us, [0, 1), spread and by sweeps: 1.1 million f64 114 vs 121, 2.0 million 119 vs 146; f32 of 4.3 million 102
/// vs 108, 30 million 454 vs 485, but keys of programs took 1.2 times as long; H200, h200/attempts/look.2.txt
constexpr std::size_t kFloatsSpreadFrom = 2'000'000;
using OnceFloats64 = Floats<msd::ScatterShared<Key64, 1024, 16, 2048>, 1, Leaf64, 2>;
using TwiceFloats64 = Floats<msd::ScatterShared<Key64, 512, 16>, 2, Leaf64, 2>;
using TwiceLargeFloats64 = Floats<msd::ScatterShared<Key64, 1024, 16, 256, 91>, 1, Leaf64, 2>;

/// Calls use(tuning) for n keys of 4 or 8 bytes, which may be floats.
template <class Use>
auto with_tuning(std::size_t n, Key32, bool, Use use) {
  // Two waves of Once's tiles.
  // measured: u32, ms: 8.4 million keys 0.128 (Once), 10 million 0.193 (Once) vs 0.171 (Twice); H200,
  // slots.5.txt
  constexpr std::size_t kOnceBelow = 8'650'000;
  // One block per SM is slower where tiles are few.
  // measured: u32, ms: at 2^24 0.250 (one block) vs 0.234 (two), at 2^27 1.55 vs 1.60; H200,
  // slots.3.txt and .4
  constexpr std::size_t kLargeFrom = 1u << 26;
  if (n < kOnceBelow) return use(Once{});
  return n < kLargeFrom ? use(Twice{}) : use(TwiceLarge{});
}
template <class Use>
auto with_tuning(std::size_t n, Key64, bool are_floats, Use use) {
  // Three waves of Once64's tiles and more; beyond, Twice64 is ahead before they need a fourth wave.
  // measured: u64, ms: 6.6 million keys 0.188 (Once64) vs 0.223 (Twice64), 8.0 million 0.210 vs 0.249;
  // H200, small.7.txt and .8
  constexpr std::size_t kOnceBelow = 7'300'000;
  // measured: 2^27 u64, ms: 2.93 (with slots) vs 3.05 (without); H200, equalize.1.txt
  constexpr std::size_t kLargeFrom = 1u << 26;
  if (n < kOnceBelow) return are_floats ? use(OnceFloats64{}) : use(Once64{});
  if (n < kLargeFrom) return are_floats ? use(TwiceFloats64{}) : use(Twice64{});
  return are_floats ? use(TwiceLargeFloats64{}) : use(TwiceLarge64{});
}

/// Sorts n keys with the tuning for them.
template <class Bits>
void sort_tuned(cudaStream_t stream, std::byte* workspace, const msd::Buffers<Bits>& buffers,
                std::size_t n, bool are_floats) {
  if (are_floats && (sizeof(Bits) == 4 || n < kFloatsSpreadFrom)) {
    return sweep_alone(stream, workspace, buffers, n);
  }
  with_tuning(n, Bits{}, are_floats,
              [&]<class Tuning>(Tuning) { sort_on<Tuning>(stream, workspace, buffers, n); });
}

extern template void sort_tuned(cudaStream_t, std::byte*, const msd::Buffers<Key32>&, std::size_t,
                                bool);
extern template void sort_tuned(cudaStream_t, std::byte*, const msd::Buffers<Key64>&, std::size_t,
                                bool);

}  // namespace sortlab::gpu::radix::msd_hybrid
