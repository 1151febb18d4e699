// What a part of a sort over several GPUs has on its GPU, whether the parts are of one process or of several: buffers
// between guard zones, streams, events and a verifier.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "common/contract/parts.hpp"
#include "common/harness/config.hpp"
#include "common/harness/ranks/part_verdict.hpp"
#include "common/harness/rig/cuda/device_buffer.hpp"
#include "common/harness/rig/cuda/device_verify.hpp"
#include "common/harness/rig/cuda/handles.hpp"
#include "common/harness/rig/cuda/sliced_inputs.hpp"

namespace sortlab::device {

/// Its GPU must be the current one, for each call.
struct PartBuffers {
  /// Throws OutOfDeviceMemory.
  PartBuffers(const Config& config, const PartNeeds& needs, std::size_t copy_streams,
              std::size_t misalign);

  /// In the order of kPartBuffers.
  std::array<const DeviceBuffer*, 5> all() const {
    return {&keys, &values, &alternate_keys, &alternate_values, &workspace};
  }
  std::size_t bytes() const;

  /// Puts the input in place, on the stream.
  void restore(const InputSlice& input) const;
  /// Fills all buffers, on the stream.
  void poison() const;
  /// Writes more than the L2 holds, on the stream.
  void flush_caches();
  /// The number of the buffer that was written beside, or -1. Waits for the stream.
  int first_overrun() const;
  /// Judges what a sort left. `before` is the fingerprint of its input. Waits for the stream.
  PartReport report(const Config& config, const PartResult& result, const Fingerprint& before,
                    bool claims_stable) const;

  std::size_t capacity;
  OwnedStream stream;
  std::vector<std::unique_ptr<OwnedStream>> copy_streams;
  std::vector<Stream> copy_stream_handles;
  Event begin, end;  // of a sort
  DeviceBuffer keys, values, alternate_keys, alternate_values, workspace;

 private:
  DeviceBuffer other_data_;  // larger than the L2, once it has been flushed
  RedZoneCheck red_zones_;
  DeviceVerifier verifier_;
};

}  // namespace sortlab::device
