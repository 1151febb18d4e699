// Owners of CUDA's handles.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "common/cuda_check.hpp"

namespace sortlab::device {

class OwnedStream {
 public:
  OwnedStream() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
  ~OwnedStream() { (void)cudaStreamDestroy(stream_); }
  OwnedStream(const OwnedStream&) = delete;
  OwnedStream& operator=(const OwnedStream&) = delete;

  operator cudaStream_t() const { return stream_; }
  void wait() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Event() { (void)cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t stream) const {
    check(cudaEventRecord(event_, stream), "cudaEventRecord");
  }
  /// Returns at once if it was never recorded.
  void wait() const { check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }
  /// Both must have happened.
  std::int64_t ns_since(const Event& earlier) const {
    float ms = 0;
    check(cudaEventElapsedTime(&ms, earlier.event_, event_), "cudaEventElapsedTime");
    return static_cast<std::int64_t>(static_cast<double>(ms) * 1e6);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace sortlab::device
