// The last phase of a split by pages (split.cuh): moves keys outside of full pages to their bins.
#pragma once

#include "gpu/radix/low_memory/paging.cuh"

namespace sortlab::gpu::radix::low_memory {

/// A bin: where it begins and ends, and where the page slots that it filled begin and end.
struct BinPlaces {
  std::size_t begin;
  std::size_t end;
  std::size_t slots_begin;
  std::size_t slots_end;
  unsigned loose;  // keys that filled no page

  template <class Paging>
  __device__ BinPlaces(const Paging& p, unsigned bin)
      : begin(p.state->begin[bin]), end(p.state->begin[bin + 1]) {
    const std::size_t first = p.page_from(begin);
    const std::size_t full = (end - begin) / Paging::kKeys;
    slots_begin = p.place_of(first);
    slots_end = p.place_of(first + full);
    loose = static_cast<unsigned>((end - begin) % Paging::kKeys);
  }
};

/// Saves the keys of a bin's last page that reach into the next bin.
template <class Paging>
__device__ void cut_overhang(const Paging& p, const PageSpan& span, unsigned bins) {
  for (unsigned bin = blockIdx.x; bin < bins; bin += gridDim.x) {
    const BinPlaces at(p, bin);
    if (at.slots_end <= at.end || at.slots_begin == at.slots_end) continue;
    const std::size_t last = at.slots_end - Paging::kKeys;
    const bool is_aside = last == p.place_of(span.end);
    const auto* const page = is_aside ? p.overhang : p.data + last;
    auto* const loose = p.loose + std::size_t{bin} * 2 * Paging::kKeys + at.loose;
    for (unsigned i = threadIdx.x; i < Paging::kKeys; i += blockDim.x) {
      const std::size_t place = last + i;
      if (place >= at.end) {
        loose[place - at.end] = page[i];
      } else if (is_aside) {
        p.data[place] = page[i];
      }
    }
  }
}

/// Fills the gaps of each bin, before its first page and behind its last.
template <class Paging>
__device__ void fill_gaps(const Paging& p, unsigned bins) {
  for (unsigned bin = blockIdx.x; bin < bins; bin += gridDim.x) {
    const BinPlaces at(p, bin);
    const auto* const loose = p.loose + std::size_t{bin} * 2 * Paging::kKeys;
    const std::size_t head_end = at.slots_begin < at.end ? at.slots_begin : at.end;
    const std::size_t head = head_end - at.begin;
    const std::size_t tail = at.slots_end < at.end ? at.end - at.slots_end : 0;
    for (std::size_t i = threadIdx.x; i < head + tail; i += blockDim.x) {
      p.data[i < head ? at.begin + i : at.slots_end + (i - head)] = loose[i];
    }
  }
}

}  // namespace sortlab::gpu::radix::low_memory
