// NVIDIA's management library, loaded at run time: clocks, throttling, energy. Facts that it can't
// read (no library, no permission, an old GPU) are empty.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace sortlab::device {

/// The current clock of the SMs.
std::optional<int> sm_clock_mhz();

/// "" or why the GPU runs slower than it could: "power cap", "thermal", "power brake", "hardware".
std::string throttled_by();

/// Joules that the GPU has used since its driver was loaded.
std::optional<double> joules_used();

/// Driver, power limit, highest clocks, PCIe, NVLink.
nlohmann::json describe_by_nvml();

}  // namespace sortlab::device
