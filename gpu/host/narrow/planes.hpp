// Sorted keys without their top 16 bits, which their places determine: digit d has the places begins[d] to begins[d + 1] - 1.
//
//   sorted     0003|51c2  0003|9a01  0004|0007  0004|0008 ...       u32: 4 bytes per key
//   begins     [3] = 0, [4] = 2, ...                                65537 numbers
//   plane      51c2  9a01  0007  0008 ...                           2 bytes per key
//
// A u64 key keeps 6 of 8 bytes, in a plane of 4 and one of 2. Needs no CUDA.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
  #include <emmintrin.h>
#endif

#include "common/contract/key_types.hpp"
#include "gpu/primitives/key_map.hpp"

namespace sortlab::gpu::narrow {

inline constexpr int kDigitBits = 16;
inline constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;

/// The low bits of keys as an array for each part of them.
template <class Key>
struct Planes {
  using Bits = BitsOf<Key>;
  static constexpr bool kWide = sizeof(Key) == 8;
  static constexpr int kShift = 8 * sizeof(Key) - kDigitBits;  // of the digit
  static constexpr std::size_t kBytes = sizeof(Key) - 2;       // per key

  std::uint32_t* low = nullptr;  // of 8-byte keys
  std::uint16_t* high = nullptr;

  /// Planes of `count` keys in kBytes * count bytes; `base` is aligned to 4 bytes.
  SORTLAB_HD static Planes in(std::byte* base, std::size_t count) {
    if constexpr (kWide) {
      auto* const low = reinterpret_cast<std::uint32_t*>(base);
      return {low, reinterpret_cast<std::uint16_t*>(low + count)};
    } else {
      return {nullptr, reinterpret_cast<std::uint16_t*>(base)};
    }
  }

  SORTLAB_HD void put(std::size_t i, Bits bits) const {
    if constexpr (kWide) {
      low[i] = static_cast<std::uint32_t>(bits);
      high[i] = static_cast<std::uint16_t>(bits >> 32);
    } else {
      high[i] = static_cast<std::uint16_t>(bits);
    }
  }
  Bits operator[](std::size_t i) const {
    if constexpr (kWide) {
      return static_cast<Bits>(high[i]) << 32 | low[i];
    } else {
      return high[i];
    }
  }
};

/// Writes 16 bytes past the caches, where the CPU can; `to` is aligned to as many.
inline void stream_16(void* to, const void* from) {
#if defined(__SSE2__)
  _mm_stream_si128(static_cast<__m128i*>(to), _mm_loadu_si128(static_cast<const __m128i*>(from)));
#else
  std::memcpy(to, from, 16);
#endif
}
/// Without it, such bytes become visible to other threads in any order.
inline void publish_streams() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// Writes the keys of one digit, place `first` to `last` - 1 of `planes`, to the same places of `keys`. Their lines are
/// not read first, which would take as long as writing them.
template <class Key, class Map>
void widen_digit(Key* keys, const Planes<Key>& planes, const Map& map, std::size_t digit,
                 std::size_t first, std::size_t last) {
  using Bits = BitsOf<Key>;
  constexpr std::size_t kBlock = 64 / sizeof(Key);
  const auto top = static_cast<Bits>(static_cast<Bits>(digit) << Planes<Key>::kShift);
  const auto key = [&](std::size_t i) { return map.key(static_cast<Bits>(top | planes[i])); };
  std::size_t i = first;
  for (; i < last && reinterpret_cast<std::uintptr_t>(keys + i) % 16 != 0; ++i) keys[i] = key(i);
  for (; i + kBlock <= last; i += kBlock) {
    alignas(64) Key block[kBlock];
    for (std::size_t j = 0; j < kBlock; ++j) block[j] = key(i + j);
    for (std::size_t j = 0; j < kBlock; j += 16 / sizeof(Key)) {
      stream_16(keys + i + j, block + j);
    }
  }
  for (; i < last; ++i) keys[i] = key(i);
}

template <class Key, class Map>
void widen_digits(Key* keys, const Planes<Key>& planes, const Map& map, const std::uint64_t* begins,
                  std::size_t first, std::size_t count) {
  const std::size_t last = first + count;
  std::size_t digit =
      static_cast<std::size_t>(std::upper_bound(begins, begins + kDigits + 1, first) - begins) - 1;
  for (std::size_t at = first; at < last; ++digit) {
    const std::size_t end = std::min<std::size_t>(begins[digit + 1], last);
    widen_digit(keys, planes, map, digit, at - first, end - first);
    at = end;
  }
  publish_streams();
}

/// Writes `count` keys from place `first` on to `keys`; `planes` has theirs alone. `begins` has kDigits + 1 numbers.
template <class Key>
void widen(Key* keys, const Planes<Key>& planes, const KeyMap<Key>& map,
           const std::uint64_t* begins, std::size_t first, std::size_t count) {
  if (map.changes_nothing()) {
    widen_digits(keys, planes, AsTheyAre{}, begins, first, count);
  } else {
    widen_digits(keys, planes, map, begins, first, count);
  }
}

}  // namespace sortlab::gpu::narrow
