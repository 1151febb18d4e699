// The search of cut.cuh by sixteen lanes, each with one of the sixteen samples of a round,
// which they show each other: more instructions in all, but fewer in a row. This finds few cuts sooner
// and many cuts later.
// measured: u32, all searches, ms: at 2^21 0.037 (lanes) vs 0.073 (threads), at 2^27 0.55 vs 0.31; H200,
// docs/lab/gpu/merge/multiway.md
#pragma once

#include <cstddef>

#include "gpu/merge/multiway/cut.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::merge::multiway {

constexpr unsigned kLanesACut = kWays * kCandidates;

/// How many of a cut's samples come before this lane's. Among equals those of the runs in front do;
/// of the lanes in `exist` each has a sample.
template <class Less, bool kAllExist, class Key>
__device__ __forceinline__ unsigned rank_among_runs(const Key& mine, unsigned exist) {
  const unsigned first_lane = lane_id() / kLanesACut * kLanesACut;
  const unsigned run = lane_id() % kLanesACut / kCandidates;
  unsigned rank = lane_id() % kCandidates;
#pragma unroll
  for (unsigned turn = 1; turn < kWays; ++turn) {
    const unsigned other = (run + turn) % kWays;
    const bool in_front = other < run;
#pragma unroll
    for (unsigned c = 0; c < kCandidates; ++c) {
      const unsigned lane = first_lane + other * kCandidates + c;
      const Key theirs = gpu::from_lane(mine, lane);
      bool is_before = in_front ? !Less{}(mine, theirs) : Less{}(theirs, mine);
      if constexpr (!kAllExist) is_before &= (exist >> lane & 1) != 0;
      rank += is_before ? 1 : 0;
    }
  }
  return rank;
}

/// How many of the first `d` outputs of the group's merge come from this lane's run.
template <class Less, class Key>
__device__ std::size_t cut_of_run(const Key* keys, const Key* samples, RunGroup group,
                                  std::size_t d) {
  const unsigned run = lane_id() % kLanesACut / kCandidates;
  const unsigned candidate = lane_id() % kCandidates;
  const std::size_t run_begin = group.run_begin(run);
  const std::size_t run_count = group.run_count(run);
  unsigned shift = 0;  // the stride is 1 << shift
  while (std::size_t{kCandidates} << shift < group.width) ++shift;

  std::size_t below = 0;  // samples in front of the candidates
  while (true) {
    const bool sampled = shift >= kLogSampled;
    const Key* const array = sampled ? samples : keys;
    const unsigned log_a_place = sampled ? kLogSampled : 0;
    const std::size_t index = below + candidate;
    const bool exists = index < run_count >> shift;
    // Without a sample any item, which is compared in vain.
    const Key mine =
        exists ? array[(run_begin >> log_a_place) + ((index + 1) << (shift - log_a_place)) - 1]
               : keys[group.begin];
    const unsigned exist = __ballot_sync(kAllLanes, exists);
    auto needed = static_cast<unsigned>(below);
#pragma unroll
    for (unsigned distance = kCandidates; distance < kLanesACut; distance *= 2) {
      needed += __shfl_xor_sync(kAllLanes, needed, distance);
    }
    needed = static_cast<unsigned>(d >> shift) - needed;  // small in the end
    const unsigned rank = exist == kAllLanes ? rank_among_runs<Less, true>(mine, exist)
                                             : rank_among_runs<Less, false>(mine, exist);
    const unsigned counted = __ballot_sync(kAllLanes, exists && rank < needed);
    below += __popc(counted >> (lane_id() - candidate) & ((1u << kCandidates) - 1));
    if (shift == 0) return below;
    --shift;
    below = below < 2 ? 0 : 2 * below - 3;
  }
}

}  // namespace sortlab::gpu::merge::multiway
