// Where a stable merge of four sorted runs stands after its first d outputs: a warp finds the four
// positions at once, two bits of them a round.
//
// Of each run only every s-th item is looked at (the last of each stretch of s), and the first
// floor(d / s) of these samples, in the order of the merge, are counted for each run. With s / 4
// for s, a run has four times its count, plus at most 3 (its samples in front of the next old one),
// minus at most 9 (what the other runs have gained in this way). So 16 candidates of each run are
// enough, two a lane, and the round costs two loads a lane, whatever the runs hold:
//
//     lane  0 .. 7 | 8 .. 15 | 16 .. 23 | 24 .. 31      each ranks its samples in the 3 other runs
//           run 0     run 1     run 2      run 3        by 5 shuffles a run; rank < needed: counted
//
// Runs may be of any length: behind its end a run goes on with samples larger than any key, which
// are ordered by position first, so that no run can be counted beyond the longest run's length.
// Source: the sampling is that of Varman et al. (1991), one-thread multisequence selection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "gpu/primitives/warp.cuh"

namespace sortlab::gpu::multiway {

constexpr unsigned kWays = 4;
constexpr unsigned kLanesARun = kWarp / kWays;
constexpr unsigned kPerLane = 2;
constexpr unsigned kCandidates = kLanesARun * kPerLane;

/// Four neighbouring runs of `width` items, of which the last ones may be short or empty.
struct RunGroup {
  std::size_t begin;
  std::size_t width;
  std::size_t count;

  __device__ __forceinline__ std::size_t run_begin(unsigned run) const {
    return begin + run * width;
  }
  __device__ __forceinline__ std::size_t run_count(unsigned run) const {
    const std::size_t before = run * width;
    if (count <= before) return 0;
    return count - before < width ? count - before : width;
  }
};

/// The value of another lane, of any type that may be copied byte by byte.
template <class T>
__device__ __forceinline__ T shuffle(T value, unsigned lane) {
  constexpr unsigned kWords = (sizeof(T) + 3) / 4;
  std::uint32_t words[kWords] = {};
  std::memcpy(words, &value, sizeof(T));
#pragma unroll
  for (unsigned w = 0; w < kWords; ++w) words[w] = __shfl_sync(kAllLanes, words[w], lane);
  std::memcpy(&value, words, sizeof(T));
  return value;
}

/// Whether `theirs`, an item of run `other`, comes before `mine`, an item of run `run`.
template <class Less, class Key>
__device__ __forceinline__ bool comes_before(Key theirs, unsigned other, Key mine, unsigned run) {
  return other < run ? !Less{}(mine, theirs) : Less{}(theirs, mine);
}

/// How many of the candidates of run `other`, of which `existing` exist, come before `mine`. All
/// lanes call it; lane l of a run holds its candidates 2 l and 2 l + 1.
template <class Less, class Key>
__device__ __forceinline__ unsigned rank_in_run(const Key (&candidates)[kPerLane], unsigned other,
                                                unsigned existing, Key mine, unsigned run) {
  const unsigned first_lane = other * kLanesARun;
  unsigned lanes = 0;  // whose candidates all come before
#pragma unroll
  for (const unsigned step : {4u, 2u, 1u, 1u}) {
    const unsigned lane = lanes + step - 1;
    const Key theirs = shuffle(candidates[1], first_lane + lane);
    if (2 * lane + 1 < existing && comes_before<Less>(theirs, other, mine, run)) lanes += step;
  }
  const Key theirs = shuffle(candidates[0], first_lane + lanes % kLanesARun);
  return 2 * lanes + (2 * lanes < existing && comes_before<Less>(theirs, other, mine, run));
}

/// The integer `x`, or what of [0, most] is next to it.
__device__ __forceinline__ unsigned clamped(std::ptrdiff_t x, unsigned most) {
  return x < 0 ? 0 : x < most ? static_cast<unsigned>(x) : most;
}

/// All lanes of a warp call it; lane 8 r returns how many of the first `d` outputs come from run r.
template <class Less, class Key>
__device__ std::size_t cut_of_run(const Key* keys, RunGroup group, std::size_t d) {
  const unsigned run = lane_id() / kLanesARun;
  const unsigned first = lane_id() % kLanesARun * kPerLane;
  const std::size_t run_count = group.run_count(run);
  const Key* const run_keys = keys + group.run_begin(run);
  unsigned shift = 0;  // the stride is 1 << shift
  while (std::size_t{kCandidates} << shift < group.width) shift += 2;

  std::size_t below = 0;  // samples of this lane's run in front of its candidates
  while (true) {
    Key mine[kPerLane] = {};
    bool exists[kPerLane];
    unsigned rank[kPerLane];
#pragma unroll
    for (unsigned c = 0; c < kPerLane; ++c) {
      const std::size_t index = ((below + first + c + 1) << shift) - 1;
      exists[c] = index < run_count;
      if (exists[c]) mine[c] = run_keys[index];
      rank[c] = first + c;
    }
    const unsigned existing =
        clamped(static_cast<std::ptrdiff_t>((run_count >> shift) - below), kCandidates);
    std::size_t needed = (d >> shift) - below;
#pragma unroll
    for (unsigned turn = 1; turn < kWays; ++turn) {
      const unsigned other = (run + turn) % kWays;
      const std::size_t other_below = shuffle(below, other * kLanesARun);
      const unsigned other_existing = shuffle(existing, other * kLanesARun);
      needed -= other_below;
#pragma unroll
      for (unsigned c = 0; c < kPerLane; ++c) {
        unsigned smaller = rank_in_run<Less>(mine, other, other_existing, mine[c], run);
        if (!exists[c]) {
          const auto by_index = static_cast<std::ptrdiff_t>(below + first + c - other_below);
          smaller = max(other_existing, clamped(by_index + (other < run), kCandidates));
        }
        rank[c] += smaller;
      }
    }
#pragma unroll
    for (unsigned c = 0; c < kPerLane; ++c) {
      const unsigned chosen = __ballot_sync(kAllLanes, rank[c] < needed);
      below += __popc(chosen >> (run * kLanesARun) & ((1u << kLanesARun) - 1));
    }
    if (shift == 0) return below;
    shift -= 2;
    below = below < 3 ? 0 : 4 * below - 12;
  }
}

}  // namespace sortlab::gpu::multiway
