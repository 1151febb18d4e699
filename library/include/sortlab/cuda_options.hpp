// The options and buffers of sortlab/cuda.cuh. Needs no CUDA compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sortlab/options.hpp>

namespace sortlab::cuda {

/// Options of the calls without a comparison.
struct Options {
  Order order = Order::ascending;
  /// total_order: -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN. nans_last: all NaNs last in both orders;
  /// argsort then takes -0 and +0 as equal, and all NaNs as equal.
  Floats floats = Floats::total_order;
};

/// Options of top_k() and top_k_rows().
struct TopKOptions {
  /// Ascending: the smallest keys are the best ones. Descending: the largest.
  Order order = Order::ascending;
  /// As for sorts. -0 is before +0.
  Floats floats = Floats::total_order;
  /// All NaNs are better than numbers, in both orders, whatever `floats` says.
  bool nans_first = false;
  /// The best come first. Else in any order, which may be faster.
  bool sorted = true;
  /// Of equal keys, those in the first places. With `sorted` these come in their order.
  bool first = false;
  /// In device memory, for each row: its own k, of which the call's is the upper bound. Null: that one.
  const std::uint32_t* d_k = nullptr;
  /// From one row's begin to the next one's. 0: the columns.
  std::size_t stride = 0;
};

/// Options of top_p_rows().
struct TopPOptions {
  /// The sum that the weights of a row's best items reach.
  float p = 1;
  /// In device memory, for each row: its own. Null: p.
  const float* d_p = nullptr;
  /// As for top_k_rows().
  const std::uint32_t* d_k = nullptr;
  std::size_t stride = 0;
};

/// Two arrays of n items. The sort may overwrite both, so it needs less memory and no copies. Afterwards
/// `current` is the array with the result.
template <class T>
struct DoubleBuffer {
  T* current = nullptr;
  T* alternate = nullptr;
};

}  // namespace sortlab::cuda
