// Segments of up to 8 K items: a group of threads sorts one in shared memory, about 8 items a thread.
//
// The range of the keys is cut into cells of equal width, and the items are counted by cells. So the rank of a key is
// known about, and bins of equal ranks, one for each thread, hold about 8 items for keys of any distribution whose
// parts are smooth: floats, which lie closer the nearer they are to zero, as well as integers.
//
//     keys      a        bc defg  h     i        j          cells count 1 | 0 | 2 4 1 1 | 0 | 1
//     ranks     0        12 3456  7     8        9          a line from the first rank of a cell to that of the next
//     slots     [a b . . . .] [c d e f . .] [g h i j . .]   an atomic for each item returns its slot
//     sorted    a b | c d e f | g h i j                     each thread sorts its bin in registers
//
// A slot holds a word of 4 bytes: the key, if it has no more and no value; else the place in the segment, behind as
// many bits of the rank as there is room for. So equal keys keep their order. Different keys with the same bits of the
// rank are a few neighbours in the wrong order, which are found and exchanged when the result is written.
// Items that find their bin full are put in later by insertion. If there are many (of keys that are often
// equal, above all), the block sorts the segment by bins and networks instead (gpu/radix/small/block.cuh).
// Bytes per item: one read, one write. Shared memory: 2 atomics, and 3 to 5 writes and reads.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "gpu/primitives/block/group_barrier.cuh"
#include "gpu/primitives/thread/networks.cuh"
#include "gpu/radix/small/block.cuh"
#include "gpu/segments/by_class/lists.cuh"

namespace sortlab::gpu::segments {

constexpr unsigned kSlotItems = 8;    // of a thread, and expected in a bin
constexpr unsigned kSlots = 20;       // one bin in 10,000 has more
constexpr unsigned kSlotStride = 21;  // odd: lanes meet in no bank
constexpr unsigned kMostLate = 32;
constexpr unsigned kTurnsOfRound = 256;

/// kLeastGroup: the fewest threads of a group.
template <class Bits, class Value, unsigned kThreadsT, unsigned kLeastGroup>
struct SlotShared {
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr unsigned kWarps = kThreads / kWarp;
  static constexpr unsigned kGroups = kThreads / kLeastGroup;
  static constexpr bool kPairs = Items<Bits, Value>::kPairs;
  static constexpr bool kWordsAreKeys = sizeof(Bits) == 4 && !kPairs;

  unsigned slots[kThreads * kSlotStride];                // then all words in order
  Bits keys[kWordsAreKeys ? 1 : kThreads * kSlotItems];  // ordered bits by place
  Value values[kPairs ? kThreads * kSlotItems : 1];
  unsigned cells[2 * kThreads];  // counts; then the first rank of a cell in the upper half
  unsigned in_bin[kThreads];     // zero before and after a sort
  unsigned warp_sums[kWarps];
  Bits warp_lowest[kWarps];
  Bits warp_highest[kWarps];
  unsigned late[kGroups][kMostLate];
  unsigned late_bin[kGroups][kMostLate];
  unsigned late_count[kGroups];
  Part<Bits, Value> parts[2][kGroups];  // now and next: no registers hold them
};

/// Sorts a segment for each group of threads of a block.
template <class SharedT, class Bits, class Value>
class SlotSort {
 public:
  using Shared = SharedT;

  /// Groups have 2^group_bits threads.
  __device__ __forceinline__ SlotSort(unsigned group_bits, Shared& s,
                                      const Arrays<Bits, Value>& arrays)
      : group_bits_(group_bits), s_(s), arrays_(arrays) {}

  /// Sorts part_at(t) for each t below `count`, of up to kSlotItems items a thread. Block `first_block` begins. Where
  /// too many keys are equal, or crowd otherwise, all threads of the block call sort_otherwise(part) instead.
  template <class PartAt, class SortOtherwise>
  __device__ __forceinline__ void sort_all(std::size_t count, unsigned first_block, PartAt part_at,
                                           SortOtherwise sort_otherwise) {
    // A bit for each turn; not in memory that sort_otherwise uses.
    __shared__ unsigned s_failed[Shared::kGroups][kTurnsOfRound / kWarp];
    const unsigned groups = Shared::kThreads >> group_bits_;
    const std::size_t step = std::size_t{gridDim.x} * groups;
    const unsigned block = (blockIdx.x + gridDim.x - first_block) % gridDim.x;
    for (std::size_t first = std::size_t{block} * groups; first < count;
         first += step * kTurnsOfRound) {
      __syncthreads();  // whatever the memory was used for
      s_.in_bin[threadIdx.x] = 0;
      if (thread() < kTurnsOfRound / kWarp) s_failed[group()][thread()] = 0;
      const bool any_failed =
          __syncthreads_or(sort_round(first + group(), step, count, part_at, s_failed[group()]));
      if (!any_failed) continue;
      for (unsigned g = 0; g < groups; ++g) {
        for (unsigned turn = 0; turn < kTurnsOfRound; ++turn) {
          const bool is_left = (s_failed[g][turn / kWarp] >> turn % kWarp & 1) != 0;
          if (is_left) sort_otherwise(part_at(first + g + turn * step));
        }
      }
    }
  }

