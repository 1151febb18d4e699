// A team's radix sort from the lowest digit up, for items whose keys crowd: splitters and bins, which go by
// where keys lie between others, have to be refined again and again there, while a digit is a digit.
//
//   chunk -> registers          the next digit that differs among all keys
//   rank in the warp, counts of the warps, of the chunk -> counts of all chunks      -- barrier --
//   where the bins of the chunk begin; chunk, ordered by bin -> exchange buffer      -- barrier --
//
// A pass of gpu/radix/onesweep, but all chunks are held at the same time. So nobody has to count the digits
// in advance and nobody looks back, and the pass may write where it has read from.
// In a row of a warp, each lane shows the others its digit by a bit that it sets in a word for the digit: that
// keeps the order. If many lanes would meet in one word, 8 ballots do it.
// measured: 2^20 items, launched, us: pairs of ipv4 97 (this) vs 257 (crowds spread again), pairs of experts 37 vs
// 92, pairs of text 203 vs 357; with few values in registers 83, 32, 170; H200, small.12.txt to .14
// Source: LSD radix sort (Knuth 5.2.5); ranks by words and by ballots: CUB's radix ranking (NVIDIA, CUB 2.0),
// which Adinets and Merrill 2022 describe.
#pragma once

#include <utility>

#include "gpu/primitives/block/scan.cuh"
#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/grid/sweep/pass_plan.cuh"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::radix::small {

constexpr unsigned kMaxTeam = 256;

/// How a large team of pairs leaves uneven ones to the sweeps that are launched behind it (kernels.cu).
template <class Bits, class Value>
struct LeftToSweeps {
  sweep::BeforeSweeps<Bits, Value> around;
  unsigned* cleared;  // what has to be zero before them
  unsigned cleared_words;
  bool* is_left;  // whether the items are left to them

  /// All threads of the team call it, with their numbers.
  __device__ __forceinline__ void clear(unsigned me, unsigned threads) const {
    for (unsigned i = me; i < cleared_words; i += threads) cleared[i] = 0;
    if (me == 0) *is_left = false;
  }
  /// All blocks call it, when all is clear. Not inline, so that even items have the registers for themselves.
  __device__ __noinline__ void leave() const {
    __syncthreads();
    around.count_and_plan();
    if (blockIdx.x == 0 && threadIdx.x == 0) *is_left = true;
  }
};

/// What is sorted, and where to. Items go from `data`, which stays as it is, through `exchange` to
/// `result`. Of pairs, `exchange` first takes places as its values: the values stay where they are
/// until all items are in order (passes.cuh moves the values themselves). `spare` serves buckets that are too large. `result` and `spare` may
/// be `exchange` and `data`; of keys alone `spare` is `result`. Pairs without values in `data` get
/// their places as values.
template <class BitsT, class ValueT>
struct TeamJob {
  using Bits = BitsT;
  using Value = ValueT;
  static constexpr bool kPairs = Items<Bits, Value>::kPairs;

  Items<Bits, Value> data;
  Items<Bits, Value> exchange;
  Items<Bits, Value> spare;  // values are places
  Items<Bits, Value> result;
  unsigned n;
  KeyMap<Bits> map;
  LeftToSweeps<Bits, Value> sweeps = {};  // of a large team of pairs alone

  __device__ __forceinline__ Bits key(unsigned place) const {
    return map.ordered(data.keys[place]);
  }
  /// What lies in the exchange buffer at p; other blocks wrote it.
  __device__ __forceinline__ Bits exchanged_key(unsigned p) const {
    return __ldcg(&exchange.keys[p]);
  }
  __device__ __forceinline__ unsigned exchanged_place(unsigned p) const {
    if constexpr (kPairs) return __ldcg(&exchange.values[p]);
    return 0;
  }
  /// The value of the item that was at `place`.
  __device__ __forceinline__ Value value(unsigned place) const {
    return data.values == nullptr ? static_cast<Value>(place) : data.values[place];
  }
  __device__ __forceinline__ void prefetch_value(unsigned place) const {
    if (data.values == nullptr) return;
    asm volatile("prefetch.global.L1 [%0];" ::"l"(__cvta_generic_to_global(&data.values[place])));
  }
  /// The item that is to be the one at p in the result.
  __device__ __forceinline__ void put_result(unsigned p, Item<Bits, Value> item) const {
    if constexpr (kPairs) {
      result.put(p, {map.key(item.key), value(item.value)});
    } else {
      result.keys[p] = map.key(item.key);
    }
  }
};

}  // namespace sortlab::gpu::radix::small

