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
// Instructions per item bound this work. So groups have a number of threads that the compiler knows, an item that is not
// there costs no branch, and what a map of keys does to some types only stands behind a branch for all items.
// measured: rows of 512, 2^25 f32+u32, us: 296 (this) vs 747 (before); H200, h200/attempts/segments.2.txt.xz
//
// A slot holds a word of 4 bytes: the key, if it has no more and no value; else the place in the segment, behind 19
// bits of the rank. So equal keys keep their order. Different keys with the same bits of the rank are a few neighbours
// in the wrong order, which are found and exchanged when the result is written.
// Items that find their bin full are put in later by insertion. If there are many (of keys that are often
// equal, above all), the block sorts the segment by bins and networks instead (gpu/radix/small/block.cuh).
// Bytes per item: one read, one write. Shared memory: 2 atomics, and 3 to 5 writes and reads.
// Equal keys are written as they came. Where segments fail one after the other, the next ones are not tried.
// measured: 2^25 u32 keys in rows of 1024, us: all equal 102 (this) vs 207 (before), a quarter zeros 655 vs 784; H200,
// h200/attempts/segments.3.txt.xz
#pragma once

#include <cuda_pipeline_primitives.h>

#include "gpu/primitives/block/group_barrier.cuh"
#include "gpu/primitives/thread/networks.cuh"
#include "gpu/radix/small/block.cuh"
#include "gpu/segments/by_class/lists.cuh"

namespace sortlab::gpu::segments {

constexpr unsigned kSlotItems = 8;  // of a thread, and expected in a bin
// One bin in 10,000 has more items. Read by fours: then eight lanes meet in no bank.
constexpr unsigned kSlots = 20;
constexpr unsigned kMostLate = 32;
constexpr unsigned kTurnsOfRound = 256;
// A rank has 13 bits for a place among 8 K items, and as many behind the point as a word has left.
constexpr unsigned kPlaceBits = 13;
constexpr unsigned kPointBits = 32 - kPlaceBits;
constexpr unsigned kBinShift = kPointBits + 3;  // ranks of kSlotItems items have one bin

/// kLeastGroup: the fewest threads of a group.
template <class Bits, class Value, unsigned kThreadsT, unsigned kLeastGroup>
struct SlotShared {
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr unsigned kWarps = kThreads / kWarp;
  static constexpr unsigned kGroups = kThreads / kLeastGroup;
  static constexpr bool kPairs = Items<Bits, Value>::kPairs;
  static constexpr bool kWordsAreKeys = sizeof(Bits) == 4 && !kPairs;

  alignas(16) unsigned slots[kThreads * kSlots];         // then all words in order
  Bits keys[kWordsAreKeys ? 1 : kThreads * kSlotItems];  // ordered bits by place
  Value values[kPairs ? kThreads * kSlotItems : 1];
  // Counts; then, above them, the first rank of each. Items that are not there count behind them: an `if` around an atomic
  // would be a branch.
  unsigned cells[2 * kThreads + 1];
  int in_bin[kThreads + kWarp];  // zero before and after a sort; behind them, below zero
  unsigned warp_sums[kWarps];
  Bits warp_lowest[kWarps];
  Bits warp_highest[kWarps];
  unsigned late[kGroups][kMostLate];
  unsigned late_bin[kGroups][kMostLate];
  unsigned late_count[kGroups];
  Part<Bits, Value> parts[2][kGroups];  // now and next: no registers hold them
};

/// Sorts a segment for each group of 2^kGroupBits threads of a block.
template <class SharedT, unsigned kGroupBits, class Bits, class Value>
class SlotSort {
 public:
  using Shared = SharedT;
  static constexpr unsigned kGroups = Shared::kThreads >> kGroupBits;  // that share a block

  __device__ __forceinline__ SlotSort(Shared& s, const Arrays<Bits, Value>& arrays)
      : s_(s), arrays_(arrays) {}

