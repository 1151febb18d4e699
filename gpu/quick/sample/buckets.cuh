// Which bucket a key belongs to, by a search tree of splitters in shared memory, and how splitters are chosen. A
// key's bucket is the number of splitters that it is not less than.
//
// A key so frequent that it is a splitter twice gets a bucket of its own: between two equal
// splitters there is nothing, so that place is free for it, and what is in it needs no more
// sorting.
//
//     s   ... 3   5   5   5   9 ...
//     bucket    2   3   4   5   6        keys in [3, 5) go to 2, 5 itself to 4, (5, 9) to 5
//
// Source: close to Leischner, Osipov and Sanders, "GPU sample sort", 2010.
#pragma once

#include "gpu/primitives/warp/lanes.cuh"
#include "gpu/quick/levels.cuh"
#include "gpu/quick/sample/level.cuh"

namespace sortlab::gpu {

// The search tree of a sample sort: which of k buckets a key belongs to, k a power of two, without a branch.
//
// k - 1 sorted splitters s[0] <= s[1] <= ... are laid out level by level, as in a heap:
//
//     tree[1] = the median; node i has the children 2i and 2i + 1       i = 2i + is_right(tree[i], key)
//     after log2(k) levels the bucket is i - k
//
//     s      0 1 2 3 4 5 6          tree    . | 3 | 1   5 | 0 2 4 6         k = 8
//
// All splitters of a level lie side by side, so that threads which search together meet few bank conflicts.
// Source: Sanders and Winkel, "Super scalar sample sort", 2004.

/// The number of the splitter at node `node` of the tree for 2^log_k buckets.
__device__ __forceinline__ unsigned splitter_at_node(unsigned node, unsigned log_k) {
  const unsigned level = 31 - __clz(static_cast<int>(node));
  const unsigned place_in_level = node - (1u << level);
  return ((2 * place_in_level + 1) << (log_k - level - 1)) - 1;
}

/// The leaves that kItems keys reach, which descend side by side: 2^log_k and the bucket.
/// is_right(splitter, key) says whether a key belongs behind a splitter.
template <unsigned kItems, class Key, class IsRight>
__device__ __forceinline__ void descend(const Key* tree, unsigned log_k, const Key (&key)[kItems],
                                        unsigned (&node)[kItems], IsRight is_right) {
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) node[u] = 1;
  for (unsigned level = 0; level < log_k; ++level) {
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) node[u] = 2 * node[u] + is_right(tree[node[u]], key[u]);
  }
}

}  // namespace sortlab::gpu

namespace sortlab::gpu::quick::sample {

/// log2 of the most buckets that a segment is cut into.
constexpr unsigned kMaxLogK = 10;
constexpr unsigned kMaxBuckets = 1u << kMaxLogK;

/// Whether bucket b, between s[b - 1] and s[b], is that of one key.
template <class Less, class Key>
__device__ __forceinline__ bool holds_one_key(const Key* splitters, unsigned b, unsigned k) {
  return b >= 1 && b + 1 < k && !Less{}(splitters[b - 1], splitters[b]);
}

template <class Less, class Key>
class Buckets {
 public:
  static constexpr std::size_t bytes(unsigned k) { return (2 * k * sizeof(Key) + k + 3) / 4 * 4; }

  /// Uses bytes(k) of shared memory at `shared`.
  __device__ __forceinline__ Buckets(std::byte* shared, unsigned log_k)
      : s_tree_(reinterpret_cast<Key*>(shared)),
        s_sorted_(s_tree_ + (std::size_t{1} << log_k)),
        s_follows_one_key_(reinterpret_cast<bool*>(s_sorted_ + (std::size_t{1} << log_k))),
        log_k_(log_k) {}

  __device__ __forceinline__ unsigned count() const { return 1u << log_k_; }

  /// Takes over the splitters of a segment. The caller synchronizes before and after.
  __device__ __forceinline__ void load(const Key* splitters, bool has_frequent) {
    has_frequent_ = has_frequent;
    for (unsigned b = threadIdx.x; b < count(); b += blockDim.x) {
      if (b > 0) {
        s_tree_[b] = splitters[splitter_at_node(b, log_k_)];
        s_sorted_[b - 1] = splitters[b - 1];
      }
      s_follows_one_key_[b] = b >= 2 && holds_one_key<Less>(splitters, b - 1, count());
    }
  }

