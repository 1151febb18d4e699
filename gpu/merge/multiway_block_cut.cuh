// Where a block's outputs begin and end in its four runs, found by the block itself: as in
// multiway_cut.cuh, but three bits a round, a warp for each run. For inputs so small that the time
// is that of waiting for the memory, round by round.
//
// With s / 8 for the stride s, a run has eight times its count of samples, plus at most 7, minus at
// most 21: 28 candidates of each run, which every lane ranks in the other runs by binary searches.
#pragma once

#include <cstddef>

#include "gpu/merge/multiway_cut.cuh"
#include "gpu/primitives/warp.cuh"

namespace sortlab::gpu::multiway {

constexpr unsigned kBitsARound = 3;
constexpr unsigned kMostGain = (1u << kBitsARound) - 1;
constexpr unsigned kMostLoss = (kWays - 1) * kMostGain;
static_assert(kMostGain + kMostLoss <= kWarp);

/// Whether `theirs`, an item of run `other`, comes before `mine`, an item of run `run`.
template <class Less, class Key>
__device__ __forceinline__ bool comes_before(Key theirs, unsigned other, Key mine, unsigned run) {
  return other < run ? !Less{}(mine, theirs) : Less{}(theirs, mine);
}

/// Sample number `number` of a run of `count` items, by strides of 1 << shift, if it exists.
template <class Key>
__device__ __forceinline__ bool load_sample(const Key* run, std::size_t count, std::size_t number,
                                            unsigned shift, Key& sample) {
  const std::size_t index = ((number + 1) << shift) - 1;
  const bool exists = index < count;
  if (exists) sample = run[index];
  return exists;
}

/// What the warps of a block tell each other in a round: of each cut and run, the candidates.
template <class Key>
struct Candidates {
  Key keys[2][kWays][kWarp];
  unsigned count[2][kWays];  // those that exist
  unsigned below[2][kWays];  // samples in front of them, modulo 2^32
};

/// How many of the `count` candidates of run `other` come before `mine`.
template <class Less, class Key>
__device__ __forceinline__ unsigned rank_in_candidates(const Key (&candidates)[kWarp],
                                                       unsigned other, unsigned count, Key mine,
                                                       unsigned run) {
  unsigned before = 0;
#pragma unroll
  for (const unsigned step : {16u, 8u, 4u, 2u, 1u, 1u}) {
    const unsigned last = before + step - 1;
    if (last < count && comes_before<Less>(candidates[last], other, mine, run)) before += step;
  }
  return before;
}

/// s_cut[c][r]: how many of the first ends[c] outputs come from run r; false, and no cuts, when no
/// thread wants them, which costs no time before the first samples. All threads of the block call
/// it, at least 8 warps; s_rounds is room in shared memory, and there is a barrier at the end.
template <class Less, class Key>
__device__ bool cut_by_block(const Key* keys, RunGroup group, const std::size_t (&ends)[2],
                             bool wanted, Candidates<Key>* s_rounds,
                             std::size_t (&s_cut)[2][kWays]) {
  const bool works = warp_id() < 2 * kWays;
  const unsigned cut = warp_id() / kWays % 2;
  const unsigned run = warp_id() % kWays;
  const std::size_t d = ends[cut];
  const std::size_t run_count = group.run_count(run);
  const Key* const run_keys = keys + group.run_begin(run);
  unsigned shift = 0;  // the stride is 1 << shift
  while (std::size_t{kWarp} << shift < group.width) shift += kBitsARound;

  std::size_t below = 0;
  for (unsigned round = 0;; ++round) {
    // Whoever is a round ahead writes to the other half of the room.
    auto& s = s_rounds[round % 2];
    Key mine{};
    bool exists = false;
    if (works) {
      exists = load_sample(run_keys, run_count, below + lane_id(), shift, mine);
      const unsigned count = __popc(__ballot_sync(kAllLanes, exists));
      s.keys[cut][run][lane_id()] = mine;
      if (lane_id() == 0) {
        s.count[cut][run] = count;
        s.below[cut][run] = static_cast<unsigned>(below);
      }
    }
    if (!__syncthreads_or(wanted)) return false;
    if (works) {
      unsigned needed = static_cast<unsigned>(d >> shift) - static_cast<unsigned>(below);
      unsigned rank = lane_id();
#pragma unroll
      for (unsigned turn = 1; turn < kWays; ++turn) {
        const unsigned other = (run + turn) % kWays;
        needed -= s.below[cut][other];
        rank += rank_in_candidates<Less>(s.keys[cut][other], other, s.count[cut][other], mine, run);
      }
      below += __popc(__ballot_sync(kAllLanes, exists && rank < needed));
    }
    if (shift == 0) break;
    shift -= kBitsARound;
    below = below << kBitsARound;
    below = below < kMostLoss ? 0 : below - kMostLoss;
  }
  if (works && lane_id() == 0) s_cut[cut][run] = below;
  __syncthreads();
  return true;
}

}  // namespace sortlab::gpu::multiway
