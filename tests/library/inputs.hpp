// Inputs for the tests of the library.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace sortlab::tests {

#if defined(SORTLAB_SANITIZED)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

/// Counts around the limits of the library's sorts; fewer with sanitizers, which make everything
/// slow.
inline const std::vector<std::size_t> kSizes =
    kSanitized ? std::vector<std::size_t>{0, 1, 17, 128, 1025, 9000}
               : std::vector<std::size_t>{0,    1,    2,    3,    17,     127,    128,    1000,
                                          1024, 1025, 5000, 8192, 10'007, 70'000, 300'001};
/// Enough for several threads.
constexpr std::size_t kMany = kSanitized ? 20'000 : 100'000;

/// Random bits; for floats some NaNs, infinities and zeros of both signs. `distinct` > 0: this many
/// distinct keys.
template <class Key>
std::vector<Key> keys_of(std::size_t n, std::size_t distinct = 0, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  const auto key = [&] {
    const std::uint64_t bits = random();
    Key made;
    std::memcpy(&made, &bits, sizeof made);
    if constexpr (std::is_floating_point_v<Key>) {
      using Limits = std::numeric_limits<Key>;
      const Key special[] = {Key{0},
                             -Key{0},
                             Limits::infinity(),
                             -Limits::infinity(),
                             Limits::quiet_NaN(),
                             -Limits::quiet_NaN()};
      if (bits % 16 < 6) made = special[bits % 16];
    }
    return made;
  };
  std::vector<Key> some(distinct), keys(n);
  std::generate(some.begin(), some.end(), key);
  for (auto& each : keys) each = distinct == 0 ? key() : some[random() % distinct];
  return keys;
}

/// A second implementation of the library's order: floats by IEEE-754's totalOrder.
template <class Key>
bool comes_before(Key a, Key b) {
  if constexpr (std::is_floating_point_v<Key>) {
    return std::strong_order(a, b) < 0;
  } else {
    return a < b;
  }
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

}  // namespace sortlab::tests
