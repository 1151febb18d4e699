// Pairs whose keys crowd into few bins: as a rule equal keys, which the bins of their keys can't tell
// apart. A crowd of equal keys is spread again, by place in the input:
//
//   bins by key       | a b |  | c c c c c c ... c c c |  | d |     crowd: more than kMostInBin
//   bins by place     |a b  |  |c|  |c c|c| ... |c|  |c|  |d|       each over the crowd's own places
//
// If some crowd has several keys, or its places crowd in turn, the block merges instead.
#pragma once

#include "gpu/radix/small/windows.cuh"

namespace sortlab::gpu::radix::small {

/// The lowest and the highest place of each crowd, where the bins lie. A crowd is told by where it
/// begins: in steps of kMostInBin + 1, none is where another one is.
template <class Shared>
class CrowdPlaces {
 public:
  __device__ explicit CrowdPlaces(Shared& s) : s_lowest_(s.bins), s_highest_(s.bins + kCrowds) {}
  __device__ void clear() const {
    for (unsigned c = threadIdx.x; c < kCrowds; c += Shared::kThreads) {
      s_lowest_[c] = ~0u;
      s_highest_[c] = 0;
    }
  }
  /// All lanes must come; those of one crowd add up first.
  __device__ void add(bool in_crowd, unsigned begin, unsigned place) const {
    const unsigned crowd = in_crowd ? begin / (kMostInBin + 1) : kNowhere;
    const unsigned peers = __match_any_sync(kAllLanes, crowd);
    const unsigned lowest = lanes_min(peers, place);
    const unsigned highest = lanes_max(peers, place);
    if (in_crowd && lanes_below(peers) == 0) {
      atomicMin(&s_lowest_[crowd], lowest);
      atomicMax(&s_highest_[crowd], highest);
    }
  }
  /// What part of the crowd's places is below `place`, times `size`, which is the crowd's.
  __device__ unsigned scaled(unsigned begin, unsigned place, unsigned size) const {
    const unsigned crowd = begin / (kMostInBin + 1);
    const auto places = static_cast<float>(s_highest_[crowd] - s_lowest_[crowd] + 1);
    const float below = static_cast<float>(place - s_lowest_[crowd]);
    return min(static_cast<unsigned>(below * (static_cast<float>(size) / places)), size - 1);
  }

 private:
  static constexpr unsigned kCrowds = Shared::kCapacity / (kMostInBin + 1) + 1;
  static_assert(2 * kCrowds <= Shared::kMaxBins);
  unsigned* s_lowest_;
  unsigned* s_highest_;
};

/// Sorts the `count` pairs that `spread` has put among those of their bins, of which some are
/// crowds. bin_of(key, place) is the bin of a pair.
template <class Shared, class BinOf>
__device__ __noinline__ void sort_crowds(unsigned count, unsigned bins, BinOf bin_of, Shared& s) {
  using Bits = typename Shared::Bits;
  constexpr unsigned kThreads = Shared::kThreads;
  constexpr unsigned kItems = Shared::kCapacity / kThreads;
  const auto is_there = [count](unsigned i) { return i * kThreads + threadIdx.x < count; };
  const unsigned used = (count + kThreads - 1) / kThreads;

  __syncthreads();

  // Each pair, where its bin begins, and the size of the bin if it is a crowd.
  Bits key[kItems];
  unsigned place[kItems];
  unsigned begin[kItems];
  unsigned crowd[kItems];
  bool is_pure = true;
  const unsigned my_stretch_begin = stretch_begin(s);
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (i >= used) continue;
    const unsigned p = is_there(i) ? i * kThreads + threadIdx.x : 0;
    const auto item = s.items()[p];
    key[i] = item.key;
    place[i] = item.value;
    const unsigned bin = bin_of(key[i], place[i]);
    begin[i] = __shfl_sync(kAllLanes, my_stretch_begin,
                           static_cast<int>(bin >> stretch_shift<Shared>(bins))) +
               (s.bins[bin] & 0xffff);
    const unsigned size = s.bins[bin] >> 16;
    crowd[i] = size > kMostInBin && is_there(i) ? size : 0;
    is_pure = is_pure && (crowd[i] == 0 || s.items()[begin[i]].key == key[i]);
  }
  if (!__syncthreads_and(is_pure)) {
    block_merge_sort<kThreads, Shared::kCapacity>(s.items(), count);
    return;
  }

  // Bins by place for the crowds; one for all pairs of another bin, as before.
  const CrowdPlaces<Shared> places(s);
  places.clear();
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (i < used) places.add(crowd[i] > 0, begin[i], place[i]);
  }
  __syncthreads();
  const unsigned shift = count > Shared::kMaxBins ? 1 : 0;
  unsigned bin[kItems];
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    bin[i] = kNowhere;
    if (!is_there(i)) continue;
    bin[i] = (begin[i] + (crowd[i] > 0 ? places.scaled(begin[i], place[i], crowd[i]) : 0)) >> shift;
  }
  __syncthreads();
  const unsigned place_bins = empty_bins(count, s);
  __syncthreads();
  if (spread([&](unsigned i) { return key[i]; }, [&](unsigned i) { return place[i]; }, bin,
             place_bins, count, s)) {
    block_merge_sort<kThreads, Shared::kCapacity>(s.items(), count);
  } else {
    straighten(s, count);
  }
}

}  // namespace sortlab::gpu::radix::small