 private:
  static constexpr bool kPairs = Shared::kPairs;
  static constexpr bool kWordsAreKeys = Shared::kWordsAreKeys;
  using PartOf = Part<Bits, Value>;

  __device__ __forceinline__ unsigned group() const { return threadIdx.x >> group_bits_; }
  __device__ __forceinline__ unsigned first_thread() const { return group() << group_bits_; }
  __device__ __forceinline__ unsigned thread() const { return threadIdx.x - first_thread(); }
  __device__ __forceinline__ unsigned first_warp() const { return first_thread() / kWarp; }
  __device__ __forceinline__ unsigned warps_of_group() const { return (1u << group_bits_) / kWarp; }
  __device__ __forceinline__ unsigned first_item() const { return first_thread() * kSlotItems; }
  /// The group's slots; then its words in order.
  __device__ __forceinline__ unsigned* words() const {
    return s_.slots + first_thread() * kSlotStride;
  }
  __device__ __forceinline__ GroupBarrier barrier() const { return {group(), 1u << group_bits_}; }
  /// The place in the segment of a thread's item i.
  __device__ __forceinline__ unsigned place(unsigned i) const {
    return (i << group_bits_) + thread();
  }
  /// Of a word that is no key. A group has 2^(group_bits + 3) places.
  __device__ __forceinline__ unsigned place_mask() const { return (8u << group_bits_) - 1; }

  /// A round of the group's segments. Says whether some are left.
  template <class PartAt>
  __device__ __forceinline__ bool sort_round(std::size_t t, std::size_t step, std::size_t count,
                                             PartAt part_at, unsigned* s_failed) {
    bool any_failed = false;
    if (t >= count) return false;
    const auto fetch = [&](std::size_t from, unsigned turn) {
      if (thread() == 0 && from < count) s_.parts[turn % 2][group()] = part_at(from);
    };
    fetch(t, 0);
    barrier().sync();
    for (unsigned turn = 0; turn < kTurnsOfRound && t < count; ++turn, t += step) {
      if (!sort_once(turn % 2, [&] { fetch(t + step, turn + 1); })) {
        any_failed = true;
        if (thread() == 0) s_failed[turn / kWarp] |= 1u << turn % kWarp;
      }
    }
    return any_failed;
  }

  /// Sorts the part of this turn. Says whether it could, the same to all threads of the group. Calls ahead() on the
  /// way.
  template <class Ahead>
  __device__ __forceinline__ bool sort_once(unsigned turn, Ahead ahead) {
    const PartOf& part = s_.parts[turn][group()];
    const unsigned length = part.length;
    const bool is_put = put_in_slots(part, length);
    ahead();
    if (!is_put) {
      s_.in_bin[threadIdx.x] = 0;
      if constexpr (kPairs) __pipeline_wait_prior(0);
      barrier().sync();
      return false;
    }
    sort_bins();
    if constexpr (kPairs) __pipeline_wait_prior(0);
    barrier().sync();
    const bool is_unordered = write(part, length);
    if (barrier().any(is_unordered)) repair(*this, part, length);
    return true;
  }

