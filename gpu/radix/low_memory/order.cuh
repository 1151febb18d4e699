// The third phase of a split by pages (split.cuh): warps move pages to their places.
#pragma once

#include "gpu/primitives/grid/relaxed.cuh"
#include "gpu/radix/low_memory/split.cuh"

namespace sortlab::gpu::radix::low_memory {

/// A page in a warp's registers, and its bin.
template <class Paging>
struct CarriedPage {
  uint4 v[Paging::kVectorsALane];
  unsigned bin;

  __device__ void load(const typename Paging::Bits* from) {
#pragma unroll
    for (unsigned u = 0; u < Paging::kVectorsALane; ++u) v[u] = __ldcg(at(from) + u * kWarp);
  }
  __device__ void store(typename Paging::Bits* to) const {
#pragma unroll
    for (unsigned u = 0; u < Paging::kVectorsALane; ++u) at(to)[u * kWarp] = v[u];
  }

 private:
  static __device__ uint4* at(const typename Paging::Bits* page) {
    return reinterpret_cast<uint4*>(const_cast<typename Paging::Bits*>(page)) + lane_id();
  }
};

struct Slots {
  unsigned next;
  unsigned old_end;
  explicit __device__ Slots(unsigned long long word)
      : next(static_cast<unsigned>(word >> 32)), old_end(static_cast<unsigned>(word)) {}
};

constexpr unsigned kNone = ~0u;

/// Lane 0 takes the uppermost old page of a bin, if it has one: its number, or kNone.
template <class Paging>
__device__ __forceinline__ unsigned claim_old_page(const Paging& p, unsigned bin) {
  unsigned long long word = __ldcg(&p.state->slots[bin]);
  while (Slots(word).next < Slots(word).old_end) {
    const unsigned long long old = atomicCAS(&p.state->slots[bin], word, word - 1);
    if (old == word) return Slots(word).old_end - 1;
    word = old;
  }
  return kNone;
}

/// A warp takes the uppermost old page of a bin, if there is one. Until it has read the page, it counts as a
/// reader of the bin. A warp that fills an empty slot waits for the readers.
template <class Paging>
__device__ __forceinline__ bool take_old_page_of(const Paging& p, const PageSpan& span,
                                                 unsigned bin, CarriedPage<Paging>& page) {
  unsigned taken = kNone;
  if (lane_id() == 0) {
    atomicAdd(&p.state->readers[bin], 1u);
    __threadfence();
    taken = claim_old_page(p, bin);
  }
  taken = __shfl_sync(kAllLanes, taken, 0);
  if (taken != kNone) {
    page.bin = p.page_bin[taken - span.first + p.hole_pages];
    page.load(p.data + p.place_of(taken));
  }
  __syncwarp();
  if (lane_id() == 0) {
    __threadfence();
    atomicSub(&p.state->readers[bin], 1u);
  }
  return taken != kNone;
}

/// Takes an old page of any bin, beginning with `bin`, and sets `bin` to the page's. Returns false if no bin
/// has one left. The lanes look at 32 bins at a time.
template <class Paging>
__device__ bool take_old_page(const Paging& p, const PageSpan& span, unsigned bins, unsigned& bin,
                              CarriedPage<Paging>& page) {
  for (unsigned step = 0; step < bins; step += kWarp) {
    const unsigned candidate = (bin + step + lane_id()) % bins;
    const Slots seen(__ldcg(&p.state->slots[candidate]));
    unsigned having = __ballot_sync(kAllLanes, seen.next < seen.old_end);
    while (having != 0) {
      const int lane = __ffs(static_cast<int>(having)) - 1;
      having &= having - 1;
      const unsigned from = __shfl_sync(kAllLanes, candidate, lane);
      if (take_old_page_of(p, span, from, page)) {
        bin = from;
        return true;
      }
    }
  }
  return false;
}

/// Claims the next slot of a bin: lane 0 returns its slots as they were.
template <class Paging>
__device__ unsigned long long claim_slot(const Paging& p, unsigned bin) {
  return lane_id() == 0 ? atomicAdd(&p.state->slots[bin], 1ull << 32) : 0;
}

/// Puts the page into its slot, then the page that was there, and so on, until a slot is empty.
template <class Paging>
__device__ void put_pages(const Paging& p, const PageSpan& span, CarriedPage<Paging>& page) {
  unsigned long long word = claim_slot(p, page.bin);
  for (;;) {
    const Slots slots(__shfl_sync(kAllLanes, word, 0));
    if (slots.next >= slots.old_end) {
      if (lane_id() == 0) {
        while (load_relaxed(&p.state->readers[page.bin]) != 0) {
        }
        __threadfence();
      }
      __syncwarp();
      page.store(slots.next < span.end ? p.data + p.place_of(slots.next) : p.overhang);
      return;
    }
    CarriedPage<Paging> old;
    old.bin = p.page_bin[slots.next - span.first + p.hole_pages];
    if (old.bin == page.bin) {  // it is in its place
      word = claim_slot(p, page.bin);
    } else {
      typename Paging::Bits* const slot = p.data + p.place_of(slots.next);
      old.load(slot);
      word = claim_slot(p, old.bin);  // while the page is loaded
      page.store(slot);
      page = old;
    }
  }
}

/// Takes a page from the hole.
template <class Paging>
__device__ bool take_from_hole(const Paging& p, unsigned in_hole, CarriedPage<Paging>& page) {
  unsigned number = 0;
  if (lane_id() == 0) number = atomicAdd(&p.state->next_in_hole, 1u);
  number = __shfl_sync(kAllLanes, number, 0);
  if (number >= in_hole) return false;
  page.bin = p.page_bin[number];
  page.load(p.hole + std::size_t{number} * Paging::kKeys);
  return true;
}

template <class Paging>
__device__ void order_pages(const Paging& p, const PageSpan& span, unsigned bins) {
  CarriedPage<Paging> page;
  const unsigned full = p.state->full_pages;
  const unsigned in_hole = full < p.hole_pages ? full : p.hole_pages;
  unsigned bin = (blockIdx.x * (blockDim.x / kWarp) + warp_id()) % bins;
  bool hole_has_pages = true;
  for (;;) {
    if (hole_has_pages) hole_has_pages = take_from_hole(p, in_hole, page);
    if (!hole_has_pages && !take_old_page(p, span, bins, bin, page)) return;
    put_pages(p, span, page);
  }
}

// The last phase moves keys outside of full pages to their bins.

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
