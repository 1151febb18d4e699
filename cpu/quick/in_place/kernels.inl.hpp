// The kernels of cpu/quick/in_place: they distribute keys to the buffers of buckets, and sort a
// bucket in place.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/simd/all.inl.hpp"
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
  static constexpr int kLevels = 24;

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

  // ---- Sort in place

  static constexpr std::size_t kStride = 8;  // vectors read at a time from one side
  static constexpr std::size_t kChunk = kStride * kLanes;

  /// Moves the user's keys that are above the pivot behind the others. Returns the number of the
  /// others.
  ///
  ///   | not above | free ..  | not read yet      | .. free | above |
  ///                ^ left     ^ read     read_end ^         ^ right
  ///
  /// Two saved chunks make free space. Reads take keys from the side with less free space, so a
  /// chunk stays free on both sides.
  static std::size_t partition(Key* keys, std::size_t n, Key pivot, const Code& code) {
    alignas(64) Key saved[3 * kChunk];
    std::copy_n(keys, kChunk, saved);
    std::copy_n(keys + n - kChunk, kChunk, saved + kChunk);
    const Vector pivots = L::broadcast(pivot);
    Key *left = keys, *right = keys + n;
    const Key *read = keys + kChunk, *read_end = keys + n - kChunk;
    const auto put = [&](Vector v) {
      const std::size_t above = L::part(v, L::greater(code.encode(v), pivots), left, right);
      right -= above;
      left += kLanes - above;
    };
    while (static_cast<std::size_t>(read_end - read) >= kChunk) {
      const Key* from;
      if (read - left <= right - read_end) {
        from = read;
        read += kChunk;
      } else {
        read_end -= kChunk;
        from = read_end;
      }
      Vector v[kStride];
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kStride; ++i) v[i] = L::load(from + i * kLanes);
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kStride; ++i) put(v[i]);
    }
    const auto rest = static_cast<std::size_t>(read_end - read);
    std::copy_n(read, rest, saved + 2 * kChunk);
    const std::size_t left_over = 2 * kChunk + rest;
    std::size_t i = 0;
    for (; i + 2 * kLanes <= left_over; i += kLanes) put(L::load(saved + i));
    for (; i < left_over; ++i) {
      const bool above = code.encode_one(saved[i]) > pivot;
      *left = saved[i];
      right[-1] = saved[i];
      left += !above;
      right -= above;
    }
    return static_cast<std::size_t>(left - keys);
  }

  /// Sorts n of the user's keys in place, with `scratch` for `room` keys, at least kLeastRoom.
  static constexpr std::size_t kLeastRoom = 16 * kChunk;
  static void sort(Key* keys, std::size_t n, Key* scratch, std::size_t room, int levels,
                   const Code& code) {
    if (n <= room) return Cached::template sort<true>(keys, scratch, true, n, kLevels, code);
    if (levels == 0) return Cached::template sort_by_heap<true>(keys, keys, n, code);
    constexpr std::size_t kSample = Cached::kBlock;
    alignas(64) Key sample[kSample];
    Cached::template take_sample<true>(keys, n, sample, kSample, code);
    Plain::Small::template sort<false, true>(sample, sample, kSample, typename Plain::Code(0));
    const int ways = static_cast<int>(std::clamp<std::size_t>(n / room * 3 / 2 + 1, 3, 16));
    Key split_at[16 + 1];
    const Splitters<Key> splitters = choose_splitters(sample, kSample, ways, split_at);
    split(keys, n, splitters, 0, splitters.count, scratch, room, levels - 1, code);
  }
  /// The same for keys of the pieces [first, last] between the splitters.
  static void split(Key* keys, std::size_t n, const Splitters<Key>& splitters, int first, int last,
                    Key* scratch, std::size_t room, int levels, const Code& code) {
    if (first == last && splitters.all_equal(first)) {
      return Cached::fill(keys, n, splitters.upper(first), code);
    }
    if (n <= room || first == last) return sort(keys, n, scratch, room, levels, code);
    const int mid = (first + last) / 2;
    const std::size_t left = partition(keys, n, splitters.keys[mid], code);
    split(keys, left, splitters, first, mid, scratch, room, levels, code);
    split(keys + left, n - left, splitters, mid + 1, last, scratch, room, levels, code);
  }

  // ---- Calls

  static void sort_in_place(Key* keys, std::size_t n, Key* scratch, std::size_t room, Key flip) {
    sort(keys, n, scratch, room, kLevels, Code(flip));
  }
  static void sort_sample(Key* sample, Key* other, std::size_t n) {
    Plain::template sort<false>(sample, other, true, n, kLevels, typename Plain::Code(0));
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
            .sort = sort_in_place,
            .fill = fill_users};
  }
};
