// Floyd and Rivest's select, for items of any kind.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace sortlab::cpu::partial {

/// Brings the item that has `at` better ones in [begin, end) of a to its place, with those before it.
///
/// A sample around the place, selected first, puts a pivot there that is close to the wanted one; then one partition
/// leaves few items. `begin <= at < end`.
template <class Items, class Less>
void floyd_rivest(const Items& a, std::ptrdiff_t begin, std::ptrdiff_t end, std::ptrdiff_t at,
                  Less less) {
  constexpr std::ptrdiff_t kSampledFrom = 600;
  const auto key = [&](std::ptrdiff_t i) { return a.keys[static_cast<std::size_t>(i)]; };
  const auto swap = [&](std::ptrdiff_t i, std::ptrdiff_t j) {
    a.swap(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  };
  std::ptrdiff_t left = begin, right = end - 1;
  while (right > left) {
    if (right - left > kSampledFrom) {
      const auto n = static_cast<double>(right - left + 1), i = static_cast<double>(at - left + 1);
      const double z = std::log(n), s = 0.5 * std::exp(2 * z / 3);
      const double d = 0.5 * std::sqrt(z * s * (n - s) / n) * (i < n / 2 ? -1 : 1);
      const auto from = static_cast<double>(at);
      const auto first = static_cast<std::ptrdiff_t>(from - i * s / n + d);
      const auto last = static_cast<std::ptrdiff_t>(from + (n - i) * s / n + d);
      floyd_rivest(a, std::max(left, first), std::min(right, last) + 1, at, less);
    }
    const auto pivot = key(at);
    std::ptrdiff_t i = left, j = right;
    swap(left, at);
    if (less(pivot, key(right))) swap(right, left);
    while (i < j) {
      swap(i, j);
      ++i;
      --j;
      while (less(key(i), pivot)) ++i;
      while (less(pivot, key(j))) --j;
    }
    const bool is_left = !less(key(left), pivot) && !less(pivot, key(left));
    if (is_left) {
      swap(left, j);
    } else {
      ++j;
      swap(j, right);
    }
    if (j <= at) left = j + 1;
    if (at <= j) right = j - 1;
  }
}

}  // namespace sortlab::cpu::partial
