// Many blocks sort together in one launch, by splitting at sampled items: each block takes a chunk
// of the input, all agree on splitters, every item goes to the block of its bucket through L2, and
// each block sorts its bucket by itself.
//
//   chunk -> shared memory      sample -> block_sort -> splitters (every block, the same ones)
//   bucket of each item, rank in it; reserve room in all buckets      -- barrier --
//   chunk, ordered by bucket -> exchange buffer                       -- barrier --
//   bucket -> block_sort -> result
//
// Keys of which the sample crowds in few bins are sorted by their digits instead, if few digits differ
// (sample.cuh, passes.cuh); many items by the passes of the onesweep (launches.cuh).
// Splitters are items, with key and place: so equal keys have an order, which keeps pairs stable and
// shares out a key that fills several buckets.
#pragma once

#include <algorithm>
#include <utility>

#include "gpu/primitives/block/bulk_copy.cuh"
#include "gpu/primitives/block/scan.cuh"
#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/thread/merge_path.cuh"
#include "gpu/radix/small/block.cuh"
#include "gpu/radix/small/passes.cuh"
#include "gpu/radix/small/sample.cuh"

namespace sortlab::gpu::radix::small {

/// Sorts the `count` items from `begin` on, which are too many for block_sort, with one block; item
/// p is key_of(p), place_of(p). Piece by piece, which are then merged two and two between the
/// exchange buffer and another. Slow, and correct for any items.
template <class Shape, class Job, class Shared, class KeyOf, class PlaceOf>
__device__ __noinline__ void sort_large_bucket(const Job& job, unsigned begin, unsigned count,
                                               KeyOf key_of, PlaceOf place_of, Shared& s) {
  using Bits = typename Job::Bits;
  using Value = typename Job::Value;
  constexpr unsigned kThreads = Shape::kThreads;
  for (unsigned first = 0; first < count; first += Shape::kBucket) {
    const unsigned piece = begin + first;
    const unsigned size = min(count - first, Shape::kBucket);
    const auto number_of = [piece](unsigned i) { return piece + i * kThreads + threadIdx.x; };
    block_sort<Shape::kBucketItems>([&](unsigned i) { return key_of(number_of(i)); }, size,
                                    [&](unsigned i) { return place_of(number_of(i)); }, s);
    for (unsigned p = threadIdx.x; p < size; p += kThreads) {
      job.exchange.put(piece + p, s.items()[p]);
    }
  }
  __syncthreads();
  Items<Bits, Value> source = job.exchange.from(begin);
  Items<Bits, Value> target = job.spare.from(begin);
  constexpr unsigned kBatch = 16;
  const unsigned share = (count + kThreads - 1) / kThreads;
  for (unsigned width = Shape::kBucket; width < count; width *= 2) {
    unsigned at = threadIdx.x * share;
    const unsigned end = min(at + share, count);
    while (at < end) {
      const unsigned first = at / (2 * width) * (2 * width);
      const RunPair<unsigned> runs{first, min(first + width, count), min(first + 2 * width, count)};
      const unsigned steps = min(min(end, runs.end) - at, kBatch);
      merge_items<kBatch>(source, runs, at - first, steps,
                          [=](unsigned e, auto item) { target.put(at + e, item); });
      at += steps;
    }
    __syncthreads();
    const auto merged = target;
    target = source;
    source = merged;
  }
  for (unsigned p = threadIdx.x; p < count; p += kThreads) job.put_result(begin + p, source[p]);
}

/// Splitters between buckets: in order, and their keys once more as a binary tree whose node i has
/// the children 2i and 2i + 1, so that threads that search together meet few bank conflicts.
template <class Bits, unsigned kMost>
struct Splitters {
  Bits keys[kMost];
  unsigned places[kMost];
  Bits tree[kMost];

