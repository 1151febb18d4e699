// Copies between pageable memory and the GPU that several CPU threads stage.
//
// A GPU can access only pinned memory directly. For pageable memory, CUDA moves the bytes through
// its own pinned buffer with one thread. Here several threads move slices, each through its own
// pinned buffers: while the GPU copies one slice, the thread moves the next.
//
//     thread 0    [carry 0][carry 2][carry 5]         numbers of slices, from a counter
//     thread 1    [carry 1][carry 3][carry 4]
//     GPU                  [copy 0][copy 1][copy 2]   one stream; to the host: first copy, then carry
#pragma once

#include <cstddef>
#include <vector>

#include "common/harness/rig/cuda/handles.hpp"
#include "common/harness/rig/cuda/host_memory.hpp"
#include "common/harness/rig/cuda/slices.hpp"

namespace sortlab::device {

class StagedCopy {
 public:
  /// An array, and its copy on the GPU.
  struct Array {
    std::byte* host;
    std::byte* device;
  };
  using Arrays = Array[2];

  /// Prepares for copies of two arrays of these sizes in bytes; the second size may be 0.
  StagedCopy(std::size_t first_bytes, std::size_t second_bytes);

  /// Returns when all bytes are in pinned buffers; the GPU copies them in the order of `stream`.
  void to_device(const Arrays& arrays, cudaStream_t stream);
  /// Copies the results of the work on `stream`. Returns when all bytes have arrived.
  void to_host(const Arrays& arrays, cudaStream_t stream);

  std::size_t pinned_bytes() const { return pinned_.size(); }

 private:
  static constexpr std::size_t kBuffers = 2;  // a thread

  struct Buffer {
    std::byte* data;
    std::size_t slice;  // number of the one that is on its way through the buffer
    Event copied;       // by the GPU
  };
  struct Carrier {
    Buffer buffers[kBuffers];
    Buffer& next(std::size_t turn) { return buffers[turn % kBuffers]; }
  };

  /// Calls carry(carrier) on one thread per carrier.
  template <class Carry>
  void on_all_threads(Carry carry);

  Slices slices_;
  HostMemory pinned_;
  std::vector<Carrier> carriers_;
};

}  // namespace sortlab::device
