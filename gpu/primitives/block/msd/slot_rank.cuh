// Sorts words in the shared memory of one block, by slots.
//
// The words' range is cut evenly into a bin a thread, about 8 words each. A bin has a fixed number
// of slots, so a word needs no count of others before it is put down: one atomic returns its slot.
// Then each thread sorts its own bin in registers and writes it behind the bins below:
//
//     words    31 7 12 29 3 9 14 30         bins of 8 numbers, here of 4 slots
//     slots    7 3 . . | 12 9 14 . | . . . . | 31 29 30 .
//     sorted   3 7 | 9 12 14 | | 29 30 31       starts: the bins' counts, added up
//
// Against a bit for each word (top_sweep/leaf_words.cuh): no map and no second look at each word's place, so an
// atomic, two writes and two to three reads of shared memory a word, and three barriers in all.
// measured: 2^27 u32, msd_hybrid's leaves, ms: 0.61 (slots) vs 0.77 (leaf.cuh); H200,
// docs/lab/gpu/radix/msd_hybrid.md
//
// The few words that find their bin full go on a list, and the bin's thread puts them in by
// insertion. If there are many, it gives up, and another sort has to do the work.
#pragma once

#include "gpu/primitives/block/msd/leaf.cuh"
#include "gpu/primitives/thread/networks.cuh"

namespace sortlab::gpu::msd {

/// Sorts the first N of the keys that a thread holds.
template <unsigned N, unsigned kMost, class Bits>
__device__ __forceinline__ void sort_in_thread(Bits (&k)[kMost]) {
  sort_by_exchanges<N>([&](unsigned i, unsigned j) { order(k[i], k[j]); });
}

/// Slots of a bin (8 words are expected: about one bin in 10000 has more), and from one bin to the next:
/// odd, so that no two lanes meet in a bank.
constexpr unsigned kSlots = 20;
constexpr unsigned kSlotStride = 21;

template <class Bits, unsigned kThreads>
constexpr unsigned kSlotBytes = (kThreads * kSlotStride * sizeof(Bits) + 15) / 16 * 16;

/// Shared memory for words that `Words` has room for, with scratch for the slots; a bin a thread.
template <class Words>
struct SlotShared : Words {
  using Bits = typename Words::Bits;
  static constexpr unsigned kPlaceBits = 0;
  static constexpr unsigned kSlotBins = Words::kThreads;
  static constexpr unsigned kMostLate = 32;

  unsigned in_bin[kSlotBins];  // words of each bin; zero before and after a sort
  unsigned bin_sums[Words::kWarps];
  Bits late[kMostLate];    // words that found their bin full
  unsigned late_count[2];  // of sorts in turn; the other one is zero

  __device__ Bits* slot() { return reinterpret_cast<Bits*>(this->counts); }
};

/// Cuts [low, low + last] evenly into bins, or, if it is small, so that neighbours may share one.
template <unsigned kSlotBins>
struct EvenBins {
  unsigned low;
  unsigned factor;

