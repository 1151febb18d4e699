// Many blocks sort together in one launch, by splitting at sampled keys: each block holds a chunk
// of the input in registers, all agree on splitters, every key goes to the block of its bucket
// through L2, and each block sorts its bucket by itself.
//
//   chunk -> registers          sample -> block_sort -> splitters (every block, the same ones)
//   bucket of each key, rank in it; reserve room in all buckets        -- barrier --
//   chunk, ordered by bucket -> exchange buffer                       -- barrier --
//   bucket -> block_sort -> data
#pragma once

#include <cooperative_groups.h>

#include <utility>

#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/merge_path.cuh"
#include "gpu/primitives/tile.cuh"
#include "gpu/radix/small_block.cuh"

namespace sortlab::gpu {

/// The blocks of one cluster.
struct ClusterTeam {
  cooperative_groups::cluster_group group = cooperative_groups::this_cluster();
  __device__ unsigned rank() const { return group.block_rank(); }
  __device__ unsigned size() const { return group.num_blocks(); }
};

/// All blocks of a cooperative launch.
struct GridTeam {
  cooperative_groups::grid_group group = cooperative_groups::this_grid();
  __device__ unsigned rank() const { return blockIdx.x; }
  __device__ unsigned size() const { return gridDim.x; }
};

constexpr unsigned kMaxTeam = 256;

/// Threads, and what they hold: a chunk of kItems keys a thread, a bucket of kBucketItems keys a
/// thread, a sample of kSampleItems keys a thread.
template <class Bits, unsigned kThreadsT, unsigned kItemsT, unsigned kBucketItemsT,
          unsigned kSampleItemsT>
struct TeamShape {
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr unsigned kItems = kItemsT;
  static constexpr unsigned kBucketItems = kBucketItemsT;
  static constexpr unsigned kSampleItems = kSampleItemsT;
  static constexpr unsigned kChunk = kThreads * kItems;
  static constexpr unsigned kBucket = kThreads * kBucketItems;
  static_assert(kBucketItems >= kItems && kBucketItems >= kSampleItems);

