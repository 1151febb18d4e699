// One array, in host or in device memory.
#include "common/harness/kinds/kinds.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/rig/host_rig.hpp"

namespace sortlab {
namespace {

std::string lacks_memory_of_array(const Task& task, std::size_t input_bytes) {
  if (!task.on_device()) return lacks_host_memory(task, input_bytes + task.bytes_needed());
  if (const std::string reason = device_lacks_memory(task); !reason.empty()) return reason;
  const bool from_host = task.config.host_mem != HostMem::none;
  return lacks_host_memory(task, input_bytes + (from_host ? task.input_bytes() : 0));
}

std::unique_ptr<Rig> make_rig_of_array(const Task& task, const Setup& setup) {
  if (task.on_device()) return make_device_rig(task, setup.misalign);
  return std::make_unique<HostRig>(task, setup.misalign);
}

}  // namespace

const Handling kOneArrays{.kind = &OneArray::kKind,
                          .lacks_memory = &lacks_memory_of_array,
                          .make_rig = &make_rig_of_array};

}  // namespace sortlab
