// The shapes of the blocks and teams of gpu/radix/small, and its entry. The kernels of each width
// of keys and values are in a separate file, because they take long to compile.
#pragma once

#include <cooperative_groups.h>
#include <algorithm>

#include "gpu/primitives/launch/launch.cuh"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/radix/small/team.cuh"

namespace sortlab::gpu::radix::small {

// The blocks of a cluster sort together in one launch, and hand each other their items through
// distributed shared memory: what team.cuh does through L2, with two barriers of the cluster
// instead of three, and no counting before the room is known.
//
//   chunk -> registers     sample: each ranks itself among all -> splitters (every block)
//   bucket of each item; reserve room in the inbox of its block
//   item -> inbox                                                     -- barrier --
//   inbox -> block_sort -> result
//
// An inbox has a fixed room, of some times a chunk. Should one overflow, every block sees it before
// anything is written, and the first block sorts all items alone, which takes many times as long.

constexpr unsigned kMaxCluster = 16;

// Device code that has clusters. Other device code is compiled, but never launched.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/// A thread that has something to publish to the other blocks calls it before it arrives.
__device__ __forceinline__ void cluster_fence() {
  asm volatile("fence.acq_rel.cluster;" ::: "memory");
}

/// The blocks of one cluster, with a barrier whose arrival orders no memory accesses: a thread that
/// has something to publish fences by itself, all others save the time.
struct ClusterTeam {
  struct Arrived {};
  struct Group {
    cooperative_groups::cluster_group group = cooperative_groups::this_cluster();

    __device__ __forceinline__ Arrived barrier_arrive() const {
      asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
      return {};
    }
    __device__ __forceinline__ void barrier_wait(Arrived) const {
      asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    }
    __device__ __forceinline__ void sync() const { group.sync(); }
    template <class T>
    __device__ __forceinline__ T* map_shared_rank(T* address, unsigned block) const {
      return group.map_shared_rank(address, block);
    }
  };
  Group group;
  __device__ __forceinline__ unsigned rank() const { return group.group.block_rank(); }
  __device__ __forceinline__ unsigned size() const { return group.group.num_blocks(); }
};

#else

__device__ __forceinline__ void cluster_fence() {}

struct ClusterTeam {
  struct Arrived {};
  struct Group {
    __device__ __forceinline__ Arrived barrier_arrive() const { return {}; }
    __device__ __forceinline__ void barrier_wait(Arrived) const {}
    __device__ __forceinline__ void sync() const {}
    template <class T>
    __device__ __forceinline__ T* map_shared_rank(T* address, unsigned) const {
      return address;
    }
  };
  Group group;
  __device__ __forceinline__ unsigned rank() const { return 0; }
  __device__ __forceinline__ unsigned size() const { return 1; }
};

#endif

/// Threads, items of the chunk and room for items of the bucket a thread, and sampled items.
template <class Bits, class Value, unsigned kThreadsT, unsigned kItemsT, unsigned kBucketItemsT,
          unsigned kSamplesT>
struct ClusterShape {
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr unsigned kItems = kItemsT;
  static constexpr unsigned kBucketItems = kBucketItemsT;
  static constexpr unsigned kSamples = kSamplesT;
  static constexpr unsigned kChunk = kThreads * kItems;
  static constexpr unsigned kBucket = kThreads * kBucketItems;
  static constexpr unsigned kRankers = kThreads / kSamples;  // threads that rank a sampled item
  static_assert(kThreads % kSamples == 0 && kRankers <= kWarp && kSamples % (4 * kRankers) == 0);

