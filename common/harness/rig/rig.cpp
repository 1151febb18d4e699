#include "common/harness/rig/rig.hpp"

#include <fmt/format.h>

#include "common/contract/errors.hpp"
#include "common/harness/machine/available_memory.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/rig/host_rig.hpp"

namespace sortlab {
namespace {

constexpr std::size_t kAnyProcessHas = std::size_t{1} << 20;

std::string in_gib(std::size_t bytes) {
  return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / (1u << 30));
}

}  // namespace

std::unique_ptr<Rig> make_rig(const Task& task, std::size_t misalign) {
  if (task.over_device_parts()) return make_devices_rig(task, misalign);
  if (task.variant.info.parts == Parts::ranks) {
    throw BadInput("sorts over ranks, which are processes of their own");
  }
  if (task.uses_gpu()) return make_device_rig(task, misalign);
  return std::make_unique<HostRig>(task, misalign);
}

std::string fault_of(Rig& rig, const Verdict& verdict) {
  const std::string overrun = rig.overrun();
  return overrun.empty() ? verdict.fault() : overrun;
}

std::string lacks_memory(const Task& task, std::size_t input_bytes) {
  std::size_t needed = input_bytes;
  if (task.uses_gpu()) {
    if (const std::string reason = device_lacks_memory(task); !reason.empty()) return reason;
  }
  if (task.on_device()) {
    if (task.config.host_mem != HostMem::none) needed += task.input_bytes();
  } else {
    needed += task.bytes_needed();
    if (task.config.cache == CacheState::cold) needed += bytes_to_flush_caches();
  }
  if (needed <= kAnyProcessHas) return "";  // and thousands of small checks need not ask
  const auto [available, limited_by] = available_memory();
  if (needed <= available) return "";
  return fmt::format("needs {}, {} are available{}{}", in_gib(needed), in_gib(available),
                     limited_by.empty() ? "" : ": ", limited_by);
}

}  // namespace sortlab
