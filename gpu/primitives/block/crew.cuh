// What the threads of a crew, a warp, a block or a cluster of blocks, do together: sums, the k-th of their numbers, a sort of few items.
//
// Numbers are counted in bins of one width between the least and the greatest. So the k-th is found in one step, or in a
// few where numbers crowd in a bin, which is then cut in the same way; and an item's rank is the number of items in the
// bins before its own, and of the better ones in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/warp/bitonic_sort.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu {

template <unsigned kThreadsV>
class Crew {
 public:
  static constexpr unsigned kThreads = kThreadsV, kBlocks = 1;
  static constexpr unsigned kWarps = kThreads / kWarp;
  static constexpr unsigned kOwnBins = 4;  // of a thread
  static constexpr unsigned kBins = kOwnBins * kThreads;

  struct Found {
    unsigned bin, before, inside;  // inside 0: there are fewer than k
  };

  struct Shared {
    alignas(16) unsigned bins[kBins + 4];  // only the first of the extra four is used
    unsigned sums[2 * kWarps];
    Found found[2];
    unsigned long long ends[2][2 * kWarps];
  };

  __device__ explicit Crew(Shared& s_mine) : s_(s_mine) { clear_bins(); }

  /// Called before the first step, when the threads' items are on their way.
  __device__ void start() {}

  static __device__ unsigned thread() { return threadIdx.x % kThreads; }
  static __device__ unsigned warp() { return thread() / kWarp; }

  static __device__ void meet() {
    if constexpr (kThreads == kWarp) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }

  /// The sum over all threads, for each. Sums take turns with two arrays, so one barrier is enough.
  __device__ unsigned sum(unsigned mine) {
    const unsigned of_warp = __reduce_add_sync(kAllLanes, mine);
    if constexpr (kThreads == kWarp) return of_warp;
    unsigned* const s_now = next();
    if (lane_id() == 0) s_now[warp()] = of_warp;
    __syncthreads();
    return __reduce_add_sync(kAllLanes, lane_id() < kWarps ? s_now[lane_id()] : 0);
  }

  struct Sums {
    unsigned before, all;
  };
  /// The sum over the threads before this one, and over all.
  __device__ Sums sums(unsigned mine) {
    const unsigned up_to_mine = warp_inclusive_scan(mine);
    if constexpr (kThreads == kWarp) {
      return {up_to_mine - mine, __shfl_sync(kAllLanes, up_to_mine, kWarp - 1)};
    }
    unsigned* const s_now = next();
    if (lane_id() == kWarp - 1) s_now[warp()] = up_to_mine;
    __syncthreads();
    const unsigned one = lane_id() < kWarps ? s_now[lane_id()] : 0;
    const unsigned before = __reduce_add_sync(kAllLanes, lane_id() < warp() ? one : 0);
    return {before + up_to_mine - mine, __reduce_add_sync(kAllLanes, one)};
  }

  /// Extends the range of a thread's numbers to those of all. Also a meeting.
  template <class Word>
  __device__ void extend(Word& low, Word& high) {
    if constexpr (sizeof(Word) == 4) {
      low = __reduce_min_sync(kAllLanes, low);
      high = __reduce_max_sync(kAllLanes, high);
    } else {
      find_warp_range(low, high);
    }
    if constexpr (kThreads == kWarp) return __syncwarp();
    turn_ ^= 1;
    unsigned long long* const s_now = s_.ends[turn_];
    if (lane_id() == 0) {
      s_now[2 * warp()] = low;
      s_now[2 * warp() + 1] = high;
    }
    __syncthreads();
    const bool is_one = lane_id() < kWarps;
    low = is_one ? static_cast<Word>(s_now[2 * lane_id()]) : static_cast<Word>(~Word{0});
    high = is_one ? static_cast<Word>(s_now[2 * lane_id() + 1]) : Word{0};
    if constexpr (sizeof(Word) == 4) {
      low = __reduce_min_sync(kAllLanes, low);
      high = __reduce_max_sync(kAllLanes, high);
    } else {
      find_warp_range(low, high);
    }
  }

