// The kernels of cpu/partial/simd, for the vectors of one instruction set.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/partial/simd/calls.hpp"
  #include "cpu/primitives/simd/kernels.inl.hpp"
using namespace sortlab::cpu::partial;
#endif

/// Brings one of the user's keys to its place.
template <class Key, bool kFloat>
struct Selection {
  using Code = Coding<Key, kFloat>;
  using Parts = Partition<Key, kFloat>;

  /// So few keys are sorted; a partition takes at least 2 kChunk.
  static constexpr std::size_t kFew = std::max<std::size_t>(256, 2 * Parts::kChunk);
  static constexpr std::size_t kMostSampled = 2048;
  static constexpr int kRounds = 40;

  struct Pivots {
    Key lower, upper;
  };

  /// Two pivots from a sample, close to place k on both sides, leave the few keys between them:
  ///
  ///   | at most the lower pivot | between, .. k .. | above the upper pivot |
  static void select(Key* keys, std::size_t n, std::size_t k, const Code& code) {
    Selection rest(keys, n, k, code);
    for (int round = 0; rest.size() > kFew; ++round) {
      if (round == kRounds) break;  // only adversarial keys: sorted, so never more than n log n
      const Pivots pivots = rest.pivots();
      if (!rest.keep_side_of(pivots.upper) || rest.size() <= kFew) continue;
      if (pivots.lower < pivots.upper) {
        rest.keep_side_of(pivots.lower);
      } else if (rest.is_among(pivots.upper)) {
        return;
      }
    }
    CacheSort<Key, kFloat>::template sort<true>(rest.begin, rest.begin, rest.size(), code);
  }

 private:
  Selection(Key* keys, std::size_t n, std::size_t k, const Code& of_keys)
      : begin(keys), end(keys + n), place(keys + k), code(of_keys) {}

  Key *begin, *end, *place;
  const Code& code;

  std::size_t size() const { return static_cast<std::size_t>(end - begin); }

  /// Keys between which that of the place lies, most often.
  Pivots pivots() const {
    const std::size_t n = size();
    alignas(64) Key sample[kMostSampled];
    std::size_t count = 64;
    while (count < kMostSampled && count * count < 4 * n) count *= 2;
    CacheSort<Key, kFloat>::template take_sample<true>(begin, n, sample, count, code);
    CacheSort<Key, false>::template sort<false>(sample, sample, count, Coding<Key, false>(0));
    const double share = static_cast<double>(place - begin) / static_cast<double>(n);
    const double at = share * static_cast<double>(count);
    // Two standard deviations of the place of a sampled key, and a little more near the ends.
    const double gap = 2 * std::sqrt(at * (1 - share)) + 2;
    const double last = static_cast<double>(count - 1);
    return {sample[static_cast<std::size_t>(std::clamp(at - gap, 0.0, last))],
            sample[static_cast<std::size_t>(std::clamp(at + gap, 0.0, last))]};
  }

  /// Partitions by the pivot, which is one of the keys, and keeps the side of the place. Returns whether that is the one
  /// of the keys up to the pivot.
  bool keep_side_of(Key pivot) {
    Key* const middle = begin + Parts::template in_place<true, false>(begin, size(), pivot, code);
    const bool is_left = place < middle;
    (is_left ? end : begin) = middle;
    return is_left;
  }

  /// No key is above this one. Takes those that equal it out; whether the place is among them.
  bool is_among(Key greatest) {
    if (greatest == std::numeric_limits<Key>::min()) return true;
    return !keep_side_of(greatest - 1);
  }
};

/// The calls of a kind of keys.
template <class Key, bool kFloat>
struct Kernels {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;
  static constexpr std::size_t kLanes = L::kCount;
  static constexpr std::size_t kGroup = 4 * kLanes;

  static Vector rank(Vector v, const Form<Key>& form) {
    if constexpr (kFloat) {
      v = L::bit_xor(v, L::bit_and(L::signs(v), L::broadcast(kGreatest<Key>)));
    }
    v = L::bit_xor(v, L::broadcast(form.flip));
    if constexpr (kFloat) v = L::subtract(v, L::broadcast(form.shift));
    return v;
  }

  /// A group of vectors is passed over with one branch when all of its keys are above the bound. Ranks that make keys
  /// equal only lower a key, so they are computed for the others alone.
  template <bool kPlaces>
  static std::size_t filter(const Key* keys, std::size_t n, std::size_t first, Key bound,
                            const Form<Key>& form, Candidates<Key, kPlaces>& to) {
    const Vector bounds = L::broadcast(bound);
    constexpr unsigned kAll = static_cast<unsigned>((std::uint64_t{1} << kLanes) - 1);
    std::size_t i = 0;
    const auto add = [&](std::size_t at) {
      const Key rank = rank_of<Key, kFloat>(keys[at], form);
      if (rank <= bound) to.items[to.count++] = candidate_of<Key, kPlaces>(rank, first + at);
    };
    for (; i + kGroup <= n && to.count + kGroup <= to.room; i += kGroup) {
      unsigned above[4];
      unsigned all = kAll;
#pragma GCC unroll 4
      for (std::size_t v = 0; v < 4; ++v) {
        const Vector ranks = rank(L::load(keys + i + v * kLanes), form);
        above[v] = L::greater(ranks, bounds);
        all &= above[v];
      }
      if (all == kAll) continue;
      for (std::size_t v = 0; v < 4; ++v) {
        for (unsigned others = above[v] ^ kAll; others != 0; others &= others - 1) {
          add(i + v * kLanes + static_cast<std::size_t>(std::countr_zero(others)));
        }
      }
    }
    for (; i < n && to.count < to.room; ++i) add(i);
    return i;
  }

  static Calls<Key> calls() {
    return {[](Key* keys, std::size_t n, std::size_t k, Key flip) {
              Selection<Key, kFloat>::select(keys, n, k, Coding<Key, kFloat>(flip));
            },
            [](Key* keys, std::size_t n, std::size_t k) {
              Selection<Key, false>::select(keys, n, k, Coding<Key, false>(0));
            },
            [](Key* keys, std::size_t n, Key flip) {
              CacheSort<Key, kFloat>::template sort<true>(keys, keys, n, Coding<Key, kFloat>(flip));
            },
            [](Key* keys, std::size_t n) {
              CacheSort<Key, false>::template sort<false>(keys, keys, n, Coding<Key, false>(0));
            },
            &filter<false>,
            &filter<true>};
  }
};
