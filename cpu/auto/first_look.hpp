// A first look at many keys, by a few hundred of them: is there a sort that suits them better than
// the one for keys in any order?
#pragma once

#include <algorithm>
#include <array>
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

/// So many keys that lie evenly spread, but not at even distances, which keys that repeat themselves
/// might share.
inline constexpr std::size_t kPlaces = 64;
template <class Key>
const Key* key_at_place(std::size_t i, const Key* keys, std::size_t n) {
  const std::size_t step = n / kPlaces;
  return keys + i * step + (step * (i * 40503 & 0xFFFF) >> 16);
}

/// Whether few of the keys seem to be different: at most three quarters of 64.
template <class Key, class Less>
bool looks_like_few_keys(const Key* keys, std::size_t n, Less less) {
  std::array<Key, kPlaces> sample;
  for (std::size_t i = 0; i < kPlaces; ++i) sample[i] = *key_at_place(i, keys, n);
  std::sort(sample.begin(), sample.end(), less);
  std::size_t different = 1;
  for (std::size_t i = 1; i < kPlaces; ++i) different += less(sample[i - 1], sample[i]);
  return different <= kPlaces * 3 / 4;
}

/// Whether one key seems to be most of them: at least half of 64.
template <class Key, class Less>
bool looks_like_one_key(const Key* keys, std::size_t n, Less less) {
  const auto at = [&](std::size_t i) { return key_at_place(i, keys, n); };
  const auto is = [&](const Key& a, const Key& b) { return !less(a, b) && !less(b, a); };
  const Key* candidate = keys;  // what is half of all outlives the others (Boyer and Moore)
  int lead = 0;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    if (lead == 0) candidate = at(i);
    lead += is(*candidate, *at(i)) ? 1 : -1;
  }
  std::size_t found = 0;
  for (std::size_t i = 0; i < kPlaces; ++i) found += is(*candidate, *at(i));
  return found >= kPlaces / 2;
}

}  // namespace sortlab
