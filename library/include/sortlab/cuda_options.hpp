// The options and buffers of sortlab/cuda.cuh. Needs no CUDA compiler.
#pragma once

#include <sortlab/options.hpp>

namespace sortlab::cuda {

/// Options of the calls without a comparison.
struct Options {
  Order order = Order::ascending;
  /// total_order: -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN. nans_last: all NaNs last in both orders;
  /// argsort then takes -0 and +0 as equal, and all NaNs as equal.
  Floats floats = Floats::total_order;
};

/// Two arrays of n items. The sort may overwrite both, so it needs less memory and no copies. Afterwards
/// `current` is the array with the result.
template <class T>
struct DoubleBuffer {
  T* current = nullptr;
  T* alternate = nullptr;
};

}  // namespace sortlab::cuda