  /// Sorts part_at(t) for each t below `count`, of up to kSlotItems items a thread. Block `first_block` begins. Where
  /// too many keys are equal, or crowd otherwise, all threads of the block call sort_otherwise(part) instead.
  template <class PartAt, class SortOtherwise>
  __device__ __forceinline__ void sort_all(std::size_t count, unsigned first_block, PartAt part_at,
                                           SortOtherwise sort_otherwise) {
    // A bit for each turn; not in memory that sort_otherwise uses.
    __shared__ unsigned s_failed[kGroups][kTurnsOfRound / kWarp];
    const std::size_t step = std::size_t{gridDim.x} * kGroups;
    const unsigned block = (blockIdx.x + gridDim.x - first_block) % gridDim.x;
    for (std::size_t first = std::size_t{block} * kGroups; first < count;
         first += step * kTurnsOfRound) {
      __syncthreads();  // whatever the memory was used for
      s_.in_bin[threadIdx.x] = 0;
      if (threadIdx.x < kWarp) s_.in_bin[Shared::kThreads + threadIdx.x] = -(1 << 30);
      if (thread() < kTurnsOfRound / kWarp) s_failed[group()][thread()] = 0;
      // Of all groups, which share the places behind the bins.
      if constexpr (kGroups > 1) __syncthreads();
      const bool any_failed =
          __syncthreads_or(sort_round(first + group(), step, count, part_at, s_failed[group()]));
      if (!any_failed) continue;
      for (unsigned g = 0; g < kGroups; ++g) {
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
  static constexpr unsigned kThreads = 1u << kGroupBits;  // of a group
  static constexpr unsigned kWarps = kThreads / kWarp;
  // A group has twice as many cells as threads.
  static constexpr unsigned kCellShift = 31 - kGroupBits;
  static constexpr unsigned kPlaceMask = (1u << kPlaceBits) - 1;  // of a word that is no key
  static constexpr unsigned kSizeMask = (1u << kPointBits) - 1;   // of a cell
  static_assert(kThreads * kSlotItems <= 1u << kPlaceBits);
  using PartOf = Part<Bits, Value>;

  __device__ __forceinline__ unsigned group() const { return threadIdx.x >> kGroupBits; }
  __device__ __forceinline__ unsigned thread() const { return threadIdx.x % kThreads; }
  __device__ __forceinline__ unsigned first_thread() const { return threadIdx.x - thread(); }
  __device__ __forceinline__ unsigned first_warp() const { return first_thread() / kWarp; }
  __device__ __forceinline__ unsigned first_item() const { return first_thread() * kSlotItems; }
  /// The group's slots; then its words in order.
  __device__ __forceinline__ unsigned* words() const { return s_.slots + first_thread() * kSlots; }
  __device__ __forceinline__ GroupBarrier barrier() const { return {group(), kThreads}; }
  /// The place in the segment of a thread's item i, and whether there is one.
  __device__ __forceinline__ unsigned place(unsigned i) const { return i * kThreads + thread(); }
  __device__ __forceinline__ bool is_there(unsigned i, unsigned length) const {
    return static_cast<int>(i * kThreads) < static_cast<int>(length - thread());
  }

  /// A round of the group's segments. Says whether some are left.
  template <class PartAt>
  __device__ __forceinline__ bool sort_round(std::size_t t, std::size_t step, std::size_t count,
                                             PartAt part_at, unsigned* s_failed) {
    bool any_failed = false;
    if (t >= count) return false;
    const auto fetch = [&](std::size_t from, unsigned turn) {
      if (thread() != 0 || from >= count) return;
      const PartOf part = part_at(from);
      s_.parts[turn % 2][group()] = part;
      prefetch_keys(part);
    };
    fetch(t, 0);
    barrier().sync();
    unsigned failed = 0;  // how many were left one after the other, up to 15
    for (unsigned turn = 0; turn < kTurnsOfRound && t < count; ++turn, t += step) {
      if (sort_once(turn % 2, [&] { fetch(t + step, turn + 1); })) {
        failed = 0;
        continue;
      }
      any_failed = true;
      const auto leave = [&] {
        if (thread() == 0) s_failed[turn / kWarp] |= 1u << turn % kWarp;
      };
      leave();
      // The next ones are likely to be of that kind, too. As many as failed are not tried.
      if (failed > 0) {
        for (unsigned i = 0; i < failed && turn + 1 < kTurnsOfRound && t + step < count; ++i) {
          ++turn;
          t += step;
          leave();
        }
        fetch(t + step, turn + 1);
        barrier().sync();
      }
      failed = min(2 * failed + 1, 15u);
    }
    return any_failed;
  }

  /// Sorts the part of this turn. Says whether it could, the same to all threads of the group. Calls ahead() on the
  /// way.
  ///
  /// Warps of a group may be a step apart, as far as the next barrier. Those still in write() read words, which the next turn
  /// overwrites behind its third barrier; keys and values by place, which it overwrites before its first one, so that of
  /// such items the barrier behind write() is needed; and the part, which the turn after the next one overwrites.
  template <class Ahead>
  __device__ __forceinline__ bool sort_once(unsigned turn, Ahead ahead) {
    const PartOf& part = s_.parts[turn][group()];
    const unsigned length = part.length;
    // Keys alone that fill less than three quarters take that much less work; pairs gain nothing from it.
    if constexpr (!kPairs) {
      constexpr unsigned kFewer = kSlotItems * 3 / 4;
      if (length <= kFewer * kThreads) return sort_items<kFewer>(part, length, ahead);
    }
    return sort_items<kSlotItems>(part, length, ahead);
  }
  /// kItems: those of a thread.
  template <unsigned kItems, class Ahead>
  __device__ __forceinline__ bool sort_items(const PartOf& part, unsigned length, Ahead ahead) {
    const Put put = put_in_slots<kItems>(part, length);
    ahead();
    if (put != Put::in_slots) {
      if (put == Put::nowhere) s_.in_bin[threadIdx.x] = 0;
      if constexpr (kPairs) __pipeline_wait_prior(0);
      barrier().sync();
      return put == Put::in_place;
    }
    sort_bins();
    if constexpr (kPairs) __pipeline_wait_prior(0);
    barrier().sync();
    const bool is_unordered = write<kItems>(part, length);
    if constexpr (!kWordsAreKeys) {
      if (barrier().any(is_unordered)) repair(*this, part, length);
    }
    return true;
  }

  enum class Put { in_slots, in_place, nowhere };

  /// Loads the keys, and brings the values to shared memory. Puts each item in its bin, or equal ones where they belong.
  template <unsigned kItems>
  __device__ __forceinline__ Put put_in_slots(const PartOf& part, unsigned length) {
    // A thread's items that are not there repeat its first one, or the segment's, so that the range needs not ask.
    Bits key[kItems];
    const Bits* const from = part.keys + part.begin + (thread() < length ? thread() : 0);
    key[0] = length != 0 ? from[0] : Bits{0};
#pragma unroll
    for (unsigned i = 1; i < kItems; ++i) {
      key[i] = is_there(i, length) ? from[i * kThreads] : Bits{0};
    }
#pragma unroll
    for (unsigned i = 1; i < kItems; ++i) key[i] = is_there(i, length) ? key[i] : key[0];
    if constexpr (kPairs) {
      if (part.values != nullptr) {
        const Value* const values = part.values + part.begin + thread();
#pragma unroll
        for (unsigned i = 0; i < kItems; ++i) {
          if (is_there(i, length)) {
            __pipeline_memcpy_async(s_.values + first_item() + place(i), values + i * kThreads,
                                    sizeof(Value));
          }
        }
      }
      __pipeline_commit();
    }
    part.map.order(key);
    if constexpr (!kWordsAreKeys) {
#pragma unroll
      for (unsigned i = 0; i < kItems; ++i) s_.keys[first_item() + place(i)] = key[i];
    }
    unsigned fraction[kItems];
    if (!find_fractions(key, fraction)) {
      put_equal_ones(part, length, key);
      return Put::in_place;
    }
    const auto cell = [&](unsigned i) { return 2 * first_thread() + (fraction[i] >> kCellShift); };
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      atomicAdd(&s_.cells[is_there(i, length) ? cell(i) : 2 * Shared::kThreads], 1u);
    }
    barrier().sync();
    rank_cells();
    barrier().sync();
    const auto rank = [&](unsigned i) {
      const unsigned its = s_.cells[cell(i)];
      return (its & ~kSizeMask) + __umulhi(fraction[i] << (32 - kCellShift), its << kPointBits);
    };
    const auto bin = [&](unsigned its_rank) { return first_thread() + (its_rank >> kBinShift); };
    const auto word = [&](unsigned i, unsigned its_rank) {
      if constexpr (kWordsAreKeys) {
        return key[i];
      } else {
        return (its_rank << (32 - kBinShift) & ~kPlaceMask) | place(i);
      }
    };
    unsigned ranks[kItems];
    int slot[kItems];
    int last = 0;
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) ranks[i] = rank(i);
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      const unsigned at = is_there(i, length) ? bin(ranks[i]) : Shared::kThreads + lane_id();
      slot[i] = atomicAdd(&s_.in_bin[at], 1);
    }
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      const auto its = static_cast<unsigned>(slot[i]);
      if (its < kSlots) s_.slots[bin(ranks[i]) * kSlots + its] = word(i, ranks[i]);
      last = max(last, slot[i]);
    }
    if (last >= static_cast<int>(kSlots)) {
#pragma unroll
      for (unsigned i = 0; i < kItems; ++i) {
        if (slot[i] < static_cast<int>(kSlots)) continue;
        const unsigned number = atomicAdd(&s_.late_count[group()], 1u);
        if (number >= kMostLate) continue;
        s_.late[group()][number] = word(i, rank(i));
        s_.late_bin[group()][number] = bin(rank(i));
      }
    }
    barrier().sync();
    return s_.late_count[group()] <= kMostLate ? Put::in_slots : Put::nowhere;
  }

