// Copies of device buffers in host memory, for verdicts that the host gives.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

#include "common/cuda_check.hpp"
#include "common/harness/rig/cuda/device_buffer.hpp"
#include "common/harness/verify/verify.hpp"

namespace sortlab::device {

/// What is in two buffers: keys, and values where there are any. Waits for the stream.
class HostCopies {
 public:
  HostCopies(const DeviceBuffer& d_keys, const DeviceBuffer& d_values, cudaStream_t stream)
      : keys_(d_keys.size()), values_(d_values.size()) {
    copy(keys_, d_keys, stream);
    copy(values_, d_values, stream);
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }

  VerifiedItems items() const { return {keys_.data(), values_.empty() ? nullptr : values_.data()}; }

 private:
  static void copy(std::vector<std::byte>& to, const DeviceBuffer& from, cudaStream_t stream) {
    if (to.empty()) return;
    check(cudaMemcpyAsync(to.data(), from.data(), to.size(), cudaMemcpyDeviceToHost, stream),
          "cudaMemcpyAsync");
  }

  std::vector<std::byte> keys_, values_;
};

}  // namespace sortlab::device
