// Cuts sorted runs at a rank: what merge sorts call multisequence selection. Needs no CUDA.
//
//   run 0  | 1 3 3 | 7 9       rank 5 of the merged runs: the five items left of the cuts come first.
//   run 1  | 2 | 3 8           Equal keys are cut in the order of the runs, so a sort in pieces is stable.
//   run 2  | 2... |
//
// The cut key is found bit by bit, from the highest; each bit takes a binary search in every run, in a window that
// shrinks. So any rank can be cut exactly, whatever the keys are, and all buckets have the same size.
// Source: Varman et al. 1991, for the problem; the search by bits is our own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/offload/plan.hpp"

namespace sortlab::gpu::offload {

/// Writes to cuts[p] how many items of run p are among the first `rank` of all. The runs are the pieces of `plan`, each
/// sorted.
template <class Bits>
void cut_runs(const Bits* keys, KeyMap<Bits> map, const PiecePlan& plan, std::size_t rank,
              std::span<std::size_t> cuts) {
  const auto first_from = [&](std::size_t run, Bits bound, std::size_t low, std::size_t high) {
    const Bits* const begin = keys + plan.begin(run);
    const Bits* const found = std::partition_point(
        begin + low, begin + high, [&](Bits key) { return map.ordered(key) < bound; });
    return static_cast<std::size_t>(found - begin);
  };

  // Invariant: below cuts[p] run p has only keys before `cut_key`, and cuts[p] add up to at most `rank`.
  std::vector<std::size_t> high(plan.pieces), middle(plan.pieces);
  for (std::size_t run = 0; run < plan.pieces; ++run) {
    cuts[run] = 0;
    high[run] = plan.size(run);
  }
  Bits cut_key = 0;
  for (Bits bit = Bits{1} << (8 * sizeof(Bits) - 1); bit != 0; bit >>= 1) {
    std::size_t before = 0;
    for (std::size_t run = 0; run < plan.pieces; ++run) {
      middle[run] = first_from(run, cut_key | bit, cuts[run], high[run]);
      before += middle[run];
    }
    if (before <= rank) {
      cut_key |= bit;
      std::copy(middle.begin(), middle.end(), cuts.begin());
    } else {
      high.swap(middle);
    }
  }
  // Between cuts[p] and high[p], run p has keys equal to cut_key.
  std::size_t missing = rank;
  for (const std::size_t cut : cuts) missing -= cut;
  for (std::size_t run = 0; run < plan.pieces; ++run) {
    const std::size_t taken = std::min(missing, high[run] - cuts[run]);
    cuts[run] += taken;
    missing -= taken;
  }
}

}  // namespace sortlab::gpu::offload
