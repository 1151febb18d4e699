// The kernels of cpu/radix/simd, for the vectors of one instruction set.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/radix/simd/editor.hpp"
#endif

// Each file uses those above it.
// clang-format off
#include "cpu/radix/simd/output.inl.hpp"
#include "cpu/radix/simd/pieces.inl.hpp"
#include "cpu/radix/simd/scatter.inl.hpp"
#include "cpu/radix/simd/narrow_slots.inl.hpp"
#include "cpu/radix/simd/pass_slots.inl.hpp"
#include "cpu/radix/simd/placed_slot.inl.hpp"
#include "cpu/radix/simd/whole_slots.inl.hpp"
#include "cpu/radix/simd/bucket.inl.hpp"
#include "cpu/radix/simd/counting.inl.hpp"
#include "cpu/radix/simd/distribution.inl.hpp"
// clang-format on

template <class Key, bool kFloat>
struct Kernels {
  using L = Lanes<Key>;
  using Code = Coding<Key, kFloat>;
  using State = ThreadState<Key>;
  using Plain = CacheSort<Key, false>;
  using Cache = CacheSort<Key, kFloat>;
  using Distribute = Distribution<Key, kFloat>;
  using Sort = BucketSort<Key, kFloat>;
  using Count = Counting<Key, kFloat>;
  static constexpr std::size_t kLanes = L::kCount;
  /// measured: uniform, 1 thread, Mkeys/s: u32 2^18, 2^19, 2^20 379, 346, 321 (in pieces) vs 268, 239, 278
  /// (distributed), u64 2^20 192 vs 179; AVX2: u32 2^19 273 vs 216; emr2, results/emr2/one_thread.csv
  static constexpr std::size_t kVectorBytes = kLanes * sizeof(Key);
  static constexpr std::size_t kMostBytesInPieces = std::size_t{kVectorBytes == 64   ? 8
                                                                : kVectorBytes == 32 ? 2
                                                                                     : 0}
                                                    << 20;

  /// Sorts a bucket's keys, which are signed integers below or above `range`, to both ends of the
  /// user's keys. Returns how many are below.
  static std::size_t sort_beyond(const Bucket<Key>& bucket, const Range<Key>& range, State& state,
                                 Key* front, Key* end, Key flip) {
    Key* const gathered = state.scratch_of();
    Key* next = gathered;
    std::size_t below = 0;
    for_each_piece(bucket, [&](const Key* keys, std::size_t m, const Key*) {
      for (std::size_t i = 0; i < m; ++i) below += keys[i] < range.lowest;
      next = std::copy_n(keys, m, next);
    });
    const std::size_t n = bucket.n;
    Cache::template sort<false>(gathered, gathered, n, Code(flip));
    std::copy_n(gathered, below, front);
    std::copy_n(gathered + below, n - below, end - (n - below));
    return below;
  }

  /// Writes a sorted sample of signed integers to `sample`.
  static void take_sample(const Key* from, std::size_t n, Key* sample, std::size_t count,
                          Key flip) {
    Cache::template take_sample<true>(from, n, sample, count, Code(flip));
    Plain::template sort<false>(sample, sample, count, typename Plain::Code(0));
  }
  /// The range of the keys.
  static Range<Key> range_of(const Key* keys, std::size_t n, Key flip) {
    const Code code(flip);
    Key least = code.encode_one(keys[0]), greatest = least;
    auto some = code.encode(L::broadcast(keys[0])), least_some = some, greatest_some = some;
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      some = code.encode(L::load(keys + i));
      auto other = some;
      L::order(least_some, other);
      L::order(some, greatest_some);
    }
    alignas(64) Key both[2 * kLanes];
    L::store(both, least_some);
    L::store(both + kLanes, greatest_some);
    for (std::size_t k = 0; k < kLanes; ++k) {
      least = std::min(least, both[k]);
      greatest = std::max(greatest, both[kLanes + k]);
    }
    for (; i < n; ++i) {
      const Key key = code.encode_one(keys[i]);
      least = std::min(least, key);
      greatest = std::max(greatest, key);
    }
    return {least, static_cast<Offset<Key>>(static_cast<Offset<Key>>(greatest) -
                                            static_cast<Offset<Key>>(least))};
  }
  static std::size_t partition(Key* keys, std::size_t n, Key pivot, Key flip) {
    return Partition<Key, kFloat>::template in_place<true, false>(keys, n, pivot, Code(flip));
  }
  static bool neighbours_are_close(const Key* keys, std::size_t n, Offset<Key> near, Key flip) {
    constexpr std::size_t kLooks = 64;
    const Code code(flip);
    std::size_t close = 0;
    for (std::size_t i = 0; i < kLooks; ++i) {
      const Key* const two = keys + i * (n / kLooks);
      const Key a = code.encode_one(two[0]), b = code.encode_one(two[1]);
      close += static_cast<Offset<Key>>(static_cast<Offset<Key>>(std::max(a, b)) -
                                        static_cast<Offset<Key>>(std::min(a, b))) <= near;
    }
    return close >= kLooks / 2;
  }
  static void sort_few(Key* keys, std::size_t n, Key flip) {
    Cache::template sort<true>(keys, keys, n, Code(flip));
  }

  /// Copies a bucket's keys to `to`, in the user's form.
  static void gather(const Bucket<Key>& bucket, Key* to, Key flip) {
    const Code code(flip);
    Pieces<Key> pieces(bucket);
    for (auto piece = pieces.next(); piece.n > 0; piece = pieces.next()) {
      for (std::size_t i = 0; i < piece.n; ++i) *to++ = code.decode_one(piece.keys[i]);
    }
  }

  static void sort_bucket(const Bucket<Key>& bucket, const Range<Key>& range, State& state, Key* to,
                          Key flip, bool stream) {
    const auto sort =
        bucket.states == nullptr ? Sort::template sort<true> : Sort::template sort<false>;
    sort(bucket, range, state, to, Code(flip), stream);
  }

  static constexpr Calls<Key> calls() {
    return {.look = look<Key, kFloat>,
            .take_sample = take_sample,
            .partition = partition,
            .most_bytes_in_pieces = kMostBytesInPieces,
            .neighbours_are_close = neighbours_are_close,
            .range_of = range_of,
            .distribute = Distribute::by_parts,
            .distribute_by_curve = Distribute::by_curve,
            .sort_bucket = sort_bucket,
            .sort_beyond = sort_beyond,
            .count = Count::count,
            .write_counted = Count::write,
            .sort_few = sort_few,
            .gather = gather};
  }
};
