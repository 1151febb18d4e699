// Which bucket a key belongs to: a search tree of splitters in shared memory.
//
// k - 1 sorted splitters s[0] <= s[1] <= ... cut the keys into k buckets, k a power of two; a key's
// bucket is the number of splitters that it is not less than. The descent has no branch:
//
//     tree[1] = the median; node i has the children 2i and 2i + 1       i = 2i + !(key < tree[i])
//     after log2(k) levels the bucket is i - k
//
// A key so frequent that it is a splitter twice gets a bucket of its own: between two equal
// splitters there is nothing, so that place is free for it, and what is in it needs no more
// sorting.
//
//     s   ... 3   5   5   5   9 ...
//     bucket    2   3   4   5   6        keys in [3, 5) go to 2, 5 itself to 4, (5, 9) to 5
//
// Keys are unsigned integers here (gpu/primitives/key_map.hpp).
// Source: Sanders and Winkel, "Super scalar sample sort", 2004, for the tree; the GPU form is close
// to Leischner, Osipov and Sanders, "GPU sample sort", 2010.
#pragma once

#include "gpu/primitives/warp.cuh"

namespace sortlab::gpu::sample {

/// The most buckets that a segment is cut into.
constexpr unsigned kMaxBuckets = 2048;

/// The splitter at node `node` of the tree of k - 1 splitters.
__device__ __forceinline__ unsigned splitter_at_node(unsigned node, unsigned log_k) {
  const unsigned level = 31 - __clz(static_cast<int>(node));
  const unsigned place_in_level = node - (1u << level);
  return ((2 * place_in_level + 1) << (log_k - level - 1)) - 1;
}

/// Whether bucket b, between s[b - 1] and s[b], is that of one key.
template <class Key>
__device__ __forceinline__ bool holds_one_key(const Key* splitters, unsigned b, unsigned k) {
  return b >= 1 && b + 1 < k && splitters[b - 1] == splitters[b];
}

template <class Key>
class Buckets {
 public:
  static constexpr std::size_t bytes(unsigned k) { return 2 * k * sizeof(Key); }

  /// Fills shared memory, bytes(k) at s_keys, from the splitters in global memory.
  __device__ __forceinline__ Buckets(Key* s_keys, const Key* splitters, unsigned log_k,
                                     bool has_frequent)
      : s_tree_(s_keys),
        s_sorted_(s_keys + (std::size_t{1} << log_k)),
        log_k_(log_k),
        has_frequent_(has_frequent) {
    const unsigned k = 1u << log_k;
    for (unsigned i = threadIdx.x + 1; i < k; i += blockDim.x) {
      s_tree_[i] = splitters[splitter_at_node(i, log_k)];
      s_sorted_[i - 1] = splitters[i - 1];
    }
    __syncthreads();
  }

  __device__ __forceinline__ unsigned count() const { return 1u << log_k_; }
  __device__ __forceinline__ bool has_frequent() const { return has_frequent_; }

  /// The buckets of kItems keys, which descend side by side.
  template <unsigned kItems>
  __device__ __forceinline__ void find(const Key (&key)[kItems], unsigned (&bucket)[kItems]) const {
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) bucket[u] = 1;
    for (unsigned level = 0; level < log_k_; ++level) {
#pragma unroll
      for (unsigned u = 0; u < kItems; ++u) {
        bucket[u] = 2 * bucket[u] + (s_tree_[bucket[u]] <= key[u]);
      }
    }
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) bucket[u] -= count();
    if (has_frequent_) {
#pragma unroll
      for (unsigned u = 0; u < kItems; ++u) bucket[u] -= is_frequent(key[u], bucket[u]);
    }
  }

 private:
  __device__ __forceinline__ bool is_frequent(Key key, unsigned bucket) const {
    return bucket >= 2 && s_sorted_[bucket - 1] == key &&
           s_sorted_[bucket - 2] == s_sorted_[bucket - 1];
  }

  Key* s_tree_;
  Key* s_sorted_;
  unsigned log_k_;
  bool has_frequent_;
};

}  // namespace sortlab::gpu::sample
