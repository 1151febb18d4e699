// A partition of keys in place.
//
// Source: Blacher et al., "Vectorized and performance-portable quicksort", 2022.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/simd/coding.inl.hpp"
#endif

template <class Key, bool kFloat>
struct InPlacePartition {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;
  using Code = Coding<Key, kFloat>;
  static constexpr std::size_t kLanes = L::kCount;

  static constexpr std::size_t kStride = 8;  // vectors read at a time from one side
  static constexpr std::size_t kChunk = kStride * kLanes;

  /// Moves the user's keys that are above the pivot behind the others, whose number it returns.
  ///
  ///   | not above | free ..  | not read yet      | .. free | above |
  ///                ^ left     ^ read     read_end ^         ^ right
  ///
  /// Two chunks lifted out make room. Reading from the side with less of it leaves a chunk's room on
  /// both sides.
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
};