  /// Of numbers in a range, so that all have bins.
  template <class Word>
  struct Cut {
    Word low, high;
    unsigned shift;

    __device__ Cut(Word low, Word high) : low(low), high(high) {
      const Word distance = high - low;
      const int bits = sizeof(Word) == 4 ? 32 - __clz(static_cast<int>(distance))
                                         : 64 - __clzll(static_cast<long long>(distance));
      shift = bits > kBinBits ? bits - kBinBits : 0;
    }
    __device__ bool has(Word number) const { return number - low <= high - low; }
    __device__ unsigned bin(Word number) const {
      return static_cast<unsigned>((number - low) >> shift);
    }
    /// The same, and one bin behind all for numbers outside of the range.
    __device__ unsigned bin_or_behind(Word number) const {
      return has(number) ? bin(number) : kBins;
    }
    __device__ Word first_of(unsigned bin) const { return low + (Word{bin} << shift); }
    __device__ Word last_of(unsigned bin) const {
      const Word width = (Word{1} << shift) - 1;  // the last bin may end behind the last word
      return low +
             min(static_cast<Word>(high - low), static_cast<Word>((Word{bin} << shift) + width));
    }
  };

  __device__ void count(unsigned bin) { atomicAdd(&s_.bins[bin], 1u); }

  /// The bins of the ks-th (from 1) of what was counted; clears all bins.
  template <unsigned kCount>
  __device__ void find(const unsigned (&ks)[kCount], Found (&found)[kCount]) {
    meet();
    unsigned* const s_own = s_.bins + thread() * kOwnBins;
    unsigned own[kOwnBins], all = 0;
#pragma unroll
    for (unsigned i = 0; i < kOwnBins; ++i) all += own[i] = s_own[i];
    clear_bins();
    const unsigned before = sums(all).before;
    const bool is_last = thread() == kThreads - 1;
#pragma unroll
    for (unsigned n = 0; n < kCount; ++n) {
      const unsigned k = ks[n];
      if ((before < k && k <= before + all) || (is_last && before + all < k)) {
        unsigned bin = 0, below = before, inside = own[0];  // own[bin] would be in memory
#pragma unroll
        for (unsigned i = 0; i + 1 < kOwnBins; ++i) {
          if (bin == i && below + own[i] < k) {
            below += own[i];
            inside = own[i + 1];
            ++bin;
          }
        }
        s_.found[n] = {thread() * kOwnBins + bin, below, below + inside < k ? 0 : inside};
      }
    }
    meet();
#pragma unroll
    for (unsigned n = 0; n < kCount; ++n) found[n] = s_.found[n];
  }
  __device__ Found find(unsigned k) {
    Found found[1];
    find({k}, found);
    return found[0];
  }

  /// Turns the counts into the places where the bins begin, and says whether none has more than `most`. A meeting on both
  /// sides.
  __device__ bool begin_bins(unsigned most) {
    meet();
    unsigned* const s_own = s_.bins + thread() * kOwnBins;
    unsigned own[kOwnBins], all = 0;
    bool is_small = true;
#pragma unroll
    for (unsigned i = 0; i < kOwnBins; ++i) {
      all += own[i] = s_own[i];
      is_small = is_small && own[i] <= most;
    }
    unsigned begin = sums(all).before;
#pragma unroll
    for (unsigned i = 0; i < kOwnBins; ++i) {
      s_own[i] = begin;
      begin += own[i];
    }
    if constexpr (kThreads == kWarp) {
      __syncwarp();
      return __all_sync(kAllLanes, is_small) != 0;
    }
    return __syncthreads_and(is_small) != 0;
  }
  /// The next place in a bin. After all have been taken, from begin_of on, up to end_of.
  __device__ unsigned take_place(unsigned bin) { return atomicAdd(&s_.bins[bin], 1u); }
  __device__ unsigned begin_of(unsigned bin) const { return bin == 0 ? 0 : s_.bins[bin - 1]; }
  __device__ unsigned end_of(unsigned bin) const { return s_.bins[bin]; }

