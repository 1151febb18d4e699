// Where a stable merge of four sorted runs stands after its first d outputs: a thread finds the four
// positions at once, one bit of each a round.
//
// Of each run only every s-th item is looked at (the last of each stretch of s), and the first
// floor(d / s) of these samples, in the order of the merge, are counted for each run. With s / 2
// for s, a run has twice its count, plus at most 1 (its sample in front of the next old one), minus
// at most 3 (what the other runs have gained in this way). So 4 candidates of each run are enough,
// and each is ranked among the others: rank < needed: counted.
//
// All runs but the last are of full width, a multiple of s, so that the samples that exist are
// always enough. Samples are few, so that a thread for each cut, which loads 16 at a time, costs
// fewer instructions than lanes that exchange theirs.
// Source: the sampling is that of Varman et al. (1991), one-thread multisequence selection.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::merge::multiway {

/// A separate array holds every kSampled-th item of an array. A search reads these until its
/// strides are smaller: neighbours share a sector, and all of them stay in the L2. With them the
/// searches for 2^27 u32 take 0.33 ms instead of 0.63 (H200).
constexpr unsigned kLogSampled = 5;
constexpr unsigned kSampled = 1u << kLogSampled;

/// Copies every kSampled-th item of an array to `samples`, unless that is null. The block has
/// `count` items of the array from number `begin` on; key_at(i) is item i of the block.
template <class P, class KeyAt>
__device__ __forceinline__ void store_samples(std::size_t begin, unsigned count,
                                              typename P::Key* samples, KeyAt key_at) {
  if (samples == nullptr) return;
  const std::size_t first = begin / kSampled;
  const auto before = static_cast<unsigned>(begin % kSampled);
  const unsigned held = (before + count) / kSampled;
  for (unsigned s = threadIdx.x; s < held; s += P::kThreads) {
    samples[first + s] = key_at((s + 1) * kSampled - before - 1);
  }
}

constexpr unsigned kWays = 4;
constexpr unsigned kCandidates = 4;

/// Four neighbouring runs of `width` items, of which the last ones may be short or empty.
struct RunGroup {
  std::size_t begin;
  std::size_t width;  // a power of two
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

/// How many outputs before a block's first come from each of the four runs.
struct Cut {
  std::size_t from_run[kWays];
};

/// A number for each of four candidates, 4 bits each: at most 3 + 3 * 4.
class FourCounts {
 public:
  explicit __device__ __forceinline__ FourCounts(unsigned bits) : bits_(bits) {}
  __device__ __forceinline__ unsigned operator[](unsigned i) const { return bits_ >> 4 * i & 15; }
  __device__ __forceinline__ FourCounts operator+(FourCounts other) const {
    return FourCounts(bits_ + other.bits_);
  }
  __device__ __forceinline__ FourCounts at_most(unsigned most) const {
    unsigned bits = 0;
    for (unsigned i = 0; i < 4; ++i) bits |= min((*this)[i], most) << 4 * i;
    return FourCounts(bits);
  }

 private:
  unsigned bits_;
};

/// For each candidate of two runs how many of the other run come before it, if all of them exist.
struct RanksOfTwo {
  FourCounts of_first;
  FourCounts of_second;
};
template <class Less, class Key>
__device__ __forceinline__ RanksOfTwo ranks_of_two(const Key (&first)[kCandidates],
                                                   const Key (&second)[kCandidates]) {
  unsigned both = 0;
#pragma unroll
  for (unsigned i = 0; i < kCandidates; ++i) {
#pragma unroll
    for (unsigned j = 0; j < kCandidates; ++j) {
      both += Less{}(second[j], first[i]) ? 1u << 4 * i : 1u << (16 + 4 * j);
    }
  }
  return {FourCounts(both & 0xffff), FourCounts(both >> 16)};
}

/// The samples of each run that a round looks at, and how many of them there are.
template <class Key>
struct Candidates {
  Key keys[kWays][kCandidates];
  unsigned exist[kWays];

