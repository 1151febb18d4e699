// Sorts a leaf of keys or of pairs in the shared memory of one block.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "gpu/primitives/block/msd/leaf.cuh"
#include "gpu/primitives/block/msd/slot_rank.cuh"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/stretch_map.hpp"
#include "gpu/radix/top_sweep/leaf_cut.cuh"
#include "gpu/radix/top_sweep/leaf_words.cuh"

namespace sortlab::gpu::radix::top_sweep {

// Sorts a leaf of keys alone in the shared memory of one block: with one bit per key
// (leaf_words.cuh), or, if many keys are nearly equal, like the leaves of an MSD sort (msd/leaf.cuh).
//
// Equal keys need not be distinguished, so keys carry no places, and all bits of a word belong to
// the key.
template <class Words, class MapT>
struct KeyLeafShared : Words {
  using Map = MapT;
  static constexpr unsigned kPlaceBits = 0;

  Map map;
};

template <class Shared, class Bits>
__device__ void sort_key_leaf(const Bits* from, Bits* to, KeyMap<Bits> key_map, unsigned count,
                              unsigned low_bits, Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  const Bits first_bucket = from[0] >> low_bits;
  const Bits base = first_bucket << low_bits;
  const unsigned key_bits = low_bits + msd::bit_width((from[count - 1] >> low_bits) - first_bucket);
  Bits keys[Shared::kItems];
#pragma unroll
  for (unsigned u = 0; u < Shared::kItems; ++u) {
    const unsigned i = u * kThreads + threadIdx.x;
    keys[u] = i < count ? from[i] - base : Bits{0};
  }
  if (!sort_by_bits(keys, count, key_bits, s)) {
    if (threadIdx.x < 16) s.key()[count + threadIdx.x] = ~Bits{0};
    if (threadIdx.x == 0) s.crowded.count = s.large.count = 0;
    msd::deal(keys, count, 0, Bits{0}, key_bits, s);
    msd::sort_dealt(s, count);
  }
#pragma unroll 8
  for (unsigned i = threadIdx.x; i < count; i += kThreads) {
    to[i] = key_map.key(base + s.key()[i]);
  }
}

/// Sorts the leaves. If there are none, brings the keys home.
template <class Shared, unsigned kBlocksAnSm, class Bits>
__global__ void __launch_bounds__(Shared::kThreads, kBlocksAnSm)
    sort_key_leaves(__grid_constant__ const Arrays<Bits, NoValue> arrays, std::size_t n,
                    const Plan<kPasses<Bits>>* plan, const UpperPasses* upper,
                    const std::size_t* cuts) {
  await_previous_kernel();
  const unsigned low_bits = upper->low_bits;
  if (low_bits == 0) {
    bring_home(arrays, n, plan->ends_in, arrays.data);
    return;
  }
  auto& s = *reinterpret_cast<Shared*>(dynamic_shared());
  const Bits* const from = (upper->from_alternate ? arrays.alternate : arrays.data).keys;
  Bits* const to = arrays.data.keys;
  const std::size_t end = cuts[blockIdx.x + 1];
  for (std::size_t begin = cuts[blockIdx.x]; begin < end;) {
    const std::size_t next = end_of_leaf(from, begin, end, low_bits, Shared::kMaxKeys);
    sort_key_leaf(from + begin, to + begin, arrays.key_map, static_cast<unsigned>(next - begin),
                  low_bits, s);
    begin = next;
    __syncthreads();  // before shared memory is used for the next keys
  }
}

// Sorts a leaf of pairs, stably, in the shared memory of one block.
//
// The leaf's items become words (leaf_words.cuh), no two of which are the same, so any sort of the words is a stable
// sort of the keys: msd/slot_rank.cuh or a bit for each, or msd/leaf.cuh where many words fall together there. The sorted
// words are the keys, and hold where each value is to be fetched from.
template <class Words, class MapT, class ValueT>
struct PairLeafShared : Words {
  using Map = MapT;
  using Value = ValueT;
  static constexpr unsigned kPlaceBits = std::bit_width(Words::kMaxKeys);
  static constexpr unsigned kAtOnce = 16 / sizeof(Value);

  Map map;
  // As they lie in the array; the first one begins somewhere in the first 16 bytes.
  alignas(16) Value values[Words::kMaxKeys + kAtOnce];
};

/// The same, for words that are sorted by slots.
template <class Words, class ValueT>
struct SlotPairLeafShared : Words {
  using Value = ValueT;
  static constexpr unsigned kPlaceBits = std::bit_width(Words::kMaxKeys);
  static constexpr unsigned kAtOnce = 16 / sizeof(Value);