 private:
  static constexpr int kBinBits = [] {
    int bits = 0;
    while (1u << bits < kBins) ++bits;
    return bits;
  }();

  __device__ void clear_bins() {
#pragma unroll
    for (unsigned i = 0; i < kOwnBins; ++i) s_.bins[thread() * kOwnBins + i] = 0;
  }
  __device__ unsigned* next() {
    turn_ ^= 1;
    return s_.sums + turn_ * kWarps;
  }

  Shared& s_;
  unsigned turn_ = 0;
};

#if defined(__CUDACC__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)

/// The blocks of a cluster as one crew. Each counts in bins of its own; block b adds up the b-th part of all blocks' bins, and
/// writes the sums back to all of them, so that each block finds the k-th by itself.
template <unsigned kBlocksV, unsigned kOfBlock>
class ClusterCrew {
  using Block = Crew<kOfBlock>;

 public:
  static constexpr unsigned kBlocks = kBlocksV, kThreads = kBlocks * kOfBlock;
  using Sums = typename Block::Sums;
  using Found = typename Block::Found;
  template <class Word>
  using Cut = typename Block::template Cut<Word>;

  /// What others write to takes turns, so one barrier is enough.
  struct Shared {
    typename Block::Shared block;
    unsigned long long ends[2][kBlocks][2];
    unsigned totals[2][kBlocks];
  };

  __device__ explicit ClusterCrew(Shared& s_mine) : s_(s_mine), block_(s_mine.block) {
    __cluster_barrier_arrive();
  }
  __device__ void start() { __cluster_barrier_wait(); }

  static __device__ unsigned rank() { return blockIdx.x % kBlocks; }
  static __device__ unsigned thread() { return rank() * kOfBlock + threadIdx.x; }

  __device__ unsigned sum(unsigned mine) {
    const unsigned of_block = block_.sum(mine);
    return __reduce_add_sync(kAllLanes, total_of_lane(of_block));
  }
  __device__ Sums sums(unsigned mine) {
    const Sums of_block = block_.sums(mine);
    const unsigned one = total_of_lane(of_block.all);
    const unsigned before = __reduce_add_sync(kAllLanes, lane_id() < rank() ? one : 0);
    return {before + of_block.before, __reduce_add_sync(kAllLanes, one)};
  }

  template <class Word>
  __device__ void extend(Word& low, Word& high) {
    block_.extend(low, high);
    turn_ ^= 1;
    if (threadIdx.x < kBlocks) {
      store<unsigned long long>(&s_.ends[turn_][rank()][0], threadIdx.x, low);
      store<unsigned long long>(&s_.ends[turn_][rank()][1], threadIdx.x, high);
    }
    meet();
    const bool is_one = lane_id() < kBlocks;
    low = is_one ? static_cast<Word>(s_.ends[turn_][lane_id()][0]) : static_cast<Word>(~Word{0});
    high = is_one ? static_cast<Word>(s_.ends[turn_][lane_id()][1]) : Word{0};
    if constexpr (sizeof(Word) == 4) {
      low = __reduce_min_sync(kAllLanes, low);
      high = __reduce_max_sync(kAllLanes, high);
    } else {
      find_warp_range(low, high);
    }
  }

  __device__ void count(unsigned bin) { block_.count(bin); }
  template <unsigned kCount>
  __device__ void find(const unsigned (&ks)[kCount], Found (&found)[kCount]) {
    constexpr unsigned kPart = Block::kBins / kBlocks;
    meet();
    for (unsigned i = threadIdx.x; i < kPart; i += kOfBlock) {
      unsigned* const s_bin = s_.block.bins + rank() * kPart + i;
      unsigned all = 0;
  #pragma unroll
      for (unsigned b = 0; b < kBlocks; ++b) all += load(s_bin, b);
  #pragma unroll
      for (unsigned b = 0; b < kBlocks; ++b) store(s_bin, b, all);
    }
    meet();
    block_.find(ks, found);
  }
  __device__ Found find(unsigned k) {
    Found found[1];
    find({k}, found);
    return found[0];
  }

