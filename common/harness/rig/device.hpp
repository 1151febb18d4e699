// The harness's interface to the GPU, without CUDA headers. In a build without CUDA it still links,
// and device_unavailable() gives the reason.
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "common/harness/config.hpp"
#include "common/harness/ranks/part_memory.hpp"
#include "common/harness/rig/rig.hpp"

namespace sortlab {

/// Makes the GPU with this number, among those that this process may see, the only one for it and
/// its workers. Must be called before all other functions here. Throws BadInput for a number below
/// 0 or beyond the list in CUDA_VISIBLE_DEVICES.
void choose_device(int number);

/// "" or, in one line, why no GPU can be used. The first call asks the driver, and resets the
/// device after that: it must come before the first rig. Throws BadInput when choose_device() chose
/// a GPU that does not exist.
const std::string& device_unavailable();

/// "NVIDIA H200"; "GPU" while device_unavailable().
const std::string& gpu_name();

/// "" or, in one line, why these GPUs can't sort together: one that is not there, or of another model
/// than GPU 0. device_unavailable() must be "".
std::string devices_unavailable(const Devices& devices);

/// The same, or one that can't access the memory of another one.
std::string peers_unavailable(const Devices& devices);

/// Name, SMs, clocks, L2, memory, power limit, driver, CUDA runtime, PCIe and NVLink, as far as
/// they are known. Empty while device_unavailable().
nlohmann::json describe_gpu();

/// Measured copy bandwidths in bytes per second: on the device (read and written), to the device
/// and to the host from pinned and from pageable memory. Frees all device memory afterwards.
nlohmann::json measure_gpu_roofs();

/// The rig of a sort of one array on a GPU. Throws OutOfDeviceMemory, NotCapturable.
std::unique_ptr<Rig> make_device_rig(const Task& task, std::size_t misalign);

/// The rig of a sort over several GPUs, those of the task. Throws OutOfDeviceMemory; BadInput if the task
/// names none.
std::unique_ptr<Rig> make_devices_rig(const Task& task, std::size_t misalign);

/// `versions` inputs, and all that a part of a sort over ranks needs, on the current GPU. Throws OutOfDeviceMemory.
std::unique_ptr<PartMemory> make_part_on_gpu(const Task& task, const PartOfTask& part, int versions,
                                             DeviceExchange& exchange);

/// The rig of a sort of host data with the help of GPUs. Throws OutOfDeviceMemory.
std::unique_ptr<Rig> make_offload_rig(const Task& task, std::size_t misalign);

/// Why a sort on one GPU, or over several, can't run now for lack of memory on it, or because of the configuration's
/// cap; "" when it can.
std::string device_lacks_memory(const Task& task);
std::string devices_lack_memory(const Task& task);
/// Throws BadInput for a sort of host data to which the device memory is too little.
void check_offload_fits(const Task& task);

/// Whether a failed kernel has left the GPU unusable for the rest of this process's life.
bool device_is_broken();

}  // namespace sortlab