  /// The buckets of kItems keys, which descend side by side.
  template <unsigned kItems>
  __device__ __forceinline__ void find(const Key (&key)[kItems], unsigned (&bucket)[kItems]) const {
    descend(s_tree_, log_k_, key, bucket,
            [](const Key& splitter, const Key& k) { return !Less{}(k, splitter); });
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) bucket[u] -= count();
    if (has_frequent_) {
#pragma unroll
      for (unsigned u = 0; u < kItems; ++u) {
        // The key is not less than s[b - 1]. If that one isn't less than the key either, both are
        // the frequent key of the bucket before.
        const unsigned b = bucket[u];
        if (s_follows_one_key_[b] && !Less{}(s_sorted_[b - 1], key[u])) bucket[u] = b - 1;
      }
    }
  }

 private:
  Key* s_tree_;
  Key* s_sorted_;
  bool* s_follows_one_key_;
  unsigned log_k_;
  bool has_frequent_ = false;
};

// The splitters of a segment: quantiles of a sample, which a block sorts.

/// How many keys of a segment are sampled for a splitter, at most.
constexpr unsigned kMostSamplesABucket = 32;

/// The place, in a segment, of number i of its samples.
__device__ __forceinline__ Count sample_place(Segment segment, unsigned i) {
  return __umul64hi(mixed_bits(segment.begin + (Count{i} << 40) + i), segment.count);
}

/// Loads the thread's share of the sample: random places, so that no pattern of the keys misleads it.
template <class T>
__device__ __forceinline__ void take_sample(const typename T::Key* keys, const typename T::Map& map,
                                            const Segment& segment, unsigned samples,
                                            typename T::Sampler::Chunk& chunk) {
  constexpr unsigned kItems = T::Sampler::kItems;
#pragma unroll
  for (unsigned r = 0; r < kItems; ++r) {
    const unsigned i = threadIdx.x * kItems + r;
    chunk.keys[r] = map.ordered(keys[segment.begin + (i < samples ? sample_place(segment, i) : 0)]);
  }
}

/// Writes every a_bucket-th key of the sorted sample as a splitter. Returns whether this thread saw one
/// twice: such a key is frequent and gets a bucket of its own.
template <class T>
__device__ __forceinline__ bool write_splitters(typename T::Key* splitters, unsigned k,
                                                unsigned a_bucket) {
  const auto tile = T::Sampler::tile();
  bool any = false;
  for (unsigned b = threadIdx.x + 1; b < k; b += blockDim.x) {
    const auto splitter = tile.key_at(b * a_bucket);
    splitters[b - 1] = splitter;
    any |= b > 1 && !typename T::Less{}(tile.key_at((b - 1) * a_bucket), splitter);
  }
  return any;
}

/// A block a segment; clears its counts, too.
template <class T>
__global__ void __launch_bounds__(T::Sampler::kThreads, T::Sampler::kBlocks)
    choose_splitters(const typename T::Key* keys, typename T::Map map,
                     Level<typename T::Key> level) {
  using Sampler = typename T::Sampler;
  await_previous_kernel();
  const unsigned k = level.k();
  Count* const counts = level.counts + std::size_t{blockIdx.x} * k;
  for (unsigned b = threadIdx.x; b < k; b += blockDim.x) counts[b] = 0;
  const Segment segment = level.segments[blockIdx.x];
  if (segment.todo != Todo::split) return;

  const unsigned samples =
      min(Sampler::Tile::kCount, max(k * kMostSamplesABucket, Sampler::kItems));
  typename Sampler::Chunk chunk;
  take_sample<T>(keys, map, segment, samples, chunk);
  merge_sort::sort_tile<Sampler>(Sampler::tile(), samples, chunk);
  auto* const splitters = level.splitters + std::size_t{blockIdx.x} * k;
  const bool any_twice = __syncthreads_or(write_splitters<T>(splitters, k, samples / k));
  if (threadIdx.x == 0) level.has_frequent[blockIdx.x] = any_twice;
}

}  // namespace sortlab::gpu::quick::sample
