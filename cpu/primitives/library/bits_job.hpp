// A job whose key type and order are data. Sorts that map keys to unsigned integers anyway take it in place of a Job:
// then there is one instance for each width of keys and values, not one for each type and order.
#pragma once

#include <cstddef>
#include <span>

#include "common/contract/key_map.hpp"
#include "common/contract/variant.hpp"

namespace sortlab::cpu::primitives::library {

/// The keys are the bits of numbers, which the map puts in order.
template <class BitsT, class ValueT>
struct BitsJob {
  using Key = BitsT;
  using Value = ValueT;
  static constexpr bool kPairs = Items<Key, Value>::kPairs;

  Items<Key, Value> data;
  std::size_t n;
  std::span<std::byte> workspace;
  int threads;
  KeyMap<Key> map;
};

/// What Impl::hand_on does for it.
template <class Impl, class Job>
ResultIn sort_bits(const ErasedJob& e) {
  using Bits = BitsOf<typename Job::Key>;
  using Value = typename Job::Value;
  return Impl::sort(
      BitsJob<Bits, Value>{{static_cast<Bits*>(e.keys), static_cast<Value*>(e.values)},
                           e.n,
                           e.workspace,
                           e.threads,
                           KeyMap<Bits>::of({e.instance->key_type, e.instance->order})});
}

}  // namespace sortlab::cpu::primitives::library
