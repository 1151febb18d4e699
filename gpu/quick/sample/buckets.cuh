// Which bucket a key belongs to: a search tree of splitters in shared memory
// (gpu/primitives/thread/splitter_tree.cuh). A key's bucket is the number of splitters that it is not
// less than.
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

#include "gpu/primitives/thread/splitter_tree.cuh"
#include "gpu/primitives/warp/lanes.cuh"

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

}  // namespace sortlab::gpu::quick::sample
