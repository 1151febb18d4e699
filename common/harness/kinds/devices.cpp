// Parts on several GPUs of one process.
#include "common/contract/device_parts.hpp"
#include "common/harness/kinds/kinds.hpp"
#include "common/harness/rig/device.hpp"

namespace sortlab {

std::string misfit_of_parts_on_gpus(const Config& config) {
  if (config.host_mem != HostMem::none) return "sorts over several GPUs begin and end on the GPUs";
  if (config.launch != Launch::stream) {
    return "sorts over several GPUs can't be captured into a graph";
  }
  return config.gpu_mem != 0 ? "--gpu-mem caps sorts on one GPU" : "";
}

namespace {

std::string misfit_of_devices(const Config& config) {
  if (config.devices.empty()) return "sorts over several GPUs: say which with --devices N";
  if (const std::string reason = misfit_of_parts_on_gpus(config); !reason.empty()) return reason;
  if (config.dist.name == "file") return "the keys of a file are not shared out among GPUs";
  return peers_unavailable(config.devices);
}

}  // namespace

const Handling kDevices{
    .kind = &DeviceParts::kKind,
    .has_devices = true,
    .misfit = &misfit_of_devices,
    .lacks_memory = [](const Task& task, std::size_t) { return devices_lack_memory(task); },
    .make_rig = [](const Task& task,
                   const Setup& setup) { return make_devices_rig(task, setup.misalign); }};

}  // namespace sortlab
