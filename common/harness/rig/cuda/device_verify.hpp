// Verifies a result on the device, without copying it to the host. The verdict is the same as that
// of common/harness/verify/verify.hpp.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "common/harness/rig/cuda/device_buffer.hpp"
#include "common/harness/verify/verify.hpp"

namespace sortlab::device {

class DeviceVerifier {
 public:
  DeviceVerifier();

  /// Like sortlab::verify(), but for device memory. Waits for the stream.
  Verdict verify(KeyType type, Order order, const void* d_keys, const void* d_values, std::size_t n,
                 const Fingerprint& expected, bool claims_stable, cudaStream_t stream) const;

 private:
  DeviceBuffer findings_;
};

}  // namespace sortlab::device
