// The blocks of a grid hold one row, or its kept items, in their registers. A few counts of bins then find the k-th. A row of
// up to a million keys needs no sample, and one launch instead of three.
//
//   registers of all blocks   . . x . x | . . . x . | x . . . .
//   bins of all, in memory    added up, behind a barrier of the grid: the k-th's bin, which is cut in the same way
//
// Of keys that equal the k-th the first places are found by counts of bins, too.
// measured: one row of 1M f32, k = 10,000, us: 15 unsorted and 35 sorted (this; h200/top_k_grid.csv.xz) vs 63 (sample, filter and
// sort; h200/attempts/top_k.3.txt.xz); H200
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/topk/select/kernels.cuh"

namespace sortlab::gpu::topk::select {

using HoldCrew = Crew<kThreads>;
constexpr unsigned kHeld = 16;       // keys of a thread
constexpr unsigned kHoldCounts = 6;  // three of bits and three of places, 11 bits each
/// In memory, behind the bins of all counts: how many items are taken.
constexpr unsigned kHoldWords = kHoldCounts * HoldCrew::kBins + 1;

/// Reads the keys of the row, or its kept items (kAreKept). Leaves the best k as the result, in any order; or, where they are to
/// be sorted, as those that are kept, perhaps with a few more.
template <bool kAreKept, bool kIsSorted>
__global__ void __launch_bounds__(kThreads)
    hold_row(Hunt<std::uint32_t> hunt, Best<std::uint32_t> best) {
  using Bits = std::uint32_t;
  __shared__ unsigned s_begin;
  auto& s_crew = *reinterpret_cast<typename HoldCrew::Shared*>(dynamic_shared());
  HoldCrew crew(s_crew);
  const GridBarrier grid;
  // measured: one row of 32,768 sorted f32, k = 2048, us: 13.0 (the length is a parameter where it is used) vs 13.7 (a variable
  // for both kinds); H200, h200/attempts/top_k.15.csv.xz
  const unsigned of_kept = kAreKept ? hunt.counts[0] : 0;
  const auto has = [&](unsigned i) { return i < (kAreKept ? of_kept : hunt.length); };
  const unsigned k = min(hunt.k_of(0), kAreKept ? of_kept : hunt.length);
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x, threads = gridDim.x * kThreads;
  if (!kAreKept && thread == 0) hunt.counts[0] = k;
  if (k == 0) return;
  for (unsigned i = thread; i < kHoldWords; i += threads) hunt.bins[i] = 0;
  const auto arrival = grid.barrier_arrive();
  const Bits* const keys = kAreKept ? hunt.kept.bits : hunt.keys;
  Bits bits[kHeld];
  std::uint32_t places[kAreKept ? kHeld : 1];  // all are read before any are written
#pragma unroll
  for (unsigned j = 0; j < kHeld; ++j) {
    const unsigned i = j * threads + thread;
    bits[j] = has(i) ? keys[i] : 0;
    if constexpr (kAreKept) places[j] = has(i) ? hunt.kept.places[i] : 0;
  }
  if constexpr (!kAreKept) hunt.map.order(bits);
  grid.barrier_wait(arrival);

  const auto for_each = [&](auto use) {
#pragma unroll
    for (unsigned j = 0; j < kHeld; ++j) {
      const unsigned i = j * threads + thread;
      if (has(i)) use(bits[j], kAreKept ? places[kAreKept ? j : 0] : i, j);
    }
  };
  unsigned* bins = hunt.bins;
  const auto add_up = [&] {
    __syncthreads();
    for (unsigned b = threadIdx.x; b < HoldCrew::kBins; b += kThreads) {
      if (s_crew.bins[b] != 0) atomicAdd(&bins[b], s_crew.bins[b]);
    }
    grid.sync();
    for (unsigned b = threadIdx.x; b < HoldCrew::kBins; b += kThreads) {
      s_crew.bins[b] = __ldcg(&bins[b]);
    }
    bins += HoldCrew::kBins;
  };
  const unsigned slack = kIsSorted ? min(slack_of(k), hunt.room - k) : 0;
  const auto bound = bound_between<Bits>(
      0, ~0u, k, slack, crew,
      [&](const auto& cut) {
        for_each([&](Bits one, unsigned, unsigned) {
          if (cut.has(one)) crew.count(cut.bin(one));
        });
      },
      add_up);
  unsigned last = ~0u, all = bound.before + bound.inside;
  if (all > k + slack) {
    last = bound_between<std::uint32_t>(
               0, hunt.length - 1, k - bound.before, 0, crew,
               [&](const auto& cut) {
                 for_each([&](Bits one, unsigned place, unsigned) {
                   if (one == bound.word && cut.has(place)) crew.count(cut.bin(place));
                 });
               },
               add_up)
               .word;
    all = k;
  }

  unsigned taken = 0;
  for_each([&](Bits one, unsigned place, unsigned j) {
    if (one < bound.word || (one == bound.word && place <= last)) taken |= 1u << j;
  });
  const auto sums = crew.sums(__popc(taken));
  if (threadIdx.x == 0) s_begin = atomicAdd(&hunt.bins[kHoldWords - 1], sums.all);
  __syncthreads();
  unsigned at = s_begin + sums.before;
  for_each([&](Bits one, unsigned place, unsigned j) {
    if ((taken >> j & 1) == 0) return;
    if constexpr (kIsSorted) {
      hunt.kept.bits[at] = one;
      hunt.kept.places[at] = place;
    } else {
      best.write(0, at, {one, place}, hunt.map);
    }
    ++at;
  });
  if (thread == 0) hunt.counts[0] = all;
}

}  // namespace sortlab::gpu::topk::select