  /// Loads the keys, and brings the values to shared memory. Puts each item in its bin.
  __device__ __forceinline__ bool put_in_slots(const PartOf& part, unsigned length) {
    Bits key[kSlotItems];
    {
      const Bits* const from = part.keys + part.begin;
#pragma unroll
      for (unsigned i = 0; i < kSlotItems; ++i) {
        key[i] = place(i) < length ? from[place(i)] : Bits{0};
      }
      if constexpr (kPairs) {
        if (part.values != nullptr) {
          const Value* const values = part.values + part.begin;
#pragma unroll
          for (unsigned i = 0; i < kSlotItems; ++i) {
            if (place(i) < length) {
              __pipeline_memcpy_async(s_.values + first_item() + place(i), values + place(i),
                                      sizeof(Value));
            }
          }
        }
        __pipeline_commit();
      }
      const RankMap<Bits> map = part.map;
#pragma unroll
      for (unsigned i = 0; i < kSlotItems; ++i) {
        key[i] = map.ordered(key[i]);
        if constexpr (!kWordsAreKeys) s_.keys[first_item() + place(i)] = key[i];
      }
    }
    Bits lowest;
    Bits highest;
    find_range(key, length, lowest, highest);
    // Of floats that many octaves: in one of 32 segments a key is nearer to zero, if they are uniform.
    const Linear<Bits> line(lowest, highest, arrays_.scale, group_bits_ + 8);
    unsigned* const cells = s_.cells + 2 * first_thread();
    const unsigned cell_shift = 31 - group_bits_;  // a group has twice as many cells as threads
#pragma unroll
    for (unsigned i = 0; i < kSlotItems; ++i) {
      if (place(i) < length) atomicAdd(&cells[line(key[i]) >> cell_shift], 1u);
    }
    barrier().sync();
    rank_cells(cells);
    barrier().sync();
    const unsigned an_item = ~0u / max(length, 1u);  // ranks as fractions of 2^32
#pragma unroll
    for (unsigned i = 0; i < kSlotItems; ++i) {
      if (place(i) >= length) continue;
      const unsigned fraction = line(key[i]);
      const unsigned cell = cells[fraction >> cell_shift];
      const unsigned rank = lowest == highest
                                ? place(i) * an_item  // equal keys: by place
                                : (cell >> 16) * an_item + __umulhi(fraction << (group_bits_ + 1),
                                                                    (cell & 0xffff) * an_item);
      const unsigned bin = first_thread() + (rank >> (32 - group_bits_));
      const unsigned word = kWordsAreKeys ? static_cast<unsigned>(key[i])
                                          : (rank << group_bits_ & ~place_mask()) | place(i);
      const unsigned slot = atomicAdd(&s_.in_bin[bin], 1u);
      if (slot < kSlots) {
        s_.slots[bin * kSlotStride + slot] = word;
      } else {
        const unsigned late = atomicAdd(&s_.late_count[group()], 1u);
        if (late < kMostLate) {
          s_.late[group()][late] = word;
          s_.late_bin[group()][late] = bin;
        }
      }
    }
    barrier().sync();
    return s_.late_count[group()] <= kMostLate;
  }

  /// The range of the group's keys. Empties its cells.
  __device__ __forceinline__ void find_range(const Bits (&key)[kSlotItems], unsigned length,
                                             Bits& lowest, Bits& highest) {
    lowest = static_cast<Bits>(~Bits{0});
    highest = 0;
#pragma unroll
    for (unsigned i = 0; i < kSlotItems; ++i) {
      if (place(i) >= length) continue;
      lowest = min(lowest, key[i]);
      highest = max(highest, key[i]);
    }
    lowest = radix::small::warp_min(lowest);
    highest = radix::small::warp_max(highest);
    s_.cells[2 * threadIdx.x] = 0;
    s_.cells[2 * threadIdx.x + 1] = 0;
    if (thread() == 0) s_.late_count[group()] = 0;
    if (lane_id() == 0) {
      s_.warp_lowest[warp_id()] = lowest;
      s_.warp_highest[warp_id()] = highest;
    }
    barrier().sync();
    const unsigned w = first_warp() + (lane_id() & (warps_of_group() - 1));
    lowest = radix::small::warp_min(s_.warp_lowest[w]);
    highest = radix::small::warp_max(s_.warp_highest[w]);
  }

  /// The sum of the group's warps below, once the sums of warps are known.
  __device__ __forceinline__ unsigned sum_of_warps_below() const {
    const unsigned total =
        lane_id() < warps_of_group() ? s_.warp_sums[first_warp() + lane_id()] : 0;
    const unsigned before = warp_inclusive_scan(total) - total;
    return __shfl_sync(kAllLanes, before, static_cast<int>(warp_id() - first_warp()));
  }

  /// Each cell's count gets its first rank. A thread has two cells.
  __device__ __forceinline__ void rank_cells(unsigned* cells) {
    unsigned* const own = cells + 2 * thread();
    const unsigned first = own[0];
    const unsigned second = own[1];
    const unsigned up_to_here = warp_inclusive_scan(first + second);
    if (lane_id() == kWarp - 1) s_.warp_sums[warp_id()] = up_to_here;
    barrier().sync();
    const unsigned begin = sum_of_warps_below() + up_to_here - first - second;
    own[0] = begin << 16 | first;
    own[1] = (begin + first) << 16 | second;
  }

