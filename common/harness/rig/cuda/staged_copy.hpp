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
#include "common/utils.hpp"

namespace sortlab::device {

struct CopySlice {
  std::size_t array;   // 0 or 1
  std::size_t offset;  // in bytes
  std::size_t bytes;
};

/// Two arrays cut into slices of one size; the last one of an array may be shorter.
class Slices {
 public:
  Slices(std::size_t first_bytes, std::size_t second_bytes, std::size_t slice_bytes)
      : bytes_{first_bytes, second_bytes},
        slice_bytes_(slice_bytes),
        in_first_(ceil_div(first_bytes, slice_bytes)),
        count_(in_first_ + ceil_div(second_bytes, slice_bytes)) {}

  std::size_t count() const { return count_; }

  CopySlice operator[](std::size_t number) const {
    const std::size_t array = number < in_first_ ? 0 : 1;
    const std::size_t offset = (number - array * in_first_) * slice_bytes_;
    const std::size_t rest = bytes_[array] - offset;
    return {array, offset, rest < slice_bytes_ ? rest : slice_bytes_};
  }

 private:
  std::size_t bytes_[2];
  std::size_t slice_bytes_;
  std::size_t in_first_;
  std::size_t count_;
};

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
