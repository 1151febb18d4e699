// The best k keys of one row by a filter: what cpu/topk/filter does for each row, and the library.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "common/contract/top_k.hpp"
#include "cpu/partial/simd/calls.hpp"
#include "cpu/primitives/simd/keys.hpp"

namespace sortlab::cpu::topk {

/// Finds candidates, keys that may be among the best k of a row, in memory of its own.
template <class Int, bool kFloat, bool kPlaces>
class Filter {
 public:
  using Candidate = partial::Candidate<Int, kPlaces>;
  using Form = partial::Form<Int>;

  /// Candidates that memory is needed for. Each time it is full, the best k stay: the more room, the fewer times.
  static constexpr std::size_t room_for(std::size_t n, std::size_t k) {
    return std::min(n, 2 * k + kSpare);
  }
  static constexpr std::size_t bytes_for(std::size_t n, std::size_t k) {
    return (room_for(n, k) * sizeof(Candidate) + 255) / 256 * 256;
  }

  Filter(Isa isa, const Form& form, void* memory)
      : calls_(partial::calls<Int, kFloat>(isa)),
        wide_(partial::calls<std::int64_t, false>(isa)),
        form_(form),
        memory_(static_cast<Candidate*>(memory)) {}

  /// Finds the best k of n keys, which have the places `first` and on; 0 < k <= n. They are in no order.
  Candidate* best(const Int* keys, std::size_t n, std::size_t k, std::size_t first) const {
    Found found{memory_, 0, room_for(n, k)};
    const Int bound = first_bound(keys, n, k);
    collect(keys, n, k, first, bound, found);
    if (found.count < k) {  // the sample was not like the row
      found.count = 0;
      collect(keys, n, k, first, kGreatest, found);
    }
    if (found.count > k) select(found.items, found.count, k);
    return found.items;
  }

  /// Brings the best k of some candidates to the front.
  void select(Candidate* from, std::size_t count, std::size_t k) const {
    if (k == 0 || k >= count) return;
    if constexpr (std::is_same_v<Candidate, Int>) {
      calls_.select_coded(from, count, k - 1);
    } else if constexpr (std::is_same_v<Candidate, std::int64_t>) {
      wide_.select_coded(from, count, k - 1);
    } else {
      std::nth_element(from, from + k - 1, from + count);
    }
  }

  void sort(Candidate* from, std::size_t count) const {
    if constexpr (std::is_same_v<Candidate, Int>) {
      calls_.sort_coded(from, count);
    } else if constexpr (std::is_same_v<Candidate, std::int64_t>) {
      wide_.sort_coded(from, count);
    } else {
      std::sort(from, from + count);
    }
  }

  static std::uint32_t place_of(const Candidate& one) {
    if constexpr (std::is_same_v<Candidate, partial::Placed>) {
      return one.place;
    } else {
      return static_cast<std::uint32_t>(one);
    }
  }
  /// The user's key; not of forms that make keys equal.
  Int key_of(const Candidate& one) const {
    using Bits = std::make_unsigned_t<Int>;
    const auto bits =
        static_cast<Int>(static_cast<Bits>(rank_of(one)) + static_cast<Bits>(form_.shift)) ^
        form_.flip;
    if constexpr (!kFloat) return bits;
    return bits ^ (bits >> (8 * sizeof(Int) - 1) & kGreatest);
  }

 private:
  using Found = partial::Candidates<Int, kPlaces>;
  static constexpr std::size_t kSpare = 4096, kMostSampled = 1024, kSampledFrom = 1 << 14;
  static constexpr Int kLeast = std::numeric_limits<Int>::min(),
                       kGreatest = std::numeric_limits<Int>::max();

  static Int rank_of(const Candidate& one) {
    if constexpr (std::is_same_v<Candidate, Int>) {
      return one;
    } else if constexpr (std::is_same_v<Candidate, std::int64_t>) {
      return static_cast<Int>(one >> 32);
    } else {
      return one.key;
    }
  }

  /// A bound from a sample, which at least k keys keep, most probably. So even keys whose best come last fill the memory
  /// once or twice.
  Int first_bound(const Int* keys, std::size_t n, std::size_t k) const {
    if (n < kSampledFrom) return kGreatest;
    const double expected =
        static_cast<double>(k) / static_cast<double>(n) * static_cast<double>(kMostSampled);
    const auto at = static_cast<std::size_t>(expected + 3 * std::sqrt(expected) + 4);
    if (at >= kMostSampled / 2) return kGreatest;
    Int sample[kMostSampled];
    const std::size_t step = n / kMostSampled;
    for (std::size_t i = 0; i < kMostSampled; ++i) {
      const std::size_t within = i * 40503 % step;
      sample[i] = partial::rank_of<Int, kFloat>(keys[i * step + within], form_);
    }
    std::nth_element(sample, sample + at, sample + kMostSampled);
    return sample[at];
  }

  void collect(const Int* keys, std::size_t n, std::size_t k, std::size_t first, Int bound,
               Found& found) const {
    for (std::size_t i = 0; i < n;) {
      i += filter(keys + i, n - i, first + i, bound, found);
      if (i == n) return;
      // Full: of equal keys those in earlier places are there already.
      if (found.count > k) select(found.items, found.count, k);
      found.count = k;
      const Int last = rank_of(found.items[k - 1]);
      if (last == kLeast) return;
      bound = std::min<Int>(bound, last - 1);
    }
  }

  std::size_t filter(const Int* keys, std::size_t n, std::size_t first, Int bound,
                     Found& to) const {
    if constexpr (kPlaces) {
      return calls_.filter_placed(keys, n, first, bound, form_, to);
    } else {
      return calls_.filter(keys, n, first, bound, form_, to);
    }
  }

  partial::Calls<Int> calls_;
  partial::Calls<std::int64_t> wide_;
  Form form_;
  Candidate* memory_;
};

}  // namespace sortlab::cpu::topk
