// The rig of a sort over several GPUs. Each part has memory between guard zones, streams and a verifier
// on its own GPU; the verdict is about all parts together.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "common/contract/device_parts.hpp"
#include "common/contract/errors.hpp"
#include "common/harness/ranks/part_of_task.hpp"
#include "common/harness/rig/cuda/device_rig.hpp"
#include "common/harness/rig/cuda/kept_inputs.hpp"
#include "common/harness/rig/cuda/part_buffers.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/rig/rig.hpp"
#include "common/timers.hpp"

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

namespace sortlab {
namespace device {
namespace {

/// Each part of the task, made on its GPU.
std::vector<PartOfTask> parts_of(const Task& task) {
  const Devices& devices = task.config.devices;
  std::vector<PartOfTask> parts;
  for (std::size_t p = 0; p < devices.size(); ++p) {
    const OnDevice here(devices[p]);
    parts.emplace_back(task, static_cast<int>(devices.size()), static_cast<int>(p));
  }
  return parts;
}

/// Lets each GPU use the memory of the others.
void open_memories(const Devices& devices) {
  const std::set<int> distinct(devices.begin(), devices.end());
  for (const int device : distinct) {
    const OnDevice here(device);
    for (const int other : distinct) {
      if (other == device) continue;
      const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0);
      if (status == cudaErrorPeerAccessAlreadyEnabled) {
        (void)cudaGetLastError();
        continue;
      }
      check(status, "cudaDeviceEnablePeerAccess");
    }
  }
}

}  // namespace

DevicesRig::DevicesRig(const Task& task, std::size_t misalign) : task_(task) {
  const Devices& devices = task_.config.devices;
  if (devices.empty()) throw BadInput("sorts over several GPUs: say which with --devices N");
  KeptInputs::instance().drop_outdated();
  open_memories(devices);
  const Stopwatch watch;
  for (const PartOfTask& of_task : parts_of(task_)) {
    const std::size_t p = parts_.size();
    slices_.push_back(of_task.slice());
    use_device(devices[p]);
    const OnDevice here(devices[p]);
    const PartNeeds& needs = of_task.needs();
    parts_.push_back(std::make_unique<PartBuffers>(task_.config, needs, devices.size(), misalign));
    const PartBuffers& part = *parts_.back();
    job_parts_.push_back({devices[p], part.keys.data(), part.values.data(),
                          part.alternate_keys.data(), part.alternate_values.data(),
                          slices_[p].count, needs.capacity, part.workspace.span(), part.stream,
                          part.copy_stream_handles});
  }
  wait_for_all();
  alloc_ns_ = watch.elapsed_ns();
}

/// After a sort that threw, work may still be under way on any stream.
DevicesRig::~DevicesRig() {
  for (const int device : task_.config.devices) {
    if (cudaSetDevice(device) == cudaSuccess) (void)cudaDeviceSynchronize();
  }
  (void)cudaSetDevice(0);
}

template <class F>
void DevicesRig::for_each_part(F f) {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const OnDevice here(task_.config.devices[p]);
    f(*parts_[p]);
  }
}

void DevicesRig::wait_for_all() {
  for_each_part([](PartBuffers& part) { part.stream.wait(); });
}

void DevicesRig::restore(const Input& input) {
  const auto& slices = KeptInputs::instance().of(input, task_.config, slices_);
  auto slice = slices.begin();
  for_each_part([&](PartBuffers& part) { part.restore(*slice++); });
  wait_for_all();
}

//   host clock     |<--------- total_ns --------->|
//   GPU 0            [------- sort -------]         events at both ends; kernel_ns is the longest span
//   GPU 1            [-------- sort --------]
void DevicesRig::sort(Sample& sample) {
  try {
    (void)cudaGetLastError();  // of an earlier sort that threw
    wait_for_all();
    const Stopwatch watch;
    for_each_part([](PartBuffers& part) { part.begin.record(part.stream); });
    task_.instance.sort(ErasedDevicesJob{&task_.instance, job_parts_, &task_.params, &results_});
    for_each_part([](PartBuffers& part) { part.end.record(part.stream); });
    wait_for_all();
    sample.total_ns = watch.elapsed_ns();
  } catch (const BadInput&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(
        fmt::format("{} (in {} at n = {})", error.what(), task_.config.variant, task_.config.n));
  }
  sample.alloc_ns = alloc_ns_;
  sample.kernel_ns = 0;
  for_each_part([&](PartBuffers& part) {
    sample.kernel_ns = std::max(*sample.kernel_ns, part.end.ns_since(part.begin));
  });
  std::size_t written_bytes = 0;
  std::vector<std::size_t> sizes;
  for (const PartResult& result : results_) {
    sizes.push_back(result.n);
    written_bytes += result.written_bytes;
  }
  sample.exchange_bytes = static_cast<std::int64_t>(written_bytes);
  sample.imbalance = imbalance_of(sizes);
}

Verdict DevicesRig::verdict(const Input& input) {
  const Config& config = task_.config;
  const auto& slices = KeptInputs::instance().of(input, config, slices_);
  std::vector<Findings> found;
  Fingerprint expected;
  for_each_part([&](PartBuffers& part) {
    const std::size_t p = found.size();
    expected = together(expected, slices[p].fingerprint);
    found.push_back(part.look(config, results_.at(p), task_.instance.traits.stable));
  });
  return judged(found, expected);
}

std::string DevicesRig::overrun() {
  std::string fault;
  std::size_t number = 0;
  for_each_part([&](PartBuffers& part) {
    const int overrun = part.first_overrun();
    if (overrun >= 0 && fault.empty()) {
      fault = fmt::format("part {} {}", number, overrun_text(overrun));
    }
    ++number;
  });
  return fault;
}

void DevicesRig::poison() {
  for_each_part([](PartBuffers& part) { part.poison(); });
  wait_for_all();
}

void DevicesRig::flush_caches() {
  for_each_part([](PartBuffers& part) { part.flush_caches(); });
  wait_for_all();
}

std::size_t DevicesRig::provided_bytes() const {
  std::size_t sum = 0;
  for (const auto& part : parts_) sum += part->bytes();
  return sum - task_.input_bytes();
}

}  // namespace device

std::string devices_lack_memory(const Task& task) {
  const Devices& devices = task.config.devices;
  std::map<int, std::size_t> needed;
  for (const PartOfTask& part : device::parts_of(task)) {
    needed[devices[static_cast<std::size_t>(part.number())]] += part.bytes_needed(1);
  }
  for (const auto& [device, bytes] : needed) {
    const std::string lack =
        device::KeptInputs::instance().lacks(bytes, device, fmt::format("GPU {}", device));
    if (!lack.empty()) return lack;
  }
  return "";
}

std::unique_ptr<Rig> make_devices_rig(const Task& task, std::size_t misalign) {
  return std::make_unique<device::DevicesRig>(task, misalign);
}

}  // namespace sortlab
