// Segments of up to 8 K items: a group of threads sorts one in shared memory, about 8 items a thread.
//
// The range of the keys is cut into cells of equal width, and the items are counted by cells. So the rank of a key is
// known about, and bins of equal ranks, one for each thread, hold about 8 items for keys of any distribution whose
// parts are smooth: floats, whose keys lie closer the nearer they are to zero, as well as integers.
//
//     keys      a        bc defg  h     i        j          cells count 1 | 0 | 2 4 1 1 | 0 | 1
//     ranks     0        12 3456  7     8        9          a line from the first rank of a cell to that of the next
//     slots     [a b . . . .] [c d e f . .] [g h i j . .]   an atomic for each item returns its slot
//     sorted    a b | c d e f | g h i j                     each thread sorts its bin in registers
//
// A word is a key, with its place if it has a value; words without ties make the sort stable. Items that find their bin full are put in later by
// insertion. If there are many (of keys that are often equal, above all), the block sorts the segments by bins and networks instead
// (gpu/radix/small/block.cuh).
// Bytes per item: one read, one write; 2 atomics, 3 writes and 3 reads in shared memory.
#pragma once

#include "gpu/primitives/thread/networks.cuh"
#include "gpu/radix/small/crowds.cuh"
#include "gpu/segments/by_class/warps.cuh"

namespace sortlab::gpu::segments {

constexpr unsigned kSlotItems = 8;    // of a thread, and expected in a bin
constexpr unsigned kSlots = 20;       // one bin in 10,000 has more
constexpr unsigned kSlotStride = 21;  // odd: lanes meet in no bank
constexpr unsigned kMostLate = 32;
constexpr unsigned kLeastGroup = 64;  // threads

/// Brings an item to the L2 cache.
template <class T>
__device__ __forceinline__ void prefetch([[maybe_unused]] const T* item) {
#ifdef __CUDA_ARCH__
  asm volatile("prefetch.global.L2 [%0];" ::"l"(item));
#endif
}

template <class Bits, class Value, unsigned kThreadsT>
struct SlotShared {
  using Word = typename WarpWord<Bits, Value>::Word;
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr unsigned kWarps = kThreads / kWarp;

  __align__(
      16) Word slots[kThreads * kSlotStride];  // then the sorted words, and the values by place
  Cell cells[2 * kThreads];
  unsigned in_bin[kThreads];
  unsigned warp_sums[kWarps];
  Bits warp_lowest[kWarps];
  Bits warp_highest[kWarps];
  Word late[kMostLate];
  unsigned late_bin[kMostLate];
  unsigned late_count;
  Part<Bits, Value>
      parts[2][kThreads / kLeastGroup];  // of the groups, now and next: no registers hold them

  __device__ __forceinline__ std::uint32_t* values() {
    return reinterpret_cast<std::uint32_t*>(slots + kThreads * kSlotItems);
  }
};

/// Sorts a segment for each group of threads of a block.
template <class Bits, class Value, unsigned kThreads>
class SlotSort {
 public:
  using Shared = SlotShared<Bits, Value, kThreads>;

  /// Groups have 2^group_bits threads, at least kLeastGroup.
  __device__ __forceinline__ SlotSort(unsigned group_bits, Shared& s,
                                      const Arrays<Bits, Value>& arrays)
      : group_bits_(group_bits), s_(s), arrays_(arrays) {}

  __device__ __forceinline__ unsigned groups() const { return kThreads >> group_bits_; }

  /// Sorts segments by turns, of up to kSlotItems items a thread: part_at(g, first) says the segment of group g. Where keys are too often
  /// equal, or crowd otherwise, it calls sort_otherwise(first) for those of a turn instead.
  template <class PartAt, class SortOtherwise>
  __device__ __forceinline__ void sort_all(std::size_t count, PartAt part_at,
                                           SortOtherwise sort_otherwise) {
    const std::size_t step = std::size_t{gridDim.x} * groups();
    std::size_t first = std::size_t{blockIdx.x} * groups();
    if (first >= count) return;
    __syncthreads();  // whatever the memory was used for
    s_.in_bin[threadIdx.x] = 0;
    const auto fetch = [&](std::size_t from, unsigned turn) {
      if (thread() == 0) s_.parts[turn][group()] = part_at(from + group());
    };
    fetch(first, 0);
    __syncthreads();
    for (unsigned turn = 0;; turn ^= 1) {
      const std::size_t next = first + step;
      const bool is_sorted = sort_once(turn, [&] {
        if (next < count) fetch(next, turn ^ 1);
      });
      if (!is_sorted) {
        sort_otherwise(first);
        __syncthreads();
        s_.in_bin[threadIdx.x] = 0;
        if (next < count) fetch(next, turn ^ 1);
        __syncthreads();
      }
      first = next;
      if (first >= count) return;
    }
  }