  struct Shared {
    union {
      BlockSortShared<Bits, Value, kThreads, kBucket> sort;
      __align__(16) Bits sample[kSamples];
    };
    Bits inbox_keys[kBucket];
    std::uint32_t inbox_places[Items<Bits, Value>::kPairs ? kBucket : 1];
    unsigned inbox_count;
    Splitters<Bits, kMaxCluster> splitters;
    unsigned count[kMaxCluster];     // of the chunk's items in each bucket
    unsigned reserved[kMaxCluster];  // where in each inbox this block's items begin
    unsigned my_begin;
    unsigned overflows;
  };
};

/// Splitters of `buckets` buckets, from kSamples sampled items of which thread j < kSamples brings
/// number j; then largest items. Items of equal keys are in order of their places, so of numbers.
template <class Shape, class Shared, class Bits>
__device__ __forceinline__ void rank_samples(Bits key, unsigned n, unsigned buckets, Shared& s) {
  constexpr unsigned kRankers = Shape::kRankers;
  constexpr unsigned kQuad = 4;
  const unsigned thread = threadIdx.x;
  if (thread < Shape::kSamples) s.sample[thread] = key;
  const unsigned levels = s.splitters.levels(buckets);
  if (thread < kMaxCluster) s.splitters.put_none(thread, levels);
  __syncthreads();
  const unsigned mine = thread / kRankers;
  const Bits my_key = s.sample[mine];
  unsigned rank = 0;
#pragma unroll
  for (unsigned q = 0; q < Shape::kSamples / kQuad / kRankers; ++q) {
    const unsigned j = (q * kRankers + thread % kRankers) * kQuad;
    struct __align__(16) Quad {
      Bits key[kQuad];
    };
    const Quad quad = *reinterpret_cast<const Quad*>(&s.sample[j]);
#pragma unroll
    for (unsigned e = 0; e < kQuad; ++e) {
      rank += quad.key[e] < my_key || (quad.key[e] == my_key && j + e < mine);
    }
  }
#pragma unroll
  for (unsigned distance = 1; distance < kRankers; distance *= 2) {
    rank += __shfl_xor_sync(kAllLanes, rank, distance);
  }
  const unsigned a_bucket = Shape::kSamples / buckets;
  if (thread % kRankers == 0 && rank > 0 && rank % a_bucket == 0 && rank / a_bucket < buckets) {
    s.splitters.put(rank / a_bucket - 1, levels, my_key, SamplePlaces<1>(Shape::kSamples, n)(mine));
  }
  __syncthreads();
}

/// Sorts job.n items, at most a chunk a block, with one cluster.
template <class Team, class Shape, class Job>
__global__ void __launch_bounds__(Shape::kThreads, 1)
    sort_by_cluster(__grid_constant__ const Job job) {
  using Bits = typename Job::Bits;
  constexpr unsigned kThreads = Shape::kThreads;
  constexpr unsigned kItems = Shape::kItems;
  auto& s = *reinterpret_cast<typename Shape::Shared*>(dynamic_shared());
  const Team team;
  const auto& cluster = team.group;
  const unsigned thread = threadIdx.x;
  const unsigned buckets = team.size();
  const unsigned block = team.rank();

  // The sample and the chunk.
  Bits sample = 0;
  if (thread < Shape::kSamples) {
    sample = job.data.keys[SamplePlaces<1>(Shape::kSamples, job.n)(thread)];
  }
  const HeldChunk<Shape> chunk(job.n, buckets, block);
  Bits key[kItems];
  chunk.load(job.data.keys, key);

  // A block reserves room only after all blocks have emptied their inboxes. The last thread takes the
  // fence, since no other thread waits for it: a fence takes as long as a load.
  if (thread == kThreads - 1) {
    s.inbox_count = 0;
    cluster_fence();
  }
  const auto emptied = cluster.barrier_arrive();
  if (thread < kMaxCluster) s.count[thread] = 0;
  rank_samples<Shape>(job.map.ordered(sample), job.n, buckets, s);
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) key[i] = job.map.ordered(key[i]);

  // Each item's bucket, and its rank in it.
  unsigned bucket[kItems];
  rank_in_buckets<Shape>(chunk, key, buckets, s, bucket);
  __syncthreads();

  // Room in the inboxes, and every item to its inbox.
  cluster.barrier_wait(emptied);
  if (thread < buckets) {
    s.reserved[thread] =
        atomicAdd(cluster.map_shared_rank(&s.inbox_count, thread), s.count[thread]);
  }
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (!chunk.has(i)) continue;
    const unsigned owner = place_in(bucket[i]);
    const unsigned to = s.reserved[owner] + rank_in(bucket[i]);
    if (to >= Shape::kBucket) continue;
    *cluster.map_shared_rank(&s.inbox_keys[to], owner) = key[i];
    if constexpr (Job::kPairs) {
      *cluster.map_shared_rank(&s.inbox_places[to], owner) = chunk.place(i);
    }
  }
  cluster.sync();

  // The bucket of this block; meanwhile the other inboxes say where in the result it begins.
  const unsigned inbox_count =
      thread < buckets ? *cluster.map_shared_rank(&s.inbox_count, thread) : 0;
  const unsigned my_count = min(s.inbox_count, Shape::kBucket);
  Bits key_of_bucket[Shape::kBucketItems];
