// How to sort: what all calls of sortlab/sort.hpp take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sortlab/order.hpp>
#include <span>

namespace sortlab {

/// Where NaNs and zeros of both signs go.
enum class Floats : std::uint8_t {
  total_order,  ///< -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN, by their bits
  nans_last,    ///< NaNs last in both orders; argsort takes all NaNs, and -0 and +0, as equal
};

struct Options {
  Order order = Order::ascending;
  /// Equal items keep their order. sort_by_key and argsort are stable in any case.
  bool stable = false;
  Floats floats = Floats::total_order;
  /// At most so many, the calling one among them; 0: as many as are free.
  int threads = 0;
  /// Memory to use; then the call allocates none. Empty: the call allocates what it needs.
  std::span<std::byte> scratch = {};
};

}  // namespace sortlab
