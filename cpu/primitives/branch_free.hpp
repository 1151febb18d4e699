// Selects by arithmetic. A conditional expression may become a branch, and on random keys half of
// these branches are mispredicted.
#pragma once

#include <bit>
#include <cstddef>

#include "common/contract/key_types.hpp"

namespace sortlab::cpu::primitives {

/// `yes` if `condition`, else `no`.
inline std::size_t select(bool condition, std::size_t yes, std::size_t no) {
  return no ^ ((no ^ yes) & (std::size_t{0} - std::size_t{condition}));
}

/// Swaps the keys or values if `condition`.
template <class T>
inline void swap_if(bool condition, T& x, T& y) {
  using Bits = BitsOf<T>;
  const auto x_bits = std::bit_cast<Bits>(x), y_bits = std::bit_cast<Bits>(y);
  const Bits change = (x_bits ^ y_bits) & (Bits{0} - Bits{condition});
  x = std::bit_cast<T>(static_cast<Bits>(x_bits ^ change));
  y = std::bit_cast<T>(static_cast<Bits>(y_bits ^ change));
}

}  // namespace sortlab::cpu::primitives
