// A block sorts some thousand keys that it holds in registers: spread them over as many bins as
// there are keys, then straighten what is left with networks of 16 keys a thread.
//
//   bins of equal width over [lowest, highest] key, about one key a bin
//     rank in the bin = returning shared atomic; place = prefix sum of the bins + rank
//   now every key is in its bin's place, and only keys of one bin can be out of order:
//     windows     |----16----|----16----|----16----|     each sorted by a thread
//     shifted           |----16----|----16----|          two sorted halves merged, if need be
//     windows     |----16----|----16----|----16----|     ... until nothing has moved
//
// A bin of k keys needs about k / 8 rounds: 2 for uniform keys. Keys that crowd into few bins
// get a bitonic network instead once kMaxRounds are over. Equal keys never ask for a round.
#pragma once

#include <bit>

#include "gpu/primitives/bitonic_network.cuh"
#include "gpu/primitives/warp.cuh"

namespace sortlab::gpu {

constexpr unsigned kWindow = 16;
constexpr unsigned kMaxRounds = 12;

/// The place of key p in shared memory: 16 bytes are left out after each window, so that threads
/// that read a window each, 16 bytes at a time, meet no bank conflicts.
template <class Bits>
__host__ __device__ constexpr unsigned slot(unsigned p) {
  return p + p / kWindow * static_cast<unsigned>(16 / sizeof(Bits));
}

template <class BitsT, unsigned kThreadsT, unsigned kCapacityT>
struct BlockSortShared {
  using Bits = BitsT;
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr unsigned kWarps = kThreads / kWarp;
  static constexpr unsigned kCapacity = kCapacityT;
  static constexpr unsigned kMinBins = 4 * kThreads;  // the scan takes 4 bins a thread
  static constexpr unsigned kBins =
      std::bit_ceil(kCapacity) < kMinBins ? kMinBins : std::bit_ceil(kCapacity);

  __align__(16) Bits keys[slot<Bits>(kCapacity + kWindow)];
  __align__(16) unsigned bins[kBins];
  unsigned warp_total[kWarp];
  Bits warp_lowest[kWarp];
  Bits warp_highest[kWarp];
};

__device__ __forceinline__ std::uint32_t warp_min(std::uint32_t x) {
  return __reduce_min_sync(kAllLanes, x);
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

constexpr unsigned kNowhere = ~0u;
constexpr unsigned kCrowd = 8;  // lanes of one warp that count into the same place

/// Whether a place is crowded by the lanes' places i. All lanes must come.
__device__ __forceinline__ bool is_crowded(unsigned i) {
  const unsigned peers = __match_any_sync(kAllLanes, i);
  return __any_sync(kAllLanes, i != kNowhere && __popc(peers) >= static_cast<int>(kCrowd));
}

/// Counts an item into s_counter[i], unless i is kNowhere, and returns how many were there before.
/// Lanes in a crowd add up first, which saves the hardware from serving them one by one. All lanes
/// must come.
__device__ __forceinline__ unsigned count_crowds(unsigned* s_counter, unsigned i) {
  unsigned rank = 0;
  unsigned left = kAllLanes;
  while (left != 0) {
    const int leader = __ffs(static_cast<int>(left)) - 1;
    const unsigned place = __shfl_sync(kAllLanes, i, leader);
    const unsigned peers = __ballot_sync(kAllLanes, i == place) & left;
    const auto crowd = static_cast<unsigned>(__popc(peers));
    if (crowd < kCrowd) break;
    const bool leads = lane_id() == static_cast<unsigned>(leader);
    const unsigned before = leads && place != kNowhere ? atomicAdd(&s_counter[place], crowd) : 0;
    const unsigned first = __shfl_sync(kAllLanes, before, leader);
    if (i == place) rank = first + static_cast<unsigned>(__popc(lanes_below(peers)));
    left &= ~peers;
  }
  const bool is_left = (left >> lane_id()) & 1;
  return is_left && i != kNowhere ? atomicAdd(&s_counter[i], 1u) : rank;
}

/// Ranks items at their places: rank[i] = how many were counted into place_of(i) before, for i up
/// to `used`. All threads of the warp must come, with the same `used`.
template <unsigned kItems, class PlaceOf>
__device__ __forceinline__ void count_all(unsigned* s_counter, unsigned used, PlaceOf place_of,
                                          unsigned (&rank)[kItems]) {
  if (is_crowded(place_of(0))) {
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      if (i < used) rank[i] = count_crowds(s_counter, place_of(i));
    }
  } else {
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      if (i >= used) continue;
      const unsigned place = place_of(i);
      rank[i] = place != kNowhere ? atomicAdd(&s_counter[place], 1u) : 0;
    }
  }
}

