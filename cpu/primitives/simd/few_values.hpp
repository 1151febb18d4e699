// Sorts keys with few distinct values: they are counted, not moved.
//
//   keys   | c a b a x c ..                 each thread counts the values that a sample has
//   other  | x ..                           and copies the keys that have none of them
//   keys   | a a a .. | b b .. | x | c ..   written, in shares of the places
//
// Memory traffic: each key is read once and written once.
// measured: experts, 1 thread, Mkeys/s, before and after: 100,003 u32 866 and 792, f64 461 and 681; 1,000,003 u32 1011
// and 1252, f64 492 and 998; amd2/attempts/few_values.1.txt
#pragma once

#include <cstddef>

#include "cpu/primitives/simd/cache_calls.hpp"

namespace sortlab::cpu::primitives::simd {

/// A thread's number of keys of each of few values, and of those with other values.
struct FewCounted {
  static constexpr std::size_t kMostValues = 64, kTooMany = static_cast<std::size_t>(-1);
  std::size_t counts[kMostValues], missed;
};

/// The threads' counters, `step` bytes apart.
struct FewCountedOf {
  FewCounted* first;
  std::size_t step;
  FewCounted& operator()(int t) const {
    auto* const bytes = reinterpret_cast<std::byte*>(first);
    return *reinterpret_cast<FewCounted*>(bytes + static_cast<std::size_t>(t) * step);
  }
};

/// Sorts n user's keys, at least 1024, with a second buffer. Returns false for keys that have many values, and changes
/// none of these. For int32_t and int64_t.
template <class Key>
bool sort_few_values(Key* keys, Key* other, std::size_t n, int threads,
                     const CacheCalls<Key>& calls, Key flip, const FewCountedOf& counted);

/// The same on one thread, for keys of 4 bytes whose differing bits are few and close (NarrowDigit): no sample misses one.
/// Returns false for others, and changes none of these.
template <class Key>
bool sort_narrow(Key* keys, Key* other, std::size_t n, int threads, const CacheCalls<Key>& calls,
                 Key flip);

}  // namespace sortlab::cpu::primitives::simd
