// The first phase of a split by pages (split.cuh): counts the keys of each bin, and computes the
// places of bins and pages.
#pragma once

#include "gpu/primitives/grid/msd/count.cuh"
#include "gpu/radix/low_memory/paging.cuh"

namespace sortlab::gpu::radix::low_memory {

/// Clears the state at the beginning of a split.
template <class Paging>
__device__ void clear_split(const Paging& p, const PageSpan& span) {
  const std::size_t me = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = me; i < span.end - span.first + 2; i += threads) p.table[i] = 0;
  for (std::size_t i = me; i < span.tiles + 2; i += threads) p.is_read[i] = 0;
  SplitState& state = *p.state;
  for (std::size_t i = me; i < kMaxBins; i += threads) {
    state.counts[i] = state.next[i] = 0;
    state.readers[i] = 0;
  }
  if (me == 0) {
    state.min = ~Count{0};
    state.max = 0;
    state.next_tile = state.next_page = state.next_in_hole = state.is_unordered = 0;
  }
}

/// Whether some key of [begin, end) is lower than the one before it, which is in [first, end) too.
/// A block searches until it finds one, which takes little time unless the keys are mostly sorted.
template <unsigned kThreads, class Paging>
__device__ bool is_unordered(const Paging& p, std::size_t first, std::size_t begin,
                             std::size_t end) {
  constexpr unsigned kUnroll = 4;
  for (; begin < end; begin += kUnroll * kThreads) {
    bool has_lower = false;
#pragma unroll
    for (unsigned u = 0; u < kUnroll; ++u) {
      const std::size_t i = begin + u * kThreads + threadIdx.x;
      if (i > first && i < end) {
        has_lower |= p.key_map.ordered(p.data[i]) < p.key_map.ordered(p.data[i - 1]);
      }
    }
    if (__syncthreads_or(has_lower)) return true;
  }
  return false;
}

/// Each block counts the digits of one piece of the range, and checks whether it is in order.
template <unsigned kThreads, class Paging>
__device__ void count_stretch(const Paging& p, const Stretch& stretch, unsigned digit_bits,
                              CountShared<>& s) {
  const Buffers<typename Paging::Bits> buffers{p.data, nullptr, p.key_map, p.data};
  Bucket bucket{};
  bucket.low = stretch.low;
  bucket.range_bits = stretch.range_bits;
  bucket.digit_bits = digit_bits;
  bucket.is_raw = 1;
  for (unsigned b = threadIdx.x; b < kMaxBins; b += kThreads) s.counts[b] = 0;
  if (threadIdx.x == 0) {
    s.min = ~Count{0};
    s.max = 0;
  }
  __syncthreads();
  SplitState& state = *p.state;
  const std::size_t begin = stretch.begin + stretch.size() * blockIdx.x / gridDim.x;
  const std::size_t end = stretch.begin + stretch.size() * (blockIdx.x + 1) / gridDim.x;
  if (is_unordered<kThreads>(p, stretch.begin, begin, end) && threadIdx.x == 0) {
    state.is_unordered = 1;
  }
  count_tile<kThreads>(buffers, bucket, digit_of<typename Paging::Bits>(bucket), {begin, end}, s);
  __syncthreads();
  for (unsigned b = threadIdx.x; b < 1u << digit_bits; b += kThreads) {
    if (s.counts[b] > 0) atomicAdd(&state.counts[b], Count{s.counts[b]});
  }
  if (threadIdx.x == 0) {
    atomicMin(&state.min, s.min);
    atomicMax(&state.max, s.max);
  }
}

/// One block turns counts into places: of the bins, of their slots and of their table entries.
template <unsigned kThreads, class Paging>
__device__ void place_bins(const Paging& p, const Stretch& stretch, const PageSpan& span,
                           unsigned bins, Count* s_warp_sums) {
  SplitState& state = *p.state;
  const unsigned bin = threadIdx.x;
  const Count count = bin < bins ? state.counts[bin] : 0;
  Count all;
  Count all_full;
  const Count begin = stretch.begin + block_exclusive_scan<kThreads>(count, &all, s_warp_sums);
  const Count full = count / Paging::kKeys;
  const Count entry = block_exclusive_scan<kThreads>(full, &all_full, s_warp_sums);
  if (bin < bins) {
    // Pages in the array that hold keys again, once all are filled.
    const std::size_t used = span.first + (all_full > p.hole_pages ? all_full - p.hole_pages : 0);
    const std::size_t first = p.page_from(begin);
    const std::size_t end = p.page_from(begin + count);
    const std::size_t old_end = used < first ? first : used < end ? used : end;
    state.begin[bin] = begin;
    state.first_entry[bin] = static_cast<unsigned>(entry);
    state.slots[bin] = Count{first} << 32 | old_end;
  }
  if (bin == 0) {
    state.begin[bins] = stretch.end;
    state.full_pages = static_cast<unsigned>(all_full);
  }
}

}  // namespace sortlab::gpu::radix::low_memory