 private:
  using W = WarpWord<Bits, Value>;
  using Word = typename W::Word;
  static constexpr bool kPairs = Items<Bits, Value>::kPairs;
  using PartOf = Part<Bits, Value>;

  /// Sorts the parts of this turn. Says whether it could, the same to all threads of the block. Calls ahead() on the way.
  template <class Ahead>
  __device__ __forceinline__ bool sort_once(unsigned turn, Ahead ahead) {
    const PartOf& part = s_.parts[turn][group()];
    const unsigned length = part.length;
    Bits key[kSlotItems];
    {
      const Bits* const from = part.keys + part.begin;
      const RankMap<Bits> map = part.map;
#pragma unroll
      for (unsigned i = 0; i < kSlotItems; ++i) {
        const unsigned p = place(i);
        key[i] = p < length ? from[p] : Bits{0};
      }
      if constexpr (kPairs) {  // they are wanted last
        constexpr unsigned kSector = 32 / sizeof(Value);
        const unsigned p = thread() * kSector;
        if (part.values != nullptr && p < length) prefetch(part.values + part.begin + p);
      }
#pragma unroll
      for (unsigned i = 0; i < kSlotItems; ++i) key[i] = map.ordered(key[i]);
    }
    if (!put_in_slots(key, length)) return false;
    ahead();
    sort_bins();
    if constexpr (kPairs) fetch_values(part, length);
    __syncthreads();
    write(part, length);
    return true;
  }

  /// Puts each item in its bin. Five barriers.
  __device__ __forceinline__ bool put_in_slots(const Bits (&key)[kSlotItems], unsigned length) {
    Bits lowest;
    Bits highest;
    find_range(key, length, lowest, highest);
    // Twice as many octaves, of floats, as a group has bits: nearer to zero are few.
    const Linear<Bits> line(lowest, highest, arrays_.scale, group_bits_ + 1);
    Cell* const cells = s_.cells + 2 * first_thread();
#pragma unroll
    for (unsigned i = 0; i < kSlotItems; ++i) {
      if (place(i) < length) {
        atomicAdd(&cells[cell_of(line(key[i]))].size, 1u);
      }
    }
    __syncthreads();
    const unsigned bins_an_item = (0x10000u << group_bits_) / max(length, 1u);
    rank_cells(cells, bins_an_item);
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < kSlotItems; ++i) {
      const unsigned p = place(i);
      if (p >= length) continue;
      const unsigned fraction = line(key[i]);
      const Cell cell = cells[cell_of(fraction)];
      const unsigned rank = lowest == highest
                                ? p * bins_an_item  // equal keys: by place
                                : cell.begin + __umulhi(fraction_of_cell(fraction), cell.size);
      const unsigned bin = first_thread() + (rank >> 16);
      const unsigned slot = atomicAdd(&s_.in_bin[bin], 1u);
      if (slot < kSlots) {
        s_.slots[bin * kSlotStride + slot] = W::of(key[i], p);
      } else {
        const unsigned late = atomicAdd(&s_.late_count, 1u);
        if (late < kMostLate) {
          s_.late[late] = W::of(key[i], p);
          s_.late_bin[late] = bin;
        }
      }
    }
    __syncthreads();
    return s_.late_count <= kMostLate;
  }

  __device__ __forceinline__ void write(const PartOf& part, unsigned length) const {
    const std::size_t begin = part.begin;
    const bool are_numbered = part.values == nullptr;
#pragma unroll
    for (unsigned i = 0; i < kSlotItems; ++i) {
      const unsigned p = place(i);
      if (p >= length) continue;
      const auto word = s_.slots[first_thread() * kSlotItems + p];
      Value value{};
      if constexpr (kPairs) {
        const unsigned place = W::place(word);
        value = are_numbered ? static_cast<Value>(place)
                             : s_.values()[first_thread() * kSlotItems + place];
      }
      arrays_.put(begin + p, W::key(word), value);
    }
  }

