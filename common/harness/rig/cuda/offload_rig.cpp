// The rig of a sort of host data with the help of GPUs (common/contract/offload.hpp). It has the data in host memory; for
// each GPU, memory within the configuration's cap and three streams; and guard zones around all of it.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "common/contract/offload.hpp"
#include "common/harness/rig/buffers.hpp"
#include "common/harness/rig/cuda/device_buffer.hpp"
#include "common/harness/rig/cuda/device_rig.hpp"
#include "common/harness/rig/cuda/handles.hpp"
#include "common/harness/rig/cuda/host_memory.hpp"
#include "common/harness/rig/cuda/kept_inputs.hpp"
#include "common/harness/rig/cuda/nvidia_libraries.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/rig/rig.hpp"
#include "common/timers.hpp"
#include "common/utils.hpp"

namespace sortlab::device {

/// Makes host memory accessible to all GPUs as long as it exists.
class Pinned {
 public:
  explicit Pinned(const GuardedBuffer& buffer);
  ~Pinned();
  Pinned(Pinned&& other) noexcept : pages_(std::exchange(other.pages_, nullptr)) {}

 private:
  void* pages_ = nullptr;
};

class OffloadRig : public Rig {
 public:
  explicit OffloadRig(const Task& task, std::size_t misalign = 0);

  void restore(const Input& input) override;
  void sort(Sample& sample) override;
  Verdict verdict(const Input& input) override;
  std::string overrun() override;
  void poison() override;
  void flush_caches() override { sortlab::flush_caches(); }
  void read_sensors(Sample& sample) override;
  std::optional<double> device_joules() const override;
  std::size_t provided_bytes() const override;

 private:
  /// What the sort has of one GPU, which must be the current one when it is made.
  struct Gpu {
    explicit Gpu(const OffloadNeeds& needs)
        : pinned_memory(needs.pinned_bytes, true), memory(needs.device_bytes) {}

    OwnedStream in, work, out;
    HostMemory pinned_memory;
    DeviceBuffer memory;
    RedZoneCheck red_zones;
  };

  void allocate(std::size_t misalign);
  void allocate_on_gpus();
  /// Calls f(gpu) for each of them, while it is the current one.
  template <class F>
  void for_each_gpu(F f);

  Task task_;
  Devices devices_;
  OffloadNeeds needs_;
  std::int64_t alloc_ns_ = 0;  // for all but the data itself
  HostBuffers buffers_;
  std::vector<Pinned> pinned_;  // data and alternate, if the configuration says so
  std::vector<std::unique_ptr<Gpu>> gpus_;
  std::vector<OffloadGpu> job_gpus_;
  ErasedOffloadJob job_{};
  ResultIn landed_ = ResultIn::data;
};

}  // namespace sortlab::device

