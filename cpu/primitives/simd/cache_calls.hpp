// The kernels of kernels.hpp as functions, for sorts that call them once per array or per bucket of thousands of keys.
// They are compiled in units of cache_calls.cpp.
#pragma once

#include <cstddef>

#include "common/contract/isa.hpp"

namespace sortlab::cpu::primitives::simd {

/// The kernels of one instruction set, for the keys of one kind. Signed integers are in ascending order; `flip` makes
/// them from the user's keys (see Coding).
template <class Key>
struct CacheCalls {
  /// Whether the user's keys are ascending (kAscending), descending (kDescending), both or neither.
  unsigned (*look)(const Key* keys, std::size_t n, Key flip);
  /// Sort n keys, fastest if they fit into a cache (CacheSort): the user's keys, in place ...
  void (*sort_raw)(Key* keys, std::size_t n, Key flip);
  /// ... signed integers, which are overwritten, as the user's to `to`, which may be `from` ...
  void (*sort_coded)(Key* from, Key* to, std::size_t n, Key flip);
  /// ... and signed integers, in place.
  void (*sort_sample)(Key* sample, std::size_t n);
  /// Copies `count` of n keys as signed integers: of the user's keys, or of signed integers.
  void (*sample_raw)(const Key* from, std::size_t n, Key* sample, std::size_t count, Key flip);
  void (*sample_coded)(const Key* from, std::size_t n, Key* sample, std::size_t count, Key flip);
  /// Writes n times the user's key that a signed integer stands for.
  void (*fill)(Key* to, std::size_t n, Key key, Key flip);
  /// Moves those of n user's keys that are above the pivot, a signed integer, behind the others. Returns the number of
  /// the others. n is at least 4096.
  std::size_t (*partition)(Key* keys, std::size_t n, Key pivot, Key flip);
};

/// For int32_t and int64_t. `kFloat`: the user's keys are floating-point numbers.
template <class Key, bool kFloat>
CacheCalls<Key> cache_calls(Isa isa);

/// Sorts the user's keys in place, after a look whether they are in order: for few keys, which a table of calls would
/// delay.
template <class Key, bool kFloat>
void sort_few(Isa isa, Key* keys, std::size_t n, Key flip);

}  // namespace sortlab::cpu::primitives::simd
