// Keys as the unsigned integers that a radix sort takes digits from, and back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>

#include "common/contract/items.hpp"

namespace sortlab::cpu::radix::msd {

// What is read from memory is turned into bits a block at a time; a block stays in the first-level
// cache.
inline constexpr std::size_t kBlockItems = 2048;

/// Keys to be read as bits: as the user gave them (`load` turns them into bits), or bits already.
template <class Items>
struct Source {
  using Bits = typename Items::Key;
  const void* keys;
  typename Items::Value* values;
  const Bits* (*load)(const void* keys, std::size_t first, std::size_t n, Bits* block);

  /// Calls visit(items, n) for each block of [first, last).
  template <class Visit>
  void for_each_block(std::size_t first, std::size_t last, Bits* block, Visit visit) const {
    for (std::size_t i = first; i < last; i += kBlockItems) {
      const std::size_t n = std::min(kBlockItems, last - i);
      // A sort reads what it was given through these and never writes to it.
      Items items{const_cast<Bits*>(load(keys, i, n, block)), nullptr};
      if constexpr (Items::kPairs) items.values = values + i;
      visit(items, n);
    }
  }
};

template <class Bits>
const Bits* load_bits(const void* keys, std::size_t first, std::size_t, Bits*) {
  return static_cast<const Bits*>(keys) + first;
}

template <class Key, Order kOrder>
const BitsOf<Key>* load_keys(const void* keys, std::size_t first, std::size_t n,
                             BitsOf<Key>* block) {
  const Key* const from = static_cast<const Key*>(keys) + first;
  for (std::size_t i = 0; i < n; ++i) block[i] = to_radix_bits<Key, kOrder>(from[i]);
  return block;
}

/// Turns keys into bits, in place. (Placement new ends the life of the one and begins that of the
/// other, so that no object is ever read through a pointer to another type.)
template <class Key, Order kOrder>
void to_bits(Key* keys, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    ::new (static_cast<void*>(keys + i)) BitsOf<Key>(to_radix_bits<Key, kOrder>(keys[i]));
  }
}

/// Turns bits back into keys, in place.
template <class Key, Order kOrder>
void restore_keys(void* bits, std::size_t n) {
  auto* const from = static_cast<BitsOf<Key>*>(bits);
  for (std::size_t i = 0; i < n; ++i) {
    ::new (static_cast<void*>(from + i)) Key(from_radix_bits<Key, kOrder>(from[i]));
  }
}

/// The keys of a job as bits in ascending order.
template <class Job>
struct JobBits {
  using Key = typename Job::Key;
  using Bits = BitsOf<Key>;
  using BitItems = Items<Bits, typename Job::Value>;

  /// Whether the keys are such bits as they are.
  static constexpr bool kSameAsKeys = std::is_same_v<Key, Bits> && Job::kOrder == Order::ascending;

  static BitItems of(Items<Key, typename Job::Value> items) {
    return {reinterpret_cast<Bits*>(items.keys), items.values};
  }
  static Source<BitItems> source(const Job& job) {
    return {job.data.keys, job.data.values,
            kSameAsKeys ? load_bits<Bits> : load_keys<Key, Job::kOrder>};
  }
  static void make(const Job& job) {
    if constexpr (!kSameAsKeys) to_bits<Key, Job::kOrder>(job.data.keys, job.n);
  }
  /// What makes keys of bits again; null: nothing need be done.
  static constexpr void (*restore())(void* bits, std::size_t n) {
    if constexpr (kSameAsKeys) return nullptr;
    return restore_keys<Key, Job::kOrder>;
  }
};

}  // namespace sortlab::cpu::radix::msd
