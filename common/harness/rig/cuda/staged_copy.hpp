// Copies between pageable memory and the GPU, carried by several CPU threads.
//
// A GPU reaches only pinned memory by itself. For a copy from or to pageable memory CUDA carries
// the bytes through a pinned buffer of its own, with one thread. Here several threads carry slices,
// each through pinned buffers of its own: while the GPU copies one, the thread carries the next.
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

  /// Prepares for copies of two arrays of so many bytes, of which the second may have none.
  StagedCopy(std::size_t first_bytes, std::size_t second_bytes);

  /// Returns when the GPU has yet to copy what lies in pinned buffers, in the order of `stream`.
  void to_device(const Arrays& arrays, cudaStream_t stream);
  /// Copies what the work on `stream` leaves. Returns when all bytes have arrived.
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

  /// Calls carry(carrier) on a thread for each.
  template <class Carry>
  void on_all_threads(Carry carry);

  Slices slices_;
  HostMemory pinned_;
  std::vector<Carrier> carriers_;
};

}  // namespace sortlab::device
