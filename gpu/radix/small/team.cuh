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
// (passes.cuh); many pairs by the passes of the onesweep (kernels.cu).
// Splitters are items, with key and place: so equal keys have an order, which keeps pairs stable and
// shares out a key that fills several buckets.
#pragma once

#include <algorithm>
#include <utility>

#include "gpu/primitives/block/scan.cuh"
#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/thread/merge_path.cuh"
#include "gpu/primitives/warp/lanes.cuh"
#include "gpu/radix/small/block.cuh"
#include "gpu/radix/small/passes.cuh"

namespace sortlab::gpu::radix::small {

// The sample of a team of gpu/radix/small, runs of neighbours spread over the input: it makes the splitters, and it
// says whether passes over digits are faster.

/// kRun neighbours of each of count / kRun equal parts of [0, n): number j grows with the place. A
/// part is of kRun places at least; runs begin at multiples of kRun, so that each is one sector or
/// two of the memory.
template <unsigned kRun>
class SamplePlaces {
 public:
  __device__ SamplePlaces(unsigned count, unsigned n)
      : part_(n / (count / kRun)), larger_(n % (count / kRun)) {}
  __device__ __forceinline__ unsigned operator()(unsigned j) const {
    const unsigned run = j / kRun;
    unsigned h = (run + 1) * 0x9e3779b9u;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h ^= h >> 13;
    const unsigned place = run * part_ + min(run, larger_) + __umulhi(h, part_ - (kRun - 1));
    return place / kRun * kRun + j % kRun;
  }

 private:
  unsigned part_;
  unsigned larger_;  // so many parts hold one more
};

/// How many of n items to sample, at most `wanted`.
template <class Shape>
unsigned sample_size(unsigned n, unsigned wanted) {
  constexpr unsigned kRun = Shape::kSampleRun;
  return std::min({n / 2, wanted, Shape::kThreads * Shape::kSampleItems}) / kRun * kRun;
}

/// A thread's keys of the sample: number i * threads + t in key[i].
template <class Shape, class Job>
__device__ __forceinline__ void load_sample(const Job& job, unsigned count,
                                            typename Job::Bits (&key)[Shape::kSampleItems]) {
  const SamplePlaces<Shape::kSampleRun> places(count, job.n);
#pragma unroll
  for (unsigned i = 0; i < Shape::kSampleItems; ++i) {
    const unsigned number = i * Shape::kThreads + threadIdx.x;
    if (number < count) key[i] = job.data.keys[places(number)];
  }
}

// Whether a team sorts by passes over digits, by its sample: how many of the keys crowd, whether they
// repeat, in how many digits they differ.
//
//                     the fullest bin of the sample holds     passes where the digits are at most
//   any items         a 32nd to half                          3
//                     a 32nd to a quarter, keys repeat not    4; or any number, if most of the sample crowds (text)
//
// A large team of pairs leaves to the passes of the onesweep (kernels.cu), whatever their digits, those from a 64th on, and
// those of which neighbours in the sorted sample are unevenly far apart:
//
//   distances of 5 keys in a row   1 1 1 1      1 0 7 0
//   squares / square of the sum    4 / 16       50 / 64        even keys: 2 / 5 in the mean
//
// Crowds are otherwise spread again, over their own range (block.cuh), until there are none. This is faster where keys
// crowd in one scale, or repeat: equal keys need no more work. It is slower where there are crowds within crowds.
// measured: 2^20 items, us, by passes and by crowds: u32+u32 of Zipf's law 69 vs 99, u64+u32 82 vs 136, morton 86 vs
// 106, but logits 85 vs 75; u64 of sizes 81 vs 92; H200, small.14.txt

/// What the bins of the sample hold.
struct Fullness {
  unsigned fullest;  // the items of the bin that holds the most
  unsigned crowded;  // the items in bins of more than kSmallCrowd

