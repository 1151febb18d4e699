// The rig of a sort over several GPUs. Each part has memory between guard zones, streams and a verifier
// on its own GPU; the verdict is about all parts together.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/contract/device_parts.hpp"
#include "common/harness/rig/cuda/part_buffers.hpp"
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
  /// Calls f(part) for each part, on its GPU.
  template <class F>
  void for_each_part(F f);
  void wait_for_all();

  Task task_;
  std::vector<Slice> slices_;
  std::int64_t alloc_ns_ = 0;
  std::vector<std::unique_ptr<PartBuffers>> parts_;
  std::vector<ErasedDevicePart> job_parts_;
  std::vector<PartResult> results_;
};

}  // namespace sortlab::device
