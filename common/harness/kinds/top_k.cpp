// The best k items of rows, in host or in device memory, and partial sorts of an array in host memory.
#include "common/contract/top_k.hpp"

#include <fmt/format.h>

#include "common/harness/kinds/kinds.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/rig/host_rig.hpp"
#include "common/harness/rig/top_task.hpp"
#include "common/harness/verify/verify.hpp"

namespace sortlab {
namespace {

class TopRig : public HostRig {
 public:
  TopRig(const Task& of_task, std::size_t misalign) : TopRig(of_task, misalign, HostTop(of_task)) {}

  void sort(Sample& sample) override {
    of_top_.array = job();
    HostRig::sort(sample);
  }

  Verdict verdict(const Input& input) override {
    const Config& config = task().config;
    const auto items = [&](const auto& keys, const auto& values) {
      return VerifiedItems{keys.data(), config.has_pairs() ? values.data() : nullptr};
    };
    const HostBuffers& all = buffers();
    return verify_top_k(config.key_type, config.order,
                        items(all.result_keys(landed()), all.result_values(landed())),
                        all.keys.data(), items(input.keys, input.values), config.n, of_top_.rows,
                        of_top_.top);
  }

 private:
  TopRig(const Task& of_task, std::size_t misalign, HostTop top)
      : HostRig(of_task, misalign, workspace_bytes_of(of_task, top)),
        top_(std::move(top)),
        of_top_{job(), top_.rows, top_.with(top_.host_ks())} {
    sorts(&of_top_);
  }

  HostTop top_;
  ErasedTopKJob of_top_;
};

class PartialRig : public HostRig {
 public:
  PartialRig(const Task& of_task, std::size_t misalign)
      : HostRig(of_task, misalign, workspace_bytes_of(of_task)),
        of_part_{job(), k_of(of_task.config), of_task.config.top.is_sorted} {
    sorts(&of_part_);
  }

  static std::size_t k_of(const Config& config) { return std::min(config.top.most, config.n); }
  static std::size_t workspace_bytes_of(const Task& task) {
    return task.variant.needs<Partial>(
        {task.request(), k_of(task.config), task.config.top.is_sorted});
  }

  void sort(Sample& sample) override {
    of_part_.array = job();
    HostRig::sort(sample);
  }

  Verdict verdict(const Input& input) override {
    const Config& config = task().config;
    const ErasedValues values(buffers().result_values(landed()).data(), config.value_bytes);
    return verify_partial(config.key_type, config.order, buffers().result_keys(landed()).data(),
                          values, config.n, of_part_.k, of_part_.is_sorted, input.fingerprint);
  }

 private:
  ErasedPartialJob of_part_;
};

std::string misfit_of_top(const Config& config) {
  if (!config.top.is_asked)
    return "finds the best K items: say how many with --best K, as in --best 50";
  if (config.host_mem != HostMem::none) return "a top-k begins and ends on the GPU";
  if (const std::string& rule = config.lengths.rule;
      !rule.empty() && rule != "rows" && rule != "strided") {
    return fmt::format("rows of one length: --segments rows:MEAN or strided:MEAN, not {}", rule);
  }
  if (config.top.is_first && !config.stable)
    return "finds any of equal keys: --best K without :first";
  if (config.has_pairs() && config.value_bytes != sizeof(std::uint32_t)) {
    return "places have 32 bits: --values pairs";
  }
  return "";
}

std::string misfit_of_partial(const Config& config) {
  if (!config.top.is_asked)
    return "finds the best K items: say how many with --best K, as in --best 50";
  if (config.top.least != config.top.most) return "has one array: --best K, not LEAST-MOST";
  if (config.top.is_first) return "finds any of equal keys: --best K without :first";
  return "";
}

std::string lacks_memory_of_top(const Task& task, std::size_t input_bytes) {
  if (task.on_device()) {
    if (const std::string reason = device_lacks_memory(task); !reason.empty()) return reason;
    return lacks_host_memory(task, input_bytes + 3 * task.input_bytes());  // for the verdict
  }
  const HostTop top(task);
  return lacks_host_memory(task,
                           input_bytes + 2 * task.bytes_needed() + workspace_bytes_of(task, top));
}

}  // namespace

const Handling kTopK{.kind = &TopK::kKind,
                     .has_segments = true,
                     .has_top = true,
                     .misfit = &misfit_of_top,
                     .lacks_memory = &lacks_memory_of_top,
                     .make_rig = [](const Task& task, const Setup& setup) -> std::unique_ptr<Rig> {
                       if (task.on_device()) return make_device_top_rig(task, setup.misalign);
                       return std::make_unique<TopRig>(task, setup.misalign);
                     }};

const Handling kPartial{
    .kind = &Partial::kKind,
    .has_top = true,
    .misfit = &misfit_of_partial,
    .lacks_memory =
        [](const Task& task, std::size_t input_bytes) {
          return lacks_host_memory(
              task, input_bytes + 2 * task.bytes_needed() + PartialRig::workspace_bytes_of(task));
        },
    .make_rig = [](const Task& task, const Setup& setup) -> std::unique_ptr<Rig> {
      return std::make_unique<PartialRig>(task, setup.misalign);
    }};

}  // namespace sortlab
