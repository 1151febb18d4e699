// Host data, sorted with the help of one GPU, or of all those that the user names.
#include "common/contract/offload.hpp"
#include "common/harness/kinds/kinds.hpp"
#include "common/harness/rig/device.hpp"

namespace sortlab {
namespace {

std::string misfit_of_offload_to_all(const Config& config) {
  if (config.devices.empty()) return "sorts over several GPUs: say which with --devices N";
  return devices_unavailable(config.devices);
}

std::string lacks_memory_of_offload(const Task& task, std::size_t input_bytes) {
  check_offload_fits(task);
  return lacks_host_memory(task, input_bytes + task.bytes_needed());
}

std::unique_ptr<Rig> make_rig_of_offload(const Task& task, const Setup& setup) {
  return make_offload_rig(task, setup.misalign);
}

}  // namespace

const Handling kOffload{.kind = &Offload::kKind,
                        .lacks_memory = &lacks_memory_of_offload,
                        .make_rig = &make_rig_of_offload};
const Handling kOffloadToAll{.kind = &OffloadToAll::kKind,
                             .has_devices = true,
                             .misfit = &misfit_of_offload_to_all,
                             .lacks_memory = &lacks_memory_of_offload,
                             .make_rig = &make_rig_of_offload};

}  // namespace sortlab
