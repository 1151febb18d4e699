// What the choice of a sort depends on, of a GPU.
#pragma once

#include <cstddef>

#include "gpu/primitives/launch/pretend.hpp"

namespace sortlab::cuda::detail {

struct GpuFacts {
  std::size_t sms = 0;
  std::size_t shared_bytes_per_block = 0;  // at most, for a kernel that asks for it
  std::size_t shared_bytes_per_sm = 0;
  bool cooperative = false;  // can launch grids whose blocks wait for each other
};

/// Of the current device; asks the driver once per device.
GpuFacts gpu_facts();

/// While it lives, sorts of the calling thread are chosen and launched as for a smaller GPU. For tests.
class SmallerGpu {
 public:
  explicit SmallerGpu(const GpuFacts& facts);
  ~SmallerGpu();
  SmallerGpu(const SmallerGpu&) = delete;
  SmallerGpu& operator=(const SmallerGpu&) = delete;

 private:
  gpu::PretendedAttributes attributes_;
};

}  // namespace sortlab::cuda::detail
