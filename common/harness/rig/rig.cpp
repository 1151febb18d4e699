#include "common/harness/rig/rig.hpp"

#include <fmt/format.h>

#include "common/harness/rig/device.hpp"
#include "common/harness/rig/host_rig.hpp"

namespace sortlab {
namespace {

std::string in_gib(std::size_t bytes) {
  return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / (1u << 30));
}

}  // namespace

std::unique_ptr<Rig> make_rig(const Task& task, std::size_t misalign) {
  if (task.on_device()) return make_device_rig(task, misalign);
  return std::make_unique<HostRig>(task, misalign);
}

std::string fault_of(Rig& rig, const Verdict& verdict) {
  const std::string overrun = rig.overrun();
  return overrun.empty() ? verdict.fault() : overrun;
}

std::string lacks_memory(const Task& task) {
  std::size_t needed = InputPool::bytes_needed(task.config);
  if (task.on_device()) {
    if (const std::string reason = device_lacks_memory(task); !reason.empty()) return reason;
    if (task.config.host_mem != HostMem::none) needed += task.input_bytes();
  } else {
    needed += task.bytes_needed();
  }
  const std::size_t available = available_memory_bytes();
  if (needed <= available) return "";
  return fmt::format("needs {}, {} are available", in_gib(needed), in_gib(available));
}

}  // namespace sortlab
