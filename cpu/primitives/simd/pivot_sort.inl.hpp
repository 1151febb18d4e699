// The quicksort of CacheSort (cache_sort.inl.hpp), which networks.cpp compiles.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/simd/all.inl.hpp"
#endif

template <class Key, bool kFloat>
struct PivotSort {
  using Cache = CacheSort<Key, kFloat>;
  using Code = typename Cache::Code;
  using Small = RegisterSort<Key, kFloat>;
  using Parts = Partition<Key, kFloat>;
  static constexpr std::size_t kBlock = Cache::kBlock;

  /// The aimed-for number of keys in a final piece.
  static constexpr std::size_t kPiece = kBlock * 5 / 8;
  static constexpr int kMostWays = 40;
  /// How often a piece is split, at most.
  static constexpr int kLevels = 24;

  /// Into how many pieces one round splits n keys.
  static int ways(std::size_t n) {
    const std::size_t pieces = n / kPiece + 1;
    if (pieces <= kMostWays) return std::max(4, static_cast<int>(pieces));
    return static_cast<int>(std::clamp<std::size_t>(pieces / (kMostWays / 2), 4, 16));
  }
  static std::size_t sample_size(std::size_t n) {
    return n <= 4 * kBlock ? kBlock / 4 : n <= 8 * kBlock ? kBlock / 2 : kBlock;
  }

  /// The largest piece that is partitioned from one buffer to another.
  static constexpr std::size_t kMostTwoBuffers = (std::size_t{16} << 10) / sizeof(Key);

  template <bool kRaw>
  [[gnu::noinline]] static void sort(Key* from, Key* spare, Key* to, std::size_t n, int levels,
                                     const Code& code) {
    if (n <= kBlock) return Small::template sort<kRaw, true>(from, to, n, code);
    if (levels == 0) return sort_by_heap<kRaw>(from, to, n, code);
    using Plain = CacheSort<Key, false>;
    alignas(64) Key sample[kBlock];
    const std::size_t sampled = sample_size(n);
    Cache::template take_sample<kRaw>(from, n, sample, sampled, code);
    RegisterSort<Key, false>::template sort<false, true>(sample, sample, sampled,
                                                         typename Plain::Code(0));
    Key keys[kMostWays];
    const Splitters<Key> splitters = choose_splitters(sample, sampled, ways(n), keys);
    split<kRaw>(from, spare, to, n, splitters, 0, splitters.count, levels - 1, code);
  }

  /// The same for keys of the pieces [first, last] between the splitters.
  template <bool kRaw>
  [[gnu::noinline]] static void split(Key* from, Key* spare, Key* to, std::size_t n,
                                      const Splitters<Key>& splitters, int first, int last,
                                      int levels, const Code& code) {
    if (n <= kBlock) return Small::template sort<kRaw, true>(from, to, n, code);
    if constexpr (!kRaw) {
      if (first == last) {
        if (!splitters.all_equal(first)) return sort<false>(from, spare, to, n, levels, code);
        return Cache::fill(to, n, splitters.upper(first), code);
      }
    }
    const int mid = (first + last) / 2;
    const Key pivot = splitters.keys[mid];
    std::size_t left;
    if (n > kMostTwoBuffers) {
      left = Parts::template in_place<kRaw>(from, n, pivot, code);
      split<false>(from, spare, to, left, splitters, first, mid, levels, code);
      split<false>(from + left, spare, to + left, n - left, splitters, mid + 1, last, levels, code);
    } else {
      left = Parts::template to_other<kRaw>(from, spare, n, pivot, code);
      split<false>(spare, from, to, left, splitters, first, mid, levels, code);
      split<false>(spare + left, from + left, to + left, n - left, splitters, mid + 1, last, levels,
                   code);
    }
  }

  template <bool kRaw>
  static void sort_by_heap(const Key* from, Key* to, std::size_t n, const Code& code) {
    for (std::size_t i = 0; i < n; ++i) to[i] = kRaw ? code.encode_one(from[i]) : from[i];
    heap_sort(Items<Key, NoValue>{to, nullptr}, 0, n, std::less{});
    for (std::size_t i = 0; i < n; ++i) to[i] = code.decode_one(to[i]);
  }
};

template <class Key, bool kFloat>
template <bool kRaw>
void CacheSort<Key, kFloat>::sort(Key* from, Key* to, std::size_t n, const Code& code) {
  using Pivots = PivotSort<Key, kFloat>;
  alignas(64) Key spare[Pivots::kMostTwoBuffers];
  Pivots::template sort<kRaw>(from, spare, to, n, Pivots::kLevels, code);
}
