// The best k keys of rows, with their places.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <sortlab/detail/cuda/key_types.hpp>
#include <sortlab/order.hpp>

namespace sortlab::cuda::detail {

struct TopK {
  KeyKind kind;
  unsigned key_bytes;  // 1, 2, 4 or 8
  Order order;
  bool nans_last;
  bool nans_first;  // instead
  bool is_sorted;   // the best first
  bool is_first;    // of equal keys, those in the first places
  std::size_t rows;
  std::size_t columns;  // fewer than 2^32 - 1
  std::size_t stride;   // from one row's begin to the next one's
  std::size_t k;
  const std::uint32_t* d_ks = nullptr;  // of each row, where it is less than k
  const void* d_keys = nullptr;         // stay as they are
  // Of row r: from r times the smaller of k and columns on. One of them may be null.
  void* d_best = nullptr;
  void* d_places = nullptr;
  unsigned place_bytes = 4;  // or 8
  bool is_top_p = false;     // of each row, how many of its best reach a sum is asked for, too
  std::uint32_t* d_counts = nullptr;
  float p = 1;
  const float* d_ps = nullptr;  // of each row; null: p

  /// Without memory, says how much is needed, which depends on the shape and the types alone; else enqueues the work. It
  /// never waits.
  cudaError_t operator()(void* d_temp, std::size_t& temp_bytes, cudaStream_t stream) noexcept;
};

}  // namespace sortlab::cuda::detail