  static constexpr unsigned kSmallCrowd = kMostInBin / 4;
};

template <class Shape, class Shared>
__device__ __forceinline__ Fullness fullness_of(unsigned sample_count, Shared& s) {
  Fullness mine{};
  for (unsigned b = threadIdx.x; b < bins_for<decltype(s.sample)>(sample_count);
       b += Shape::kThreads) {
    const unsigned size = s.sample.bins[b] >> 16;
    mine.fullest = max(mine.fullest, size);
    if (size > Fullness::kSmallCrowd) mine.crowded += size;
  }
  return {block_reduce<Shape::kThreads>(mine.fullest, s.scan_total,
                                        [](unsigned a, unsigned b) { return max(a, b); }),
          block_reduce<Shape::kThreads>(mine.crowded, s.scan_total,
                                        [](unsigned a, unsigned b) { return a + b; })};
}

/// Whether keys repeat: each is compared with three others or more, and a 64th of the threads find one that is the same.
/// Not in the bins: in which order keys lie in a bin, blocks don't agree on.
template <class Shape, class Bits, class Shared>
__device__ __forceinline__ bool repeats_often(const Bits (&sample)[Shape::kSampleItems],
                                              unsigned sample_count, Shared& s) {
  bool has_same = false;
#pragma unroll
  for (unsigned i = 0; i < Shape::kSampleItems; ++i) {
    const unsigned number = i * Shape::kThreads + threadIdx.x;
#pragma unroll
    for (unsigned distance = Shape::kSampleRun; distance < kWarp; distance *= 2) {
      const bool is_same = __shfl_xor_sync(kAllLanes, sample[i], distance) == sample[i];
      has_same |= is_same && number < sample_count && (number ^ distance) < sample_count;
    }
  }
  return block_reduce<Shape::kThreads>(unsigned{has_same}, s.scan_total,
                                       [](unsigned a, unsigned b) { return a + b; }) >
         Shape::kThreads / 64;
}

/// How many passes the keys of the sample need.
template <class Shape, class Job, class Shared>
__device__ __forceinline__ unsigned passes_for_sample(
    const Job& job, const typename Job::Bits (&sample)[Shape::kSampleItems], unsigned sample_count,
    Shared& s) {
  using Bits = typename Job::Bits;
  const Bits one = job.key(0);
  Bits differing = 0;
#pragma unroll
  for (unsigned i = 0; i < Shape::kSampleItems; ++i) {
    if (i * Shape::kThreads + threadIdx.x < sample_count) {
      differing |= job.map.ordered(sample[i]) ^ one;
    }
  }
  return passes_for(
      block_reduce<Shape::kThreads>(differing, s.differing, [](Bits a, Bits b) { return a | b; }));
}

/// Whether the sorted sample of `count` keys is uneven. All threads of all blocks return the same. The threads must have met
/// since it was sorted.
template <class Shape, class Shared>
__device__ __forceinline__ bool has_uneven_distances(unsigned count, Shared& s) {
  constexpr unsigned kDistances = 4;
  constexpr float kOne = 1024;
  constexpr auto kMostEven = static_cast<unsigned>(0.415F * kOne);  // three deviations more
  const auto items = s.sample.items();
  const unsigned groups = (count - 1) / kDistances;
  unsigned mine = 0;
  for (unsigned g = threadIdx.x; g < groups; g += Shape::kThreads) {
    float sum = 0;
    float squares = 0;
#pragma unroll
    for (unsigned k = 0; k < kDistances; ++k) {
      const auto distance =
          static_cast<float>(items[g * kDistances + k + 1].key - items[g * kDistances + k].key);
      sum += distance;
      squares += distance * distance;
    }
    mine += sum > 0 ? static_cast<unsigned>(squares / (sum * sum) * kOne) : kMostEven;
  }
  return block_reduce<Shape::kThreads>(
             mine, s.scan_total, [](unsigned a, unsigned b) { return a + b; }) > groups * kMostEven;
}

/// Whether items are sorted by passes, of which the sample lies in its bins. All threads of all blocks return the same.
/// Not inline, so that even keys have the registers for themselves.
template <class Shape, class Job, class Shared>
__device__ __noinline__ bool is_for_passes(const Job& job, unsigned sample_count, Shared& s) {
  constexpr unsigned kFewPasses = 3;
  constexpr unsigned kSomePasses = 4;
  const Fullness bins = fullness_of<Shape>(sample_count, s);
  const unsigned most_even = sample_count / (Shape::kSweeps ? 64 : 32);
  if (bins.fullest <= most_even || bins.fullest > sample_count / 2) return false;
  if constexpr (Shape::kSweeps) return true;
  typename Job::Bits sample[Shape::kSampleItems] = {};
  load_sample<Shape>(job, sample_count, sample);
  const unsigned passes = passes_for_sample<Shape>(job, sample, sample_count, s);
  if (passes > Shape::kMostPasses) return false;
  if (passes <= kFewPasses) return true;
  if (bins.fullest > sample_count / 4) return false;
  if (passes > kSomePasses && bins.crowded <= sample_count / 2) return false;
  return !repeats_often<Shape>(sample, sample_count, s);
}

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
  /// Sampled neighbours: side by side they cost less, and show less where neighbours are alike, as in ascending runs.
  /// Pairs of wide keys have the least room for what the sample gets wrong.
  /// measured: u64+u32 of 100 runs, 2^20 items, us: 65 (single keys) vs 145 (runs of 4, one bucket too large), uniform
  /// keys 73 vs 71; H200, small.14.txt
  static constexpr unsigned kSampleRun = sizeof(Bits) == 4 || kValueBytes<Value> == 0 ? 4
                                         : kChunk < 8192                              ? 2
                                                                                      : 1;
  static constexpr bool kSweeps = kSweepsT;
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
      PassShared<Bits, Value, kThreads, kSweeps ? 1 : kChunk> passes;
      std::byte digits[kSweeps ? sweep::BeforeSweeps<Bits, Value>::kBytes : 1];
    };
    Splitters<Bits, kMaxTeam> splitters;
    unsigned count[kMaxTeam];  // of the chunk's items in each bucket; then of all items
    unsigned start[kMaxTeam];  // of each bucket in the chunk in bucket order; then in the buffer
    unsigned dest[kMaxTeam];   // what to add to a place in the chunk for the place in the buffer
    unsigned scan_total[kWarp];
    Bits differing[kThreads / kWarp];
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
  bool is_even = block_sort<Shape::kSampleItems, true>(
      [&](unsigned i) { return sample[i]; }, sample_count,
      [](unsigned i) { return i * kThreads + threadIdx.x; }, s.sample,
      [&] { return is_for_passes<Shape>(job, sample_count, s); });
  if constexpr (Shape::kSweeps) {
    is_even = is_even && !has_uneven_distances<Shape>(sample_count, s);
  }
  if (!is_even) {
    wait_for_copies();
    team.group.barrier_wait(zeroed);
    if constexpr (Shape::kSweeps) {
      job.sweeps.leave();
    } else {
      sort_by_passes<Shape>(job, team, d_words);
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
