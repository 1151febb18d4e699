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
#pragma once

namespace sortlab::gpu {

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