  __device__ __forceinline__ unsigned group() const { return threadIdx.x >> group_bits_; }
  __device__ __forceinline__ unsigned first_thread() const { return group() << group_bits_; }
  __device__ __forceinline__ unsigned thread() const { return threadIdx.x - first_thread(); }
  __device__ __forceinline__ unsigned first_warp() const { return first_thread() / kWarp; }
  __device__ __forceinline__ unsigned warps_of_group() const { return (1u << group_bits_) / kWarp; }
  /// The place in the segment of a thread's item i.
  __device__ __forceinline__ unsigned place(unsigned i) const {
    return (i << group_bits_) + thread();
  }
  /// A group has twice as many cells as threads.
  __device__ __forceinline__ unsigned cell_of(unsigned fraction) const {
    return fraction >> (31 - group_bits_);
  }
  __device__ __forceinline__ unsigned fraction_of_cell(unsigned fraction) const {
    return fraction << (group_bits_ + 1);
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
    s_.cells[2 * threadIdx.x] = {0, 0};
    s_.cells[2 * threadIdx.x + 1] = {0, 0};
    if (threadIdx.x == 0) s_.late_count = 0;
    if (lane_id() == 0) {
      s_.warp_lowest[warp_id()] = lowest;
      s_.warp_highest[warp_id()] = highest;
    }
    __syncthreads();
    const unsigned w = first_warp() + (lane_id() & (warps_of_group() - 1));
    lowest = radix::small::warp_min(s_.warp_lowest[w]);
    highest = radix::small::warp_max(s_.warp_highest[w]);
  }

  /// The sum of x over the group's threads below, once its warps' sums are known.
  __device__ __forceinline__ unsigned sum_of_warps_below() const {
    const unsigned total =
        lane_id() < warps_of_group() ? s_.warp_sums[first_warp() + lane_id()] : 0;
    const unsigned before = warp_inclusive_scan(total) - total;
    return __shfl_sync(kAllLanes, before, static_cast<int>(warp_id() - first_warp()));
  }

  /// Each cell's count becomes its ranks. A thread has two cells.
  __device__ __forceinline__ void rank_cells(Cell* cells, unsigned bins_an_item) {
    Cell* const own = cells + 2 * thread();
    const unsigned first = own[0].size;
    const unsigned second = own[1].size;
    const unsigned up_to_here = warp_inclusive_scan(first + second);
    if (lane_id() == kWarp - 1) s_.warp_sums[warp_id()] = up_to_here;
    __syncthreads();
    const unsigned begin = (sum_of_warps_below() + up_to_here - first - second) * bins_an_item;
    own[0] = {begin, first * bins_an_item};
    own[1] = {begin + first * bins_an_item, second * bins_an_item};
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
    if (mine > kSlots) insert_late(up_to_here - mine);
  }
  template <unsigned kCount>
  __device__ __forceinline__ void sort_bin(unsigned begin, unsigned held) {
    const Word* const slots = s_.slots + threadIdx.x * kSlotStride;
    Word word[kCount];
#pragma unroll
    for (unsigned j = 0; j < kCount; ++j) word[j] = j < held ? slots[j] : W::last();
    __syncthreads();
    sort_by_exchanges<kCount>([&](unsigned i, unsigned j) { order(word[i], word[j]); });
    begin += sum_of_warps_below();
    Word* const to = s_.slots + first_thread() * kSlotItems + begin;
#pragma unroll
    for (unsigned j = 0; j < kCount; ++j) {
      if (j < held) to[j] = word[j];
    }
  }
  __device__ __noinline__ void insert_late(unsigned begin) {
    begin += first_thread() * kSlotItems;
    for (unsigned w = first_warp(); w < warp_id(); ++w) begin += s_.warp_sums[w];
    unsigned end = begin + kSlots;
    const unsigned late_count = s_.late_count;
    for (unsigned i = 0; i < late_count; ++i) {
      if (s_.late_bin[i] != threadIdx.x) continue;
      unsigned at = end++;
      for (; at > begin && s_.late[i] < s_.slots[at - 1]; --at) s_.slots[at] = s_.slots[at - 1];
      s_.slots[at] = s_.late[i];
    }
  }

  /// Brings the values, by place, to shared memory: all are read before the first is written.
  __device__ __forceinline__ void fetch_values(const PartOf& part, unsigned length) {
    if (part.values == nullptr) return;
    const Value* const from = part.values + part.begin;
    Value value[kSlotItems];
#pragma unroll
    for (unsigned i = 0; i < kSlotItems; ++i) {
      const unsigned p = place(i);
      value[i] = p < length ? from[p] : Value{};
    }
    std::uint32_t* const to = s_.values() + first_thread() * kSlotItems;
#pragma unroll
    for (unsigned i = 0; i < kSlotItems; ++i) {
      const unsigned p = place(i);
      if (p < length) to[p] = value[i];
    }
  }

  unsigned group_bits_;
  Shared& s_;
  const Arrays<Bits, Value>& arrays_;
};

}  // namespace sortlab::gpu::segments