#pragma unroll
  for (unsigned i = 0; i < Shape::kBucketItems; ++i) {
    const unsigned p = i * kThreads + thread;
    if (p < my_count) {
      key_of_bucket[i] = s.inbox_keys[p];
      if constexpr (Job::kPairs) job.prefetch_value(s.inbox_places[p]);
    }
  }
  block_sort<Shape::kBucketItems>(
      [&](unsigned i) { return key_of_bucket[i]; }, my_count,
      [&](unsigned i) { return Job::kPairs ? s.inbox_places[i * kThreads + thread] : 0; }, s.sort);
  if (thread < kWarp) {
    const bool overflows = __any_sync(kAllLanes, inbox_count > Shape::kBucket);
    const unsigned begin = warp_inclusive_scan(inbox_count) - inbox_count;
    if (thread == block) s.my_begin = begin;
    if (thread == 0) s.overflows = overflows;
  }
  const auto read = cluster.barrier_arrive();  // no block is gone before all have read its inbox
  __syncthreads();
  if (!s.overflows) {
    for (unsigned p = thread; p < my_count; p += kThreads) {
      job.put_result(s.my_begin + p, s.sort.items()[p]);
    }
  } else if (block == 0) {
    sort_large_bucket<Shape>(
        job, 0, job.n, [&](unsigned p) { return job.key(p); }, [](unsigned p) { return p; },
        s.sort);
  }
  cluster.barrier_wait(read);
}

// Teams: threads, and per thread the items of the chunk, of the bucket and of the sample. A bucket
// has room for 1.7 to 8 times its share of the items, to allow for errors of the sample: the fewer
// items are sampled, the more room it needs.
template <class Bits, class Value>
using OneCluster = ClusterShape<Bits, Value, 512, 2, 8, 128>;
template <class Bits, class Value>
using SmallShape = TeamShape<Bits, Value, 512, 2, 8, 2>;
template <class Bits, class Value>
using MediumShape =
    std::conditional_t<kValueBytes<Value> == 0, TeamShape<Bits, Value, 1024, 4, 8, 4>,
                       TeamShape<Bits, Value, 512, 8, 16, 8>>;
template <class Bits, class Value>
constexpr bool kIsWidePair = sizeof(Bits) == 8 && kValueBytes<Value> > 0;
template <class Bits, class Value>
using LargeShape = TeamShape<Bits, Value, 1024, 8, kIsWidePair<Bits, Value> ? 14 : 16, 4,
                             (kValueBytes<Value> > 0)>;

constexpr unsigned kMaxOfBlock = 4096;
constexpr unsigned kMaxOfNarrowBlock = 8192;  // keys of 32 bits alone
constexpr unsigned kMaxOfCluster = kMaxCluster * OneCluster<std::uint32_t, NoValue>::kChunk;
constexpr unsigned kMaxOfSmall = SmallShape<std::uint32_t, NoValue>::kChunk;
constexpr unsigned kMaxOfMedium = MediumShape<std::uint32_t, NoValue>::kChunk;
constexpr unsigned kMaxOfLarge = LargeShape<std::uint32_t, NoValue>::kChunk;
constexpr unsigned kMaxOfFewBlocks = 32768;  // more items get blocks of half a chunk, if available

/// The most blocks of a team on the current device.
inline unsigned grid_blocks() {
  const std::size_t processors = device_attribute(cudaDevAttrMultiProcessorCount);
  return static_cast<unsigned>(std::min<std::size_t>(processors, kMaxTeam));
}

/// The most items of a block on a GPU with so much shared memory for it.
inline std::size_t max_share(std::size_t shared_bytes) {
  using Bits = std::uint64_t;
  using Value = std::uint32_t;
  const auto fits = [=]<class Shape>(Shape) {
    return sizeof(typename Shape::Shared) <= shared_bytes;
  };
  if (fits(LargeShape<Bits, Value>{})) return kMaxOfLarge;
  if (fits(MediumShape<Bits, Value>{})) return kMaxOfMedium;
  return kMaxOfSmall;
}

/// The parts of the workspace.
template <class Bits, class Value>
struct Space {
  TeamWords* d_words;  // a block alone needs none
  Value* d_spare_places = nullptr;
  std::byte* d_sweeps = nullptr;  // of a large team of pairs
  std::size_t bytes;

  Space(std::byte* d_workspace, std::size_t n) {
    Layout layout(d_workspace);
    d_words = layout.take<TeamWords>(n > kMaxOfBlock ? 1 : 0);
    if constexpr (!std::is_same_v<Value, NoValue>) {
      d_spare_places = layout.take<Value>(n);
      if (n > kMaxOfMedium) {
        d_sweeps = layout.take<std::byte>(sweep::Sweeps<Bits, Value>(n, nullptr).space.bytes);
      }
    }
    bytes = layout.bytes();
  }
};

/// Sorts job.n items, at most max_share() items for each of grid_blocks() blocks, in memory of a Space. What a large team
/// leaves to sweeps goes between `arrays`. Defined in kernels.cu.
template <class Bits, class Value>
void sort(TeamJob<Bits, Value> job, const Space<Bits, Value>& space,
          const sweep::Arrays<Bits, Value>& arrays, cudaStream_t stream);

}  // namespace sortlab::gpu::radix::small