/// The sum of x over the threads before this one. Two barriers; s_total has a place a warp.
template <unsigned kThreads>
__device__ __forceinline__ unsigned block_exclusive_scan(unsigned x, unsigned* s_total) {
  const unsigned inclusive = warp_inclusive_scan(x);
  __syncthreads();
  if (lane_id() == kWarp - 1) s_total[warp_id()] = inclusive;
  __syncthreads();
  const unsigned lane = lane_id();
  const unsigned total = lane < kThreads / kWarp ? s_total[lane] : 0;
  const unsigned before = warp_inclusive_scan(total) - total;
  return __shfl_sync(kAllLanes, before, warp_id()) + inclusive - x;
}

/// Maps [lowest, highest] onto [0, bins), upwards and evenly; the lowest and the highest key have a
/// bin of their own. A key that many equal ones repeat is a splitter, so it ends buckets: in a bin
/// with others it would leave them far from their places.
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
    factor_ = static_cast<unsigned>(static_cast<float>(bins) * (4294967296.0f * 0.999999f) / top);
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

template <class Bits>
__device__ __forceinline__ void put_in_order(Bits& a, Bits& b) {
  const Bits low = a < b ? a : b;
  b = a < b ? b : a;
  a = low;
}

/// One step of Batcher's odd-even merge of runs of kRun keys: at distance kDistance.
template <unsigned kRun, unsigned kDistance, class Bits>
__device__ __forceinline__ void merge_step(Bits (&key)[kWindow]) {
  constexpr unsigned kFirst = kDistance % kRun;
#pragma unroll
  for (unsigned low = kFirst; low + kDistance < kWindow; ++low) {
    const bool is_lower = (low - kFirst) / kDistance % 2 == 0;
    const bool same_merge = low / (2 * kRun) == (low + kDistance) / (2 * kRun);
    if (is_lower && same_merge) put_in_order(key[low], key[low + kDistance]);
  }
  if constexpr (kDistance > 1) merge_step<kRun, kDistance / 2>(key);
}

/// Sorts a window that consists of sorted runs of kRun keys (Batcher's odd-even merge sort).
template <unsigned kRun, class Bits>
__device__ __forceinline__ void sort_window(Bits (&key)[kWindow]) {
  merge_step<kRun, kRun>(key);
  if constexpr (2 * kRun < kWindow) sort_window<2 * kRun>(key);
}

/// Half a window, from or to 16-byte aligned shared memory.
template <class Bits>
struct __align__(16) HalfWindow {
  Bits key[kWindow / 2];
};

/// Sorts the window whose halves begin at s_low and s_high.
template <unsigned kRun, class Bits>
__device__ __forceinline__ void sort_window_at(Bits* s_low, Bits* s_high) {
  using Half = HalfWindow<Bits>;
  const Half low = *reinterpret_cast<const Half*>(s_low);
  const Half high = *reinterpret_cast<const Half*>(s_high);
  Bits key[kWindow];
#pragma unroll
  for (unsigned i = 0; i < kWindow / 2; ++i) {
    key[i] = low.key[i];
    key[i + kWindow / 2] = high.key[i];
  }
  sort_window<kRun>(key);
  Half sorted_low;
  Half sorted_high;
#pragma unroll
  for (unsigned i = 0; i < kWindow / 2; ++i) {
    sorted_low.key[i] = key[i];
    sorted_high.key[i] = key[i + kWindow / 2];
  }
  *reinterpret_cast<Half*>(s_low) = sorted_low;
  *reinterpret_cast<Half*>(s_high) = sorted_high;
}

/// Merges the sorted halves of the windows that begin at `shift`, 16 + shift, ...; says whether
/// any thread of the block found something to do.
template <class Shared>
__device__ __forceinline__ bool merge_windows(Shared& s, unsigned shift, unsigned end) {
  using Bits = typename Shared::Bits;
  bool changed = false;
  for (unsigned w = threadIdx.x; (w + 1) * kWindow + shift <= end; w += Shared::kThreads) {
    Bits* const s_low = &s.keys[slot<Bits>(w * kWindow + shift)];
    Bits* const s_high = &s.keys[slot<Bits>(w * kWindow + shift + kWindow / 2)];
    if (s_high[0] < s_low[kWindow / 2 - 1]) {
      sort_window_at<kWindow / 2>(s_low, s_high);
      changed = true;
    }
  }
  return __syncthreads_or(changed);
}

/// The network for keys that crowd: any keys, any count.
template <class Shared>
__device__ __noinline__ void sort_by_network(Shared& s, unsigned count) {
  using Bits = typename Shared::Bits;
  for (unsigned k = 2; k / 2 < count; k *= 2) {
    for (unsigned j = k / 2; j > 0; j /= 2) {
      for (unsigned p = threadIdx.x; p < count; p += Shared::kThreads) {
        const auto pair = pair_of<Scheme::shifted, unsigned>(p, j);
        if (!pair.is_within(count)) continue;
        Bits& low = s.keys[slot<Bits>(pair.low)];
        Bits& high = s.keys[slot<Bits>(pair.high)];
        const bool upwards = is_upwards(pair.low, count - 1, k);
        if (upwards ? high < low : low < high) {
          const Bits held = low;
          low = high;
          high = held;
        }
      }
      __syncthreads();
    }
  }
}

