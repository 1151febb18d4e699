// Sorts keys in place by quicksort, with many pivots from a sample.
//
//   keys   | large piece: partitioned in place                    |
//   keys   | 16 KiB | 16 KiB | ..     smaller pieces: to the spare buffer and back,
//   spare  | 16 KiB |                 which stays in the first-level cache
//   keys   | sorted | ..              up to 16 vectors: in registers
//
// Fast while the keys fit the caches. Used by cpu/quick/simd, cpu/quick/in_place, cpu/radix/simd and
// cpu/radix/pairs. networks.cpp compiles `sort`, once for all of them.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/simd/register_sort.inl.hpp"
#endif

template <class Key, bool kFloat>
struct CacheSort {
  using L = Lanes<Key>;
  using Code = Coding<Key, kFloat>;
  using Small = RegisterSort<Key, kFloat>;
  static constexpr std::size_t kLanes = L::kCount;

  /// The most keys that are sorted in registers.
  static constexpr std::size_t kBlock = Small::kKeys;

  static void fill(Key* to, std::size_t n, Key key, const Code& code) {
    const Key users = code.decode_one(key);
    const auto v = L::broadcast(users);
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) L::store(to + i, v);
    for (; i < n; ++i) to[i] = users;
  }

  /// Copies `count` keys from evenly spread places of n, but not at equal distances.
  template <bool kRaw>
  static void take_sample(const Key* from, std::size_t n, Key* sample, std::size_t count,
                          const Code& code) {
    const std::size_t step = (n << 16) / count;  // in 65536ths
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t within = step * (i * 40503 & 0xFFFF) >> 16;
      const Key key = from[(i * step + within) >> 16];
      sample[i] = kRaw ? code.encode_one(key) : key;
    }
  }

  /// Sorts n keys of `from`, which are overwritten, as the user's to `to`, which may be `from`.
  template <bool kRaw>
  static void sort(Key* from, Key* to, std::size_t n, const Code& code);
};