  struct Shared {
    BlockSortShared<Bits, kThreads, kBucket> sort;
    std::uint16_t bucket[kChunk];  // of each key of the chunk, in bucket order
    Bits splitter[kMaxTeam];
    unsigned equal_begin[kMaxTeam];  // where in the sample the keys equal to a splitter begin
    unsigned equal_count[kMaxTeam];  // and how many they are
    unsigned count[kMaxTeam];        // of the chunk's keys in each bucket
    unsigned start[kMaxTeam];        // of each bucket in the chunk in bucket order
    unsigned dest[kMaxTeam];  // what to add to a place in the chunk to get the place in the buffer
    unsigned my_begin;
    unsigned my_count;
  };
};

/// A place in the stratum j of `strata` equal parts of [0, n).
__device__ __forceinline__ unsigned sample_place(unsigned j, unsigned strata, unsigned n) {
  unsigned h = (j + 1) * 0x9e3779b9u;
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h ^= h >> 13;
  return static_cast<unsigned>((std::uint64_t{j} * n + __umulhi(h, n)) / strata);
}

/// How many of the sorted sample's `count` keys are below `key`, or not above it.
template <bool kOrEqual, class Shared, class Bits>
__device__ __forceinline__ unsigned sampled_below(const Shared& s, unsigned count, Bits key) {
  unsigned begin = 0;
  for (unsigned end = count; begin < end;) {
    const unsigned middle = (begin + end) / 2;
    const Bits found = s.sort.keys[slot<Bits>(middle)];
    if (kOrEqual ? found <= key : found < key) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

/// Splitters of `buckets` buckets, in s.splitter[0, buckets - 1), then largest keys up to kMaxTeam;
/// and where in the sorted sample the keys lie that equal each of them.
template <class Shape, class Bits, class Shared>
__device__ __forceinline__ void choose_splitters(Bits (&sample)[Shape::kSampleItems],
                                                 unsigned count, unsigned buckets, Shared& s) {
  block_sort(sample, count, s.sort);
  for (unsigned j = threadIdx.x; j < kMaxTeam; j += Shape::kThreads) {
    const unsigned p = (j + 1) * count / buckets;
    const bool is_inner = j + 1 < buckets;
    const Bits key = is_inner ? s.sort.keys[slot<Bits>(p)] : static_cast<Bits>(~Bits{0});
    s.splitter[j] = key;
    s.equal_begin[j] = p;
    s.equal_count[j] = 1;
    const auto is_equal = [&](unsigned q) {
      return q < count && s.sort.keys[slot<Bits>(q)] == key;
    };
    if (is_inner && (is_equal(p - 1) || is_equal(p + 1))) {
      s.equal_begin[j] = sampled_below<false>(s, count, key);
      s.equal_count[j] = sampled_below<true>(s, count, key) - s.equal_begin[j];
    }
  }
  __syncthreads();
}

/// A bucket for key number `place`, which equals the splitter b. Keys equal to a splitter may go to
/// either side of it, and to all buckets between equal splitters. So they are dealt out as if each
/// lay somewhere among the sampled keys that it equals.
template <class Shared>
__device__ __forceinline__ unsigned deal(const Shared& s, unsigned b, unsigned place,
                                         unsigned count, unsigned buckets) {
  const unsigned p = s.equal_begin[b] + __umulhi(place * 0x9e3779b9u, s.equal_count[b]);
  return ((p + 1) * buckets - 1) / count;  // the splitters that are not behind p in the sample
}

/// A bucket that is larger than block_sort takes, in d_from: sorted piece by piece, then merged
/// two and two between d_from and d_to. Slow, and correct for any keys.
template <class Shape, class Bits, class Shared>
__device__ __noinline__ void sort_large_bucket(Bits* d_from, Bits* d_to, unsigned count,
                                               KeyMap<Bits> map, Shared& s) {
  for (unsigned first = 0; first < count; first += Shape::kBucket) {
    const unsigned size = min(count - first, Shape::kBucket);
    Bits key[Shape::kBucketItems];
#pragma unroll
    for (unsigned i = 0; i < Shape::kBucketItems; ++i) {
      const unsigned p = i * Shape::kThreads + threadIdx.x;
      if (p < size) key[i] = __ldcg(&d_from[first + p]);
    }
    block_sort(key, size, s.sort);
    for (unsigned p = threadIdx.x; p < size; p += Shape::kThreads) {
      d_from[first + p] = s.sort.keys[slot<Bits>(p)];
    }
  }
  __syncthreads();
  Bits* source = d_from;
  Bits* target = d_to;
  const unsigned share = (count + Shape::kThreads - 1) / Shape::kThreads;
  for (unsigned width = Shape::kBucket; width < count; width *= 2) {
    unsigned at = threadIdx.x * share;
    const unsigned end = min(at + share, count);
    while (at < end) {
      const unsigned begin = at / (2 * width) * (2 * width);
      const RunPair<unsigned> runs{begin, min(begin + width, count), min(begin + 2 * width, count)};
      const unsigned steps = min(end, runs.end) - at;
      merge_serially<KeyLess<Bits, Order::ascending>>(
          Items<Bits, NoValue>{source, nullptr}, runs, at - begin, steps,
          [=](unsigned e, auto item) { target[at + e] = item.key; });
      at += steps;
    }
    __syncthreads();
    Bits* const merged = target;
    target = source;
    source = merged;
  }
  for (unsigned p = threadIdx.x; p < count; p += Shape::kThreads) {
    const Bits key = source[p];
    d_to[p] = map.key(key);
  }
}

/// Sorts n keys, at most a chunk a block. d_exchange has room for n, d_total for kMaxTeam.
template <class Team, class Shape, class Bits>
__global__ void __launch_bounds__(Shape::kThreads, 1)
    sort_by_team(Bits* d_keys, Bits* d_exchange, unsigned* d_total, unsigned n,
                 unsigned sample_count, KeyMap<Bits> map) {
  constexpr unsigned kThreads = Shape::kThreads;
  constexpr unsigned kItems = Shape::kItems;
  auto& s = *reinterpret_cast<typename Shape::Shared*>(dynamic_shared());
  const Team team;
  const unsigned thread = threadIdx.x;
  const unsigned buckets = team.size();

  // Nobody reserves room before every block knows that the totals are zero.
  if (team.rank() == 0 && thread < buckets) d_total[thread] = 0;
  auto zeroed = team.group.barrier_arrive();

  // The chunk and the sample.
  const unsigned chunk = (n + buckets - 1) / buckets;
  const unsigned first = min(team.rank() * chunk, n);
  const unsigned held = min(chunk, n - first);
  Bits key[kItems];
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    const unsigned p = i * kThreads + thread;
    if (p < held) key[i] = map.ordered(d_keys[first + p]);
  }
  Bits sample[Shape::kSampleItems];
#pragma unroll
  for (unsigned i = 0; i < Shape::kSampleItems; ++i) {
    const unsigned j = i * kThreads + thread;
    if (j < sample_count) {
      sample[i] = map.ordered(d_keys[sample_place(j, sample_count, n)]);
    }
  }
  if (thread < kMaxTeam) s.count[thread] = 0;
  choose_splitters<Shape>(sample, sample_count, buckets, s);

  // The bucket of each key: how many splitters are below it, unless it equals the next one.
  unsigned bucket[kItems];
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) bucket[i] = 0;
  for (unsigned step = 1u << (31 - __clz(static_cast<int>(buckets * 2 - 1))) >> 1; step > 0;
       step /= 2) {
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      if (s.splitter[bucket[i] + step - 1] < key[i]) bucket[i] += step;
    }
  }
  const auto is_held = [held, thread](unsigned i) { return i * kThreads + thread < held; };
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    const unsigned b = bucket[i];
    if (is_held(i) && b + 1 < buckets && s.splitter[b] == key[i]) {
      bucket[i] = deal(s, b, first + i * kThreads + thread, sample_count, buckets);
    }
  }
  unsigned rank[kItems];
  const unsigned used = (held + kThreads - 1) / kThreads;
  count_all(
      s.count, used, [&](unsigned i) { return is_held(i) ? bucket[i] : kNowhere; }, rank);
  __syncthreads();

  // Room in each bucket, and the chunk in bucket order.
  team.group.barrier_wait(std::move(zeroed));
  const unsigned mine = thread < buckets ? s.count[thread] : 0;
  const unsigned reserved = mine > 0 ? atomicAdd(&d_total[thread], mine) : 0;
  const unsigned start = block_exclusive_scan<kThreads>(mine, s.sort.warp_total);
  if (thread < buckets) s.start[thread] = start;
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (is_held(i)) {
      const unsigned p = s.start[bucket[i]] + rank[i];
      s.sort.keys[p] = key[i];
      s.bucket[p] = static_cast<std::uint16_t>(bucket[i]);
    }
  }
  team.group.sync();

  // All room is reserved, so the totals say where each bucket begins.
  const unsigned total = thread < buckets ? __ldcg(&d_total[thread]) : 0;
  const unsigned begin = block_exclusive_scan<kThreads>(total, s.sort.warp_total);
  if (thread < buckets) s.dest[thread] = begin + reserved - start;
  if (thread == team.rank()) {
    s.my_begin = begin;
    s.my_count = total;
  }
  __syncthreads();
  for (unsigned p = thread; p < held; p += kThreads) {
    d_exchange[s.dest[s.bucket[p]] + p] = s.sort.keys[p];
  }
  const unsigned my_begin = s.my_begin;
  const unsigned my_count = s.my_count;
  team.group.sync();

  // The bucket of this block.
  Bits* const d_bucket = d_exchange + my_begin;
  Bits* const d_result = d_keys + my_begin;
  if (my_count > Shape::kBucket) {
    sort_large_bucket<Shape>(d_bucket, d_result, my_count, map, s);
    return;
  }
  Bits mine_of_bucket[Shape::kBucketItems];
