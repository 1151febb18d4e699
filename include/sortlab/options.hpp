// The options of all calls of sortlab/sort.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sortlab/order.hpp>
#include <span>

namespace sortlab {

/// The order of NaNs and of zeros of both signs.
enum class Floats : std::uint8_t {
  total_order,  ///< -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN, by their bits
  nans_last,    ///< NaNs last in both orders; argsort treats all NaNs, and -0 and +0, as equal
};

struct Options {
  Order order = Order::ascending;
  /// Equal items keep their order. sort_by_key and argsort do so in any case, except for `any_order`.
  bool stable = false;
  Floats floats = Floats::total_order;
  /// At most this many, including the calling one; 0: as many as are free.
  int threads = 0;
  /// Memory to use; then the call allocates none. Empty: the call allocates memory.
  std::span<std::byte> scratch = {};
  /// sort_by_key and argsort: values of equal keys may change places, unless `stable` forbids it. Faster on
  /// one thread.
  bool any_order = false;
};

}  // namespace sortlab
