// What a part of a sort over several GPUs has on its GPU, whether the parts are of one process or of several: buffers
// between guard zones, streams, events and a verifier.
#pragma once

#include <memory>
#include <vector>

#include "common/contract/parts.hpp"
#include "common/harness/config.hpp"
#include "common/harness/rig/buffers.hpp"
#include "common/harness/rig/cuda/device_buffer.hpp"
#include "common/harness/rig/cuda/device_verify.hpp"
#include "common/harness/rig/cuda/handles.hpp"
#include "common/harness/rig/cuda/kept_inputs.hpp"

namespace sortlab::device {

/// Its GPU must be the current one, for each call.
struct PartBuffers : Buffers<DeviceBuffer> {
  /// Throws OutOfDeviceMemory.
  PartBuffers(const Config& config, const PartNeeds& needs, std::size_t copy_streams,
              std::size_t misalign);

  std::size_t bytes() const;

  /// Puts the input in place, on the stream.
  void restore(const InputSlice& input) const;
  /// Fills all buffers, on the stream.
  void poison() const;
  /// Writes more than the L2 holds, on the stream.
  void flush_caches() { caches_.flush(stream); }
  /// The number of the buffer that was written beside, or -1. Waits for the stream.
  int first_overrun() const;
  /// Looks at what a sort left. Waits for the stream.
  Findings look(const Config& config, const PartResult& result, bool claims_stable) const;

  std::size_t capacity;
  OwnedStream stream;
  std::vector<std::unique_ptr<OwnedStream>> copy_streams;
  std::vector<Stream> copy_stream_handles;
  Event begin, end;  // of a sort

 private:
  CacheFlush caches_;
  RedZoneCheck red_zones_;
  DeviceVerifier verifier_;
};

}  // namespace sortlab::device
