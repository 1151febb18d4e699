// Describes this machine: for run.json, for `sortlab doctor`, and for the columns that name the
// device.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace sortlab {

/// Everything about the machine and the build that can be read without measuring.
nlohmann::json describe_machine();

/// Measured limits (roofs): the clock resolution, and the copy bandwidth with one thread and with
/// all (bytes read and written per second) between two buffers of "copy_buffer_bytes". The buffers
/// take at most half of the available memory; if that fits into the caches, there are no
/// bandwidths. Takes about half a second.
nlohmann::json measure_roofs();

}  // namespace sortlab
