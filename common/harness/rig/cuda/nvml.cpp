// NVML's header is not part of every CUDA toolkit. So this file declares the few calls and
// constants that it needs of NVML's stable C interface.
#include "common/harness/rig/cuda/nvidia_libraries.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <nlohmann/json.hpp>

namespace sortlab::device {
namespace {

using nlohmann::json;

using Result = int;
constexpr Result kSuccess = 0;
using Device = struct OpaqueDevice*;

enum Clock : int { kClockSm = 1, kClockMemory = 2 };

struct Reason {
  unsigned long long bit;
  const char* name;
};
constexpr Reason kThrottleReasons[] = {{0x04, "power cap"},
                                       {0x08, "hardware"},
                                       {0x20, "thermal"},
                                       {0x40, "thermal"},
                                       {0x80, "power brake"}};

class Library {
 public:
  /// NVML's handle of the current CUDA device; null if the library or the device is not available.
  static const Library* get() {
    static const Library library;
    return library.device_ == nullptr ? nullptr : &library;
  }

  /// Calls the function `name` of type Result(Device, arguments...); false if it is missing or
  /// fails.
  template <class... Arguments>
  bool ask(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<Result (*)(Device, Arguments...)>(dlsym(handle_, name));
    return function != nullptr && function(device_, arguments...) == kSuccess;
  }

  std::string driver_version() const {
    const auto function =
        reinterpret_cast<Result (*)(char*, unsigned)>(dlsym(handle_, "nvmlSystemGetDriverVersion"));
    char text[96] = "";
    if (function == nullptr || function(text, sizeof text) != kSuccess) return "";
    return text;
  }

 private:
  Library() : handle_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) return;
    const auto init = reinterpret_cast<Result (*)()>(dlsym(handle_, "nvmlInit_v2"));
    const auto find = reinterpret_cast<Result (*)(const char*, Device*)>(
        dlsym(handle_, "nvmlDeviceGetHandleByPciBusId_v2"));
    if (init == nullptr || find == nullptr || init() != kSuccess) return;
    // Found by its bus address, because CUDA and NVML number the GPUs differently.
    int number = 0;
    char bus_id[32] = "";
    if (cudaGetDevice(&number) != cudaSuccess ||
        cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, number) != cudaSuccess ||
        find(bus_id, &device_) != kSuccess) {
      device_ = nullptr;
    }
  }

  void* handle_;
  Device device_ = nullptr;
};

/// Sets json[name] to the result of a function of type Result(Device, unsigned*), if it succeeds.
void add(json& to, const char* name, const Library& library, const char* function) {
  unsigned value = 0;
  if (library.ask(function, &value)) to[name] = value;
}

int active_nvlinks(const Library& library) {
  constexpr unsigned kMostLinks = 18;
  int active = 0;
  for (unsigned link = 0; link < kMostLinks; ++link) {
    int state = 0;
    if (library.ask("nvmlDeviceGetNvLinkState", link, &state) && state == 1) ++active;
  }
  return active;
}

}  // namespace

std::optional<int> sm_clock_mhz() {
  const Library* const library = Library::get();
  unsigned mhz = 0;
  if (library == nullptr || !library->ask("nvmlDeviceGetClockInfo", kClockSm, &mhz)) return {};
  return static_cast<int>(mhz);
}

std::string throttled_by() {
  const Library* const library = Library::get();
  unsigned long long reasons = 0;
  // The older name last: drivers before 535 have only that.
  if (library == nullptr ||
      (!library->ask("nvmlDeviceGetCurrentClocksEventReasons", &reasons) &&
       !library->ask("nvmlDeviceGetCurrentClocksThrottleReasons", &reasons))) {
    return "";
  }
  for (const auto& [bit, name] : kThrottleReasons) {
    if ((reasons & bit) != 0) return name;
  }
  return "";
}

std::optional<double> joules_used() {
  const Library* const library = Library::get();
  unsigned long long millijoules = 0;
  if (library == nullptr || !library->ask("nvmlDeviceGetTotalEnergyConsumption", &millijoules)) {
    return {};
  }
  return static_cast<double>(millijoules) * 1e-3;
}

json describe_by_nvml() {
  const Library* const library = Library::get();
  json facts = json::object();
  if (library == nullptr) return facts;
  facts["driver"] = library->driver_version();
  add(facts, "power_limit_mW", *library, "nvmlDeviceGetEnforcedPowerLimit");
  add(facts, "pcie_generation", *library, "nvmlDeviceGetCurrPcieLinkGeneration");
  add(facts, "pcie_width", *library, "nvmlDeviceGetCurrPcieLinkWidth");
  for (const auto& [clock, name] :
       {std::pair{kClockSm, "sm_mhz_max"}, {kClockMemory, "memory_mhz_max"}}) {
    unsigned mhz = 0;
    if (library->ask("nvmlDeviceGetMaxClockInfo", clock, &mhz)) facts[name] = mhz;
  }
  facts["nvlinks_active"] = active_nvlinks(*library);
  return facts;
}

}  // namespace sortlab::device