  __device__ EvenBins(unsigned low, unsigned last) : low(low) {
    constexpr float kAll = 4294967296.f * kSlotBins;
    // Rounded down twice, so that the last word's bin is one of them.
    factor = __float2uint_rz(__fdiv_rd(kAll, __fadd_ru(__uint2float_ru(last), 1.f)));
  }
  __device__ unsigned operator()(unsigned word) const { return __umulhi(word - low, factor); }
};

/// What is to be done, and waited for, before the first sort.
template <class Shared>
__device__ __forceinline__ void clear_slots(Shared& s) {
  s.in_bin[threadIdx.x] = 0;
  if (threadIdx.x < 2) s.late_count[threadIdx.x] = 0;
}

/// Puts the late words of this thread's bin, which begins at s.key()[begin], behind its first
/// `count` ones by insertion.
template <class Shared, class Bins>
__device__ __noinline__ void insert_late(Shared& s, Bins bins, unsigned begin, unsigned count,
                                         unsigned late_count) {
  for (unsigned i = 0; i < late_count; ++i) {
    const auto word = s.late[i];
    if (bins(word) != threadIdx.x) continue;
    unsigned at = begin + count++;
    for (; at > begin && s.key()[at - 1] > word; --at) s.key()[at] = s.key()[at - 1];
    s.key()[at] = word;
  }
}

/// Sorts the words in this thread's slots, at most N, to s.key()[begin].
template <unsigned N, class Shared>
__device__ __forceinline__ void sort_bin(Shared& s, unsigned begin, unsigned held) {
  using Bits = typename Shared::Bits;
  const Bits* const slots = s.slot() + threadIdx.x * kSlotStride;
  const unsigned mask = (1u << held) - 1;
  Bits k[N];
#pragma unroll
  for (unsigned j = 0; j < N; ++j) k[j] = mask >> j & 1 ? slots[j] : ~Bits{0};
  sort_in_thread<N>(k);
  Bits* const to = s.key() + begin;
#pragma unroll
  for (unsigned j = 0; j < N; ++j) {
    if (mask >> j & 1) to[j] = k[j];
  }
}

/// Lists the late ones of the words from number `first` on.
template <class Shared, class Bits>
__device__ __forceinline__ void list_late(const Bits (&words)[Shared::kItems], unsigned first,
                                          const unsigned (&slot)[Shared::kGroup], unsigned turn,
                                          Shared& s) {
#pragma unroll
  for (unsigned j = 0; j < Shared::kGroup; ++j) {
    if (slot[j] >= kSlots) {
      const unsigned late = atomicAdd(&s.late_count[turn], 1u);
      if (late < Shared::kMostLate) s.late[late] = words[min(first + j, Shared::kItems - 1)];
    }
  }
}

/// Puts the words, which the threads hold, into the next slots of their bins. An atomic per word returns
/// its slot. Words that find no slot go on the list. A few atomics of a thread are in flight together.
template <class Shared, class Bits, class Bins>
__device__ __forceinline__ void put_in_slots(const Bits (&words)[Shared::kItems], unsigned count,
                                             const Bins& bins, unsigned turn, Shared& s) {
  constexpr unsigned kGroup = Shared::kGroup;
  const int left = static_cast<int>(count) - static_cast<int>(threadIdx.x);
  const int left_of_warp = __shfl_sync(kAllLanes, left, 0);
#pragma unroll
  for (unsigned first = 0; first < Shared::kItems; first += kGroup) {
    if (static_cast<int>(first * Shared::kThreads) >= left_of_warp) continue;
    unsigned bin[kGroup]{};
    unsigned slot[kGroup]{};
    bool is_late = false;
#pragma unroll
    for (unsigned j = 0; j < kGroup; ++j) {
      const unsigned u = first + j;
      if (u < Shared::kItems && static_cast<int>(u * Shared::kThreads) < left) {
        bin[j] = bins(words[u]);
        slot[j] = atomicAdd(&s.in_bin[bin[j]], 1u);
      }
    }
#pragma unroll
    for (unsigned j = 0; j < kGroup; ++j) {
      const unsigned u = first + j;
      if (u < Shared::kItems && static_cast<int>(u * Shared::kThreads) < left) {
        if (slot[j] < kSlots) s.slot()[bin[j] * kSlotStride + slot[j]] = words[u];
        is_late |= slot[j] >= kSlots;
      }
    }
    if (is_late) list_late(words, first, slot, turn, s);
  }
}

/// Where this thread's bin, of `mine` words, begins: behind those of the bins below. A barrier.
template <class Shared>
__device__ __forceinline__ unsigned begin_of_bin(unsigned mine, Shared& s) {
  const unsigned up_to_here = warp_inclusive_scan(mine);
  if (lane_id() == kWarp - 1) s.bin_sums[warp_id()] = up_to_here;
  __syncthreads();
  unsigned begin = up_to_here - mine;
#pragma unroll
  for (unsigned w = 0; w < Shared::kWarps; ++w) begin += w < warp_id() ? s.bin_sums[w] : 0;
  return begin;
}

/// Sorts the `held` words in this thread's slots to s.key()[begin], by a network that fits the fullest bin
/// of the warp.
template <class Shared>
__device__ __forceinline__ void sort_bin_of_thread(Shared& s, unsigned begin, unsigned held) {
  const unsigned most = lanes_max(kAllLanes, held);
  if (most <= 12) {
    sort_bin<12>(s, begin, held);
  } else if (most <= 16) {
    sort_bin<16>(s, begin, held);
  } else {
    sort_bin<kSlots>(s, begin, held);
  }
}

/// Sorts `count` words of [low, low + last], which the threads hold, to s.key(). Says whether it
/// could; if not, nothing is written there. Calls ahead() once it is sure that it can, and no thread
/// needs its words. `turn` is 0 and 1 in turn.
template <class Shared, class Bits, class Ahead>
__device__ __forceinline__ bool sort_by_slots(const Bits (&words)[Shared::kItems], unsigned count,
                                              Bits low, Bits last, unsigned turn, Shared& s,
                                              Ahead ahead) {
  const EvenBins<Shared::kSlotBins> bins(low, last);
  put_in_slots(words, count, bins, turn, s);
  __syncthreads();
  const unsigned late_count = s.late_count[turn];
  const unsigned mine = s.in_bin[threadIdx.x];
  s.in_bin[threadIdx.x] = 0;
  if (threadIdx.x == 0) s.late_count[turn ^ 1] = 0;
  if (late_count > Shared::kMostLate) {
    __syncthreads();
    return false;
  }
  ahead();

  const unsigned begin = begin_of_bin(mine, s);
  const unsigned held = min(mine, kSlots);
  sort_bin_of_thread(s, begin, held);
  if (mine > kSlots) insert_late(s, bins, begin, held, late_count);
  __syncthreads();
  return true;
}

}  // namespace sortlab::gpu::msd
