// Sorts a leaf of pairs, stably, in the shared memory of one block.
//
// The items of a leaf share their top bits. A word holds the other bits of a key, and below them
// the place where the item was:
//
//     key     | the same in all of the leaf | low bits |
//     word                         | 0 | low bits | place |
//
// No two words are the same, so any sort of the words is a stable sort of the keys: msd/slot_rank.cuh or
// bit_rank.cuh, or msd/leaf.cuh where many words fall together there. The sorted words are the keys, and tell
// where each value is to be fetched from.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "gpu/primitives/block/msd/leaf.cuh"
#include "gpu/primitives/block/msd/slot_rank.cuh"
#include "gpu/primitives/key_map.hpp"
#include "gpu/radix/top_sweep/bit_rank.cuh"
#include "gpu/radix/top_sweep/leaf_cut.cuh"

namespace sortlab::gpu::radix::top_sweep {

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

/// Sorts as many of the items as their words have room for: all, unless the buckets are small and
/// far apart. Returns how many.
template <class Shared, class Bits, class Value>
__device__ unsigned sort_pair_leaf(Items<Bits, Value> from, Items<Bits, Value> to,
                                   KeyMap<Bits> key_map, unsigned count, unsigned low_bits,
                                   unsigned turn, Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  constexpr unsigned kItems = Shared::kItems;
  const Value* const values = fetch_values(from.values, count, s);
  const Bits first_bucket = from.keys[0] >> low_bits;
  const Bits base = first_bucket << low_bits;
  const Bits buckets = (from.keys[count - 1] >> low_bits) - first_bucket;  // and one
  const unsigned place_bits = msd::bit_width(count);
  unsigned key_bits = low_bits + msd::bit_width(buckets);
  Bits words[kItems];
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) {
    const unsigned i = u * kThreads + threadIdx.x;
    words[u] = i < count ? from.keys[i] - base : Bits{0};
  }
  if (key_bits + place_bits > 8 * sizeof(Bits)) {
    key_bits = 8 * sizeof(Bits) - place_bits;
    unsigned fit = 0;
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) {
      const bool has_item = u * kThreads + threadIdx.x < count;
      fit += __syncthreads_count(has_item && words[u] >> key_bits == 0);
    }
    count = fit;
  }
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) {
    words[u] = words[u] << place_bits | u * kThreads + threadIdx.x;
  }
  const unsigned word_bits = key_bits + place_bits;
  bool is_sorted;
  if constexpr (requires { s.late_count; }) {
    const bool is_cut = key_bits < low_bits + msd::bit_width(buckets);
    const Bits last = is_cut ? ~Bits{0} >> (8 * sizeof(Bits) - word_bits)
                             : ((buckets + 1) << (low_bits + place_bits)) - 1;
    is_sorted = sort_by_slots(words, count, Bits{0}, last, turn, s, [] {});
  } else {
    is_sorted = sort_by_bits(words, count, word_bits, s);
  }
  if (!is_sorted) {
    if (threadIdx.x < 16) s.key()[count + threadIdx.x] = ~Bits{0};
    if (threadIdx.x == 0) s.crowded.count = s.large.count = 0;
    msd::deal(words, count, 0, Bits{0}, key_bits + place_bits, s);
    msd::sort_dealt(s, count);
  }
  __pipeline_wait_prior(0);
  __syncthreads();

  const Bits place_mask = (Bits{1} << place_bits) - 1;
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < count; i += kThreads) {
    const Bits word = s.key()[i];
    to.put(i, {key_map.key(base + (word >> place_bits)), values[word & place_mask]});
  }
  return count;
}

template <class Shared, unsigned kBlocksAnSm, class Bits, class Value>
__global__ void __launch_bounds__(Shared::kThreads, kBlocksAnSm)
    sort_pair_leaves(Items<Bits, Value> data, Items<Bits, Value> alternate, KeyMap<Bits> key_map,
                     const LeafPlan* leaf_plan, const std::size_t* cuts) {
  const unsigned low_bits = leaf_plan->low_bits;
  if (low_bits == 0) return;
  auto& s = *reinterpret_cast<Shared*>(dynamic_shared());
  const auto from = leaf_plan->from_alternate ? alternate : data;
  const std::size_t end = cuts[blockIdx.x + 1];
  if constexpr (requires { s.late_count; }) {
    clear_slots(s);
    __syncthreads();
  }
  unsigned turn = 0;
  for (std::size_t begin = cuts[blockIdx.x]; begin < end;) {
    const std::size_t next = end_of_leaf(from.keys, begin, end, low_bits, Shared::kMaxKeys);
    begin += sort_pair_leaf(from.from(begin), data.from(begin), key_map,
                            static_cast<unsigned>(next - begin), low_bits, turn, s);
    turn ^= 1;
    __syncthreads();  // before shared memory is used for the next items
  }
}

}  // namespace sortlab::gpu::radix::top_sweep
