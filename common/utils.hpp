// Small arithmetic, and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace sortlab {

/// Of two types as of the wider one.
template <class A, class B>
constexpr std::common_type_t<A, B> ceil_div(A a, B b) {
  return (a + b - 1) / b;
}

template <class T>
constexpr T round_up(T a, T multiple) {
  return ceil_div(a, multiple) * multiple;
}

// std::min and std::max without <algorithm>, which takes long to compile.
template <class T>
constexpr T smaller(T a, T b) {
  return b < a ? b : a;
}
template <class T>
constexpr T larger(T a, T b) {
  return a < b ? b : a;
}

/// FNV-1a, 64 bits: for ids of configurations, not for data.
constexpr std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace sortlab
