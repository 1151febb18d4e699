// Straightens items that are nearly in order, with networks in registers:
//
//   windows     |----8----|----8----|----8----|     each sorted by a thread
//   shifted          |----8----|----8----|          two sorted halves merged, if need be
//   windows     |----8----|----8----|----8----|     ... until nothing has moved
//
// Items of a bin of k need about k / 4 rounds: 3 for uniform keys. Equal keys alone never ask for
// one.
#pragma once

#include <algorithm>
#include <bit>

#include "gpu/primitives/thread/merge_path.cuh"
#include "gpu/primitives/thread/networks.cuh"
#include "gpu/radix/small/bins.cuh"

namespace sortlab::gpu::radix::small {

// A block's merge sort in shared memory, for items that crowd into few of the bins of small_block:
// a thread sorts 8 items or 16 in registers, then runs are merged two and two. Neighbours that are in
// order as they stand are not merged, and equal keys are.
//
// Items are ordered by key, then by value: for pairs the value is the place in the input.
template <class Bits, class Place>
__device__ __forceinline__ bool is_before(const Item<Bits, Place>& a, const Item<Bits, Place>& b) {
  if constexpr (Items<Bits, Place>::kPairs) {
    return a.key < b.key || (a.key == b.key && a.value < b.value);
  } else {
    return a.key < b.key;
  }
}

/// Whether the two runs are in order as they stand, or there is only one.
template <class ItemsT>
__device__ __forceinline__ bool is_merged(ItemsT items, RunPair<unsigned> runs) {
  return runs.middle == runs.end || !is_before(items[runs.middle], items[runs.middle - 1]);
}

/// Merges up to kSteps outputs of two runs, from the output `diagonal` on, and calls put(e, item)
/// for each.
template <unsigned kSteps, class ItemsT, class Put>
__device__ __forceinline__ void merge_items(ItemsT items, RunPair<unsigned> runs, unsigned diagonal,
                                            unsigned steps, Put put) {
  const unsigned left_count = runs.middle - runs.begin;
  const unsigned right_count = runs.end - runs.middle;
  unsigned low = diagonal > right_count ? diagonal - right_count : 0;
  unsigned high = min(diagonal, left_count);
  while (low < high) {
    const unsigned i = (low + high) / 2;
    if (is_before(items[runs.middle + diagonal - 1 - i], items[runs.begin + i])) {
      high = i;
    } else {
      low = i + 1;
    }
  }
  unsigned a = runs.begin + low;
  unsigned b = runs.middle + diagonal - low;
#pragma unroll
  for (unsigned e = 0; e < kSteps; ++e) {
    if (e >= steps) continue;
    const auto left = items[min(a, runs.end - 1)];
    const auto right = items[min(b, runs.end - 1)];
    const bool takes_left = b == runs.end || (a < runs.middle && !is_before(right, left));
    put(e, takes_left ? left : right);
    a += takes_left;
    b += !takes_left;
  }
}

/// Sorts the items [first, end), at most kShortRun of them, by insertion from register to register.
template <unsigned kShortRun, class ItemsT>
__device__ __forceinline__ void sort_short_run(ItemsT items, unsigned first, unsigned end) {
  decltype(items[0]) item[kShortRun];
#pragma unroll
  for (unsigned e = 0; e < kShortRun; ++e) item[e] = items[min(first + e, end - 1)];
    // Odd-even transposition; what lies behind the end equals the last item until it is left behind.
#pragma unroll
  for (unsigned round = 0; round < kShortRun; ++round) {
#pragma unroll
    for (unsigned e = round % 2; e + 1 < kShortRun; e += 2) {
      if (first + e + 1 < end && is_before(item[e + 1], item[e])) {
        const auto held = item[e];
        item[e] = item[e + 1];
        item[e + 1] = held;
      }
    }
  }
#pragma unroll
  for (unsigned e = 0; e < kShortRun; ++e) {
    if (first + e < end) items.put(first + e, item[e]);
  }
}

/// Sorts the first `count` of the block's items, at most kCapacity; begins and ends with a barrier.
template <unsigned kThreads, unsigned kCapacity, class ItemsT>
__device__ __noinline__ void block_merge_sort(ItemsT items, unsigned count) {
  constexpr unsigned kShare = std::bit_ceil(kCapacity / kThreads);
  constexpr unsigned kShortRun = std::max(8u, kShare / 2);  // a share lies in one pair of runs
  __syncthreads();
  for (unsigned first = threadIdx.x * kShortRun; first < count; first += kThreads * kShortRun) {
    sort_short_run<kShortRun>(items, first, min(first + kShortRun, count));
  }
  __syncthreads();
  const unsigned at = threadIdx.x * kShare;
  const unsigned steps = at < count ? min(kShare, count - at) : 0;
  for (unsigned width = kShortRun; width < count; width *= 2) {
    const auto runs = run_pair_at(min(at, count - 1), width, count);
    const bool moves = steps > 0 && !is_merged(items, runs);
    decltype(items[0]) merged[kShare];
    if (moves) {
      merge_items<kShare>(items, runs, at - runs.begin, steps,
                          [&](unsigned e, auto item) { merged[e] = item; });
    }
    if (!__syncthreads_or(moves)) continue;
    if (moves) {
#pragma unroll
      for (unsigned e = 0; e < kShare; ++e) {
        if (e < steps) items.put(at + e, merged[e]);
      }
    }
    __syncthreads();
  }
}

constexpr unsigned kMaxRounds = 20;  // enough for bins of kMostInBin

/// An item as the networks compare it. A key of 32 bits and its place are one word.
template <class Bits, class Place>
struct Comparable {
  using Word = Item<Bits, Place>;
  __device__ __forceinline__ static Word of(Bits key, unsigned place) { return {key, place}; }
  __device__ __forceinline__ static Bits key(Word word) { return word.key; }
  __device__ __forceinline__ static unsigned place(Word word) { return word.value; }
  __device__ __forceinline__ static bool is_before(Word a, Word b) {
    return small::is_before(a, b);
  }
};
template <class Bits>
struct Comparable<Bits, NoValue> {
  using Word = Bits;
  __device__ __forceinline__ static Word of(Bits key, unsigned) { return key; }
  __device__ __forceinline__ static Bits key(Word word) { return word; }
  __device__ __forceinline__ static bool is_before(Word a, Word b) { return a < b; }
};
template <>
struct Comparable<std::uint32_t, std::uint32_t> {
  using Word = std::uint64_t;
  __device__ __forceinline__ static Word of(std::uint32_t key, unsigned place) {
    return Word{key} << 32 | place;
  }
  __device__ __forceinline__ static std::uint32_t key(Word word) {
    return static_cast<std::uint32_t>(word >> 32);
  }
  __device__ __forceinline__ static unsigned place(Word word) {
    return static_cast<unsigned>(word);
  }
  __device__ __forceinline__ static bool is_before(Word a, Word b) { return a < b; }
};

/// Sorts a window that consists of sorted runs of kRun items.
template <class C, unsigned kRun>
__device__ __forceinline__ void sort_window(typename C::Word (&word)[kWindow]) {
  sort_by_levels<kWindow, kRun>([&](unsigned i, unsigned j) {
    const auto a = word[i];
    const auto b = word[j];
    const bool stays = !C::is_before(b, a);
    word[i] = stays ? a : b;
    word[j] = stays ? b : a;
  });
}

/// 16 bytes of one of the arrays, which stay together whatever the slots.
template <class T>
struct __align__(16) Piece {
  static constexpr unsigned kSize = 16 / sizeof(T);
  T x[kSize];

