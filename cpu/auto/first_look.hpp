// A first look at many keys, by a few hundred of them: is there a sort that suits them better than
// the one for keys in any order?
#pragma once

#include <algorithm>
#include <cstddef>

namespace sortlab {

/// Whether keys at so many places, and the three beside each, go on up or down as those before. It
/// ends once more than a fifth do not: after six places where keys are in any order.
template <class Key, class Less>
bool goes_on_at(std::size_t places, const Key* keys, std::size_t n, Less less) {
  const auto greater = [&](const Key& a, const Key& b) { return less(b, a); };
  const std::size_t step = n / (places + 1);
  std::size_t turns = 0;
  int way_before = 0;  // 1: up, -1: down
  for (std::size_t place = 0; place < places; ++place, keys += step) {
    int way = 0;
    if (less(keys[0], keys[step]) && std::is_sorted(keys, keys + 4, less)) way = 1;
    if (less(keys[step], keys[0]) && std::is_sorted(keys, keys + 4, greater)) way = -1;
    turns += way == 0 || way == -way_before;
    if (turns > 4 + place / 5) return false;
    way_before = way;
  }
  return true;
}

/// Whether the keys seem to be made of a few long runs, up or down. From 2^20 keys on. Two numbers
/// of places, as keys that repeat themselves many times may look so from one.
template <class Key, class Less>
bool looks_like_runs(const Key* keys, std::size_t n, Less less) {
  return goes_on_at(191, keys, n, less) && goes_on_at(256, keys, n, less);
}

}  // namespace sortlab
