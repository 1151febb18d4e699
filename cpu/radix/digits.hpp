// The digits of a radix sort in base 256, which the rungs of this folder share.
#pragma once

#include <array>
#include <cstddef>

#include "common/contract/variant.hpp"

namespace sortlab::cpu::radix {

inline constexpr int kDigitBits = 8;
inline constexpr std::size_t kBuckets = std::size_t{1} << kDigitBits;

using Counts = std::array<std::size_t, kBuckets>;

/// Passes = bytes of a key: pass 0 takes the least significant one.
template <class Job>
inline constexpr int kPasses = static_cast<int>(sizeof(typename Job::Key));

template <class Job>
inline std::size_t digit_of(typename Job::Key key, int pass) {
  return (to_radix_bits<typename Job::Key, Job::kOrder>(key) >> (pass * kDigitBits)) &
         (kBuckets - 1);
}

/// Adds the digits of all passes of keys[first, last) to counts[0 .. kPasses): one sweep for all of
/// them, because a pass moves keys but changes none.
template <class Job>
inline void count_all_digits(const typename Job::Key* keys, std::size_t first, std::size_t last,
                             Counts* counts) {
  for (std::size_t i = first; i < last; ++i) {
    for (int pass = 0; pass < kPasses<Job>; ++pass) ++counts[pass][digit_of<Job>(keys[i], pass)];
  }
}

/// Adds the digits of one pass of keys[first, last) to `counts`.
template <class Job>
inline void count_digits(const typename Job::Key* keys, std::size_t first, std::size_t last,
                         int pass, Counts& counts) {
  for (std::size_t i = first; i < last; ++i) ++counts[digit_of<Job>(keys[i], pass)];
}

}  // namespace sortlab::cpu::radix
