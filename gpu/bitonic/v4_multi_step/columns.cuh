// The passes over columns in global memory: several steps of the network each time an item is in
// registers.
#pragma once

#include <cstddef>

#include "gpu/bitonic/v4_multi_step/column.cuh"
#include "gpu/bitonic/v4_multi_step/shape.cuh"

namespace sortlab::gpu::bitonic::v4_multi_step {

/// How many of a column's positions are within the n items: the first ones.
template <unsigned kBits>
__device__ __forceinline__ unsigned positions_within(std::size_t n, Place<std::size_t> place,
                                                     unsigned low_bit) {
  constexpr unsigned kHalf = (1u << kBits) / 2;
  const auto of_half = [&](std::size_t begin) -> unsigned {
    if (begin >= n) return 0;
    const std::size_t count = ((n - 1 - begin) >> low_bit) + 1;
    return count < kHalf ? static_cast<unsigned>(count) : kHalf;
  };
  return of_half(place.lower) + of_half(place.upper + (std::size_t{kHalf} << low_bit));
}

/// The distance of two positions, 2^low_bit, twice: the compiler does not know that both are the
/// same, so it keeps no address in registers between loading and storing.
struct Strides {
  std::size_t to_load;
  std::size_t to_store;
};

/// Calls work(position, items from that position on) for a column's first `count` positions in
/// global memory.
template <unsigned kBits, class Key, class Value, class Work>
__device__ __forceinline__ void for_positions(Items<Key, Value> data, Place<std::size_t> place,
                                              std::size_t stride, unsigned count, Work work) {
  constexpr unsigned kHalf = (1u << kBits) / 2;
  const auto for_those = [&](auto is_within) {
    auto at = data.from(place.lower);
#pragma unroll
    for (unsigned p = 0; p < 2 * kHalf; ++p) {
      if (p == kHalf) at = data.from(place.upper + kHalf * stride);
      if (is_within(p)) work(p, at);
      at = at.from(stride);
    }
  };
  if (count == 2 * kHalf) {
    for_those([](unsigned) { return true; });
  } else {
    for_those([&](unsigned p) { return p < count; });
  }
}

constexpr unsigned kColumnThreads = 256;
constexpr unsigned kColumnBlocksAnSm = 2;  // 128 registers per thread

/// Kind::fold_columns and Kind::merge_columns: one column per thread.
template <Steps kSteps, class Shape, class Key, class Value>
__global__ void __launch_bounds__(kColumnThreads, kColumnBlocksAnSm)
    do_columns(Items<Key, Value> data, std::size_t n, unsigned stage, unsigned low_bit,
               Strides strides) {
  constexpr unsigned kBits = Shape::kWideBits;
  const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const auto place = place_of<kBits, kSteps>(x, low_bit);
  if (!has_upper_half(place.lower, n, stage)) return;
  const unsigned count = positions_within<kBits>(n, place, low_bit);

  Column<Key, Value, kBits> column;
  fill(column);
  for_positions<kBits>(data, place, strides.to_load, count,
                       [&](unsigned p, auto at) { column.at[p] = at[0]; });
  run_steps<kSteps>(column);
  for_positions<kBits>(data, place, strides.to_store, count,
                       [&](unsigned p, auto at) { at.put(0, column.at[p]); });
}

}  // namespace sortlab::gpu::bitonic::v4_multi_step