  /// Sorts the words of this thread's bin, with the late ones, to where the bin begins. A barrier: no slot is wanted
  /// any more.
  __device__ __forceinline__ void sort_bins() {
    const unsigned mine = s_.in_bin[threadIdx.x];
    s_.in_bin[threadIdx.x] = 0;
    const unsigned up_to_here = warp_inclusive_scan(mine);
    if (lane_id() == kWarp - 1) s_.warp_sums[warp_id()] = up_to_here;
    const unsigned held = min(mine, kSlots);
    const unsigned most = lanes_max(kAllLanes, held);
    // Warps wait for each other at the barriers of several of these.
    if (most <= 12) {
      sort_bin<12>(up_to_here - mine, held);
    } else if (most <= 16) {
      sort_bin<16>(up_to_here - mine, held);
    } else {
      sort_bin<kSlots>(up_to_here - mine, held);
    }
    if (mine > kSlots) insert_late(*this, up_to_here - mine);
  }
  template <unsigned kCount>
  __device__ __forceinline__ void sort_bin(unsigned begin, unsigned held) {
    const unsigned* const slots = s_.slots + threadIdx.x * kSlotStride;
    unsigned word[kCount];
#pragma unroll
    for (unsigned j = 0; j < kCount; ++j) word[j] = j < held ? slots[j] : ~0u;
    barrier().sync();
    sort_by_exchanges<kCount>([&](unsigned i, unsigned j) { order(word[i], word[j]); });
    unsigned* const to = words() + begin + sum_of_warps_below();
#pragma unroll
    for (unsigned j = 0; j < kCount; ++j) {
      if (j < held) to[j] = word[j];
    }
  }
  /// Takes the sort by value: the caller's is in registers.
  __device__ __noinline__ static void insert_late(const SlotSort it, unsigned begin) {
    Shared& s = it.s_;
    const unsigned group = it.group();
    unsigned* const words = it.words();
    for (unsigned w = it.first_warp(); w < warp_id(); ++w) begin += s.warp_sums[w];
    unsigned end = begin + kSlots;
    for (unsigned i = 0; i < s.late_count[group]; ++i) {
      if (s.late_bin[group][i] != threadIdx.x) continue;
      const unsigned word = s.late[group][i];
      unsigned at = end++;
      for (; at > begin && word < words[at - 1]; --at) words[at] = words[at - 1];
      words[at] = word;
    }
  }

  __device__ __forceinline__ Bits key_of(unsigned word) const {
    if constexpr (kWordsAreKeys) {
      return word;
    } else {
      return s_.keys[first_item() + (word & place_mask())];
    }
  }
  /// Writes the result. Says whether this thread saw keys out of order.
  __device__ __forceinline__ bool write(const PartOf& part, unsigned length) const {
    const std::size_t begin = part.begin;
    const bool are_numbered = part.values == nullptr;
    bool is_unordered = false;
#pragma unroll
    for (unsigned i = 0; i < kSlotItems; ++i) {
      const unsigned p = place(i);
      const unsigned word = p < length ? words()[p] : 0;
      const Bits key = key_of(word);
      if constexpr (!kWordsAreKeys) {
        Bits before = __shfl_up_sync(kAllLanes, key, 1);
        if (lane_id() == 0) before = p == 0 || p >= length ? 0 : key_of(words()[p - 1]);
        is_unordered |= p < length && key < before;
      }
      if (p >= length) continue;
      Value value{};
      if constexpr (kPairs) {
        const unsigned from = word & place_mask();
        value = are_numbered ? static_cast<Value>(from) : s_.values[first_item() + from];
      }
      arrays_.put(begin + p, key, value);
    }
    return is_unordered;
  }

  /// Exchanges neighbours that are out of order until none are, and writes the result again.
  __device__ __noinline__ static void repair(const SlotSort it, const PartOf& part,
                                             unsigned length) {
    if constexpr (!kWordsAreKeys) {
      unsigned* const words = it.words();
      bool is_unordered = true;
      while (it.barrier().any(is_unordered)) {
        is_unordered = false;
        for (unsigned odd = 0; odd < 2; ++odd) {
          for (unsigned p = 2 * it.thread() + odd; p + 1 < length; p += 2u << it.group_bits_) {
            const unsigned a = words[p];
            const unsigned b = words[p + 1];
            const Bits key_a = it.key_of(a);
            const Bits key_b = it.key_of(b);
            const bool is_after = (b & it.place_mask()) < (a & it.place_mask());
            if (key_b < key_a || (key_b == key_a && is_after)) {
              words[p] = b;
              words[p + 1] = a;
              is_unordered = true;
            }
          }
          it.barrier().sync();
        }
      }
      (void)it.write(part, length);
      it.barrier().sync();
    }
  }

  unsigned group_bits_;
  Shared& s_;
  const Arrays<Bits, Value>& arrays_;
};

}  // namespace sortlab::gpu::segments
