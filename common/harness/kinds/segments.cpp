// Segments of one array, each of which is sorted for itself, in host or in device memory.
#include "common/contract/segments.hpp"
#include "common/contract/errors.hpp"
#include "common/harness/kinds/kinds.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/rig/host_rig.hpp"
#include "common/harness/rig/segments_task.hpp"
#include "common/harness/verify/verify.hpp"

namespace sortlab {
namespace {

class SegmentsRig : public HostRig {
 public:
  SegmentsRig(const Task& of_task, std::size_t misalign)
      : SegmentsRig(of_task, misalign, cut_of(of_task)) {}

  void sort(Sample& sample) override {
    of_segments_.array = job();
    HostRig::sort(sample);
  }

  Verdict verdict(const Input& input) override {
    const bool pairs = task().config.has_pairs();
    const auto items = [pairs](const auto& keys, const auto& values) {
      return VerifiedItems{keys.data(), pairs ? values.data() : nullptr};
    };
    const HostBuffers& all = buffers();
    return verify_segments(task().config.key_type, task().config.order,
                           items(all.result_keys(landed()), all.result_values(landed())),
                           items(all.keys, all.values), items(input.keys, input.values),
                           task().config.n, cut_.cut, task().instance.traits.stable);
  }

 private:
  SegmentsRig(const Task& of_task, std::size_t misalign, HostCut cut)
      : HostRig(of_task, misalign, segments_workspace_bytes(of_task, cut)),
        cut_(std::move(cut)),
        of_segments_{job(), cut_.cut, cut_.longest} {
    sorts(&of_segments_);
  }

  HostCut cut_;
  ErasedSegmentsJob of_segments_;
};

std::string misfit_of_segments(const Config& config) {
  if (config.lengths.rule.empty()) {
    return "sorts of segments: say which with --segments RULE:MEAN, as in rows:64";
  }
  if (config.host_mem != HostMem::none) return "sorts of segments begin and end on the GPU";
  if (!config.lengths.is_wide && config.n > UINT32_MAX) {
    return "n over 4294967295: offsets of 32 bits, say --segments RULE:MEAN:wide";
  }
  return "";
}

std::string lacks_memory_of_segments(const Task& task, std::size_t input_bytes) {
  if (task.on_device()) {
    if (const std::string reason = device_lacks_memory(task); !reason.empty()) return reason;
    return lacks_host_memory(task, input_bytes + 2 * task.input_bytes());  // for the verdict
  }
  const HostCut cut = cut_of(task);
  return lacks_host_memory(
      task, input_bytes + task.bytes_needed() + cut.bytes() + segments_workspace_bytes(task, cut));
}

std::unique_ptr<Rig> make_rig_of_segments(const Task& task, const Setup& setup) {
  if (task.on_device()) return make_device_segments_rig(task, setup.misalign);
  return std::make_unique<SegmentsRig>(task, setup.misalign);
}

}  // namespace

const Handling kSegments{.kind = &Segments::kKind,
                         .has_segments = true,
                         .misfit = &misfit_of_segments,
                         .lacks_memory = &lacks_memory_of_segments,
                         .make_rig = &make_rig_of_segments};

}  // namespace sortlab
