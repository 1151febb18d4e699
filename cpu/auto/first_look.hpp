// A first look at a few hundred of many keys: finds out whether another sort suits them better than
// the one for random keys.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace sortlab {

/// Whether keys at `places` places, and the three beside each, continue the direction of the keys
/// before them. It ends once more than a fifth do not; for random keys that is after six places.
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

/// Whether the keys seem to consist of a few long runs, ascending or descending. From 2^20 keys on.
/// It looks at two different numbers of places, because periodic keys may look like runs at one of
/// them.
template <class Key, class Less>
bool looks_like_runs(const Key* keys, std::size_t n, Less less) {
  return goes_on_at(191, keys, n, less) && goes_on_at(256, keys, n, less);
}

/// Keys from evenly spread places, but not at equal distances, which might match a period of the
/// keys.
inline constexpr std::size_t kPlaces = 64;
template <class Key>
const Key* key_at_place(std::size_t i, const Key* keys, std::size_t n) {
  const std::size_t step = n / kPlaces;
  return keys + i * step + (step * (i * 40503 & 0xFFFF) >> 16);
}

/// Whether few keys seem to be distinct: at most three quarters of 64.
template <class Key, class Less>
bool looks_like_few_keys(const Key* keys, std::size_t n, Less less) {
  std::array<Key, kPlaces> sample;
  for (std::size_t i = 0; i < kPlaces; ++i) sample[i] = *key_at_place(i, keys, n);
  std::sort(sample.begin(), sample.end(), less);
  std::size_t different = 1;
  for (std::size_t i = 1; i < kPlaces; ++i) different += less(sample[i - 1], sample[i]);
  return different <= kPlaces * 3 / 4;
}

/// Whether one key seems to be the majority: at least half of 64.
template <class Key, class Less>
bool looks_like_one_key(const Key* keys, std::size_t n, Less less) {
  const auto at = [&](std::size_t i) { return key_at_place(i, keys, n); };
  const auto is = [&](const Key& a, const Key& b) { return !less(a, b) && !less(b, a); };
  const Key* candidate = keys;  // a majority remains (Boyer and Moore)
  int lead = 0;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    if (lead == 0) candidate = at(i);
    lead += is(*candidate, *at(i)) ? 1 : -1;
  }
  std::size_t found = 0;
  for (std::size_t i = 0; i < kPlaces; ++i) found += is(*candidate, *at(i));
  return found >= kPlaces / 2;
}

/// Whether 128 to 512 of the keys are spread evenly over their range, with few repeats: a digit then separates them at
/// once. `ordered` maps a key to a number that is ordered as the keys are. n >= kWorthALookForEvenness.
inline constexpr std::size_t kWorthALookForEvenness = 1024;
template <class Bits, class OrderedBits>
bool looks_even(const Bits* keys, std::size_t n, OrderedBits ordered) {
  constexpr std::size_t kMost = 512, kInCell = 8, kMarks = 1024, kWorthMost = std::size_t{1} << 15;
  const std::size_t looks = n < kWorthMost ? kMost / 4 : kMost, step = n / looks;
  std::array<Bits, kMost> sample;
  Bits least = ordered(keys[0]), greatest = least;
  for (std::size_t i = 0; i < looks; ++i) {
    sample[i] = ordered(keys[i * step + (step * (i * 40503 & 0xFFFF) >> 16)]);
    least = std::min(least, sample[i]);
    greatest = std::max(greatest, sample[i]);
  }
  constexpr int kRangeBits = 16;
  const int lost =
      std::max(0, static_cast<int>(std::bit_width<Bits>(greatest - least)) - kRangeBits);
  const std::size_t cells = looks / kInCell;
  const std::size_t range = static_cast<std::size_t>((greatest - least) >> lost) + 1;
  // In 2^-32 of a cell: a division for each key would take longer.
  const std::size_t per_offset = (cells << 32) / range;
  std::array<std::size_t, kMost / kInCell> in_cell = {};
  std::array<bool, kMarks> marks = {};
  std::size_t different = 0;
  for (std::size_t i = 0; i < looks; ++i) {
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;  // of the golden ratio
    // After one multiplication many multiples of a number would have the same mark.
    const std::uint64_t once = sample[i] * kOdd;
    bool& mark = marks[static_cast<std::size_t>((once ^ once >> 32) * kOdd >> 54)];
    different += !mark;
    mark = true;
    ++in_cell[static_cast<std::size_t>((sample[i] - least) >> lost) * per_offset >> 32];
  }
  // The bound is 5 to 7 standard deviations above the mean of even keys. Of 200 inputs of k-mers, of which small ones are
  // twice as frequent, and of Gaussian keys, none is below it with 512 keys; with 128 up to half and a quarter are.
  std::size_t squares = 0;
  for (std::size_t cell = 0; cell < cells; ++cell) squares += in_cell[cell] * in_cell[cell];
  return squares <= kInCell * (looks + 2 * cells + 12) && different >= looks / 4;
}

}  // namespace sortlab