  /// Levels of the tree for so many buckets: it has room for a splitter fewer than 2^levels.
  __device__ __forceinline__ static unsigned levels(unsigned buckets) {
    return 32 - static_cast<unsigned>(__clz(static_cast<int>(buckets - 1)));
  }
  __device__ __forceinline__ void put(unsigned j, unsigned levels, Bits key, unsigned place) {
    keys[j] = key;
    places[j] = place;
    if ((j + 1) >> levels != 0) return;  // behind all that the tree holds
    const unsigned above_leaf = static_cast<unsigned>(__ffs(static_cast<int>(j + 1))) - 1;
    tree[(1u << (levels - 1 - above_leaf)) + ((j + 1) >> (above_leaf + 1))] = key;
  }
  /// A largest item: those behind the last splitter.
  __device__ __forceinline__ void put_none(unsigned j, unsigned levels) {
    put(j, levels, static_cast<Bits>(~Bits{0}), ~0u);
  }

  /// The bucket of each of the thread's items: how many of the splitters are before it.
  template <unsigned kItems, class PlaceOf>
  __device__ __forceinline__ void find(unsigned levels, const Bits (&key)[kItems], PlaceOf place_of,
                                       unsigned (&bucket)[kItems]) const {
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) bucket[i] = 1;
    for (unsigned level = 0; level < levels; ++level) {
#pragma unroll
      for (unsigned i = 0; i < kItems; ++i) bucket[i] = 2 * bucket[i] + (tree[bucket[i]] < key[i]);
    }
    // Few keys equal a splitter: only then places decide.
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      bucket[i] -= 1u << levels;
      if (keys[bucket[i]] == key[i]) bucket[i] = find_exactly(levels, key[i], place_of(i));
    }
  }

 private:
  __device__ __forceinline__ unsigned find_exactly(unsigned levels, Bits key,
                                                   unsigned place) const {
    unsigned bucket = 0;
    for (unsigned step = 1u << levels >> 1; step > 0; step /= 2) {
      const unsigned j = bucket + step - 1;
      if (keys[j] < key || (keys[j] == key && places[j] < place)) bucket += step;
    }
    return bucket;
  }
};

/// Threads, and what they hold: a chunk of kItems items a thread, a bucket of kBucketItems items a
/// thread, a sample of kSampleItems items a thread. Uneven items are left to the onesweep's passes if kSweepsT says so.
template <class Bits, class Value, unsigned kThreadsT, unsigned kItemsT, unsigned kBucketItemsT,
          unsigned kSampleItemsT, bool kSweepsT = false>
struct TeamShape {
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr unsigned kItems = kItemsT;
  static constexpr unsigned kBucketItems = kBucketItemsT;
  static constexpr unsigned kSampleItems = kSampleItemsT;
  static constexpr unsigned kChunk = kThreads * kItems;
  static constexpr unsigned kBucket = kThreads * kBucketItems;
  /// Sampled neighbours: side by side they cost less, and tell less where neighbours are alike, as in ascending runs.
  /// Pairs of wide keys have the least room for what the sample gets wrong.
  /// measured: u64+u32 of 100 runs, 2^20 items, us: 65 (single keys) vs 145 (runs of 4, one bucket too large), uniform
  /// keys 73 vs 71; H200, small.14.txt
  static constexpr unsigned kSampleRun = sizeof(Bits) == 4 || kValueBytes<Value> == 0 ? 4
                                         : kChunk < 8192                              ? 2
                                                                                      : 1;
  static constexpr bool kSweeps = kSweepsT;
  static constexpr bool kPasses = !kSweeps || kValueBytes<Value> == 0;  // of the team itself
  /// Uneven keys that need more passes are sorted as even ones are.
  static constexpr unsigned kMostPasses = kItems <= 2 ? 2 : sizeof(Bits);

