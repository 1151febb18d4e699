// Two of NVIDIA's libraries, loaded when they are first asked for, so that a build needs neither their headers nor them:
// NVML, which manages GPUs (clocks, throttling, energy), and NCCL, for GPUs that send to each other. Facts that NVML
// can't read (no library, no permission, an old GPU) are empty.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "common/contract/communicator.hpp"
#include "common/contract/device_exchange.hpp"

namespace sortlab::device {

/// The current clock of the SMs.
std::optional<int> sm_clock_mhz();

/// "" or why the GPU runs slower than it could: "power cap", "thermal", "power brake", "hardware".
std::string throttled_by();

/// Joules that the GPU has used since its driver was loaded.
std::optional<double> joules_used();

/// Driver, power limit, highest clocks, PCIe, NVLink.
nlohmann::json describe_by_nvml();

// NVIDIA's library for GPUs that send to each other, loaded when it is first asked for: a build needs neither its
// header nor the library.

/// "" or, in one line, why NCCL can't be used.
std::string nccl_missing();

/// An exchange of all parts, with the current GPU as this part's. Each part must have a GPU of its own. All parts
/// call it. Throws std::runtime_error.
std::unique_ptr<DeviceExchange> make_nccl_exchange(Communicator& parts);

}  // namespace sortlab::device
