// A key's bin, and its rank there: what an atomic in shared memory returns, as keys alone need no
// stability.
#pragma once

#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::msd {

template <class Bits>
__device__ __forceinline__ unsigned bin_of(Bits key, Bits low, unsigned shift) {
  return static_cast<unsigned>((key - low) >> shift);
}

/// A bucket's bin by bits of the key.
template <class Bits>
struct KeyDigit {
  static constexpr unsigned kAtOnce = 8;  // keys of a thread whose bins are under way
  Bits low;
  unsigned shift;

  __device__ __forceinline__ unsigned operator()(Bits key) const { return bin_of(key, low, shift); }
};

/// The rank of this lane's key in its bin: one atomic a lane. All lanes call; `has_key` says who
/// takes part. Lanes in the bin of the first lane share one atomic when the warp is `crowded`, as
/// atomics on one address take turns: presorted or repeated keys would cost ten times as much.
template <bool kCrowded>
__device__ __forceinline__ unsigned claim_rank(unsigned* s_counts, unsigned bin, bool has_key) {
  if constexpr (!kCrowded) {
    return has_key ? atomicAdd(&s_counts[bin], 1u) : 0;
  } else {
    const unsigned active = __ballot_sync(kAllLanes, has_key);
    if (active == 0) return 0;
    const int leader = __ffs(static_cast<int>(active)) - 1;
    const unsigned leader_bin = __shfl_sync(kAllLanes, bin, leader);
    const bool shares = has_key && bin == leader_bin;
    const unsigned sharing = __ballot_sync(kAllLanes, shares);
    unsigned rank = 0;
    const bool is_leader = static_cast<int>(lane_id()) == leader;
    if (is_leader || (has_key && !shares)) {
      rank = atomicAdd(&s_counts[bin], is_leader ? __popc(sharing) : 1u);
    }
    const unsigned shared_rank = __shfl_sync(kAllLanes, rank, leader);
    return shares ? shared_rank + __popc(lanes_below(sharing)) : rank;
  }
}

}  // namespace sortlab::gpu::msd
