// common/harness/verify/verify.hpp for a result that lies on the device: the same verdict, without copying it
// to the host.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "common/harness/rig/cuda/device_buffer.hpp"
#include "common/harness/verify/verify.hpp"

namespace sortlab::device {

class DeviceVerifier {
 public:
  DeviceVerifier();

  /// As sortlab::verify(), of device memory. Waits for the stream.
  Verdict verify(KeyType type, Order order, const void* d_keys, const void* d_values, std::size_t n,
                 const Fingerprint& expected, bool claims_stable, cudaStream_t stream) const;

 private:
  DeviceBuffer findings_;
};

}  // namespace sortlab::device