  alignas(16) Value values[Words::kMaxKeys + kAtOnce];
};

/// Has `count` values copied to shared memory, 16 bytes at a time; returns where the first one is.
template <class Shared, class Value>
__device__ __forceinline__ const Value* fetch_values(const Value* from, unsigned count, Shared& s) {
  constexpr unsigned kAtOnce = Shared::kAtOnce;
  const unsigned lead = reinterpret_cast<std::uintptr_t>(from) % 16 / sizeof(Value);
  const unsigned end = lead + count;
  for (unsigned i = kAtOnce * threadIdx.x; i < end; i += kAtOnce * Shared::kThreads) {
    if (i >= lead && i + kAtOnce <= end) {
      __pipeline_memcpy_async(s.values + i, from - lead + i, 16);
    } else {
      for (unsigned j = max(i, lead); j < min(i + kAtOnce, end); ++j) {
        __pipeline_memcpy_async(s.values + j, from - lead + j, sizeof(Value));
      }
    }
  }
  __pipeline_commit();
  return s.values + lead;
}

/// Sorts the words to s.key(): by slots or by bits, whichever the leaf's memory is made for. If that fails,
/// by dealing.
template <class Shared, class Bits>
__device__ __forceinline__ void sort_words(const Bits (&words)[Shared::kItems], unsigned count,
                                           const WordsOfLeaf<Bits>& form, unsigned turn,
                                           Shared& s) {
  const unsigned word_bits = form.key_bits + form.place_bits;
  bool is_sorted;
  if constexpr (requires { s.late_count; }) {
    is_sorted = sort_by_slots(words, count, Bits{0}, form.last(), turn, s, [] {});
  } else {
    is_sorted = sort_by_bits(words, count, word_bits, s);
  }
  if (is_sorted) return;
  if (threadIdx.x < 16) s.key()[count + threadIdx.x] = ~Bits{0};
  if (threadIdx.x == 0) s.crowded.count = s.large.count = 0;
  msd::deal(words, count, 0, Bits{0}, word_bits, s);
  msd::sort_dealt(s, count);
}

/// Sorts as many of the items as their words have room for: all, unless the buckets are small and
/// far apart. Returns how many.
template <class Shared, class Bits, class Value, class Map>
__device__ unsigned sort_pair_leaf(Items<Bits, Value> from, LeafResult<Bits, Value> to,
                                   const Map& key_map, unsigned count, unsigned low_bits,
                                   unsigned turn, Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  constexpr unsigned kItems = Shared::kItems;
  const Value* const values = fetch_values(from.values, count, s);
  WordsOfLeaf<Bits> form(from.keys, count, low_bits);
  Bits words[kItems];
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) {
    const unsigned i = u * kThreads + threadIdx.x;
    words[u] = i < count ? from.keys[i] : Bits{0};
  }
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) {
    words[u] = u * kThreads + threadIdx.x < count ? words[u] - form.base : Bits{0};
  }
  if (!form.have_room()) {
    count = take_fitting<Shared>(words, from.keys, count, form);
  }
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) {
    words[u] = words[u] << form.place_bits | u * kThreads + threadIdx.x;
  }
  sort_words(words, count, form, turn, s);
  __pipeline_wait_prior(0);
  __syncthreads();

  const Bits place_mask = (Bits{1} << form.place_bits) - 1;
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < count; i += kThreads) {
    const Bits word = s.key()[i];
    const auto key = [&] { return key_map.key(form.base + (word >> form.place_bits)); };
    to.put(i, key, values[word & place_mask]);
  }
  return count;
}

/// Sorts the leaves, and writes keys as key_map has them. If there are no leaves, brings the items home.
template <class Shared, unsigned kBlocksAnSm, bool kSharesLeaves, class Bits, class Value,
          class Map>
__global__ void __launch_bounds__(Shared::kThreads, kBlocksAnSm)
    sort_pair_leaves(__grid_constant__ const Arrays<Bits, Value> arrays,
                     LeafResult<Bits, Value> result, Map key_map, std::size_t n,
                     const Plan<kPasses<Bits>>* plan, const UpperPasses* upper,
                     const std::size_t* cuts, unsigned leaves) {
  await_previous_kernel();
  const unsigned low_bits = upper->low_bits;
  if (low_bits == 0) {
    bring_home(arrays, n, plan->ends_in, arrays.data);
    return;
  }
  auto& s = *reinterpret_cast<Shared*>(dynamic_shared());
  const auto from = upper->from_alternate ? arrays.alternate : arrays.data;
  if constexpr (requires { s.late_count; }) {
    clear_slots(s);
    __syncthreads();
  }
  unsigned turn = 0;
  for (unsigned leaf = blockIdx.x; leaf < leaves; leaf += gridDim.x) {
    const std::size_t end = cuts[leaf + 1];
    for (std::size_t begin = cuts[leaf]; begin < end;) {
      const std::size_t next = end_of_leaf(from.keys, begin, end, low_bits, Shared::kMaxKeys);
      begin += sort_pair_leaf(from.from(begin), result.from(begin), key_map,
                              static_cast<unsigned>(next - begin), low_bits, turn, s);
      turn ^= 1;
      __syncthreads();  // before shared memory is used for the next items
    }
    if constexpr (!kSharesLeaves) return;
  }
}

/// Writes stretched keys as they were, unless leaves have done it. Without a plan there are no leaves.
template <class Bits>
__global__ void __launch_bounds__(kCopyThreads)
    shrink_keys(Bits* keys, StretchMap<Bits> key_map, std::size_t n, const UpperPasses* upper) {
  await_previous_kernel();
  if (upper != nullptr && upper->low_bits != 0) return;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
    keys[i] = key_map.key(keys[i]);
  }
}

template <class Bits>
void launch_shrink(Bits* keys, const StretchMap<Bits>& key_map, std::size_t n,
                   const UpperPasses* upper, cudaStream_t stream) {
  const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
  launch_early("shrink_keys", shrink_keys<Bits>,
               {std::min(2 * sms, ceil_div(n, kCopyThreads)), kCopyThreads}, stream, keys, key_map,
               n, upper);
}

}  // namespace sortlab::gpu::radix::top_sweep