  /// The chunk in bucket order.
  struct Chunk {
    Bits keys[kChunk];
    std::uint16_t
        number[kValueBytes<Value> > 0 ? kChunk : 1];  // of the item in the chunk as it was
    std::uint16_t bucket[kChunk];
  };
  struct Shared {
    union {
      struct {
        BlockSortShared<Bits, std::uint32_t, kThreads, kThreads * kSampleItems> sample;
        Bits arriving[kChunk];  // the chunk as it was
      };
      Chunk chunk;
      BlockSortShared<Bits, Value, kThreads, kBucket> sort;
      PassShared<Bits, Value, kThreads, kPasses ? kChunk : 1> passes;
      std::byte digits[kSweeps ? sweep::AroundSweeps<Bits, Value>::kBytes : 1];
    };
    Splitters<Bits, kMaxTeam> splitters;
    unsigned count[kMaxTeam];  // of the chunk's items in each bucket; then of all items
    unsigned start[kMaxTeam];  // of each bucket in the chunk in bucket order; then in the buffer
    unsigned dest[kMaxTeam];   // what to add to a place in the chunk for the place in the buffer
    unsigned scan_total[kWarp];
    Bits differing[kThreads / kWarp];
    int differences[kThreads / kWarp];
  };
};

/// The block's chunk of the input: `held` items from `first` on, of which thread t has number
/// i * threads + t in register i.
template <class Shape>
struct HeldChunk {
  unsigned first;
  unsigned held;

  __device__ __forceinline__ HeldChunk(unsigned n, unsigned blocks, unsigned block) {
    const unsigned chunk = (n + blocks - 1) / blocks;
    first = min(block * chunk, n);
    held = min(chunk, n - first);
  }
  __device__ __forceinline__ bool has(unsigned i) const {
    return i * Shape::kThreads + threadIdx.x < held;
  }
  __device__ __forceinline__ unsigned place(unsigned i) const {
    return first + i * Shape::kThreads + threadIdx.x;
  }
  template <class Bits>
  __device__ __forceinline__ void load(const Bits* keys, Bits (&key)[Shape::kItems]) const {
#pragma unroll
    for (unsigned i = 0; i < Shape::kItems; ++i) {
      if (has(i)) key[i] = keys[place(i)];
    }
  }
  /// The same through shared memory, so that no register waits for a key: each thread starts to copy
  /// its keys there, and takes them when it needs them.
  template <class Bits>
  __device__ __forceinline__ void start_load(const Bits* keys,
                                             Bits (&s_keys)[Shape::kChunk]) const {
#pragma unroll
    for (unsigned i = 0; i < Shape::kItems; ++i) {
      if (has(i)) start_copy(s_keys[i * Shape::kThreads + threadIdx.x], keys[place(i)]);
    }
  }
  template <class Bits>
  __device__ __forceinline__ void take(const Bits (&s_keys)[Shape::kChunk], KeyMap<Bits> map,
                                       Bits (&key)[Shape::kItems]) const {
    wait_for_copies();
#pragma unroll
    for (unsigned i = 0; i < Shape::kItems; ++i) {
      if (has(i)) key[i] = map.ordered(s_keys[i * Shape::kThreads + threadIdx.x]);
    }
  }
};

/// Each item's bucket, with its rank among the chunk's items there, which are counted in s.count. That
/// begins as zeros. All is there once the threads have met.
template <class Shape, class Bits, class Shared>
__device__ __forceinline__ void rank_in_buckets(const HeldChunk<Shape>& chunk,
                                                const Bits (&key)[Shape::kItems], unsigned buckets,
                                                Shared& s, unsigned (&bucket)[Shape::kItems]) {
  s.splitters.find(
      s.splitters.levels(buckets), key, [&](unsigned i) { return chunk.place(i); }, bucket);
#pragma unroll
  for (unsigned i = 0; i < Shape::kItems; ++i) {
    if (!chunk.has(i)) bucket[i] = kNowhere;
  }
  count_all(s.count, (chunk.held + Shape::kThreads - 1) / Shape::kThreads, bucket);
}

