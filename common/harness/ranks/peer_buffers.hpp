// The buffers of other parts, where their processes are on the same host: mapped into this one.
#pragma once

#include <cstddef>
#include <vector>

#include "common/contract/communicator.hpp"
#include "common/harness/rig/workspace.hpp"

namespace sortlab {

/// Each part's buffer, at an address of this process. MPI_Win_allocate_shared does the same, but in
/// /dev/shm, which is small in many containers, and for MPI alone.
class PeerBuffers {
 public:
  PeerBuffers() = default;
  /// `own` must be GuardedBuffer::in_a_file(). All parts must call it.
  PeerBuffers(Communicator& parts, const GuardedBuffer& own);
  ~PeerBuffers();
  PeerBuffers(PeerBuffers&& other) noexcept { *this = static_cast<PeerBuffers&&>(other); }
  PeerBuffers& operator=(PeerBuffers&& other) noexcept;

  /// By part. Empty on all parts when one of them can't map the buffer of another.
  const std::vector<std::byte*>& data() const { return data_; }

 private:
  void unmap();

  struct Mapping {
    void* address;
    std::size_t bytes;
  };
  std::vector<Mapping> mappings_;
  std::vector<std::byte*> data_;
};

}  // namespace sortlab
