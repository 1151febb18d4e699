// Quicksort level by level: a launch for each level of the recursion, a block for each segment.
//
// A block splits its segment in three around a pivot, from one buffer into the other, where
//
//     from   [ ................ segment ................ ]
//     to     [ keys < pivot | keys = pivot | keys > pivot ]
//
// and then handles the outer parts. It sorts a small one itself in shared memory, leaves a medium
// one as a leaf for later, and queues a large one for the next level, where `from` and `to` change
// roles. The keys equal to the pivot are done, so a level always makes progress, and duplicates
// make a sort faster rather than quadratic. Finished items are in `data`, whichever buffer the
// level wrote.
#pragma once

#include "gpu/primitives/block/bitonic_sort.cuh"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/primitives/warp/lanes.cuh"
#include "gpu/quick/segment_queue.cuh"

namespace sortlab::gpu::quick {

/// The largest segment that a block sorts at once.
constexpr unsigned kSmallSegment = 1024;

/// Segments larger than kSmallSegment do not overlap, so at most this many exist at a time.
constexpr std::size_t max_segments(std::size_t n) { return n / kSmallSegment + 1; }

/// The queues for the parts that are still to be sorted.
struct Destinations {
  SegmentQueue next_level;
  SegmentQueue leaves;       // of the buffer that the level writes
  std::size_t largest_leaf;  // kSmallSegment when there are no leaves
};

/// A pseudo-random number from (segment, lane), because pivots must not follow a pattern in the
/// keys.
__device__ __forceinline__ unsigned long long mixed_bits(unsigned long long x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// The median of 32 keys at scattered places. Each warp that calls it for a segment finds the same
/// one.
template <class Less, class Key>
__device__ Key sampled_median(const Key* keys, std::size_t count) {
  const auto random = mixed_bits(count * kWarp + lane_id() + 1);
  Item<Key, NoValue> sample{keys[__umul64hi(random, count)], {}};
  warp_sort<Less>(sample, kWarp);
  return __shfl_sync(kAllLanes, sample.key, kWarp / 2);
}

/// How many keys of a segment lie on either side of the pivot.
struct Sides {
  unsigned long long less;
  unsigned long long equal;
};

template <class Less, class Key>
__device__ Sides count_sides(const Key* keys, std::size_t count, Key pivot) {
  __shared__ Sides s_sides;
  if (threadIdx.x == 0) s_sides = {0, 0};
  __syncthreads();
  Sides mine{0, 0};
#pragma unroll 8
  for (std::size_t i = threadIdx.x; i < count; i += blockDim.x) {
    const bool is_less = Less{}(keys[i], pivot);
    const bool is_greater = Less{}(pivot, keys[i]);
    mine.less += is_less;
    mine.equal += !is_less && !is_greater;
  }
  mine = {warp_sum(mine.less), warp_sum(mine.equal)};
  if (lane_id() == 0) {
    atomicAdd(&s_sides.less, mine.less);
    atomicAdd(&s_sides.equal, mine.equal);
  }
  __syncthreads();
  return s_sides;
}

/// Writes the segment to `to`, split in three. Each warp takes a batch of items, claims room for it
/// with one atomic per part, and ranks its items by ballot.
template <class Less, class Key, class Value>
__device__ void scatter_sides(Items<Key, Value> from, Items<Key, Value> to, std::size_t count,
                              Key pivot, Sides sides) {
  constexpr unsigned kBatch = 8;  // loads in flight per thread
  constexpr unsigned kParts = 3;
  __shared__ unsigned long long s_next[kParts];  // the first free place of each part
  if (threadIdx.x == 0) {
    s_next[0] = 0;
    s_next[1] = sides.less;
    s_next[2] = sides.less + sides.equal;
  }
  __syncthreads();

  const std::size_t warp_stride = std::size_t{blockDim.x} * kBatch;
  for (std::size_t base = std::size_t{warp_id()} * kWarp * kBatch; base < count;
       base += warp_stride) {
    Item<Key, Value> item[kBatch];
    unsigned part_of[kBatch];  // kParts for a place beyond the segment
#pragma unroll
    for (unsigned u = 0; u < kBatch; ++u) {
      const std::size_t i = base + u * kWarp + lane_id();
      if (i < count) item[u] = from[i];
      part_of[u] = i < count ? 0 : kParts;
    }
    unsigned claimed[kParts] = {0, 0, 0};
#pragma unroll
    for (unsigned u = 0; u < kBatch; ++u) {
      if (part_of[u] != kParts) {
        part_of[u] = Less{}(item[u].key, pivot) ? 0 : Less{}(pivot, item[u].key) ? 2 : 1;
      }
#pragma unroll
      for (unsigned part = 0; part < kParts; ++part) {
        claimed[part] += __popc(__ballot_sync(kAllLanes, part_of[u] == part));
      }
    }
    unsigned long long place[kParts];
#pragma unroll
    for (unsigned part = 0; part < kParts; ++part) {
      unsigned long long first = 0;
      if (lane_id() == 0) first = atomicAdd(&s_next[part], claimed[part]);
      place[part] = __shfl_sync(kAllLanes, first, 0);
    }
#pragma unroll
    for (unsigned u = 0; u < kBatch; ++u) {
#pragma unroll
      for (unsigned part = 0; part < kParts; ++part) {
        const unsigned mask = __ballot_sync(kAllLanes, part_of[u] == part);
        if (part_of[u] == part) to.put(place[part] + __popc(lanes_below(mask)), item[u]);
        place[part] += __popc(mask);
      }
    }
  }
  __syncthreads();
}

/// Sorts `count` items of `from` into `to`, which may be the same.
template <class Less, class Key, class Value>
__device__ void sort_small(Items<Key, Value> from, Items<Key, Value> to, unsigned count) {
  const auto s_tile = items_at<Key, Value>(dynamic_shared(), kSmallSegment);
  copy_items(from, s_tile, count);
  sort_shared_tile<Less>(s_tile, count);
  copy_items(s_tile, to, count);
  __syncthreads();  // before the tile is used again
}

/// Sorts a part in `from`, with the result in `data`, or queues it.
template <class Less, class Key, class Value>
__device__ void sort_or_queue(Items<Key, Value> from, Items<Key, Value> data, Segment part,
                              const Destinations& destinations) {
  if (part.count == 0) return;
  if (part.count <= kSmallSegment) {
    sort_small<Less>(from.from(part.begin), data.from(part.begin),
                     static_cast<unsigned>(part.count));
  } else if (threadIdx.x == 0) {
    const bool is_leaf = part.count <= destinations.largest_leaf;
    (is_leaf ? destinations.leaves : destinations.next_level).push(part);
  }
}

/// The whole array, as the first segment.
template <class Less, class Key, class Value>
__global__ void __launch_bounds__(1024)
    start_level(Items<Key, Value> data, std::size_t n, Destinations destinations) {
  sort_or_queue<Less>(data, data, {0, n}, destinations);
}

/// A level: block b splits segment b of the queue.
template <class Less, class Key, class Value>
__global__ void __launch_bounds__(1024)
    split_level(Items<Key, Value> from, Items<Key, Value> to, Items<Key, Value> data,
                const Segment* segments, Destinations destinations) {
  const auto [begin, count] = segments[blockIdx.x];
  const Key pivot = sampled_median<Less>(from.keys + begin, count);
  const auto sides = count_sides<Less>(from.keys + begin, count, pivot);
  scatter_sides<Less>(from.from(begin), to.from(begin), count, pivot, sides);

  // The middle part is done. It could not go to `data` directly, because others may still read
  // there.
  if (to.keys != data.keys) {
    for (std::size_t i = begin + sides.less + threadIdx.x; i < begin + sides.less + sides.equal;
         i += blockDim.x) {
      data.put(i, to[i]);
    }
  }
  const std::size_t not_greater = sides.less + sides.equal;
  sort_or_queue<Less>(to, data, {begin, sides.less}, destinations);
  sort_or_queue<Less>(to, data, {begin + not_greater, count - not_greater}, destinations);
}

/// The queues in the workspace: two for the levels in turn, and the leaves of either buffer.
struct LevelWorkspace {
  unsigned* counts;  // one for each queue
  SegmentQueue level[2];
  SegmentQueue leaves[2];  // [0] of data, [1] of alternate

  LevelWorkspace(Layout& layout, std::size_t n, bool has_leaves) {
    constexpr std::size_t kQueues = 4;
    counts = layout.take<unsigned>(kQueues);
    level[0] = {layout.take<Segment>(max_segments(n)), counts};
    level[1] = {layout.take<Segment>(max_segments(n)), counts + 1};
    for (int buffer = 0; buffer < 2; ++buffer) {
      leaves[buffer] = {has_leaves ? layout.take<Segment>(max_segments(n)) : nullptr,
                        counts + 2 + buffer};
    }
  }
};

/// Runs all levels. Segments of more than kSmallSegment and at most `largest_leaf` items stay as
/// leaves.
template <class Job>
void split_levels(const Job& job, unsigned threads, const LevelWorkspace& queues,
                  std::size_t largest_leaf) {
  using Less = typename Job::Less;
  using Key = typename Job::Key;
  using Value = typename Job::Value;
  const std::size_t shared_bytes = bytes_of_items<Key, Value>(kSmallSegment);
  check(cudaMemsetAsync(queues.counts, 0, 4 * sizeof(unsigned), job.stream), "cudaMemsetAsync");
  launch("start_level", start_level<Less, Key, Value>, {1, threads, shared_bytes}, job.stream,
         job.data, job.n, Destinations{queues.level[0], queues.leaves[0], largest_leaf});

  for (int level = 0;; ++level) {
    const auto& now = queues.level[level % 2];
    const auto& next = queues.level[(level + 1) % 2];
    const unsigned segments = read_count(now.count, job.stream);
    if (segments == 0) break;
    check(cudaMemsetAsync(next.count, 0, sizeof(unsigned), job.stream), "cudaMemsetAsync");
    const bool from_data = level % 2 == 0;
    launch("split_level", split_level<Less, Key, Value>, {segments, threads, shared_bytes},
           job.stream, from_data ? job.data : job.alternate, from_data ? job.alternate : job.data,
           job.data, now.segments,
           Destinations{next, queues.leaves[from_data ? 1 : 0], largest_leaf});
  }
}

}  // namespace sortlab::gpu::quick