/// Splitters of `buckets` buckets from the sorted sample of `count` items; then largest items up to kMaxTeam.
template <class Shape, class Shared>
__device__ __forceinline__ void choose_splitters(unsigned count, unsigned n, unsigned buckets,
                                                 Shared& s) {
  const SamplePlaces<Shape::kSampleRun> places(count, n);
  const unsigned levels = s.splitters.levels(buckets);
  for (unsigned j = threadIdx.x; j < kMaxTeam; j += Shape::kThreads) {
    if (j + 1 < buckets) {
      const auto item = s.sample.items()[(j + 1) * count / buckets];
      s.splitters.put(j, levels, item.key, places(item.value));
    } else {
      s.splitters.put_none(j, levels);
    }
  }
  __syncthreads();
}

/// Sorts job.n items, at most a chunk a block. sample_count is a multiple of Shape::kSampleRun,
/// and at most job.n.
template <class Team, class Shape, class Job>
__global__ void __launch_bounds__(Shape::kThreads, 1)
    sort_by_team(__grid_constant__ const Job job, TeamWords* d_words, unsigned sample_count) {
  using Bits = typename Job::Bits;
  constexpr unsigned kThreads = Shape::kThreads;
  constexpr unsigned kItems = Shape::kItems;
  auto& s = *reinterpret_cast<typename Shape::Shared*>(dynamic_shared());
  const Team team;
  const unsigned thread = threadIdx.x;
  const unsigned buckets = team.size();
  unsigned* const d_total = d_words->totals;

  // The sample and the chunk, which come in while the block arrives at the barrier.
  Bits sample[Shape::kSampleItems];
  load_sample<Shape>(job, sample_count, sample);
  const HeldChunk<Shape> chunk(job.n, buckets, team.rank());
  chunk.start_load(job.data.keys, s.arriving);

  // A block reserves room only after all blocks know that the totals are zero.
  if (team.rank() == 0 && thread < buckets) d_total[thread] = 0;
  if constexpr (Shape::kSweeps)
    job.sweeps.clear(team.rank() * kThreads + thread, team.size() * kThreads);
  const auto zeroed = team.group.barrier_arrive();
  if (thread < buckets) s.count[thread] = 0;
#pragma unroll
  for (unsigned i = 0; i < Shape::kSampleItems; ++i) sample[i] = job.map.ordered(sample[i]);
  Way way = Way::spread;
  block_sort<Shape::kSampleItems, true>([&](unsigned i) { return sample[i]; }, sample_count,
                                        [](unsigned i) { return i * kThreads + threadIdx.x; },
                                        s.sample,
                                        [&] {
                                          way = way_of_crowds<Shape>(job, sample_count, s);
                                          return way != Way::spread;
                                        });
  if constexpr (Shape::kSweeps) {
    if (way == Way::spread && has_uneven_distances<Shape, Job::kPairs>(sample_count, s)) {
      way = Way::sweeps;
    }
  }
  if (way != Way::spread) {
    wait_for_copies();
    team.group.barrier_wait(zeroed);
    if constexpr (Shape::kSweeps) {
      if (way == Way::sweeps) job.sweeps.leave();
    }
    if constexpr (Shape::kPasses) {
      if (way == Way::passes) sort_by_passes<Shape>(job, team, d_words);
    }
    return;
  }
  choose_splitters<Shape>(sample_count, job.n, buckets, s);
  Bits key[kItems];
  chunk.take(s.arriving, job.map, key);

  // Each item's bucket, and its rank in it.
  unsigned bucket[kItems];
  rank_in_buckets<Shape>(chunk, key, buckets, s, bucket);
  __syncthreads();

  // Room in each bucket, and the chunk in bucket order.
  team.group.barrier_wait(zeroed);
  const unsigned mine = thread < buckets ? s.count[thread] : 0;
  const unsigned reserved = mine > 0 ? atomicAdd(&d_total[thread], mine) : 0;
  const unsigned start = block_exclusive_scan_by_lanes<kThreads>(mine, s.scan_total);
  if (thread < buckets) s.start[thread] = start;
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (chunk.has(i)) {
      const unsigned p = s.start[place_in(bucket[i])] + rank_in(bucket[i]);
      s.chunk.keys[p] = key[i];
      if constexpr (Job::kPairs) {
        s.chunk.number[p] = static_cast<std::uint16_t>(i * kThreads + thread);
      }
      s.chunk.bucket[p] = static_cast<std::uint16_t>(place_in(bucket[i]));
    }
  }
  team.group.sync();

  // All room is reserved, so the totals say where each bucket begins.
  const unsigned total = thread < buckets ? __ldcg(&d_total[thread]) : 0;
  const unsigned begin = block_exclusive_scan_by_lanes<kThreads>(total, s.scan_total);
  if (thread < buckets) {
    s.dest[thread] = begin + reserved - start;
    s.start[thread] = begin;
    s.count[thread] = total;
  }
  __syncthreads();
  for (unsigned p = thread; p < chunk.held; p += kThreads) {
    const unsigned to = s.dest[s.chunk.bucket[p]] + p;
    job.exchange.keys[to] = s.chunk.keys[p];
    if constexpr (Job::kPairs) job.exchange.values[to] = chunk.first + s.chunk.number[p];
  }
  team.group.sync();

  // The bucket of this block.
  const unsigned my_begin = s.start[team.rank()];
  const unsigned my_count = s.count[team.rank()];
  if (my_count > Shape::kBucket) {
    sort_large_bucket<Shape>(
        job, my_begin, my_count, [&](unsigned p) { return job.exchanged_key(p); },
        [&](unsigned p) { return job.exchanged_place(p); }, s.sort);
    return;
  }
  const auto number_of = [=](unsigned i) { return my_begin + i * kThreads + thread; };
  const auto place_of = [&](unsigned i) { return job.exchanged_place(number_of(i)); };
  Bits key_of_bucket[Shape::kBucketItems];
