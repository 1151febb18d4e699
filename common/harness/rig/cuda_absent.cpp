// Defines the functions of common/harness/rig/device.hpp in a build without CUDA.
#include <nlohmann/json.hpp>

#include "common/contract/errors.hpp"
#include "common/harness/ranks/rank_gpus.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/rig/segments_task.hpp"
#include "common/harness/rig/top_task.hpp"

namespace sortlab {

void choose_device(int number) {
  if (number < 0) throw BadInput("--device " + std::to_string(number) + ": a number from 0");
}

const std::string& device_unavailable() {
  static const std::string reason = "built without CUDA";
  return reason;
}

const std::string& gpu_name() {
  static const std::string name = "GPU";
  return name;
}

std::string devices_unavailable(const Devices&) { return device_unavailable(); }
std::string peers_unavailable(const Devices&) { return device_unavailable(); }

nlohmann::json describe_gpu() { return nlohmann::json::object(); }
nlohmann::json measure_gpu_roofs() { return nlohmann::json::object(); }

std::unique_ptr<Rig> make_device_rig(const Task&, std::size_t) {
  throw std::runtime_error(device_unavailable());
}

std::unique_ptr<Rig> make_devices_rig(const Task&, std::size_t) {
  throw std::runtime_error(device_unavailable());
}

std::unique_ptr<Rig> make_offload_rig(const Task&, std::size_t) {
  throw std::runtime_error(device_unavailable());
}

std::unique_ptr<Rig> make_device_segments_rig(const Task&, std::size_t) {
  throw std::runtime_error(device_unavailable());
}

std::unique_ptr<Rig> make_device_top_rig(const Task&, std::size_t) {
  throw std::runtime_error(device_unavailable());
}

std::unique_ptr<PartMemory> make_part_on_gpu(const Task&, const PartOfTask&, int, DeviceExchange&) {
  throw std::runtime_error(device_unavailable());
}

Outcome join_gpus(Ranks&, RankGpu&) { return {Status::skipped, device_unavailable()}; }
std::string gpu_lacks_memory(std::size_t, int) { return device_unavailable(); }

std::string device_lacks_memory(const Task&) { return device_unavailable(); }
std::string devices_lack_memory(const Task&) { return device_unavailable(); }
void check_offload_fits(const Task&) { throw BadInput(device_unavailable()); }
bool device_is_broken() { return false; }

}  // namespace sortlab
