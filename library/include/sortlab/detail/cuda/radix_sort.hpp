// The radix sorts of sortlab::cuda, with types as numbers: what the templates of sortlab/cuda.cuh call, and
// the library file holds.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <sortlab/detail/cuda/key_types.hpp>
#include <sortlab/order.hpp>

namespace sortlab::cuda::detail {

/// The order of floats.
enum class FloatOrder : std::uint8_t {
  total,        // IEEE-754 totalOrder
  nans_last,    // all NaNs behind the numbers, in both orders
  equal_zeros,  // total, but -0 and +0 are equal and keep their order
  nans_first,   // all NaNs before the numbers, in both orders: of a top-k alone
};

/// An array of keys or values: sorted from `in` to `out`, which may be the same.
struct Column {
  const void* in = nullptr;
  void* out = nullptr;
  bool in_is_spare = false;      // `in` may be overwritten, and the result may end there
  bool result_is_in_in = false;  // set by the sort
};

/// A sort of keys, alone or with values, or of their indices. Always stable.
struct RadixSort {
  KeyKind kind;
  unsigned key_bytes;  // 1, 2, 4 or 8
  Order order;
  FloatOrder floats;
  std::size_t value_bytes = 0;  // 0: keys alone
  unsigned index_bytes = 0;     // 4 or 8: values.out takes the indices of the keys
  bool with_keys = false;       // of indices: keys.out takes the keys, too
  std::size_t n = 0;
  Column keys = {};
  Column values = {};

  /// Without memory, says how much is needed for n, which depends on no GPU; else enqueues the sort.
  cudaError_t operator()(void* d_temp, std::size_t& temp_bytes, cudaStream_t stream) noexcept;
};

/// Rows of row.n keys each, one after the other from row.keys.in on. `row` says what is done with each, and where the
/// arrays of the first one begin. Keys alone or with indices, which are places in the row; no values. The
/// result of keys may be in place of the keys.
struct RowSort {
  RadixSort row;
  std::size_t rows;

  /// Without memory, says how much is needed on the current device; else enqueues the sort. It never waits.
  cudaError_t operator()(void* d_temp, std::size_t& temp_bytes, cudaStream_t stream) noexcept;
};

/// Makes the device of a stream the current one, for as long as it exists; of one that is being captured it must be
/// that already. Throws what CUDA reports.
class OnDeviceOf {
 public:
  explicit OnDeviceOf(cudaStream_t stream);
  ~OnDeviceOf();
  OnDeviceOf(const OnDeviceOf&) = delete;
  OnDeviceOf& operator=(const OnDeviceOf&) = delete;

 private:
  int before_ = 0;
  int device_ = 0;
};

// Pieces of the sorts by a comparison. They throw what CUDA reports; current_error() makes a code of it.

/// Copies bytes, unless they are there.
void copy(void* d_to, const void* d_from, std::size_t bytes, cudaStream_t stream);

/// d_out[i] = d_in[d_index[i]] for n items of `item_bytes` and indices of 4 or 8 bytes.
void gather(const void* d_in, void* d_out, std::size_t item_bytes, const void* d_index,
            unsigned index_bytes, std::size_t n, cudaStream_t stream);

/// d_out[i] = d_in[d_index[i]] in each row, for items of 1, 2, 4 or 8 bytes and indices of 4 or 8.
void gather_rows(const void* d_in, void* d_out, std::size_t item_bytes, const void* d_index,
                 unsigned index_bytes, std::size_t rows, std::size_t n, cudaStream_t stream);

/// d_out[i] = i.
void number(void* d_out, unsigned index_bytes, std::size_t n, cudaStream_t stream);

/// d_out[i] = d_in[i], from 4 bytes to 8.
void widen_indices(const std::uint32_t* d_in, void* d_out, std::size_t n, cudaStream_t stream);

/// What the exception that is being handled says as a code.
cudaError_t current_error() noexcept;

}  // namespace sortlab::cuda::detail
