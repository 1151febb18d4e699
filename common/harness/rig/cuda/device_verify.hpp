// Verifies a result on the device, without copying it to the host. The verdict is the same as that
// of common/harness/verify/verify.hpp.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "common/harness/rig/cuda/device_buffer.hpp"
#include "common/harness/verify/verify.hpp"

namespace sortlab::device {

/// What a look at a result shows.
struct DeviceFindings {
  Fingerprint fingerprint;
  bool sorted = true;
  bool stable = true;  // values ascend among equal keys; true for keys alone
};

/// Belongs to the device that is the current one when it is made.
class DeviceVerifier {
 public:
  DeviceVerifier();

  /// Looks at n items in device memory. Waits for the stream.
  DeviceFindings look(KeyType type, Order order, const void* d_keys, const void* d_values,
                      std::size_t n, cudaStream_t stream) const;

  /// Like sortlab::verify(), but for device memory. Waits for the stream.
  Verdict verify(KeyType type, Order order, const void* d_keys, const void* d_values, std::size_t n,
                 const Fingerprint& expected, bool claims_stable, cudaStream_t stream) const;

 private:
  DeviceBuffer findings_;
};

}  // namespace sortlab::device
