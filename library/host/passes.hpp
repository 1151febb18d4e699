// Passes over keys and values with the threads of the team.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "common/contract/key_types.hpp"
#include "common/threads/team.hpp"

namespace sortlab::library {

/// Calls work(first, last) for parts of n items, on as many threads as n is worth.
template <class Work>
void for_items(std::size_t n, int threads, Work work) {
  constexpr std::size_t kWorthThreads = std::size_t{1} << 16;
  const int crew = n < kWorthThreads || threads == 1 ? 1 : team::at_hand(threads);
  threads::for_each_chunk(n, crew, work);
}

inline void copy(void* to, const void* from, std::size_t bytes, int threads) {
  for_items(bytes, threads, [&](std::size_t first, std::size_t last) {
    std::memcpy(static_cast<std::byte*>(to) + first, static_cast<const std::byte*>(from) + first,
                last - first);
  });
}

/// to[i] = f(from[i])
template <class To, class From, class F>
void transform(To* to, const From* from, std::size_t n, int threads, F f) {
  for_items(n, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) to[i] = f(from[i]);
  });
}

/// to[i] = from[i], each converted.
template <class To, class From>
void convert(To* to, const From* from, std::size_t n, int threads) {
  transform(to, from, n, threads, [](From item) { return static_cast<To>(item); });
}

/// 0, 1, 2, ...
template <class Index>
void number(Index* index, std::size_t n, int threads) {
  for_items(n, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) index[i] = static_cast<Index>(i);
  });
}

/// to[i] = from[index[i]] for values of `bytes` each.
template <class Index>
void gather(void* to, const void* from, const Index* index, std::size_t n, std::size_t bytes,
            int threads) {
  const auto all = [&](auto width) {
    for_items(n, threads, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        std::memcpy(
            static_cast<std::byte*>(to) + i * width,
            static_cast<const std::byte*>(from) + static_cast<std::size_t>(index[i]) * width,
            width);
      }
    });
  };
  using Size = std::size_t;
  switch (bytes) {  // a copy of a known width is one or two instructions
    case 1:
      return all(std::integral_constant<Size, 1>());
    case 2:
      return all(std::integral_constant<Size, 2>());
    case 4:
      return all(std::integral_constant<Size, 4>());
    case 8:
      return all(std::integral_constant<Size, 8>());
    case 16:
      return all(std::integral_constant<Size, 16>());
    default:
      return all(bytes);
  }
}

// Tests of floats use their bits: with -ffast-math the compiler assumes that there are no NaNs, and that -0 is +0.

template <class Float>
inline constexpr BitsOf<Float> kSignBit = BitsOf<Float>{1} << (8 * sizeof(Float) - 1);

template <class Float>
bool is_nan(BitsOf<Float> bits) {
  return (bits & ~kSignBit<Float>) >
         std::bit_cast<BitsOf<Float>>(std::numeric_limits<Float>::infinity());
}

/// How many NaNs are first among keys in total order. Their sign differs from that of the last
/// NaNs.
template <class Float>
std::size_t nans_in_front(const Float* keys, std::size_t n) {
  using Bits = BitsOf<Float>;
  if (n == 0 || !is_nan<Float>(std::bit_cast<Bits>(keys[0]))) return 0;
  const Bits sign = std::bit_cast<Bits>(keys[0]) & kSignBit<Float>;
  const auto is_in_front = [&](const Float& key) {
    const auto bits = std::bit_cast<Bits>(key);
    return is_nan<Float>(bits) && (bits & kSignBit<Float>) == sign;
  };
  return static_cast<std::size_t>(std::partition_point(keys, keys + n, is_in_front) - keys);
}

}  // namespace sortlab::library
