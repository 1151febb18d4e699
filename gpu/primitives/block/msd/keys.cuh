// The keys of an MSD radix sort: two buffers of unsigned integers, and vectors of these.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::msd {

using Count = unsigned long long;

/// Keys from `low` to low + span.
struct KeyRange {
  Count low;
  Count span;
};

SORTLAB_HD inline unsigned bit_width(Count x) {
#ifdef __CUDA_ARCH__
  return 64 - static_cast<unsigned>(__clzll(static_cast<long long>(x)));
#else
  return static_cast<unsigned>(std::bit_width(x));
#endif
}

/// The two buffers as unsigned integers, and the conversion of raw keys into sortable ones. Raw keys stay as
/// they are unless `raw` is `data`.
template <class BitsT, class MapT = KeyMap<BitsT>>
struct Buffers {
  using Bits = BitsT;
  using Map = MapT;
  Bits* data;
  Bits* alternate;
  Map key_map;
  Bits* raw;

  __device__ Bits* side(unsigned number) const { return number == 0 ? data : alternate; }
  /// Where the keys of a bucket or leaf are.
  template <class Range>
  __device__ const Bits* keys_of(const Range& range) const {
    return range.is_raw ? raw : side(range.side);
  }

  __device__ Map key_map_if(bool is_raw) const { return is_raw ? key_map : Map{}; }
};

/// A range that one block sorts in shared memory, from buffer `side` to data.
struct Leaf {
  std::size_t begin;
  KeyRange keys;  // its keys are among these
  unsigned size;
  std::uint8_t side;
  std::uint8_t is_raw;
};

/// The keys of one 16-byte load.
template <class Bits>
constexpr unsigned kVector = 16 / sizeof(Bits);

template <class Bits>
struct alignas(16) Vector {
  Bits key[kVector<Bits>];
};

/// Makes the compiler compute values derived from `key` again instead of keeping them: the bins of
/// 16 and more keys would not fit into the registers beside the keys.
template <class Bits, unsigned kItems>
__device__ __forceinline__ void forget_derived([[maybe_unused]] Bits (&key)[kItems]) {
#ifdef __CUDA_ARCH__
  #pragma unroll
  for (unsigned u = 0; u < kItems; ++u) {
    if constexpr (sizeof(Bits) == 8) {
      asm volatile("" : "+l"(key[u]));
    } else {
      asm volatile("" : "+r"(key[u]));
    }
  }
#endif
}

// A key's bin, and its rank there: what an atomic in shared memory returns, as keys alone need no
// stability.

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