  __device__ __forceinline__ bool all_exist() const {
    return exist[0] + exist[1] + exist[2] + exist[3] == kWays * kCandidates;
  }
};

/// Loads the candidates of the stride 1 << shift, which follow the `below` samples in front.
template <class Key>
__device__ __forceinline__ void load_candidates(const Key* keys, const Key* samples,
                                                const RunGroup& group, unsigned shift,
                                                const Cut& below, Candidates<Key>& candidates) {
  const bool sampled = shift >= kLogSampled;
  const Key* const array = sampled ? samples : keys;
  const unsigned log_a_place = sampled ? kLogSampled : 0;
  const unsigned log_step = shift - log_a_place;
#pragma unroll
  for (unsigned run = 0; run < kWays; ++run) {
    const std::size_t samples_left = (group.run_count(run) >> shift) - below.from_run[run];
    unsigned& exist = candidates.exist[run];
    exist = samples_left < kCandidates ? static_cast<unsigned>(samples_left) : kCandidates;
    const Key* const first =
        array + (group.run_begin(run) >> log_a_place) + ((below.from_run[run] + 1) << log_step) - 1;
#pragma unroll
    for (unsigned c = 0; c < kCandidates; ++c) {
      // Instead of one that doesn't exist the last one that does, so that they are in order;
      // or any item, which is compared in vain.
      candidates.keys[run][c] =
          exist > 0 ? first[std::size_t{min(c, exist - 1)} << log_step] : keys[group.begin];
    }
  }
}

/// Ranks the candidates of all runs: ranks[run] says how many come before each of its candidates.
template <class Less, class Key>
__device__ __forceinline__ void rank_candidates(const Candidates<Key>& candidates,
                                                FourCounts (&ranks)[kWays]) {
  const bool all_exist = candidates.all_exist();
#pragma unroll
  for (unsigned a = 0; a < kWays; ++a) {
#pragma unroll
    for (unsigned b = a + 1; b < kWays; ++b) {
      auto [of_a, of_b] = ranks_of_two<Less>(candidates.keys[a], candidates.keys[b]);
      if (!all_exist) {
        of_a = of_a.at_most(candidates.exist[b]);
        of_b = of_b.at_most(candidates.exist[a]);
      }
      ranks[a] = ranks[a] + of_a;
      ranks[b] = ranks[b] + of_b;
    }
  }
}

/// How many of the first d / stride outputs of the samples' merge are not among the `below` samples yet:
/// few.
__device__ __forceinline__ unsigned samples_needed(std::size_t d, unsigned shift,
                                                   const Cut& below) {
  auto needed = static_cast<unsigned>(d >> shift);
#pragma unroll
  for (const std::size_t count : below.from_run) needed -= static_cast<unsigned>(count);
  return needed;
}

/// How many of the first `d` outputs of the group's merge come from each run.
template <class Less, class Key>
__device__ Cut cut_of_runs(const Key* keys, const Key* samples, RunGroup group, std::size_t d) {
  unsigned shift = 0;  // the stride is 1 << shift
  while (std::size_t{kCandidates} << shift < group.width) ++shift;

  Cut below{};  // samples in front of the candidates
  while (true) {
    const unsigned needed = samples_needed(d, shift, below);
    Candidates<Key> candidates;
    multiway::load_candidates(keys, samples, group, shift, below, candidates);
    FourCounts ranks[kWays] = {FourCounts(0x3210), FourCounts(0x3210), FourCounts(0x3210),
                               FourCounts(0x3210)};
    rank_candidates<Less>(candidates, ranks);
#pragma unroll
    for (unsigned run = 0; run < kWays; ++run) {
#pragma unroll
      for (unsigned c = 0; c < kCandidates; ++c) {
        below.from_run[run] += c < candidates.exist[run] && ranks[run][c] < needed ? 1 : 0;
      }
    }
    if (shift == 0) return below;
    --shift;  // twice as many samples, of which some may be in front of others' by now
#pragma unroll
    for (std::size_t& count : below.from_run) count = count < 2 ? 0 : 2 * count - 3;
  }
}

// The same search by sixteen lanes, each with one of the sixteen samples of a round,
// which they show each other: more instructions in all, but fewer in a row. This finds few cuts sooner
// and many cuts later.
// measured: u32, all searches, ms: at 2^21 0.037 (lanes) vs 0.073 (threads), at 2^27 0.55 vs 0.31; H200,
// docs/lab/gpu/merge/multiway.md

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
