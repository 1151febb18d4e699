// Sorts of segments of an array, all in one call.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <sortlab/detail/cuda/key_types.hpp>
#include <sortlab/order.hpp>

namespace sortlab::cuda::detail {

/// Where segments lie: [offsets[s], offsets[s + 1]), or rows of one length, one after the other.
struct Segments {
  std::size_t count = 0;
  const void* d_offsets = nullptr;
  unsigned offset_bytes = 0;  // 4 or 8; 0: rows
  std::size_t columns = 0;    // of a row
};

/// Keys alone, with values, or with indices, which are places in the segment. Stable. Inputs are left as they
/// are, unless they are the outputs; items of no segment are not written.
struct SegmentSort {
  KeyKind kind;
  unsigned key_bytes;  // 4 or 8
  Order order;
  bool nans_last;
  std::size_t n;
  Segments segments;
  const void* keys_in = nullptr;
  void* keys_out = nullptr;  // null: not wanted
  const void* values_in = nullptr;
  void* values_out = nullptr;
  std::size_t value_bytes =
      4;  // others than 4 are gathered at the end, and come from another array than they go to
  unsigned index_bytes = 0;  // 4 or 8: values_out takes indices
  bool are_ranks =
      false;  // of floats, NaNs last, without keys_out: -0 and 0 are equal, and all NaNs

  /// Without memory, says how much is needed for n and the number of segments; else enqueues the sort. It never waits.
  cudaError_t operator()(void* d_temp, std::size_t& temp_bytes, cudaStream_t stream) noexcept;
};

}  // namespace sortlab::cuda::detail
