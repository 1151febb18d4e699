// Selection in place: partitions by pivots from samples until the key of a place lies there (simd.cpp has the picture).
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include <cmath>

  #include "cpu/partial/simd/calls.hpp"
  #include "cpu/primitives/simd/kernels.inl.hpp"
using namespace sortlab::cpu::partial;
#endif

/// Deals keys to groups in turn, a vector of their codes at a time, and says the k-th of the groups' least ones, from 0: more
/// than k keys are not above it. Looks at so many that about one of 2048 is not.
template <class Key, std::size_t kVectors, class Codes>
Key least_of_groups(std::size_t n, std::size_t k, const Codes& codes) {
  using L = Lanes<Key>;
  constexpr std::size_t kGroups = kVectors * L::kCount;
  const std::size_t step = std::max<std::size_t>(1, n / (2048 * (k + 1))) * kGroups;
  typename L::Vector least[kVectors];
#pragma GCC unroll 16
  for (std::size_t v = 0; v < kVectors; ++v) least[v] = codes(v * L::kCount);
  for (std::size_t i = step; i + kGroups <= n; i += step) {
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v) {
      auto some = codes(i + v * L::kCount);
      L::order(least[v], some);
    }
  }
  alignas(64) Key groups[kGroups];
#pragma GCC unroll 16
  for (std::size_t v = 0; v < kVectors; ++v) L::store(groups + v * L::kCount, least[v]);
  CacheSort<Key, false>::template sort<false>(groups, groups, kGroups, Coding<Key, false>(0));
  return groups[k];
}

/// Brings one of the user's keys to its place.
template <class Key, bool kFloat>
struct Selection {
  using Code = Coding<Key, kFloat>;
  using Parts = Partition<Key, kFloat>;

  /// So few keys are sorted; a partition takes at least 2 kChunk.
  static constexpr std::size_t kFew = std::max<std::size_t>(256, 2 * Parts::kChunk);
  static constexpr std::size_t kMostSampled = 2048;
  static constexpr int kRounds = 40;
  static constexpr std::size_t kMostWritten = std::size_t{1} << 20;
  static constexpr std::size_t kLanes = Lanes<Key>::kCount;
  /// Groups whose least keys bound few wanted ones.
  static constexpr std::size_t kVectors =
      std::min<std::size_t>(128 / kLanes, Lanes<Key>::kRegisters / 2);
  static constexpr std::size_t kGroups = kVectors * kLanes;

  /// So many keys lie before the first whole line of a cache. Vectors that begin there are read in half the time.
  static std::size_t before_whole_lines(const Key* keys, std::size_t n) {
    const std::size_t behind = reinterpret_cast<std::size_t>(keys) % 64;
    return std::min(n, (64 - behind) % 64 / sizeof(Key));
  }

