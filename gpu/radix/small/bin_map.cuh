// A map of keys to bins of equal width, over the range of the keys.
#pragma once

#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::radix::small {

__device__ __forceinline__ std::uint32_t warp_min(std::uint32_t x) {
  return lanes_min(kAllLanes, x);
}
__device__ __forceinline__ std::uint64_t warp_min(std::uint64_t x) {
  const auto high = static_cast<std::uint32_t>(x >> 32);
  const std::uint32_t least = warp_min(high);
  const std::uint32_t low = high == least ? static_cast<std::uint32_t>(x) : ~0u;
  return std::uint64_t{least} << 32 | warp_min(low);
}
template <class Bits>
__device__ __forceinline__ Bits warp_max(Bits x) {
  return static_cast<Bits>(~warp_min(static_cast<Bits>(~x)));
}

/// The lowest and the highest of what the warps have found, each its own.
template <class Shared>
__device__ __forceinline__ void range_of_warps(const Shared& s, typename Shared::Bits& lowest,
                                               typename Shared::Bits& highest) {
  lowest = warp_min(s.warp_lowest[lane_id() % Shared::kWarps]);
  highest = warp_max(s.warp_highest[lane_id() % Shared::kWarps]);
}

/// Maps [lowest, highest] onto [0, bins), upwards and evenly; the lowest and the highest key have a
/// bin of their own. A key that many equal ones repeat is a splitter, so it ends buckets: in a bin
/// with others it would crowd it.
template <class Bits>
class BinMap {
 public:
  __device__ BinMap(Bits lowest, Bits highest, unsigned bins)
      : lowest_(lowest), highest_(highest), last_(bins - 1) {
    const Bits range = highest - lowest;
    if constexpr (sizeof(Bits) == 8) {
      shift_ = static_cast<unsigned>(__clzll(static_cast<long long>(range)));
    } else {
      shift_ = static_cast<unsigned>(__clz(static_cast<int>(range)));
    }
    const float top = static_cast<float>(leading_bits(range));
    factor_ = static_cast<unsigned>(
        __fdividef(static_cast<float>(bins) * (4294967296.0f * 0.999999f), top));
  }
  __device__ __forceinline__ unsigned operator()(Bits key) const {
    if (key == lowest_) return 0;
    if (key == highest_) return last_;
    const unsigned bin = __umulhi(leading_bits(key - lowest_), factor_);
    return min(max(bin, 1u), last_ - 1);
  }

 private:
  /// The distance from the lowest key as a 32-bit fraction of a power of two that holds the range.
  __device__ __forceinline__ unsigned leading_bits(Bits distance) const {
    return static_cast<unsigned>((distance << shift_) >> (8 * sizeof(Bits) - 32));
  }
  Bits lowest_;
  Bits highest_;
  unsigned last_;
  unsigned shift_;
  unsigned factor_;
};

}  // namespace sortlab::gpu::radix::small