#pragma unroll
  for (unsigned i = 0; i < Shape::kBucketItems; ++i) {
    if (i * kThreads + thread < my_count) key_of_bucket[i] = job.exchanged_key(number_of(i));
  }
  block_sort<Shape::kBucketItems>([&](unsigned i) { return key_of_bucket[i]; }, my_count, place_of,
                                  s.sort);
  for (unsigned p = thread; p < my_count; p += kThreads) {
    job.put_result(my_begin + p, s.sort.items()[p]);
  }
}

/// One block alone, for as many items as it can hold. The result may end where the input was.
template <class Bits, class Value, unsigned kThreads, unsigned kItems>
struct BlockShared {
  BlockSortShared<Bits, Value, kThreads, kThreads * kItems> sort;
  Value values[Items<Bits, Value>::kPairs ? kThreads * kItems : 1];
};

template <unsigned kThreads, unsigned kItems, class Bits, class Value>
__global__ void __launch_bounds__(kThreads, 1)
    sort_by_block(Items<Bits, Value> d_items, Items<Bits, Value> d_result, unsigned n,
                  KeyMap<Bits> map) {
  constexpr bool kPairs = Items<Bits, Value>::kPairs;
  auto& s = *reinterpret_cast<BlockShared<Bits, Value, kThreads, kItems>*>(dynamic_shared());
  Bits key[kItems];
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    const unsigned p = i * kThreads + threadIdx.x;
    if (p < n) {
      key[i] = map.ordered(d_items.keys[p]);
      if constexpr (kPairs) {
        s.values[p] = d_items.values == nullptr ? static_cast<Value>(p) : d_items.values[p];
      }
    }
  }
  block_sort<kItems, true>([&](unsigned i) { return key[i]; }, n,
                           [](unsigned i) { return i * kThreads + threadIdx.x; }, s.sort);
  for (unsigned p = threadIdx.x; p < n; p += kThreads) {
    const auto item = s.sort.items()[p];
    if constexpr (kPairs) {
      d_result.put(p, {map.key(item.key), s.values[item.value]});
    } else {
      d_result.keys[p] = map.key(item.key);
    }
  }
}

}  // namespace sortlab::gpu::radix::small