  /// Whether all keys are equal; looks at three of them first.
  static bool are_alike(const Key* keys, std::size_t n) {
    if (keys[0] != keys[n / 2] || keys[0] != keys[n - 1]) return false;
    using L = Lanes<Key>;
    constexpr std::size_t kAtOnce = 8 * L::kCount;
    const auto others = L::broadcast(~keys[0]), ones = L::broadcast(-1);
    constexpr unsigned kAll = static_cast<unsigned>((std::uint64_t{1} << kLanes) - 1);
    const auto differ = [&](auto alike) { return L::equal(alike, ones) != kAll; };
    std::size_t i = 0;
    for (; i < before_whole_lines(keys, n); ++i) {
      if (keys[i] != keys[0]) return false;
    }
    for (; i + kAtOnce <= n; i += kAtOnce) {
      auto alike = ones;
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kAtOnce; v += L::kCount) {
        alike = L::bit_and(alike, L::bit_xor(L::load(keys + i + v), others));
      }
      if (differ(alike)) return false;
    }
    for (; i + L::kCount <= n; i += L::kCount) {
      if (differ(L::bit_xor(L::load(keys + i), others))) return false;
    }
    for (; i < n; ++i) {
      if (keys[i] != keys[0]) return false;
    }
    return true;
  }

  static void select(Key* keys, std::size_t n, std::size_t k, const Code& code) {
    Selection rest(keys, n, k, code);
    if (are_alike(keys, n) || (!rest.keeps_few() && rest.finds_two())) return;
    for (int round = 0; rest.size() > kFew; ++round) {
      if (round == kRounds) break;  // only adversarial keys: sorted, so never more than n log n
      if (rest.narrow()) return;
    }
    CacheSort<Key, kFloat>::template sort<true>(rest.begin, rest.begin, rest.size(), code);
  }

 private:
  Selection(Key* keys, std::size_t n, std::size_t k, const Code& of_keys)
      : begin(keys), end(keys + n), place(keys + k), code(of_keys) {}

  Key *begin, *end, *place;
  const Code code;

  std::size_t size() const { return static_cast<std::size_t>(end - begin); }

  /// Where few keys come before the place: a bound from the least keys of groups, to which the keys are dealt in turn, and
  /// those up to it change places with the first ones.
  /// measured: 100,000 u32, k = 50, us: 21 (this) vs 44 (the filter of cpu/topk, with places); a Xeon,
  /// xeon16/attempts/partial.3.csv.xz
  bool keeps_few() {
    const auto k = static_cast<std::size_t>(place - begin);
    if (k >= kGroups / 2 || size() < 4 * kGroups) return false;
    const auto codes = [&](std::size_t i) { return code.encode(Lanes<Key>::load(begin + i)); };
    return brings_front(least_of_groups<Key, kVectors>(size(), k, codes),
                        size() / 256 + 4 * k + kFew);
  }

  /// Brings the keys up to the pivot to the front, one at a time, and keeps the side of the place; once there are enough, only
  /// those below the pivot. Stops and keeps all if there are more than `most`. It writes nothing where there is none.
  bool brings_front(Key pivot, std::size_t most) {
    using L = Lanes<Key>;
    const Code code = this->code;  // in registers: stores of keys could change what lies in memory
    constexpr std::size_t kAtOnce = 4 * kLanes;
    constexpr unsigned kAll = static_cast<unsigned>((std::uint64_t{1} << kLanes) - 1);
    auto pivots = L::broadcast(pivot);
    Key *to = begin, *at = begin;
    Key* const last = begin + std::min(most, size());
    bool has_enough = false;
    for (; end - at >= static_cast<std::ptrdiff_t>(kAtOnce); at += kAtOnce) {
      unsigned above[4], all = kAll;
#pragma GCC unroll 4
      for (std::size_t v = 0; v < 4; ++v) {
        above[v] = L::greater(code.encode(L::load(at + v * kLanes)), pivots);
        all &= above[v];
      }
      if (all == kAll) continue;
      for (std::size_t v = 0; v < 4; ++v) {
        for (unsigned found = above[v] ^ kAll; found != 0; found &= found - 1) {
          std::swap(*to++, at[v * kLanes + static_cast<std::size_t>(std::countr_zero(found))]);
        }
      }
      if (to > last) return false;
      if (to > place && !has_enough) {
        if (pivot == std::numeric_limits<Key>::min()) {
          at = end;
          break;
        }
        has_enough = true;
        pivots = L::broadcast(--pivot);
      }
    }
    for (; at < end; ++at) {
      if (code.encode_one(*at) <= pivot) std::swap(*to++, *at);
    }
    (place < to ? end : begin) = to;
    return true;
  }

  /// Two pivots from a sample leave few keys around the place. The first one leaves the place on the side of fewer keys,
  /// most often. Then it is known how many keys lie between, and the second one is not much farther from the place:
  ///
  ///   | at most the second pivot | between, .. place .. | at most the first one | above |
  ///
  /// Keys that many others equal take a place of their own, as do those of one of two kinds. Says whether the place is taken.
  bool narrow() {
    const auto n = static_cast<double>(size());
    alignas(64) Key sample[kMostSampled];
    const std::size_t count = take_sample(sample);
    const auto last = static_cast<double>(count - 1), steps = static_cast<double>(count) / n;
    const auto at = [&](double i) { return static_cast<std::size_t>(std::clamp(i, 0.0, last)); };
    const double share = static_cast<double>(place - begin) / n, expected = share * last;
    // The standard deviation of the place of a sampled key, and a little more near the ends.
    const double deviation = std::sqrt(expected * (1 - share)) + 1;
    const double off = std::clamp(8 * (0.5 - share), -2.0, 2.0);
    const std::size_t first = at(expected + off * deviation);
    const Key pivot = sample[first], most = sample[count - 1];
    constexpr std::size_t kSparse = 128;  // of so many keys one is brought to the front
    if (share * kSparse < 1 && (pivot == *sample || (first + 1) * kSparse <= count) &&
        brings_front(pivot, size() / (kSparse / 4))) {
      return false;
    }
    const Key* const other = std::upper_bound(sample, sample + count, *sample);
    if (*sample == most) return is_among(most);
    if (*other == most) {
      keep_side_of(*sample);
      return are_alike(begin, size());
    }
    const Key lower = sample[at(expected - 2 * deviation)];
    if (lower == sample[at(expected + 2 * deviation)]) return is_among(lower);
    const bool is_left = keep_side_of(pivot);
    if (size() <= kFew) return false;
    const auto between = static_cast<double>(is_left ? end - place : place - begin) * steps;
    const double next = between + 2 * std::sqrt(between) + 2;
    const auto from = static_cast<double>(first);
    if (is_left ? from < next : from + next > last || pivot == most) return false;
    const Key second = sample[at(is_left ? from - next : from + next)];
    const Key nearest = is_left ? pivot : *std::upper_bound(sample + first, sample + count, pivot);
    if (second == nearest || second == pivot) return is_among(nearest);
    keep_side_of(second);
    return false;
  }

  /// A sorted one; returns its size.
  std::size_t take_sample(Key* sample) const {
    std::size_t count = 64;
    while (count < kMostSampled && count * count < size()) count *= 2;
    CacheSort<Key, kFloat>::template take_sample<true>(begin, size(), sample, count, code);
    CacheSort<Key, false>::template sort<false>(sample, sample, count, Coding<Key, false>(0));
    return count;
  }

  /// Partitions by the pivot, which is one of the keys, and keeps the side of the place. Returns whether that is the one
  /// of the keys up to the pivot.
  bool keep_side_of(Key pivot) {
    Key* const middle = begin + Parts::template in_place<true, false>(begin, size(), pivot, code);
    const bool is_left = place < middle;
    (is_left ? end : begin) = middle;
    return is_left;
  }

  /// Puts the keys that equal one of them between the others, by a partition on each side of them, first on the one that leaves
  /// fewer keys. Keeps the side of the place, if it is not among these.
  bool is_among(Key key) {
    const bool has_less = key != std::numeric_limits<Key>::min();
    if (has_less && place - begin > (end - begin) / 2) {
      return !keep_side_of(key - 1) && size() > kFew && keep_side_of(key);
    }
    if (!keep_side_of(key)) return false;
    return !has_less || (size() > kFew && !keep_side_of(key - 1));
  }

  /// Whether the keys are of two kinds, as some of them are: then puts them in order. It writes them if they are no more than
  /// a cache holds; of more a partition is faster.
  bool finds_two() {
    constexpr std::size_t kLooks = 16;
    if (size() < kFew) return false;
    const Key* other = nullptr;
    const std::size_t step = size() / kLooks;
    for (std::size_t i = 1; i < kLooks; ++i) {
      const Key* const key = begin + i * step + i * i % step;  // not at equal distances
      if (*key == *begin || (other != nullptr && *key == *other)) continue;
      if (other != nullptr) return false;
      other = key;
    }
    if (other == nullptr) return false;
    const bool is_less = code.encode_one(*begin) < code.encode_one(*other);
    const Key less = is_less ? *begin : *other, more = is_less ? *other : *begin;
    if (size() * sizeof(Key) <= kMostWritten) return writes_two(less, more);
    return Parts::part_two(begin, size(), less, more, code);
  }

  /// Changes nothing, and returns false, if there are others.
  bool writes_two(Key less, Key more) {
    using L = Lanes<Key>;
    const auto first = L::broadcast(less), second = L::broadcast(more);
    const std::size_t n = size();
    std::size_t seconds = 0, i = 0;
    const auto count_to = [&](std::size_t last) {
      for (; i < last; ++i) {
        if (begin[i] != less && begin[i] != more) return false;
        seconds += begin[i] == more ? 1 : 0;
      }
      return true;
    };
    if (!count_to(before_whole_lines(begin, n))) return false;
    constexpr unsigned kAll = static_cast<unsigned>((std::uint64_t{1} << kLanes) - 1);
    for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
      unsigned all = kAll;
#pragma GCC unroll 4
      for (std::size_t v = 0; v < 4; ++v) {
        const auto some = L::load(begin + i + v * kLanes);
        const unsigned are_second = L::equal(some, second);
        all &= L::equal(some, first) | are_second;
        seconds += static_cast<std::size_t>(std::popcount(are_second));
      }
      if (all != kAll) return false;
    }
    if (!count_to(n)) return false;
    const auto write = [&](std::size_t last, Key key, const auto& keys) {
      for (const std::size_t line = i + before_whole_lines(begin + i, last - i); i < line; ++i) {
        begin[i] = key;
      }
      for (; i + L::kCount <= last; i += L::kCount) L::store(begin + i, keys);
      for (; i < last; ++i) begin[i] = key;
    };
    i = 0;
    write(n - seconds, less, first);
    write(n, more, second);
    return true;
  }
};