 private:
  static __device__ void meet() {
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
  }
  /// The shared memory of another block. Not by its generic address: the compiler would keep those of all blocks.
  static __device__ unsigned address(const void* s_mine, unsigned block) {
    unsigned other = 0;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(other)
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(s_mine))), "r"(block));
    return other;
  }
  static __device__ unsigned load(const unsigned* s_mine, unsigned block) {
    unsigned word = 0;
    asm volatile("ld.shared::cluster.u32 %0, [%1];"
                 : "=r"(word)
                 : "r"(address(s_mine, block))
                 : "memory");
    return word;
  }
  template <class Word>
  static __device__ void store(Word* s_mine, unsigned block, Word word) {
    if constexpr (sizeof(Word) == 4) {
      asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(address(s_mine, block)), "r"(word)
                   : "memory");
    } else {
      asm volatile("st.shared::cluster.u64 [%0], %1;" ::"r"(address(s_mine, block)), "l"(word)
                   : "memory");
    }
  }
  /// The total of the block whose number is the lane's.
  __device__ unsigned total_of_lane(unsigned of_block_all) {
    turn_ ^= 1;
    if (threadIdx.x < kBlocks) store(&s_.totals[turn_][rank()], threadIdx.x, of_block_all);
    meet();
    return lane_id() < kBlocks ? s_.totals[turn_][lane_id()] : 0;
  }

  Shared& s_;
  Block block_;
  unsigned turn_ = 0;
};

#else  // is compiled, but never launched: runs_clusters is asked first

template <unsigned kBlocks, unsigned kOfBlock>
class ClusterCrew : public Crew<kBlocks * kOfBlock> {
 public:
  using Crew<kBlocks * kOfBlock>::Crew;
};

#endif

/// A bound of numbers, of which `before` are surely below it, and before + inside do not exceed it. inside 0: there are fewer
/// than were asked for.
template <class Word>
struct Bound {
  Word word;
  unsigned before, inside;
};

/// The least word that at least k (from 1) numbers from low to high do not exceed, or one with up to `slack` more.
/// count(cut) counts this thread's numbers in the bins of a cut of them, and sum() adds what others have counted.
template <class Word, class OfCrew, class Count, class Sum>
__device__ __forceinline__ Bound<Word> bound_between(Word low, Word high, unsigned k,
                                                     unsigned slack, OfCrew& crew, Count count,
                                                     Sum sum) {
  unsigned before = 0;
#pragma unroll 1
  for (;;) {
    const typename OfCrew::template Cut<Word> cut(low, high);
    count(cut);
    sum();
    const auto found = crew.find(k - before);
    before += found.before;
    if (found.inside == 0) return {static_cast<Word>(~Word{0}), before, 0};
    low = cut.first_of(found.bin);
    high = cut.last_of(found.bin);
    if (cut.shift == 0 || before + found.inside <= k + slack) return {high, before, found.inside};
  }
}

/// A range as it is, with no numbers below it.
struct WholeRange {
  template <class Word>
  __device__ unsigned operator()(Word&, Word&) const {
    return 0;
  }
};

/// The same of a crew's numbers up to `most`, and where all of these are equal that one, even if they are fewer than k; all
/// ones if there are several, but fewer than k. each(use) calls use(number) for this thread's numbers, of which all ones
/// stands for none. narrow(low, high) may bring the ends nearer to the k-th, and says how many numbers are below `low`; the
/// k-th may prove to be elsewhere.
template <class Word, class OfCrew, class Each, class Narrow = WholeRange>
__device__ __forceinline__ Word least_bound(unsigned k, unsigned slack, OfCrew& crew, Each each,
                                            Word most = static_cast<Word>(~Word{0}) - 1,
                                            Narrow narrow = {}) {
  constexpr Word kNone = static_cast<Word>(~Word{0});
  Word low = kNone, high = 0;
  each([&](Word number) {
    low = min(low, number);
    high = max(high, number > most ? Word{0} : number);
  });
  crew.extend(low, high);
  if (low > high) return kNone;
  if (k == 1 || low == high) return low;
  Word from = low, to = high;
  unsigned below = narrow(from, to);
#pragma unroll 1
  for (;;) {
    const auto bound = bound_between<Word>(
        from, to, k - below, slack, crew,
        [&](const auto& cut) {
          each([&](Word number) {
            if (cut.has(number)) crew.count(cut.bin(number));
          });
        },
        [] {});
    if (bound.inside != 0 || (from == low && to == high)) return bound.word;
    from = low;
    to = high;
    below = 0;
  }
}