namespace sortlab::gpu {

/// All lanes' numbers as one, which all lanes get.
template <class T, class Op>
__device__ __forceinline__ T warp_reduce(T mine, Op op) {
#pragma unroll
  for (unsigned distance = 1; distance < kWarp; distance *= 2) {
    mine = op(mine, __shfl_xor_sync(kAllLanes, mine, distance));
  }
  return mine;
}

/// All threads' numbers as one, which all threads get; T{} is neutral. Two barriers, the first before s_of_warps, which
/// has a place for each warp, is written.
template <unsigned kThreads, class T, class Op>
__device__ __forceinline__ T block_reduce(T mine, T* s_of_warps, Op op) {
  mine = warp_reduce(mine, op);
  __syncthreads();
  if (lane_id() == 0) s_of_warps[warp_id()] = mine;
  __syncthreads();
  return warp_reduce(lane_id() < kThreads / kWarp ? s_of_warps[lane_id()] : T{}, op);
}

}  // namespace sortlab::gpu

namespace sortlab::gpu::radix::small {

using sweep::digit_at;
using sweep::kBins;
using sweep::kDigitBits;

/// Words in global memory by which the blocks of a team communicate.
struct TeamWords {
  bool is_left;               // whether a large team has left the keys to sweeps
  unsigned totals[kMaxTeam];  // items of each bucket
  // Of each block, for sort_by_passes:
  std::uint64_t differing[kMaxTeam];  // the bits in which its keys differ from the first key
  alignas(16) std::uint16_t counts[kBins][kMaxTeam];  // its items with each digit
};

/// A block's shared memory for the passes over kChunk items.
template <class Bits, class Value, unsigned kThreads, unsigned kChunk>
struct PassShared {
  static constexpr unsigned kWarps = kThreads / kWarp;

  Bits keys[kChunk];  // by bin
  std::uint32_t values[kValueBytes<Value> > 0 ? kChunk : 1];
  unsigned counts[kWarps]
                 [kBins];  // of each warp's items; then where they begin among those of the chunk
  unsigned lanes[kWarps][kBins];  // with the digit, of a row
  unsigned begin[kBins];          // of each bin in the chunk
  unsigned dest[kBins];           // what to add to a place in the chunk for the place in the array
  unsigned before[kBins];         // items of the bin in the chunks before
  unsigned total[kBins];
  unsigned scan_total[kWarp];
  Bits differing[kWarps];
};

/// The lanes with the same digit, of those that are there. All lanes call it; s_lanes holds a zero for each
/// digit, and does so again after the next __syncwarp(), which has to come before the next call.
__device__ __forceinline__ unsigned lanes_with(unsigned digit, bool is_there, unsigned* s_lanes) {
  if (is_crowded(digit)) {
    unsigned lanes = __ballot_sync(kAllLanes, is_there);
#pragma unroll
    for (unsigned bit = 0; bit < kDigitBits; ++bit) {
      const bool is_set = (digit >> bit & 1) != 0;
      const unsigned with_bit = __ballot_sync(kAllLanes, is_set);
      lanes &= is_set ? with_bit : ~with_bit;
    }
    return lanes;
  }
  if (is_there) atomicOr(&s_lanes[digit], 1u << lane_id());
  __syncwarp();
  const unsigned lanes = s_lanes[digit];
  __syncwarp();
  if (is_there && lanes_below(lanes) == 0) s_lanes[digit] = 0;
  return lanes;
}

/// How many passes sort keys that differ in these bits.
template <class Bits>
__device__ __forceinline__ unsigned passes_for(Bits differing) {
  unsigned passes = 0;
  for (; differing != 0; differing = static_cast<Bits>(differing >> (kDigitBits - 1) >> 1)) {
    passes += differing % kBins != 0;
  }
  return passes;
}

/// The passes of one block. Each of its warps holds neighbours, in rows of 32, as long as there are items.
template <class Shape, class Team, class Job>
class TeamPasses {
 public:
  using Bits = typename Job::Bits;
  using Value = typename Job::Value;
  using Shared = PassShared<Bits, Value, Shape::kThreads, Shape::kChunk>;