#pragma unroll
  for (unsigned i = 0; i < Shape::kBucketItems; ++i) {
    const unsigned p = i * kThreads + thread;
    if (p < my_count) mine_of_bucket[i] = __ldcg(&d_bucket[p]);
  }
  block_sort(mine_of_bucket, my_count, s.sort);
  for (unsigned p = thread; p < my_count; p += kThreads) {
    d_result[p] = map.key(s.sort.keys[slot<Bits>(p)]);
  }
}

/// One block alone, for as many keys as it can hold.
template <unsigned kThreads, unsigned kItems, class Bits>
__global__ void __launch_bounds__(kThreads, 1)
    sort_by_block(Bits* d_keys, unsigned n, KeyMap<Bits> map) {
  using Shared = BlockSortShared<Bits, kThreads, kThreads * kItems>;
  auto& s = *reinterpret_cast<Shared*>(dynamic_shared());
  Bits key[kItems];
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    const unsigned p = i * kThreads + threadIdx.x;
    if (p < n) key[i] = map.ordered(d_keys[p]);
  }
  block_sort(key, n, s);
  for (unsigned p = threadIdx.x; p < n; p += kThreads) {
    d_keys[p] = map.key(s.keys[slot<Bits>(p)]);
  }
}

}  // namespace sortlab::gpu
