// Describes this machine: for run.json, for `sortlab doctor`, and for the columns that name the device; and says which of
// its NUMA nodes each rank takes.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace sortlab {

/// Everything about the machine and the build that can be read without measuring.
nlohmann::json describe_machine();

/// Measured limits (roofs): the clock resolution, and the copy bandwidth with one thread and with
/// all (bytes read and written per second) between two buffers of "copy_buffer_bytes". The buffers
/// take at most half of the available memory; if that fits into the caches, there are no
/// bandwidths. Takes about half a second.
nlohmann::json measure_roofs();

/// CPUs by their numbers, ascending.
using Cpus = std::vector<int>;

/// Those of `allowed` in each node that holds some, by the nodes' numbers. One node of all where the machine
/// names none. `root` holds sys/.
std::vector<Cpus> numa_nodes(const Cpus& allowed, const std::filesystem::path& root = "/");

/// Where rank `rank` of `ranks` on this machine is to run, so that it stays beside its memory: the same
/// number of ranks on each node, or of nodes for each rank. Empty, for anywhere, if they can't be shared out
/// like that.
Cpus cpus_of_rank(const std::vector<Cpus>& nodes, int rank, int ranks);

}  // namespace sortlab