  __device__ TeamPasses(const Job& job, const Team& team, TeamWords* d_words, Shared& s)
      : job_(job),
        team_(team),
        d_words_(d_words),
        s_(s),
        chunk_((job.n + team.size() - 1) / team.size()),
        first_(min(team.rank() * chunk_, job.n)),
        held_(min(chunk_, job.n - first_)),
        rows_((held_ + kThreads - 1) / kThreads) {}

  __device__ void operator()() {
    load_input();
    const Bits differing = find_differing_bits();
    bool is_loaded = true;
    for (unsigned shift = 0; shift < 8 * sizeof(Bits); shift += kDigitBits) {
      const auto left = static_cast<Bits>(differing >> shift);
      if (left % kBins == 0) continue;
      if (!is_loaded) load_exchanged();
      is_loaded = false;
      const bool is_last = left / kBins == 0;
      sort_by_digit(shift, is_last);
      if (is_last) return;
      team_.group.sync();
    }
    put_input();
  }

 private:
  static constexpr bool kPairs = Job::kPairs;
  static constexpr unsigned kThreads = Shape::kThreads;
  static constexpr unsigned kItems = Shape::kItems;
  static constexpr unsigned kBlocksAVector = sizeof(uint4) / sizeof(std::uint16_t);
  static_assert(kThreads >= kBins && kThreads % kBins == 0, "threads for each bin");

  /// Of the thread's items, each a number of 16 bits.
  class Ranks {
   public:
    __device__ __forceinline__ void set(unsigned i, unsigned rank) {
      word_[i / 2] = i % 2 == 0 ? rank : word_[i / 2] | rank << 16;
    }
    __device__ __forceinline__ unsigned operator[](unsigned i) const {
      return i % 2 == 0 ? word_[i / 2] & 0xffff : word_[i / 2] >> 16;
    }

   private:
    unsigned word_[(kItems + 1) / 2];
  };

  const Job& job_;
  const Team& team_;
  TeamWords* const d_words_;
  Shared& s_;
  const unsigned chunk_;
  const unsigned first_;  // item of the chunk
  const unsigned held_;
  const unsigned rows_;  // of each warp
  Bits key_[kItems];

  /// The thread's items: their numbers in the chunk are a warp apart.
  class Own {
   public:
    __device__ __forceinline__ explicit Own(const TeamPasses& passes) {
      const unsigned thread = thread_here();
      first_ = thread / kWarp * (passes.rows_ * kWarp) + thread % kWarp;
      left_ = min(static_cast<int>(passes.held_ - first_), static_cast<int>(passes.rows_ * kWarp));
    }
    __device__ __forceinline__ unsigned number(unsigned i) const { return first_ + i * kWarp; }
    __device__ __forceinline__ bool has(unsigned i) const {
      return static_cast<int>(i * kWarp) < left_;
    }

   private:
    unsigned first_;
    int left_;  // places from there on, of the chunk and of the warp
  };