  __device__ __forceinline__ static Piece& at(T * s_array, unsigned p) {
    return *reinterpret_cast<Piece*>(&s_array[slot<T>(p)]);
  }
};

/// The window of x that begins at p, which is half a window from where one ends.
template <class T>
__device__ __forceinline__ void load_window(T* s_array, unsigned p, T (&x)[kWindow]) {
#pragma unroll
  for (unsigned first = 0; first < kWindow; first += Piece<T>::kSize) {
    const auto piece = Piece<T>::at(s_array, p + first);
#pragma unroll
    for (unsigned i = 0; i < Piece<T>::kSize; ++i) x[first + i] = piece.x[i];
  }
}
template <class T>
__device__ __forceinline__ void store_window(T* s_array, unsigned p, const T (&x)[kWindow]) {
#pragma unroll
  for (unsigned first = 0; first < kWindow; first += Piece<T>::kSize) {
    Piece<T> piece;
#pragma unroll
    for (unsigned i = 0; i < Piece<T>::kSize; ++i) piece.x[i] = x[first + i];
    Piece<T>::at(s_array, p + first) = piece;
  }
}

/// Sorts the window that begins at p, of which each kRun items are sorted.
template <unsigned kRun, class Bits, class Place>
__device__ __forceinline__ void sort_window_at(SlottedItems<Bits, Place> items, unsigned p) {
  using C = Comparable<Bits, Place>;
  Bits key[kWindow];
  std::uint32_t place[kWindow] = {};
  load_window(items.keys, p, key);
  if constexpr (items.kPairs) load_window(items.places, p, place);
  typename C::Word word[kWindow];
#pragma unroll
  for (unsigned i = 0; i < kWindow; ++i) word[i] = C::of(key[i], place[i]);
  sort_window<C, kRun>(word);
#pragma unroll
  for (unsigned i = 0; i < kWindow; ++i) {
    key[i] = C::key(word[i]);
    if constexpr (items.kPairs) place[i] = C::place(word[i]);
  }
  store_window(items.keys, p, key);
  if constexpr (items.kPairs) store_window(items.places, p, place);
}

/// Merges the sorted halves of the windows that begin at `shift`, kWindow + shift, ...; says whether
/// any thread of the block found something to do.
template <class Shared>
__device__ __forceinline__ bool merge_windows(Shared& s, unsigned shift, unsigned end) {
  const auto items = s.items();
  bool changed = false;
  for (unsigned w = threadIdx.x; (w + 1) * kWindow + shift <= end; w += Shared::kThreads) {
    const unsigned middle = w * kWindow + shift + kWindow / 2;
    if (is_before(items[middle], items[middle - 1])) {
      sort_window_at<kWindow / 2>(items, w * kWindow + shift);
      changed = true;
    }
  }
  return __syncthreads_or(changed);
}

/// Sorts the first `count` items, which lie in the order of their bins. Begins and ends with a
/// barrier.
template <class Shared>
__device__ __forceinline__ void straighten(Shared& s, unsigned count) {
  using Bits = typename Shared::Bits;
  const unsigned end = (count + kWindow - 1) / kWindow * kWindow;
  if (threadIdx.x < end - count) s.put(count + threadIdx.x, static_cast<Bits>(~Bits{0}), ~0u);
  __syncthreads();
  for (unsigned w = threadIdx.x; w * kWindow < end; w += Shared::kThreads) {
    sort_window_at<1>(s.items(), w * kWindow);
  }
  __syncthreads();
  for (unsigned round = 1;; ++round) {
    const unsigned shift = round % 2 * (kWindow / 2);
    if (!merge_windows(s, shift, end)) return;
    if (round == kMaxRounds) break;
  }
  block_merge_sort<Shared::kThreads, Shared::kCapacity>(s.items(), count);
}

}  // namespace sortlab::gpu::radix::small
