// Where a stable merge of four sorted runs stands after its first d outputs: a warp finds the four
// positions at once, one bit of them a round.
//
// Of each run only every s-th item is looked at (the last of each stretch of s), and the first
// floor(d / s) of these samples, in the order of the merge, are counted for each run. When s is
// halved, the counts double and are off by few: at most 3 too many (a run can have gained a sample
// below the old border in each of the other runs' stead), at most 1 too few. So 8 candidates of each
// run are enough, one a lane, and the round costs one load a lane, whatever the runs hold:
//
//     lane  0 .. 7 | 8 .. 15 | 16 .. 23 | 24 .. 31      each ranks its sample in the 3 other runs
//           run 0     run 1     run 2      run 3        by 4 shuffles a run; rank < needed: counted
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
constexpr unsigned kCandidates = kWarp / kWays;

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

/// A sample of a run, or one behind its end.
template <class Key>
struct Sample {
  Key key;
  std::size_t index;
  bool exists;
};

/// Whether the sample `a` of run `run_a` comes before `b` of run `run_b` in the merge.
template <class Less, class Key>
__device__ __forceinline__ bool comes_before(const Sample<Key>& a, unsigned run_a,
                                             const Sample<Key>& b, unsigned run_b) {
  if (a.exists && b.exists) return run_a < run_b ? !Less{}(b.key, a.key) : Less{}(a.key, b.key);
  if (a.exists || b.exists) return a.exists;
  return a.index < b.index || (a.index == b.index && run_a < run_b);
}

/// All lanes of a warp call it; lane 8 r returns how many of the first `d` outputs come from run r.
template <class Less, class Key>
__device__ std::size_t cut_of_run(const Key* keys, RunGroup group, std::size_t d) {
  const unsigned run = lane_id() / kCandidates;
  const unsigned candidate = lane_id() % kCandidates;
  const std::size_t run_count = group.run_count(run);
  const Key* const run_keys = keys + group.run_begin(run);
  std::size_t stride = 1;
  while (stride * kCandidates < group.width) stride *= 2;

  std::size_t counted = 0;  // samples of this lane's run below its candidates
  while (true) {
    const auto index_of = [=](std::size_t below, unsigned place) {
      return (below + place + 1) * stride - 1;
    };
    Sample<Key> mine{{}, index_of(counted, candidate), false};
    mine.exists = mine.index < run_count;
    if (mine.exists) mine.key = run_keys[mine.index];
    std::size_t all_counted = counted;
    unsigned rank = candidate;
#pragma unroll
    for (unsigned turn = 1; turn < kWays; ++turn) {
      const unsigned other = (run + turn) % kWays;
      const std::size_t other_counted = shuffle(counted, other * kCandidates);
      all_counted += other_counted;
      unsigned smaller = 0;
#pragma unroll
      for (const unsigned step : {4u, 2u, 1u, 1u}) {
        const unsigned place = smaller + step - 1;
        Sample<Key> theirs{shuffle(mine.key, other * kCandidates + place),
                           index_of(other_counted, place), false};
        theirs.exists = theirs.index < group.run_count(other);
        if (comes_before<Less>(theirs, other, mine, run)) smaller += step;
      }
      rank += smaller;
    }
    const unsigned chosen = __ballot_sync(kAllLanes, rank < d / stride - all_counted);
    counted += __popc(chosen >> (run * kCandidates) & ((1u << kCandidates) - 1));
    if (stride == 1) return counted;
    stride /= 2;
    counted = counted * 2 < kCandidates / 2 ? 0 : counted * 2 - kCandidates / 2;
  }
}

}  // namespace sortlab::gpu::multiway
