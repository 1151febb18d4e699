// The rig of a sort over several GPUs. Each part has memory between guard zones, streams and a verifier
// on its own GPU; the verdict is about all parts together.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/contract/device_parts.hpp"
#include "common/harness/rig/cuda/device_buffer.hpp"
#include "common/harness/rig/cuda/device_verify.hpp"
#include "common/harness/rig/cuda/handles.hpp"
#include "common/harness/rig/rig.hpp"

namespace sortlab::device {

class DevicesRig : public Rig {
 public:
  explicit DevicesRig(const Task& task, std::size_t misalign = 0);
  ~DevicesRig() override;
  DevicesRig(const DevicesRig&) = delete;
  DevicesRig& operator=(const DevicesRig&) = delete;

  void restore(const Input& input) override;
  void sort(Sample& sample) override;
  Verdict verdict(const Input& input) override;
  std::string overrun() override;
  void poison() override;
  void flush_caches() override;
  std::size_t provided_bytes() const override;

 private:
  /// What a part has on its GPU, which must be the current one when it is made.
  struct Part {
    Part(const Config& config, const PartNeeds& needs, std::size_t parts, std::size_t misalign);

    OwnedStream stream;
    std::vector<std::unique_ptr<OwnedStream>> copy_streams;
    std::vector<Stream> copy_stream_handles;
    Event begin, end;  // of a sort
    DeviceBuffer keys, values, alternate_keys, alternate_values, workspace;
    DeviceBuffer other_data;  // larger than the L2, once it has been flushed
    RedZoneCheck red_zones;
    DeviceVerifier verifier;
  };

  /// Calls f(part) for each part, on its GPU.
  template <class F>
  void for_each_part(F f);
  void wait_for_all();

  Task task_;
  std::vector<Slice> slices_;
  std::int64_t alloc_ns_ = 0;
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<ErasedDevicePart> job_parts_;
  std::vector<PartResult> results_;
};

/// "" or which GPU lacks memory for a sort over several of them.
std::string devices_lack_memory(const Task& task);

}  // namespace sortlab::device