  /// Loads the thread's items from their places in the array: keys into registers, values into shared memory until
  /// the keys are ranked, because beside these registers would spill. The job is copied by those who call, as it
  /// would be read from memory again for each item.
  template <class KeyAt, class ValueAt>
  __device__ __forceinline__ void load(KeyAt key_at, [[maybe_unused]] ValueAt value_at) {
    const Own own(*this);
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      key_[i] = own.has(i) ? key_at(first_ + own.number(i)) : Bits{0};
    }
    if constexpr (kPairs) {
      std::uint32_t value[kItems];
#pragma unroll
      for (unsigned i = 0; i < kItems; ++i) {
        value[i] = own.has(i) ? value_at(first_ + own.number(i)) : 0;
      }
#pragma unroll
      for (unsigned i = 0; i < kItems; ++i) {
        if (own.has(i)) s_.values[own.number(i)] = value[i];
      }
    }
  }
  __device__ __forceinline__ void load_input() {
    load([job = job_](unsigned p) { return job.key(p); },
         [job = job_](auto p) { return job.value(p); });
  }
  __device__ __forceinline__ void load_exchanged() {
    load([job = job_](unsigned p) { return job.exchanged_key(p); },
         [job = job_](auto p) { return job.exchanged_place(p); });
  }
  /// For keys that are all the same.
  __device__ __forceinline__ void put_input() const {
    const Own own(*this);
    const Job job = job_;
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      if (own.has(i))
        put(job.result, first_ + own.number(i), job.map.key(key_[i]), s_.values, own.number(i));
    }
  }
  /// The key, and the value at `from` in shared memory, become the item at p.
  __device__ __forceinline__ static void put(Items<Bits, Value> items, unsigned p, Bits key,
                                             [[maybe_unused]] const std::uint32_t* s_values,
                                             [[maybe_unused]] unsigned from) {
    items.keys[p] = key;
    if constexpr (kPairs) items.values[p] = s_values[from];
  }

  /// The bits in which not all keys of the team are the same.
  __device__ __forceinline__ Bits find_differing_bits() {
    const Own own(*this);
    const Bits one = job_.key(0);
    Bits mine = 0;
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      if (own.has(i)) mine |= key_[i] ^ one;
    }
    const auto either = [](Bits a, Bits b) { return a | b; };
    const Bits of_block = block_reduce<kThreads>(mine, s_.differing, either);
    if (threadIdx.x == 0) d_words_->differing[team_.rank()] = of_block;
    team_.group.sync();
    Bits of_blocks = 0;
    for (unsigned block = threadIdx.x; block < team_.size(); block += kThreads) {
      of_blocks |= static_cast<Bits>(__ldcg(&d_words_->differing[block]));
    }
    return block_reduce<kThreads>(of_blocks, s_.differing, either);
  }

  /// One pass: from the registers to the exchange buffer, or to the result.
  __device__ __forceinline__ void sort_by_digit(unsigned shift, bool is_last) {
    Ranks rank;
    rank_in_warps(shift, rank);
    const unsigned in_bin = count_chunk();
    auto counted = team_.group.barrier_arrive();
    place_in_bins(shift, in_bin, rank);
    team_.group.barrier_wait(std::move(counted));
    find_destinations();
    write(shift, is_last);
  }

  /// Each item's rank among the warp's items with its digit, which are counted.
  __device__ __forceinline__ void rank_in_warps(unsigned shift, Ranks& rank) {
    const Own own(*this);
    unsigned* const s_counts = s_.counts[warp_id()];
    unsigned* const s_lanes = s_.lanes[warp_id()];
    __syncthreads();
#pragma unroll
    for (unsigned bin = 0; bin < kBins; bin += kWarp) {
      s_counts[bin + lane_id()] = 0;
      s_lanes[bin + lane_id()] = 0;
    }
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      if (i >= rows_) continue;
      __syncwarp();
      const unsigned digit = own.has(i) ? digit_at(key_[i], shift) : 0;
      const unsigned peers = lanes_with(digit, own.has(i), s_lanes);
      const unsigned before = s_counts[digit];
      rank.set(i, before + static_cast<unsigned>(__popc(lanes_below(peers))));
      __syncwarp();
      if (own.has(i) && lanes_below(peers) == 0) {
        s_counts[digit] = before + static_cast<unsigned>(__popc(peers));
      }
    }
    __syncthreads();
  }

  /// Publishes how many items of the chunk are in each bin. Returns that of the bin which the thread answers
  /// for; the counts of the warps become where their items begin within the bin.
  __device__ __forceinline__ unsigned count_chunk() {
    const unsigned bin = thread_here();
    if (bin >= kBins) return 0;
    unsigned sum = 0;
#pragma unroll 8
    for (unsigned w = 0; w < Shared::kWarps; ++w) {
      const unsigned in_warp = s_.counts[w][bin];
      s_.counts[w][bin] = sum;
      sum += in_warp;
    }
    d_words_->counts[bin][team_.rank()] = static_cast<std::uint16_t>(sum);
    if (team_.rank() + 1 == team_.size()) {
      for (unsigned none = team_.size(); none % kBlocksAVector != 0; ++none) {
        d_words_->counts[bin][none] = 0;
      }
    }
    return sum;
  }

  /// The chunk goes to shared memory, ordered by bin.
  __device__ __forceinline__ void place_in_bins(unsigned shift, unsigned in_bin,
                                                const Ranks& rank) {
    const Own own(*this);
    const unsigned begin = block_exclusive_scan_by_lanes<kThreads>(in_bin, s_.scan_total);
    const unsigned thread = thread_here();
    if (thread < kBins) s_.begin[thread] = begin;
    std::uint32_t value[kItems];
    if constexpr (kPairs) {
#pragma unroll
      for (unsigned i = 0; i < kItems; ++i) value[i] = own.has(i) ? s_.values[own.number(i)] : 0;
    }
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      if (!own.has(i)) continue;
      const unsigned digit = digit_at(key_[i], shift);
      const unsigned p = s_.begin[digit] + s_.counts[warp_id()][digit] + rank[i];
      s_.keys[p] = key_[i];
      if constexpr (kPairs) s_.values[p] = value[i];
    }
  }

  /// Where the chunk's items of each bin go: behind all items of the bins before, and behind those of the
  /// bin in the chunks before. Some neighbouring threads add up the counts of a bin, 8 at a time.
  __device__ __forceinline__ void find_destinations() {
    const unsigned thread = thread_here();
    constexpr unsigned kThreadsABin = kThreads / kBins;
    constexpr unsigned kVectors = 5;  // in flight
    const unsigned bin = thread / kThreadsABin;
    const auto* const counts = reinterpret_cast<const uint4*>(d_words_->counts[bin]);
    unsigned total = 0;
    unsigned before = 0;
    for (unsigned first = thread % kThreadsABin; first * kBlocksAVector < team_.size();
         first += kVectors * kThreadsABin) {
      uint4 vector[kVectors];
#pragma unroll
      for (unsigned j = 0; j < kVectors; ++j) {
        const unsigned v = first + j * kThreadsABin;
        if (v * kBlocksAVector < team_.size()) vector[j] = __ldcg(&counts[v]);
      }
#pragma unroll
      for (unsigned j = 0; j < kVectors; ++j) {
        const unsigned block = (first + j * kThreadsABin) * kBlocksAVector;
        if (block < team_.size()) add_counts(vector[j], block, total, before);
      }
    }
#pragma unroll
    for (unsigned distance = 1; distance < kThreadsABin; distance *= 2) {
      total += __shfl_xor_sync(kAllLanes, total, distance);
      before += __shfl_xor_sync(kAllLanes, before, distance);
    }
    if (thread % kThreadsABin == 0) {
      s_.total[bin] = total;
      s_.before[bin] = before;
    }
    __syncthreads();
    const bool has_bin = thread < kBins;
    const unsigned of_all = has_bin ? s_.total[thread] : 0;
    const unsigned begin = block_exclusive_scan_by_lanes<kThreads>(of_all, s_.scan_total);
    if (has_bin) s_.dest[thread] = begin + s_.before[thread] - s_.begin[thread];
    __syncthreads();
  }

  /// Adds up the counts of 8 neighbouring blocks, from number `block` on: all, and those before this block.
  __device__ __forceinline__ void add_counts(uint4 vector, unsigned block, unsigned& total,
                                             unsigned& before) const {
    constexpr unsigned kBoth = 0x0101;
    const unsigned words[] = {vector.x, vector.y, vector.z, vector.w};
    const int blocks_before = static_cast<int>(team_.rank()) - static_cast<int>(block);
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      const int those = blocks_before - 2 * w;
      total = __dp2a_lo(words[w], kBoth, total);
      before = __dp2a_lo(words[w], those >= 2 ? kBoth : those == 1 ? kBoth & 0xff : 0, before);
    }
  }

  __device__ __forceinline__ void write(unsigned shift, bool is_last) const {
    const auto target = is_last ? job_.result : job_.exchange;
    const KeyMap<Bits> map = is_last ? job_.map : KeyMap<Bits>{};
    for (unsigned p = thread_here(); p < held_; p += kThreads) {
      const Bits key = s_.keys[p];
      put(target, s_.dest[digit_at(key, shift)] + p, map.key(key), s_.values, p);
    }
  }
};

/// Sorts job.n items, at most a chunk a block. All blocks call it; begins with a barrier of the block.
template <class Shape, class Team, class Job>
__device__ __noinline__ void sort_by_passes(const Job& job, const Team& team, TeamWords* d_words) {
  using Passes = TeamPasses<Shape, Team, Job>;
  __syncthreads();
  Passes(job, team, d_words, *reinterpret_cast<typename Passes::Shared*>(dynamic_shared()))();
}

}  // namespace sortlab::gpu::radix::small
