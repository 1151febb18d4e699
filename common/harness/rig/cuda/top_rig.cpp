// The rig of a top-k on a GPU: that of one array, with the numbers of each row in device memory.
#include "common/harness/rig/cuda/device_rig.hpp"
#include "common/harness/rig/cuda/host_copies.hpp"
#include "common/harness/rig/top_task.hpp"
#include "common/harness/verify/verify.hpp"

namespace sortlab {
namespace device {
namespace {

class TopRig : public DeviceRig {
 public:
  TopRig(const Task& task, std::size_t misalign) : TopRig(task, misalign, HostTop(task)) {}

  Verdict verdict(const Input& input) override {
    const auto& all = buffers();
    const Config& config = task().config;
    const HostCopies found(all.result_keys(landed()), all.result_values(landed()), stream());
    const HostCopies kept(all.keys, DeviceBuffer(), stream());
    return verify_top_k(config.key_type, config.order, found.items(), kept.items().keys,
                        {input.keys.data(), config.has_pairs() ? input.values.data() : nullptr},
                        config.n, of_top_.rows, top_.with(top_.host_ks()));
  }

 private:
  TopRig(const Task& task, std::size_t misalign, HostTop top)
      : DeviceRig(task, misalign, workspace_bytes_of(task, top)),
        top_(std::move(top)),
        numbers_(top_.ks.size() * sizeof(std::uint32_t)) {
    const std::uint32_t* d_ks = nullptr;
    if (numbers_.size() != 0) {
      check(cudaMemcpyAsync(numbers_.data(), top_.ks.data(), numbers_.size(),
                            cudaMemcpyHostToDevice, stream()),
            "cudaMemcpyAsync");
      check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
      d_ks = reinterpret_cast<const std::uint32_t*>(numbers_.data());
    }
    of_top_ = {job(), top_.rows, top_.with(d_ks)};
    sorts(&of_top_);
  }

  HostTop top_;
  DeviceBuffer numbers_;
  ErasedTopKJob of_top_;
};

}  // namespace
}  // namespace device

std::unique_ptr<Rig> make_device_top_rig(const Task& task, std::size_t misalign) {
  device::use_device(device::current_device());
  return std::make_unique<device::TopRig>(task, misalign);
}

}  // namespace sortlab
