// Rewrites keys in place as signed integers whose ascending order is the requested order, and back.
//
// AVX2 compares signed integers only. Mapped once, unsigned keys, floats in totalOrder and
// descending sorts all run through the same kernels. Each way reads and writes every key once; it
// is part of the sort and timed with it.
//
// bitonic/parallel and quick/parallel use it, because a map before the sort and one after it is the
// simplest way. The fast rungs save both sweeps: they map keys during their first read and last
// write (cpu/primitives/simd/register_sort.inl.hpp).
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include "common/contract/key_types.hpp"

namespace sortlab::cpu::primitives {

template <class Key>
using OrderedInt = std::make_signed_t<BitsOf<Key>>;

namespace detail {

template <class Key>
inline constexpr BitsOf<Key> kSignBit = BitsOf<Key>{1} << (8 * sizeof(Key) - 1);

template <class Key, Order kOrder>
inline constexpr bool kAlreadyOrderedInts =
    std::is_same_v<Key, OrderedInt<Key>>&& kOrder == Order::ascending;

inline constexpr std::size_t kParallelFrom = std::size_t{1} << 16;  // below, threads cost more

}  // namespace detail

// Placement new replaces the key by the integer in the same bytes, so that no object is ever read
// through a pointer to another type.
template <class Key, Order kOrder>
OrderedInt<Key>* to_ordered_ints(Key* keys, std::size_t n, int threads) {
  using Int = OrderedInt<Key>;
  if constexpr (detail::kAlreadyOrderedInts<Key, kOrder>) {
    return keys;
  } else {
#pragma omp parallel for num_threads(threads) if (n >= detail::kParallelFrom) schedule(static)
    for (std::size_t i = 0; i < n; ++i) {
      const Key key = keys[i];
      const auto bits = to_radix_bits<Key, kOrder>(key);
      ::new (static_cast<void*>(keys + i)) Int(static_cast<Int>(bits ^ detail::kSignBit<Key>));
    }
    return reinterpret_cast<Int*>(keys);
  }
}

template <class Key, Order kOrder>
void from_ordered_ints(OrderedInt<Key>* ints, std::size_t n, int threads) {
  if constexpr (!detail::kAlreadyOrderedInts<Key, kOrder>) {
#pragma omp parallel for num_threads(threads) if (n >= detail::kParallelFrom) schedule(static)
    for (std::size_t i = 0; i < n; ++i) {
      const auto bits = static_cast<BitsOf<Key>>(ints[i]) ^ detail::kSignBit<Key>;
      ::new (static_cast<void*>(ints + i)) Key(from_radix_bits<Key, kOrder>(bits));
    }
  }
}

}  // namespace sortlab::cpu::primitives