  /// All keys are equal.
  template <unsigned kItems>
  __device__ __forceinline__ void put_equal_ones(const PartOf& part, unsigned length,
                                                 Bits (&key)[kItems]) const {
    arrays_.map.restore(key);
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      if (!is_there(i, length)) continue;
      arrays_.data.keys[part.begin + place(i)] = key[i];
      arrays_.put_value(part.begin + place(i), part.value(place(i)));
    }
  }

  /// Where each key is between the lowest and the highest one of the group. Empties its cells. Says whether keys differ.
  template <unsigned kItems>
  __device__ __forceinline__ bool find_fractions(const Bits (&key)[kItems],
                                                 unsigned (&fraction)[kItems]) {
    Bits lowest = key[0];
    Bits highest = key[0];
#pragma unroll
    for (unsigned i = 1; i < kItems; ++i) {
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
    const unsigned w = first_warp() + lane_id() % kWarps;
    lowest = radix::small::warp_min(s_.warp_lowest[w]);
    highest = radix::small::warp_max(s_.warp_highest[w]);
    if (lowest == highest) return false;
    // Of floats that many octaves: in one of 32 segments a key is nearer to zero, if they are uniform.
    const Linear<Bits> line(lowest, highest, arrays_.scale, kGroupBits + 8);
    if (line.is_even()) {
#pragma unroll
      for (unsigned i = 0; i < kItems; ++i) fraction[i] = line.evenly(key[i]);
    } else {
#pragma unroll
      for (unsigned i = 0; i < kItems; ++i) fraction[i] = line(key[i]);
    }
    return true;
  }

  /// The sum of the group's warps below, once the sums of warps are known.
  __device__ __forceinline__ unsigned sum_of_warps_below() const {
    const unsigned w = first_warp() + lane_id();
    const unsigned its = w < warp_id() ? s_.warp_sums[w] : 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800  // without the instruction
    return __shfl_sync(kAllLanes, warp_inclusive_scan(its), kWarp - 1);
#else
    return __reduce_add_sync(kAllLanes, its);
#endif
  }

  /// Each cell's count gets its first rank. A thread has two cells.
  __device__ __forceinline__ void rank_cells() {
    unsigned* const own = s_.cells + 2 * threadIdx.x;
    const unsigned first = own[0];
    const unsigned second = own[1];
    const unsigned up_to_here = warp_inclusive_scan(first + second);
    if (lane_id() == kWarp - 1) s_.warp_sums[warp_id()] = up_to_here;
    barrier().sync();
    const unsigned begin = sum_of_warps_below() + up_to_here - first - second;
    own[0] = begin << kPointBits | first;
    own[1] = (begin + first) << kPointBits | second;
  }

  /// Sorts the words of this thread's bin, with the late ones, to where the bin begins. A barrier: no slot is wanted
  /// any more.
  __device__ __forceinline__ void sort_bins() {
    const auto mine = static_cast<unsigned>(s_.in_bin[threadIdx.x]);
    s_.in_bin[threadIdx.x] = 0;
    const unsigned up_to_here = warp_inclusive_scan(mine);
    if (lane_id() == kWarp - 1) s_.warp_sums[warp_id()] = up_to_here;
    const unsigned held = min(mine, kSlots);
    const unsigned most = lanes_max(kAllLanes, held);
    // Warps wait for each other at the barriers of several of these. Those behind the last bin have nothing to sort.
    if (most == 0) {
      barrier().sync();
    } else if (most <= 12) {
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
    const auto* const slots = reinterpret_cast<const uint4*>(s_.slots + threadIdx.x * kSlots);
    unsigned word[kCount];
#pragma unroll
    for (unsigned j = 0; j < kCount; j += 4) {
      const uint4 four = slots[j / 4];
      word[j] = j < held ? four.x : ~0u;
      word[j + 1] = j + 1 < held ? four.y : ~0u;
      word[j + 2] = j + 2 < held ? four.z : ~0u;
      word[j + 3] = j + 3 < held ? four.w : ~0u;
    }
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
      return s_.keys[first_item() + (word & kPlaceMask)];
    }
  }
  /// Writes the result. Says whether this thread saw keys out of order.
  template <unsigned kItems>
  __device__ __forceinline__ bool write(const PartOf& part, unsigned length) const {
    Bits key[kItems];
    unsigned from[kItems];  // the item's place before
    bool is_unordered = false;
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      from[i] = is_there(i, length) ? words()[place(i)] : 0;
      key[i] = key_of(from[i]);
      if constexpr (!kWordsAreKeys) {
        Bits before = __shfl_up_sync(kAllLanes, key[i], 1);
        if (lane_id() == 0) {
          before = place(i) != 0 && is_there(i, length) ? key_of(words()[place(i) - 1]) : 0;
        }
        is_unordered |= is_there(i, length) && key[i] < before;
        from[i] &= kPlaceMask;
      }
    }
    arrays_.map.restore(key);
    const std::size_t begin = part.begin + thread();
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      if (is_there(i, length)) arrays_.data.keys[begin + i * kThreads] = key[i];
    }
    if constexpr (kPairs) {
      if (part.values != nullptr) {
#pragma unroll
        for (unsigned i = 0; i < kItems; ++i) from[i] = s_.values[first_item() + from[i]];
      }
#pragma unroll
      for (unsigned i = 0; i < kItems; ++i) {
        if (is_there(i, length)) arrays_.put_value(begin + i * kThreads, from[i]);
      }
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
          for (unsigned p = 2 * it.thread() + odd; p + 1 < length; p += 2 * kThreads) {
            const unsigned a = words[p];
            const unsigned b = words[p + 1];
            const Bits key_a = it.key_of(a);
            const Bits key_b = it.key_of(b);
            const bool is_after = (b & kPlaceMask) < (a & kPlaceMask);
            if (key_b < key_a || (key_b == key_a && is_after)) {
              words[p] = b;
              words[p + 1] = a;
              is_unordered = true;
            }
          }
          it.barrier().sync();
        }
      }
      (void)it.template write<kSlotItems>(part, length);
      it.barrier().sync();
    }
  }

  Shared& s_;
  const Arrays<Bits, Value>& arrays_;
};

}  // namespace sortlab::gpu::segments
