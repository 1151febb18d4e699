// The rig of a sort of segments on a GPU: that of one array, with offsets in device memory.
#include "common/contract/segments.hpp"
#include "common/harness/rig/cuda/device_rig.hpp"
#include "common/harness/rig/cuda/host_copies.hpp"
#include "common/harness/rig/segments_task.hpp"
#include "common/harness/verify/verify.hpp"

namespace sortlab {
namespace device {
namespace {

class SegmentsRig : public DeviceRig {
 public:
  SegmentsRig(const Task& task, std::size_t misalign) : SegmentsRig(task, misalign, cut_of(task)) {}

  /// The host judges it: a segment may be longer than a block of the verifier's kernel.
  Verdict verdict(const Input& input) override {
    const auto& all = buffers();
    const HostCopies result(all.result_keys(landed()), all.result_values(landed()), stream());
    const HostCopies data(all.keys, all.values, stream());
    return verify_segments(
        task().config.key_type, task().config.order, result.items(), data.items(),
        {input.keys.data(), task().config.has_pairs() ? input.values.data() : nullptr},
        task().config.n, cut_.cut, task().instance.traits.stable);
  }

 private:
  SegmentsRig(const Task& task, std::size_t misalign, HostCut cut)
      : DeviceRig(task, misalign, segments_workspace_bytes(task, cut)),
        cut_(std::move(cut)),
        numbers_(cut_.bytes()) {
    if (cut_.bytes() != 0) {
      check(cudaMemcpyAsync(numbers_.data(), cut_.data(), cut_.bytes(), cudaMemcpyHostToDevice,
                            stream()),
            "cudaMemcpyAsync");
      check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
    }
    of_segments_ = {job(), cut_.at(numbers_.data()),
                    cut_.cut.is_rows() ? cut_.longest : task.config.n};
    sorts(&of_segments_);
  }

  HostCut cut_;
  DeviceBuffer numbers_;
  ErasedSegmentsJob of_segments_;
};

}  // namespace
}  // namespace device

std::unique_ptr<Rig> make_device_segments_rig(const Task& task, std::size_t misalign) {
  device::use_device(device::current_device());
  return std::make_unique<device::SegmentsRig>(task, misalign);
}

}  // namespace sortlab