/// The same by halves of the range, with counts in registers: for a warp, which has few bins.
template <class Word, class Each>
__device__ __forceinline__ Word least_bound_by_halves(unsigned k, unsigned slack, Crew<kWarp>& crew,
                                                      Each each, Word most) {
  constexpr Word kNone = static_cast<Word>(~Word{0});
  Word low = kNone, high = 0;
  each([&](Word number) {
    low = min(low, number);
    high = max(high, number > most ? Word{0} : number);
  });
  crew.extend(low, high);
  if (low > high) return kNone;
  unsigned inside = ~0u;
#pragma unroll 1
  while (low < high && inside > k + slack) {
    const Word middle = low + (high - low) / 2;
    unsigned mine = 0;
    each([&](Word number) { mine += number <= middle ? 1 : 0; });
    const unsigned below = __reduce_add_sync(kAllLanes, mine);
    if (below < k) {
      low = middle + 1;
    } else {
      high = middle;
      inside = below;
    }
  }
  return high;
}

/// A key as its order's bits, and its place. By the bits, and of equal ones by the places.
template <class Bits>
struct Contestant {
  Bits bits;
  std::uint32_t place;

  __device__ bool is_before(const Contestant& other) const {
    if constexpr (sizeof(Bits) == 4) {
      return (std::uint64_t{bits} << 32 | place) < (std::uint64_t{other.bits} << 32 | other.place);
    } else {
      return bits < other.bits || (bits == other.bits && place < other.place);
    }
  }
  __device__ friend bool operator<(const Contestant& one, const Contestant& other) {
    return one.is_before(other);
  }
};

/// Items in the shared memory of a crew.
template <class Bits>
struct SharedItems {
  Bits* bits;
  std::uint32_t* places;
  std::uint16_t* order;

  static constexpr std::size_t kBytes =
      sizeof(Bits) + sizeof(std::uint32_t) + sizeof(std::uint16_t);
  /// Those of crew number `crew` of `crews`, each with `room`.
  static __device__ SharedItems at(std::byte* s_begin, unsigned crew, unsigned crews,
                                   unsigned room) {
    auto* const bits = reinterpret_cast<Bits*>(s_begin);
    auto* const places = reinterpret_cast<std::uint32_t*>(bits + crews * room);
    auto* const order = reinterpret_cast<std::uint16_t*>(places + crews * room);
    return {bits + crew * room, places + crew * room, order + crew * room};
  }

  __device__ Contestant<Bits> operator[](unsigned i) const { return {bits[i], places[i]}; }
  __device__ void put(unsigned i, const Contestant<Bits>& item) const {
    bits[i] = item.bits;
    places[i] = item.place;
  }
};

