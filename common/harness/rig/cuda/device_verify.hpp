// Looks at a result on the device, without copying it to the host. It finds the same as the look of
// common/harness/verify/verify.hpp.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "common/harness/rig/cuda/device_buffer.hpp"
#include "common/harness/verify/verify.hpp"

namespace sortlab::device {

/// Belongs to the device that is the current one when it is made.
class DeviceVerifier {
 public:
  DeviceVerifier();

  /// Like sortlab::look(), but at n items in device memory, and not at their ends. Waits for the stream.
  Findings look(KeyType type, Order order, const void* d_keys, ErasedValues d_values, std::size_t n,
                bool claims_stable, cudaStream_t stream) const;

 private:
  DeviceBuffer findings_;
};

}  // namespace sortlab::device
