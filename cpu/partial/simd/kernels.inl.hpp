// The kernels of cpu/partial/simd, for the vectors of one instruction set: filters, bounds and best keys, which leave the keys
// where they are, and the calls. Selection in place is in selection.inl.hpp.
#include "cpu/partial/simd/selection.inl.hpp"

/// The calls of a kind of keys.
template <class Key, bool kFloat>
struct Kernels {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;
  static constexpr std::size_t kLanes = L::kCount;
  static constexpr std::size_t kGroup = 4 * kLanes;
  static constexpr unsigned kAll = static_cast<unsigned>((std::uint64_t{1} << kLanes) - 1);

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
    auto* const items = to.items;
    std::size_t i = 0, count = to.count;
    const auto add = [&](std::size_t at) {
      const Key rank = rank_of<Key, kFloat>(keys[at], form);
      if (rank <= bound) items[count++] = candidate_of<Key, kPlaces>(rank, first + at);
    };
    for (; i + kGroup <= n && count + kGroup <= to.room; i += kGroup) {
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
        const unsigned kept = above[v] ^ kAll;
        if constexpr (kPlaces) {
          for (unsigned others = kept; others != 0; others &= others - 1) {
            add(i + v * kLanes + static_cast<std::size_t>(std::countr_zero(others)));
          }
        } else {
          L::put_left(rank(L::load(keys + i + v * kLanes), form), kept, items + count);
          count += static_cast<std::size_t>(std::popcount(kept));
        }
      }
    }
    for (; i < n && count < to.room; ++i) add(i);
    to.count = count;
    return i;
  }

  /// The least keys of kGroups groups, which a row is dealt to in turn: the k-th of them is a bound that k keys keep.
  static Key close_bound(const Key* keys, std::size_t n, std::size_t k, const Form<Key>& form) {
    constexpr std::size_t kVectors = 8, kGroups = kVectors * kLanes;
    if (k == 0 || k > kGroups / 2 || n < 2 * kGroups) return kGreatest<Key>;
    return least_of_groups<Key, kVectors>(
        n, k - 1, [&](std::size_t i) { return rank(L::load(keys + i), form); });
  }

  static std::size_t nans(const Key* keys, std::size_t n) {
    constexpr Key kInfinity =
        sizeof(Key) == 4 ? Key{0x7F8} << 20 : Key{0x7FF} << (sizeof(Key) * 8 - 12);
    const Vector magnitude = L::broadcast(kGreatest<Key>), infinity = L::broadcast(kInfinity);
    std::size_t found = 0, i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      found += static_cast<std::size_t>(
          std::popcount(L::greater(L::bit_and(L::load(keys + i), magnitude), infinity)));
    }
    for (; i < n; ++i) found += (keys[i] & kGreatest<Key>) > kInfinity ? 1 : 0;
    return found;
  }

  static std::size_t equal_to(Key key, const Key* ranks, std::size_t n) {
    std::size_t equal = 0;
    for (std::size_t i = 0; i < n; ++i) equal += ranks[i] == key ? 1 : 0;
    return equal;
  }

  /// Selects among a copy.
  static Bound<Key> bound_of_copy(const Key* keys, std::size_t n, std::size_t k,
                                  const Form<Key>& form, Key* copy) {
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) L::store(copy + i, rank(L::load(keys + i), form));
    for (; i < n; ++i) copy[i] = rank_of<Key, kFloat>(keys[i], form);
    Selection<Key, false>::select(copy, n, k, Coding<Key, false>(0));
    return {copy[k], equal_to(copy[k], copy, k + 1)};
  }

  static constexpr std::size_t kMostSampled = 2048;
  /// With fewer than one of so many before the bound, places change one at a time.
  static constexpr std::size_t kSparse = 128;

  /// Sampled keys between which the key of a place lies, most probably, and whether one of them is the first or last one.
  struct Around {
    std::size_t least, most;
    bool is_first, is_last;
  };

  /// A sorted sample of ranks. Three standard deviations of the place of a sampled key are left on both sides of place k.
  static Around take_sample(const Key* keys, std::size_t n, std::size_t k, const Form<Key>& form,
                            Key* sample) {
    std::size_t count = 128;
    while (count < kMostSampled && count * count < 4 * n) count *= 2;
    CacheSort<Key, kFloat>::template take_sample<false>(keys, n, sample, count,
                                                        Coding<Key, kFloat>(0));
    for (std::size_t i = 0; i < count; ++i) sample[i] = rank_of<Key, kFloat>(sample[i], form);
    CacheSort<Key, false>::template sort<false>(sample, sample, count, Coding<Key, false>(0));
    const double share = static_cast<double>(k) / static_cast<double>(n),
                 at = share * static_cast<double>(count), gap = 3 * std::sqrt(at * (1 - share)) + 2;
    const bool is_first = at < gap, is_last = at + gap >= static_cast<double>(count);
    return {is_first ? 0 : static_cast<std::size_t>(at - gap),
            is_last ? count - 1 : static_cast<std::size_t>(at + gap), is_first, is_last};
  }

  /// One read counts the keys that come before a narrow range between two sampled keys, and copies those in it.
  static Bound<Key> bound(const Key* keys, std::size_t n, std::size_t k, const Form<Key>& form,
                          Key* memory, std::size_t room) {
    constexpr std::size_t kFew = 2048;
    if (n <= kFew && n <= room) return bound_of_copy(keys, n, k, form, memory);
    alignas(64) Key sample[kMostSampled];
    const auto [least, most, is_first, is_last] = take_sample(keys, n, k, form, sample);
    std::size_t different = 1;
    for (std::size_t i = least + 1; i <= most; ++i) different += sample[i] != sample[i - 1] ? 1 : 0;
    if (different <= 3 && 2 * different <= most - least + 1) {  // each of them is frequent
      for (std::size_t i = least; i <= most; ++i) {
        if (i != least && sample[i] == sample[i - 1]) continue;
        const auto [below, equal] = split(keys, n, form, sample[i], sample[i], memory, 0);
        if (k >= below && k < below + equal) return {sample[i], k - below + 1};
      }
    }
    const auto [below, within] =
        split(keys, n, form, is_first ? std::numeric_limits<Key>::min() : sample[least],
              is_last ? kGreatest<Key> : sample[most], memory, room);
    if (k >= below && k < below + within && within + kLanes <= room) {
      Selection<Key, false>::select(memory, within, k - below, Coding<Key, false>(0));
      return {memory[k - below], equal_to(memory[k - below], memory, k - below + 1)};
    }
    if (n > room) return {0, 0};
    return bound_of_copy(keys, n, k, form, memory);
  }

  struct Counts {
    std::size_t below, within;
  };

  /// How many ranks lie before the range [from, to] and in it. The latter go to memory, as long as there is room for a
  /// vector more.
  static Counts split(const Key* keys, std::size_t n, const Form<Key>& form, Key from, Key to,
                      Key* memory, std::size_t room) {
    const Vector firsts = L::broadcast(from), lasts = L::broadcast(to);
    std::size_t below = 0, within = 0, i = 0;
    const auto count = [](unsigned set) { return static_cast<std::size_t>(std::popcount(set)); };
    for (; i + kGroup <= n; i += kGroup) {
      unsigned inside[4], any = 0;
      Vector ranks[4];
#pragma GCC unroll 4
      for (std::size_t v = 0; v < 4; ++v) {
        ranks[v] = rank(L::load(keys + i + v * kLanes), form);
        const unsigned before = L::greater(firsts, ranks[v]);
        inside[v] = kAll & ~(before | L::greater(ranks[v], lasts));
        below += count(before);
        any |= inside[v];
      }
      if (any == 0) continue;
#pragma GCC unroll 4
      for (std::size_t v = 0; v < 4; ++v) {
        if (within + kLanes <= room) L::put_left(ranks[v], inside[v], memory + within);
        within += count(inside[v]);
      }
    }
    for (; i < n; ++i) {
      const Key key = rank_of<Key, kFloat>(keys[i], form);
      below += key < from ? 1 : 0;
      if (key < from || key > to) continue;
      if (within + kLanes <= room) memory[within] = key;
      ++within;
    }
    return {below, within};
  }

  /// One read moves the keys before a range between two sampled keys to their places, and those in it to memory. Keys at the ends
  /// of the range are only counted where many are equal to these.
  ///
  ///   best    | before the range | like its least key | the best of the range | like its greatest key |
  static bool best_keys(const Key* keys, std::size_t n, std::size_t k, const Form<Key>& form,
                        Key* best, Key* memory, std::size_t room) {
    alignas(64) Key sample[kMostSampled];
    const auto [first, last, is_first, is_last] = take_sample(keys, n, k - 1, form, sample);
    if (*sample == sample[last]) return false;  // the first ones that are equal will do
    const Key least = is_first ? std::numeric_limits<Key>::min() : sample[first],
              most = is_last ? kGreatest<Key> : sample[last];
    return least == sample[first + 1] || most == sample[last - 1]
               ? best_around<true>(keys, n, k, form, least, most, best, memory, room)
               : best_around<false>(keys, n, k, form, least, most, best, memory, room);
  }

  template <bool kCountsEnds>
  static bool best_around(const Key* keys, std::size_t n, std::size_t k, const Form<Key>& form,
                          Key least, Key most, Key* best, Key* memory, std::size_t room) {
    const Vector leasts = L::broadcast(least), mosts = L::broadcast(most);
    Key last_ones[kLanes];
    std::size_t before = 0, as_least = 0, within = 0, as_most = 0, i = 0;
    const auto count = [](unsigned set) { return static_cast<std::size_t>(std::popcount(set)); };
    for (; i + kGroup <= n; i += kGroup) {
      if (within + kGroup > room) return false;
      unsigned inside[4], any = 0;
      Vector ranks[4];
#pragma GCC unroll 4
      for (std::size_t v = 0; v < 4; ++v) {
        const Vector from = L::load(keys + i + v * kLanes);
        ranks[v] = rank(from, form);
        const unsigned less = L::greater(leasts, ranks[v]), over = L::greater(ranks[v], mosts);
        inside[v] = kAll & ~(less | over);
        if constexpr (kCountsEnds) {
          const unsigned at_least = inside[v] & ~L::greater(ranks[v], leasts),
                         at_most = inside[v] & ~(at_least | L::greater(mosts, ranks[v]));
          as_least += count(at_least);
          as_most += count(at_most);
          inside[v] &= ~(at_least | at_most);
        }
        const std::size_t these = count(less);
        if (before + kLanes <= k) {
          L::put_left(from, less, best + before);
        } else {  // the last ones, without a store behind them
          if (before + these > k) return false;
          L::put_left(from, less, last_ones);
          std::copy_n(last_ones, these, best + before);
        }
        before += these;
        any |= inside[v];
      }
      if (any == 0) continue;
#pragma GCC unroll 4
      for (std::size_t v = 0; v < 4; ++v) {
        L::put_left(ranks[v], inside[v], memory + within);
        within += count(inside[v]);
      }
    }
    for (; i < n; ++i) {
      const Key key = rank_of<Key, kFloat>(keys[i], form);
      if (key < least) {
        if (before == k) return false;
        best[before++] = keys[i];
      } else if (kCountsEnds && key == least) {
        ++as_least;
      } else if (kCountsEnds && key == most) {
        ++as_most;
      } else if (key <= most) {
        if (within == room) return false;
        memory[within++] = key;
      }
    }
    if (before + as_least + within + as_most < k) return false;
    const auto put = [&](std::size_t end, Key key) {
      decode(&key, 1, form, &key);
      std::fill(best + before, best + end, key);
      before = end;
    };
    put(std::min(k, before + as_least), least);
    const std::size_t more = std::min(k - before, within);
    if (more != 0 && more < within) {
      Selection<Key, false>::select(memory, within, more, Coding<Key, false>(0));
    }
    decode(memory, more, form, best + before);
    before += more;
    put(k, most);
    return true;
  }

  /// The places of a group of keys go to both sides of the free room, which is never less than what is still to be read.
  /// Keys that equal the bound go to the left until it has enough of them.
  static void part_places(const Key* keys, std::size_t n, const Form<Key>& form,
                          const Bound<Key>& bound, std::size_t k, std::int64_t* places) {
    if (k < n / kSparse) return bring_places(keys, n, form, bound, places);
    std::int64_t *left = places, *right = places + n;
    std::size_t equal = bound.equal, last = 0;
    const auto add = [&](std::size_t at) {
      const Key key = rank_of<Key, kFloat>(keys[at], form);
      bool is_left = key < bound.key;
      if (key == bound.key && equal != 0) {
        is_left = true;
        last = static_cast<std::size_t>(left - places);
        --equal;
      }
      *left = right[-1] = static_cast<std::int64_t>(at);
      left += is_left ? 1 : 0;
      right -= is_left ? 0 : 1;
    };
    // First, so that the room for whole vectors is always a multiple of them: their stores then overlap in nothing or in all.
    const std::size_t end = n - n % kLanes;
    for (std::size_t i = end; i < n; ++i) add(i);
    const Vector bounds = L::broadcast(bound.key);
    using P = Lanes<std::int64_t>;
    constexpr std::size_t kPlaces = P::kCount;
    static_assert(kLanes % kPlaces == 0);
    alignas(64) std::int64_t first[kPlaces];
    for (std::size_t p = 0; p < kPlaces; ++p) first[p] = static_cast<std::int64_t>(p);
    auto at = P::load(first);
    const auto step = P::broadcast(-static_cast<std::int64_t>(kPlaces));
    const auto put = [&](unsigned is_right) {
#pragma GCC unroll 4
      for (std::size_t p = 0; p < kLanes; p += kPlaces) {
        const unsigned set = is_right >> p & ((1u << kPlaces) - 1);
        const std::size_t to_right = P::part(at, set, left, right);
        right -= to_right;
        left += kPlaces - to_right;
        at = P::subtract(at, step);
      }
    };
    std::size_t i = 0;
    for (; i < end && equal != 0; i += kLanes) {
      const Vector ranks = rank(L::load(keys + i), form);
      const unsigned above = L::greater(ranks, bounds), below = L::greater(bounds, ranks);
      const unsigned same = kAll & ~(above | below);
      if (same != 0) {
        const auto few = static_cast<std::size_t>(std::popcount(same));
        if (few >= equal) break;  // one by one, as the last ones of the left side are among them
        equal -= few;
      }
      put(above);
    }
    for (const std::size_t next = std::min(end, i + kLanes); i < next; ++i) add(i);
    at = P::subtract(P::load(first), P::broadcast(-static_cast<std::int64_t>(i)));
    for (; i < end; i += kLanes) {
      const Vector ranks = rank(L::load(keys + i), form);
      put(kAll & ~L::greater(bounds, ranks));
    }
    std::swap(places[last], left[-1]);
  }

  /// Where few keys come before the bound: numbers all, and their places change with the first ones.
  static void bring_places(const Key* keys, std::size_t n, const Form<Key>& form,
                           const Bound<Key>& bound, std::int64_t* places) {
    Vector bounds = L::broadcast(bound.key);
    std::int64_t *to = places, *last = places;
    std::size_t equal = bound.equal, i = 0;
    const auto bring = [&](std::size_t at) {
      if (rank_of<Key, kFloat>(keys[at], form) == bound.key) {
        if (equal == 0) return;
        --equal;
        last = to;
      }
      std::swap(*to++, places[at]);
    };
    using P = Lanes<std::int64_t>;
    alignas(64) std::int64_t first[P::kCount];
    for (std::size_t p = 0; p < P::kCount; ++p) first[p] = static_cast<std::int64_t>(p);
    auto numbers = P::load(first);
    const auto step = P::broadcast(-static_cast<std::int64_t>(P::kCount));
    for (; i + kGroup <= n; i += kGroup) {
      unsigned above[4], all = kAll;
#pragma GCC unroll 4
      for (std::size_t v = 0; v < 4; ++v) {
        above[v] = L::greater(rank(L::load(keys + i + v * kLanes), form), bounds);
        all &= above[v];
      }
#pragma GCC unroll 8
      for (std::size_t p = 0; p < kGroup; p += P::kCount) {
        P::store(places + i + p, numbers);
        numbers = P::subtract(numbers, step);
      }
      if (all == kAll) continue;
      for (std::size_t v = 0; v < 4; ++v) {
        for (unsigned found = above[v] ^ kAll; found != 0; found &= found - 1) {
          bring(i + v * kLanes + static_cast<std::size_t>(std::countr_zero(found)));
        }
      }
      if (equal != 0) continue;
      if (bound.key == std::numeric_limits<Key>::min()) {
        for (i += kGroup; i < n; ++i) places[i] = static_cast<std::int64_t>(i);
        break;
      }
      bounds = L::broadcast(bound.key - 1);
    }
    for (; i < n; ++i) {
      places[i] = static_cast<std::int64_t>(i);
      if (rank_of<Key, kFloat>(keys[i], form) <= bound.key) bring(i);
    }
    std::swap(*last, to[-1]);
  }

  static void best_places(const Key* keys, std::size_t n, const Form<Key>& form,
                          const Bound<Key>& bound, std::int64_t* places) {
    std::size_t equal = bound.equal;
    const Vector bounds = L::broadcast(bound.key);
    using P = Lanes<std::int64_t>;
    constexpr std::size_t kPlaces = P::kCount;
    alignas(64) std::int64_t first[kPlaces];
    for (std::size_t p = 0; p < kPlaces; ++p) first[p] = static_cast<std::int64_t>(p);
    auto at = P::load(first);
    const auto step = P::broadcast(-static_cast<std::int64_t>(kPlaces));
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      const Vector ranks = rank(L::load(keys + i), form);
      const unsigned above = L::greater(ranks, bounds), below = L::greater(bounds, ranks);
      unsigned same = equal == 0 ? 0 : kAll & ~(above | below);
      while (static_cast<std::size_t>(std::popcount(same)) > equal) same ^= std::bit_floor(same);
      equal -= static_cast<std::size_t>(std::popcount(same));
      const unsigned kept = below | same;
#pragma GCC unroll 4
      for (std::size_t p = 0; p < kLanes; p += kPlaces) {
        const unsigned set = kept >> p & ((1u << kPlaces) - 1);
        P::put_left(at, set, places);
        places += std::popcount(set);
        at = P::subtract(at, step);
      }
    }
    for (; i < n; ++i) {
      const Key key = rank_of<Key, kFloat>(keys[i], form);
      const bool is_kept = key < bound.key || (key == bound.key && equal != 0);
      *places = static_cast<std::int64_t>(i);
      places += is_kept ? 1 : 0;
      equal -= is_kept && key == bound.key ? 1 : 0;
    }
  }

  static void decode(const Key* ranks, std::size_t n, const Form<Key>& form, Key* keys) {
    const Vector flips = L::broadcast(form.flip),
                 back = L::broadcast(
                     static_cast<Key>(0 - static_cast<std::make_unsigned_t<Key>>(form.shift)));
    const auto key_of = [&](Vector v) {
      if constexpr (kFloat) v = L::subtract(v, back);
      v = L::bit_xor(v, flips);
      if constexpr (kFloat) {
        v = L::bit_xor(v, L::bit_and(L::signs(v), L::broadcast(kGreatest<Key>)));
      }
      return v;
    };
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) L::store(keys + i, key_of(L::load(ranks + i)));
    if (i < n) L::store_some(keys + i, key_of(L::load_some(ranks + i, n - i, flips)), n - i);
  }

  static Calls<Key> calls() {
    return {&Selection<Key, false>::are_alike,
            &nans,
            [](Key* keys, std::size_t n, std::size_t k, Key flip) {
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
            &filter<true>,
            &close_bound,
            &bound,
            &best_keys,
            &part_places,
            &best_places,
            &decode};
  }
};
