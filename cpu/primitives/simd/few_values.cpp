// The counting sort of few_values.hpp, and that of keys with few differing bits.
#include "cpu/primitives/simd/few_values.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cpu/primitives/few_keys.hpp"
#include "cpu/primitives/narrow_digit.hpp"
#include "cpu/primitives/parallel.hpp"

namespace sortlab::cpu::primitives::simd {
namespace {

template <class Key>
class FewValues {
  using Bits = std::make_unsigned_t<Key>;
  using Table = FewKeys<Bits>;
  static_assert(Table::kMost == FewCounted::kMostValues);

 public:
  FewValues(const CacheCalls<Key>& calls, Key flip) : calls_(calls), flip_(flip) {}

  /// Whether n keys seem to have few values, n at least kMostSampled.
  bool find(const Key* keys, std::size_t n) {
    Key sample[kMostSampled];
    constexpr std::size_t kFirst = 2 * Table::kMost;  // enough to reject most inputs
    take_sample(keys, n, sample, kFirst);
    calls_.sort_raw(sample, kFirst, flip_);
    if (std::unique(sample, sample + kFirst) - sample > std::ptrdiff_t{Table::kMost}) return false;
    const std::size_t sampled = std::clamp(n / 64, kFirst, kMostSampled);
    take_sample(keys, n, sample, sampled);
    calls_.sort_raw(sample, sampled, flip_);
    return table_.find(reinterpret_cast<Bits*>(sample), sampled);
  }

  /// Sorts them. Returns false, and changes no key, if keys that the sample has missed are not rare.
  bool sort(Key* keys, Key* other, std::size_t n, int threads, const FewCountedOf& counted) const {
    const auto begin = [&](int t) { return parallel::chunk_begin(n, threads, t); };
    parallel::on_all_threads(threads, [&](int t) {
      count(keys + begin(t), begin(t + 1) - begin(t), other + begin(t), counted(t));
    });
    std::size_t counts[Table::kMost] = {}, missed = 0;
    for (int t = 0; t < threads; ++t) {
      const FewCounted& some = counted(t);
      if (some.missed == FewCounted::kTooMany) return false;
      std::copy_n(other + begin(t), some.missed, other + missed);
      missed += some.missed;
      for (std::size_t k = 0; k < table_.count(); ++k) counts[k] += some.counts[k];
    }
    // Sorted together with the keys that were missed, the values find their places.
    for (std::size_t k = 0; k < table_.count(); ++k) {
      other[missed++] = static_cast<Key>(table_.key(k));
    }
    calls_.sort_raw(other, missed, flip_);
    struct Run {
      std::size_t first, last;
      Key key;
    } runs[Table::kMost];
    std::size_t place = 0, run = 0;
    for (std::size_t i = 0; i < missed; ++i) {
      const auto bits = static_cast<Bits>(other[i]);
      if (table_.difference(table_.slot_of(bits), bits) != 0) {
        keys[place++] = other[i];
      } else {
        const std::size_t first = place;
        place += counts[table_.place_of(bits)];
        runs[run++] = {first, place, other[i]};
      }
    }
    parallel::on_all_threads(threads, [&](int t) {
      for (std::size_t r = 0; r < run; ++r) {
        const std::size_t first = std::max(begin(t), runs[r].first);
        const std::size_t last = std::min(begin(t + 1), runs[r].last);
        if (first < last) std::fill(keys + first, keys + last, runs[r].key);
      }
    });
    return true;
  }

 private:
  static constexpr std::size_t kMostSampled = 1024;

  static void take_sample(const Key* keys, std::size_t n, Key* sample, std::size_t count) {
    const std::size_t step = n / count;
    for (std::size_t i = 0; i < count; ++i) {
      sample[i] = keys[i * step + (step * (i * 40503 & 0xFFFF) >> 16)];
    }
  }