/// Ranks of items that crowd in few bins, as s.order: warps sort chunks of them in their registers, and an item's rank is what it
/// finds by binary searches in all chunks. Not inline, and without what is done with the ranks: that would have to be in memory.
template <unsigned kThreads, class Bits>
__device__ __noinline__ void rank_by_chunks(const SharedItems<Bits> s, unsigned count) {
  using Item = Contestant<Bits>;
  constexpr unsigned kEach = 8, kChunk = kEach * kWarp;
  for (unsigned begin = Crew<kThreads>::warp() * kChunk; begin < count;
       begin += Crew<kThreads>::kWarps * kChunk) {
    const unsigned first = begin + lane_id() * kEach;
    Item items[kEach];
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      items[j] = first + j < count ? s[first + j] : Item{static_cast<Bits>(~Bits{0}), ~0u};
    }
    sort_in_warp(items, min(kChunk, count - begin));
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      if (first + j < count) s.put(first + j, items[j]);
    }
  }
  Crew<kThreads>::meet();
  for (unsigned i = Crew<kThreads>::thread(); i < count; i += kThreads) {
    const Item mine = s[i];
    unsigned rank = 0;
    for (unsigned begin = 0; begin < count; begin += kChunk) {
      const unsigned size = min(kChunk, count - begin);
      unsigned below = 0;
#pragma unroll
      for (unsigned step = kChunk; step > 0; step /= 2) {
        if (below + step <= size && s[begin + below + step - 1].is_before(mine)) below += step;
      }
      rank += below;
    }
    s.order[i] = static_cast<std::uint16_t>(rank);
  }
}

/// Calls put(rank, item) for each of the items, which all threads have written.
template <unsigned kThreads, class Bits, class Put>
__device__ __forceinline__ void rank_items(const SharedItems<Bits>& s, unsigned count,
                                           Crew<kThreads>& crew, Put put) {
  using Item = Contestant<Bits>;
  constexpr unsigned kFew = 2 * kWarp;               // each is compared with all
  const unsigned most_in_bin = kWarp + count / 128;  // with more, chunks are faster
  const unsigned first = Crew<kThreads>::thread();
  Crew<kThreads>::meet();
  if (count <= kFew) {
    if (first >= min(count, kWarp)) return;
    const Item mine = s[first], other = s[min(first + kWarp, count - 1)];
    unsigned rank = 0, rank_of_other = 0;
#pragma unroll 4
    for (unsigned i = 0; i < count; ++i) {
      const Item one = s[i];
      rank += one.is_before(mine) ? 1 : 0;
      rank_of_other += one.is_before(other) ? 1 : 0;
    }
    put(rank, mine);
    if (first + kWarp < count) put(rank_of_other, other);
    return;
  }
  const auto extend_to = [&](auto& low, auto& high, auto word_of) {
    for (unsigned i = first; i < count; i += kThreads) {
      low = min(low, word_of(s[i]));
      high = max(high, word_of(s[i]));
    }
    crew.extend(low, high);
  };
  const auto rank_by = [&](auto low, auto high, auto word_of) {
    const typename Crew<kThreads>::template Cut<decltype(low)> cut(low, high);
    for (unsigned i = first; i < count; i += kThreads) crew.count(cut.bin(word_of(s[i])));
    if (!crew.begin_bins(most_in_bin)) return false;
    for (unsigned i = first; i < count; i += kThreads) {
      s.order[crew.take_place(cut.bin(word_of(s[i])))] = static_cast<std::uint16_t>(i);
    }
    Crew<kThreads>::meet();
    for (unsigned i = first; i < count; i += kThreads) {
      const Item mine = s[i];
      const unsigned bin = cut.bin(word_of(mine));
      const unsigned begin = crew.begin_of(bin), end = crew.end_of(bin);
      unsigned rank = begin;
      for (unsigned at = begin; at < end; ++at) {
        rank += s[s.order[at]].is_before(mine) ? 1 : 0;
      }
      put(rank, mine);
    }
    return true;
  };
  const auto bits_of = [](const Item& item) { return item.bits; };
  const auto place_of = [](const Item& item) { return item.place; };
  Bits low = static_cast<Bits>(~Bits{0}), high = 0;
  extend_to(low, high, bits_of);
  if (low != high) {
    if (rank_by(low, high, bits_of)) return;
  } else {
    std::uint32_t first_place = ~0u, last_place = 0;
    extend_to(first_place, last_place, place_of);
    if (rank_by(first_place, last_place, place_of)) return;
  }
  rank_by_chunks<kThreads>(s, count);
  for (unsigned i = first; i < count; i += kThreads) put(s.order[i], s[i]);
}

}  // namespace sortlab::gpu
