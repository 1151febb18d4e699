#include "common/harness/rig/cuda/offload_rig.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "common/harness/rig/cuda/nvml.hpp"
#include "common/harness/rig/cuda/pristine.hpp"
#include "common/timers.hpp"
#include "common/utils.hpp"

namespace sortlab::device {
namespace {

/// The context, the code of kernels and the guard zones take some memory, too.
constexpr std::size_t kLeftFree = std::size_t{256} << 20;

/// The device memory that a sort may take: what is free, and no more than the configuration's cap.
std::size_t device_budget(const Config& config) {
  PristineInputs::instance().drop_outdated();
  std::size_t free = 0, all = 0;
  check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
  free = free > kLeftFree ? free - kLeftFree : 0;
  return config.gpu_mem == 0 ? free : std::min(free, config.gpu_mem);
}

/// The whole pages that hold a buffer; beyond it lie its guard zones.
std::span<std::byte> pages_of(const GuardedBuffer& buffer) {
  constexpr std::size_t kPage = 4096;
  const auto offset = reinterpret_cast<std::uintptr_t>(buffer.data()) % kPage;
  return {buffer.data() - offset, round_up(offset + buffer.size(), kPage)};
}

}  // namespace

OffloadNeeds offload_needs(const Task& task) {
  const Config& config = task.config;
  return task.variant.offload_needs({config.n, config.key_bytes(), config.value_bytes,
                                     config.threads, task.params,
                                     config.host_mem == HostMem::pinned, device_budget(config)});
}

GuardedHostMemory::GuardedHostMemory(std::size_t bytes, std::size_t misalign, bool pinned)
    : buffer_(bytes, misalign) {
  if (!pinned || bytes == 0) return;
  const std::span<std::byte> pages = pages_of(buffer_);
  check(cudaHostRegister(pages.data(), pages.size(), cudaHostRegisterDefault), "cudaHostRegister");
  pinned_ = true;
}

GuardedHostMemory::~GuardedHostMemory() {
  if (pinned_) (void)cudaHostUnregister(pages_of(buffer_).data());
}

GuardedHostMemory& GuardedHostMemory::operator=(GuardedHostMemory&& other) noexcept {
  std::swap(buffer_, other.buffer_);
  std::swap(pinned_, other.pinned_);
  return *this;
}

OffloadRig::OffloadRig(const Task& task, std::size_t misalign)
    : task_(task), needs_(offload_needs(task_)) {
  job_.host = task_.job();
  allocate(misalign);
  device_.paint_red_zones(work_);
  work_.wait();
  job_.host.keys = keys_.buffer().data();
  job_.host.values = values_.buffer().data();
  job_.host.alternate_keys = alternate_keys_.buffer().data();
  job_.host.alternate_values = alternate_values_.buffer().data();
  job_.host.workspace = workspace_.span();
  job_.device = device_.span();
  job_.pinned_memory = {pinned_memory_.data(), pinned_memory_.size()};
  job_.streams = {in_, work_, out_};
  job_.pinned = task_.config.host_mem == HostMem::pinned;
}

void OffloadRig::allocate(std::size_t misalign) {
  const Config& config = task_.config;
  const bool pinned = config.host_mem == HostMem::pinned;
  const auto keys = [&] {
    return GuardedHostMemory(config.n * config.key_bytes(), misalign * config.key_bytes(), pinned);
  };
  const auto values = [&] {
    if (!config.has_pairs()) return GuardedHostMemory();
    return GuardedHostMemory(config.n * config.value_bytes, misalign * config.value_bytes, pinned);
  };
  keys_ = keys();
  values_ = values();
  const Stopwatch watch;
  if (task_.instance.traits.alternate) {
    alternate_keys_ = keys();
    alternate_values_ = values();
  }
  workspace_ = GuardedBuffer(needs_.workspace_bytes);
  pinned_memory_ = HostMemory(needs_.pinned_bytes, true);
  device_ = DeviceBuffer(needs_.device_bytes);
  alloc_ns_ = watch.elapsed_ns();
}

void OffloadRig::restore(const Input& input) {
  input.copy_to(keys_.buffer().data(), values_.buffer().data());
}

void OffloadRig::sort(Sample& sample) {
  (void)cudaGetLastError();  // of an earlier sort that threw
  const Stopwatch watch;
  landed_ = task_.instance.sort_offload(job_);
  sample.total_ns = watch.elapsed_ns();
  sample.alloc_ns = alloc_ns_;
}

Verdict OffloadRig::verdict(const Input& input) {
  const bool in_data = landed_ == ResultIn::data;
  const Config& config = task_.config;
  const ErasedJob& host = job_.host;
  return verify(config.key_type, config.order, in_data ? host.keys : host.alternate_keys,
                in_data ? host.values : host.alternate_values, config.n, input.fingerprint,
                task_.instance.traits.stable);
}

std::string OffloadRig::overrun() {
  const std::pair<const char*, const GuardedBuffer*> buffers[] = {
      {"keys", &keys_.buffer()},
      {"values", &values_.buffer()},
      {"alternate keys", &alternate_keys_.buffer()},
      {"alternate values", &alternate_values_.buffer()},
      {"workspace", &workspace_}};
  for (const auto& [name, buffer] : buffers) {
    if (!buffer->red_zones_intact()) return std::string("wrote outside of its ") + name;
  }
  const DeviceBuffer* const device[] = {&device_};
  return red_zones_.first_overrun(device, work_) < 0 ? "" : "wrote outside of its device memory";
}

void OffloadRig::poison() {
  alternate_keys_.buffer().poison();
  alternate_values_.buffer().poison();
  workspace_.poison();
  device_.fill(kPoisonByte, work_);
  work_.wait();
}

void OffloadRig::read_sensors(Sample& sample) {
  sample.sm_mhz = sm_clock_mhz();
  sample.throttled_by = throttled_by();
}

std::optional<double> OffloadRig::device_joules() const { return joules_used(); }

std::size_t OffloadRig::provided_bytes() const {
  return alternate_keys_.buffer().size() + alternate_values_.buffer().size() + workspace_.size() +
         pinned_memory_.size() + device_.size();
}

}  // namespace sortlab::device