  /// Counts n keys by value, and copies those that the table lacks. Neighbours use different counters, so that none
  /// waits for an equal key before it.
  void count(const Key* keys, std::size_t n, Key* to, FewCounted& counted) const {
    constexpr std::size_t kCopies = 4, kAtOnce = 2 * kCopies;
    constexpr std::size_t kMostMissed = 32;  // one key in so many, and at first some more
    std::uint32_t counts[kCopies][Table::kSlots] = {};
    std::size_t missed = 0;
    Bits difference = 0;
    const auto count_one = [&](std::size_t i) {
      const auto bits = static_cast<Bits>(keys[i]);
      const std::size_t slot = table_.slot_of(bits);
      difference |= table_.difference(slot, bits);
      ++counts[i % kCopies][slot];
    };
    const auto copy_missed = [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const auto bits = static_cast<Bits>(keys[i]);
        const std::size_t slot = table_.slot_of(bits);
        if (table_.difference(slot, bits) == 0) continue;
        --counts[i % kCopies][slot];
        to[missed++] = keys[i];
      }
      difference = 0;
    };
    std::size_t i = 0;
    for (; i + kAtOnce <= n; i += kAtOnce) {
#pragma GCC unroll 8
      for (std::size_t k = 0; k < kAtOnce; ++k) count_one(i + k);
      if (difference == 0) continue;
      copy_missed(i, i + kAtOnce);
      if (missed > i / kMostMissed + kMostSampled / 4) {
        counted.missed = FewCounted::kTooMany;
        return;
      }
    }
    const std::size_t rest = i;
    for (; i < n; ++i) count_one(i);
    if (difference != 0) copy_missed(rest, n);
    for (std::size_t k = 0; k < table_.count(); ++k) {
      std::uint32_t all = 0;
      for (const auto& copy : counts) all += copy[table_.slot_of(table_.key(k))];
      counted.counts[k] = all;
    }
    counted.missed = missed;
  }

  const CacheCalls<Key>& calls_;
  Key flip_;
  Table table_;
};

/// `other` has room for n keys.
bool count_narrow(std::int32_t* keys, std::int32_t* other, std::size_t n,
                  const CacheCalls<std::int32_t>& calls, std::int32_t flip) {
  const auto digit =
      NarrowDigit<std::uint32_t>::of(reinterpret_cast<const std::uint32_t*>(keys), n);
  if (!digit) return false;
  const auto value_of = [&](std::int32_t key) { return (*digit)(static_cast<std::uint32_t>(key)); };
  // Neighbours use different counters, so that none waits for an equal key before it.
  auto* const counts = reinterpret_cast<std::uint32_t*>(other);
  auto* const copies = counts + digit->values();
  std::fill_n(counts, 2 * digit->values(), std::uint32_t{0});
  const std::size_t even = n - n % 2;
  for (std::size_t i = 0; i < even; i += 2) {
    ++counts[value_of(keys[i])];
    ++copies[value_of(keys[i + 1])];
  }
  if (even < n) ++counts[value_of(keys[even])];
  // The counts take a quarter of the second buffer at most, and the values an eighth.
  std::int32_t* const values = other + n / 2;
  std::size_t found = 0;
  for (std::size_t v = 0; v < digit->values(); ++v) {
    counts[v] += copies[v];
    values[found] = static_cast<std::int32_t>(digit->key(v));
    found += counts[v] != 0;
  }
  calls.sort_raw(values, found, flip);
  for (std::size_t v = 0; v < found; ++v) {
    keys = std::fill_n(keys, counts[value_of(values[v])], values[v]);
  }
  return true;
}

}  // namespace

// measured: 1,000,003 numbers of 64 groups, 1 thread, us, by a table of values vs so: i64 1257 vs 1393, f64 1488 vs 1934, i32
// 1347 vs 941; xeon16/attempts/narrow.1.txt.xz
template <class Key>
bool sort_narrow(Key* keys, Key* other, std::size_t n, int threads, const CacheCalls<Key>& calls,
                 Key flip) {
  if constexpr (sizeof(Key) == 4) {
    return may_be_narrow(n, threads) && count_narrow(keys, other, n, calls, flip);
  }
  return false;
}

template bool sort_narrow(std::int32_t*, std::int32_t*, std::size_t, int,
                          const CacheCalls<std::int32_t>&, std::int32_t);
template bool sort_narrow(std::int64_t*, std::int64_t*, std::size_t, int,
                          const CacheCalls<std::int64_t>&, std::int64_t);

template <class Key>
bool sort_few_values(Key* keys, Key* other, std::size_t n, int threads,
                     const CacheCalls<Key>& calls, Key flip, const FewCountedOf& counted) {
  FewValues<Key> few(calls, flip);
  return few.find(keys, n) && few.sort(keys, other, n, threads, counted);
}

template bool sort_few_values(std::int32_t*, std::int32_t*, std::size_t, int,
                              const CacheCalls<std::int32_t>&, std::int32_t, const FewCountedOf&);
template bool sort_few_values(std::int64_t*, std::int64_t*, std::size_t, int,
                              const CacheCalls<std::int64_t>&, std::int64_t, const FewCountedOf&);

}  // namespace sortlab::cpu::primitives::simd
