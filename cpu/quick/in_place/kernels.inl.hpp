// The kernels of cpu/quick/in_place: they distribute keys to the buffers of buckets, and sort a
// bucket in place.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/simd/kernels.inl.hpp"
  #include "cpu/quick/in_place/state.hpp"
  #include "cpu/quick/tree_search.hpp"
using namespace sortlab::cpu::quick;
using namespace sortlab::cpu::quick::in_place;
#endif

using quick::SORTLAB_ISA::TreeSearch;

template <class Key, bool kFloat>
struct Kernels {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;
  using Code = Coding<Key, kFloat>;
  using Plain = CacheSort<Key, false>;
  using Cached = CacheSort<Key, kFloat>;
  using Bucket = std::make_unsigned_t<Key>;
  static constexpr std::size_t kLanes = L::kCount;

  /// The most splits of a piece.

  // ---- Distribution

  /// Distributes a thread's share to its buffers. A full buffer is copied over the front of the
  /// share, which has been read by then:
  ///
  ///   keys     | block | block | block | free ..  | not read yet ..   |
  ///   buffers  [ ...  ] [ .  ] [ ....... ]        a bucket each
  ///
  /// Blocks of equal keys are counted and dropped.
  template <int kDepth>
  static void distribute(const SplitterTree<Key>& tree, const Stripe<Key>& stripe, Key flip) {
    const Code code(flip);
    const TreeSearch<Key, kDepth> search(tree.nodes);
    const std::size_t n = stripe.n;
    const std::uint32_t within = static_cast<std::uint32_t>(stripe.block) - 1;
    start(stripe, tree.buckets());
    std::size_t written = 0;
    std::uint32_t* const next = stripe.next;
    Key* const buffers = stripe.buffers;
    const auto put = [&](std::size_t bucket, Key key) {
      const std::uint32_t at = next[bucket];
      buffers[at] = key;
      next[bucket] = at + 1;
      if (((at + 1) & within) == 0) [[unlikely]] {
        written += empty_buffer(tree, stripe, bucket, written);
      }
    };
    Bucket* const buckets = stripe.batch;
    std::size_t i = 0;
    for (; i + kBatch <= n; i += kBatch) {
      const Key* const keys = stripe.keys + i;
      for (std::size_t k = 0; k < kBatch; k += kLanes) {
        search(code.encode(L::load(keys + k)), buckets + k);
      }
      for (std::size_t k = 0; k < kBatch; k += kLanes) {
        if (all_same(buckets + k)) {
          const std::uint32_t at = next[buckets[k]];
          if ((at & within) + kLanes < stripe.block) {
            L::store(buffers + at, L::load(keys + k));
            next[buckets[k]] = at + kLanes;
            continue;
          }
        }
#pragma GCC unroll 16
        for (std::size_t j = k; j < k + kLanes; ++j) put(buckets[j], keys[j]);
      }
    }
    if (i < n) {
      alignas(64) Key keys[kBatch] = {};
      std::copy_n(stripe.keys + i, n - i, keys);
      for (std::size_t k = 0; k < kBatch; k += kLanes) {
        search(code.encode(L::load(keys + k)), buckets + k);
      }
      for (std::size_t k = 0; k < n - i; ++k) put(buckets[k], keys[k]);
    }
    std::fill(stripe.tags + written, stripe.tags + stripe.slots, kNobody);
  }
  /// Whether a vector of keys goes to one bucket, as in partly ordered sequences.
  SORTLAB_INLINE bool all_same(const Bucket* buckets) {
    if constexpr (kLanes == 1) return false;
    const Vector v = L::load(reinterpret_cast<const Key*>(buckets));
    const Vector first = L::broadcast(static_cast<Key>(buckets[0]));
    return (L::greater(v, first) | L::greater(first, v)) == 0;
  }
  /// The first keys of the buckets go to different lines of their buffers. Otherwise, if all
  /// buffers fill at the same speed, the lines written at one time would compete for few sets of a
  /// cache.
  static void start(const Stripe<Key>& stripe, int buckets) {
    for (int b = 0; b < buckets; ++b) {
      const std::size_t first = b * stripe.block;
      stripe.full[b] = 0;
      stripe.lead[b] =
          static_cast<std::uint32_t>(first / (4096 / sizeof(Key)) * kLineKeys<Key> % stripe.block);
      stripe.next[b] = static_cast<std::uint32_t>(first) + stripe.lead[b];
    }
  }
  /// Empties a full buffer. Returns how many blocks it has written.
  [[gnu::noinline]] static std::size_t empty_buffer(const SplitterTree<Key>& tree,
                                                    const Stripe<Key>& stripe, std::size_t bucket,
                                                    std::size_t written) {
    Key* const buffer = stripe.buffer(bucket);
    const std::size_t lead = std::exchange(stripe.lead[bucket], 0);
    stripe.next[bucket] -= static_cast<std::uint32_t>(lead == 0 ? stripe.block : lead);
    if (lead != 0) {
      std::copy(buffer + lead, buffer + stripe.block, buffer);
      return 0;
    }
    ++stripe.full[bucket];
    if (tree.splitters.all_equal(static_cast<int>(bucket))) return 0;
    copy_block(buffer, stripe.keys + written * stripe.block, stripe.block);
    stripe.tags[written] = static_cast<Tag>(bucket);
    return 1;
  }
  static void copy_block(const Key* from, Key* to, std::size_t n) {
    for (std::size_t i = 0; i < n; i += kLanes) L::store(to + i, L::load(from + i));
  }
  template <int kDepth>
  static void distribute_from(const SplitterTree<Key>& tree, const Stripe<Key>& stripe, Key flip) {
    if (tree.depth == kDepth) return distribute<kDepth>(tree, stripe, flip);
    if constexpr (kDepth < kMostDepth) distribute_from<kDepth + 1>(tree, stripe, flip);
  }

  // ---- Calls

  static void sort(Key* keys, std::size_t n, Key flip) {
    Cached::template sort<true>(keys, keys, n, Code(flip));
  }
  static void sort_sample(Key* sample, std::size_t n) {
    Plain::template sort<false>(sample, sample, n, typename Plain::Code(0));
  }
  static void take_sample(const Key* keys, std::size_t n, Key* sample, std::size_t count,
                          Key flip) {
    Cached::template take_sample<true>(keys, n, sample, count, Code(flip));
  }
  static void fill_users(Key* to, std::size_t n, Key key, Key flip) {
    Cached::fill(to, n, key, Code(flip));
  }
  static constexpr Calls<Key> calls() {
    return {.look = look<Key, kFloat>,
            .sample = take_sample,
            .sort_sample = sort_sample,
            .distribute = distribute_from<kLeastDepth>,
            .sort = sort,
            .fill = fill_users};
  }
};
