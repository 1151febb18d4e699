// The NUMA nodes of this machine, and which of them each rank takes.
#pragma once

#include <filesystem>
#include <vector>

namespace sortlab {

/// CPUs by their numbers, ascending.
using Cpus = std::vector<int>;

/// Those of `allowed` in each node that holds some, by the nodes' numbers. One node of all where the machine
/// tells of none. `root` holds sys/.
std::vector<Cpus> numa_nodes(const Cpus& allowed, const std::filesystem::path& root = "/");

/// Where rank `rank` of `ranks` on this machine is to run, so that it stays beside its memory: the same
/// number of ranks on each node, or of nodes for each rank. Empty, for anywhere, if they can't be shared out
/// like that.
Cpus cpus_of_rank(const std::vector<Cpus>& nodes, int rank, int ranks);

}  // namespace sortlab
