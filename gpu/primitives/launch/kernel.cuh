// Checked CUDA calls and launches, and the checks of a sort's parameters for them.
#pragma once

#include <cuda_runtime.h>

#include <bit>
#include <cstddef>
#include <string>
#include <string_view>

#include "common/contract/errors.hpp"
#include "common/contract/variant.hpp"
#include "common/cuda_check.hpp"
#include "common/utils.hpp"
#include "gpu/primitives/launch/launch.cuh"
#include "gpu/primitives/launch/shared_bytes.hpp"

namespace sortlab::gpu {

/// The parameter `name`, which must be a power of two.
inline unsigned power_of_two(const Params& params, std::string_view name) {
  const auto value = static_cast<unsigned>(params[name]);
  if (!std::has_single_bit(value)) {
    throw BadInput(std::string(name) + " must be a power of two, not " + std::to_string(value));
  }
  return value;
}

/// The parameter `name`, which must be a multiple of the 32 lanes of a warp.
inline unsigned whole_warps(const Params& params, std::string_view name) {
  const auto value = static_cast<unsigned>(params[name]);
  if (value % 32 != 0) {
    throw BadInput(std::string(name) + " must be a multiple of 32, not " + std::to_string(value));
  }
  return value;
}

/// The blocks of `kernel` that the current device can hold at a time, without dynamic shared
/// memory.
template <class... Parameters>
std::size_t resident_blocks(void (*kernel)(Parameters...), unsigned threads) {
  int blocks_an_sm = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_an_sm, kernel,
                                                      static_cast<int>(threads), 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return static_cast<std::size_t>(blocks_an_sm) * device_attribute(cudaDevAttrMultiProcessorCount);
}

}  // namespace sortlab::gpu
