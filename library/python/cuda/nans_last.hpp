// NaNs behind the numbers, after a sort in total order.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace sortlab::python {

/// Sorted keys on a GPU, with values of 4 or 8 bytes or without.
struct SortedItems {
  void* d_keys;  // float or double, in total order
  unsigned key_bytes;
  void* d_values;
  unsigned value_bytes;  // 0: without values
  std::size_t n;
  bool descending;
};

/// The bytes of `d_spare` below.
std::size_t nans_last_bytes(const SortedItems& items);

/// Enqueues the move of the NaNs that are in front to the end; other items keep their order.
cudaError_t put_nans_last(const SortedItems& items, void* d_spare, cudaStream_t stream);

}  // namespace sortlab::python