/// Sorts keys[slot(0)], ..., keys[slot(count - 1)], which hold their bins' places.
template <class Shared>
__device__ __forceinline__ void straighten(Shared& s, unsigned count) {
  using Bits = typename Shared::Bits;
  const unsigned end = (count + kWindow - 1) / kWindow * kWindow;
  if (threadIdx.x < end - count)
    s.keys[slot<Bits>(count + threadIdx.x)] = static_cast<Bits>(~Bits{0});
  __syncthreads();
  for (unsigned w = threadIdx.x; w * kWindow < end; w += Shared::kThreads) {
    Bits* const s_window = &s.keys[slot<Bits>(w * kWindow)];
    sort_window_at<1>(s_window, s_window + kWindow / 2);
  }
  __syncthreads();
  for (unsigned round = 1;; ++round) {
    const unsigned shift = round % 2 * (kWindow / 2);
    if (!merge_windows(s, shift, end)) return;
    if (round == kMaxRounds) break;
  }
  sort_by_network(s, count);
}

/// Sorts `count` keys, the one in key[i] of thread t being number i * threads + t, into
/// s.keys[slot(0)], s.keys[slot(1)], ...; begins and ends with a barrier.
template <class Shared, class Bits, unsigned kItems>
__device__ __forceinline__ void block_sort(Bits (&key)[kItems], unsigned count, Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  constexpr unsigned kWarps = Shared::kWarps;
  const unsigned wanted = count <= 1 ? 1 : 1u << (32 - __clz(static_cast<int>(count - 1)));
  const unsigned bins = wanted < Shared::kMinBins ? Shared::kMinBins : wanted;
  const unsigned scan_steps = bins / Shared::kMinBins;
  const auto is_valid = [count](unsigned i) { return i * kThreads + threadIdx.x < count; };
  __syncthreads();

  // The range of the keys, and empty bins.
  auto lowest = static_cast<Bits>(~Bits{0});
  Bits highest = 0;
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (is_valid(i)) {
      lowest = key[i] < lowest ? key[i] : lowest;
      highest = key[i] > highest ? key[i] : highest;
    }
  }
  lowest = warp_min(lowest);
  highest = warp_max(highest);
  if (lane_id() == 0) {
    s.warp_lowest[warp_id()] = lowest;
    s.warp_highest[warp_id()] = highest;
  }
  for (unsigned b = threadIdx.x; b < bins / 4; b += kThreads) {
    reinterpret_cast<uint4*>(s.bins)[b] = make_uint4(0, 0, 0, 0);
  }
  __syncthreads();
  lowest = warp_min(s.warp_lowest[lane_id() % kWarps]);
  highest = warp_max(s.warp_highest[lane_id() % kWarps]);
  if (lowest == highest) {
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      if (is_valid(i)) s.keys[slot<Bits>(i * kThreads + threadIdx.x)] = key[i];
    }
    __syncthreads();
    return;
  }

  // Each key's rank in its bin.
  const BinMap<Bits> bin_of(lowest, highest, bins);
  unsigned rank[kItems];
  const unsigned used = (count + kThreads - 1) / kThreads;
  count_all(
      s.bins, used, [&](unsigned i) { return is_valid(i) ? bin_of(key[i]) : kNowhere; }, rank);
  __syncthreads();

  // Where each bin begins within the stretch of bins that a warp scans, 128 bins a step.
  const unsigned stretch = bins / kWarps;
  unsigned carry = 0;
  for (unsigned step = 0; step < scan_steps; ++step) {
    auto* const s_quad =
        reinterpret_cast<uint4*>(s.bins) + (warp_id() * stretch / 4 + step * kWarp + lane_id());
    const uint4 quad = *s_quad;
    const unsigned sum = quad.x + quad.y + quad.z + quad.w;
    const unsigned inclusive = warp_inclusive_scan(sum);
    const unsigned begin = carry + inclusive - sum;
    *s_quad = make_uint4(begin, begin + quad.x, begin + quad.x + quad.y,
                         begin + quad.x + quad.y + quad.z);
    carry += __shfl_sync(kAllLanes, inclusive, kWarp - 1);
  }
  if (lane_id() == 0) s.warp_total[warp_id()] = carry;
  __syncthreads();
  const unsigned total = lane_id() < kWarps ? s.warp_total[lane_id()] : 0;
  const unsigned stretch_begin = warp_inclusive_scan(total) - total;

  // Every key to its bin's place.
  const unsigned stretch_bits = 31 - static_cast<unsigned>(__clz(static_cast<int>(stretch)));
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (i * kThreads < count) {
      const unsigned bin = is_valid(i) ? bin_of(key[i]) : 0;
      const unsigned base =
          __shfl_sync(kAllLanes, stretch_begin, static_cast<int>(bin >> stretch_bits));
      if (is_valid(i)) s.keys[slot<Bits>(base + s.bins[bin] + rank[i])] = key[i];
    }
  }
  straighten(s, count);
}

}  // namespace sortlab::gpu