namespace sortlab::device {
namespace {

/// The context, the code of kernels and the guard zones take some memory, too.
constexpr std::size_t kLeftFree = std::size_t{256} << 20;

/// The GPUs of a sort: those that the configuration names, else the current one.
Devices devices_of(const Config& config) {
  if (!config.devices.empty()) return config.devices;
  return {current_device()};
}

/// The memory that a sort may take of each GPU: what is free, and no more than the configuration's cap. A GPU that is
/// named twice shares it out.
std::size_t device_budget(const Config& config) {
  KeptInputs::instance().drop_outdated();
  const Devices devices = devices_of(config);
  std::size_t budget = std::numeric_limits<std::size_t>::max();
  for (const int device : devices) {
    const OnDevice here(device);
    std::size_t free = 0, all = 0;
    check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
    free = free > kLeftFree ? free - kLeftFree : 0;
    if (config.gpu_mem != 0) free = std::min(free, config.gpu_mem);
    const auto times = static_cast<std::size_t>(std::ranges::count(devices, device));
    budget = std::min(budget, free / times);
  }
  return budget;
}

/// The whole pages that hold a buffer; beyond it lie its guard zones.
std::span<std::byte> pages_of(const GuardedBuffer& buffer) {
  constexpr std::size_t kPage = 4096;
  const auto offset = reinterpret_cast<std::uintptr_t>(buffer.data()) % kPage;
  return {buffer.data() - offset, round_up(offset + buffer.size(), kPage)};
}

/// What a sort of host data needs with the device memory that it may take now.
OffloadNeeds offload_needs(const Task& task) {
  const Config& config = task.config;
  return task.variant.needs<Offload>({config.n, config.key_bytes(), config.value_bytes,
                                      config.threads, task.params,
                                      config.host_mem == HostMem::pinned, device_budget(config),
                                      static_cast<int>(devices_of(config).size())});
}

}  // namespace

Pinned::Pinned(const GuardedBuffer& buffer) {
  if (buffer.size() == 0) return;
  const std::span<std::byte> pages = pages_of(buffer);
  check(cudaHostRegister(pages.data(), pages.size(), cudaHostRegisterPortable), "cudaHostRegister");
  pages_ = pages.data();
}

Pinned::~Pinned() {
  if (pages_ != nullptr) (void)cudaHostUnregister(pages_);
}

OffloadRig::OffloadRig(const Task& task, std::size_t misalign)
    : task_(task), devices_(devices_of(task.config)), needs_(offload_needs(task_)) {
  job_.host = task_.job();
  allocate(misalign);
  for_each_gpu([](const Gpu& gpu) {
    gpu.memory.paint_red_zones(gpu.work);
    gpu.work.wait();
  });
  buffers_.attach(job_.host);
  job_.gpus = job_gpus_;
  job_.pinned = task_.config.host_mem == HostMem::pinned;
}

void OffloadRig::allocate(std::size_t misalign) {
  const Config& config = task_.config;
  const auto buffer = [&](std::size_t n, std::size_t bytes) {
    GuardedBuffer made(n * bytes, misalign * bytes);
    if (config.host_mem == HostMem::pinned) pinned_.emplace_back(made);
    return made;
  };
  buffers_.make_data(config, config.n, buffer);
  const Stopwatch watch;
  if (task_.instance.traits.alternate) buffers_.make_alternate(config, config.n, buffer);
  buffers_.workspace = GuardedBuffer(needs_.workspace_bytes);
  allocate_on_gpus();
  alloc_ns_ = watch.elapsed_ns();
}

void OffloadRig::allocate_on_gpus() {
  for (const int device : devices_) {
    use_device(device);
    const OnDevice here(device);
    const Gpu& gpu = *gpus_.emplace_back(std::make_unique<Gpu>(needs_));
    job_gpus_.push_back({device,
                         gpu.memory.span(),
                         {gpu.pinned_memory.data(), gpu.pinned_memory.size()},
                         {gpu.in, gpu.work, gpu.out}});
  }
}

template <class F>
void OffloadRig::for_each_gpu(F f) {
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    const OnDevice here(devices_[i]);
    f(*gpus_[i]);
  }
}

void OffloadRig::restore(const Input& input) {
  input.copy_to(buffers_.keys.data(), buffers_.values.data());
}

void OffloadRig::sort(Sample& sample) {
  (void)cudaGetLastError();  // of an earlier sort that threw
  const OnDevice here(devices_.front());
  const Stopwatch watch;
  landed_ = task_.instance.sort(job_);
  sample.total_ns = watch.elapsed_ns();
  sample.alloc_ns = alloc_ns_;
}

Verdict OffloadRig::verdict(const Input& input) {
  const Findings found =
      look(buffers_, landed_, task_.config, task_.config.n, task_.instance.traits.stable);
  return judged(std::span(&found, 1), input.fingerprint);
}

std::string OffloadRig::overrun() {
  if (const int buffer = first_overrun(buffers_); buffer >= 0) return overrun_text(buffer);
  bool all_intact = true;
  for_each_gpu([&](const Gpu& gpu) {
    const DeviceBuffer* const memory[] = {&gpu.memory};
    all_intact &= gpu.red_zones.first_overrun(memory, gpu.work) < 0;
  });
  return all_intact ? "" : "wrote outside of its device memory";
}

void OffloadRig::poison() {
  sortlab::poison(buffers_);
  for_each_gpu([](const Gpu& gpu) {
    gpu.memory.fill(kPoisonByte, gpu.work);
    gpu.work.wait();
  });
}

void OffloadRig::read_sensors(Sample& sample) {
  sample.sm_mhz = sm_clock_mhz();
  sample.throttled_by = throttled_by();
}

std::optional<double> OffloadRig::device_joules() const { return joules_used(); }

std::size_t OffloadRig::provided_bytes() const {
  const std::size_t of_gpus = devices_.size() * (needs_.pinned_bytes + needs_.device_bytes);
  return buffers_.extra_bytes() + of_gpus;
}

}  // namespace sortlab::device

namespace sortlab {

std::unique_ptr<Rig> make_offload_rig(const Task& task, std::size_t misalign) {
  return std::make_unique<device::OffloadRig>(task, misalign);
}

void check_offload_fits(const Task& task) { (void)device::offload_needs(task); }

}  // namespace sortlab
