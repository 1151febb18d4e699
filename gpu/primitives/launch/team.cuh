// Launches of blocks that run at the same time and meet in barriers: a cluster, or a whole grid.
// For sorts of some microseconds: what a kernel must be allowed is said once a device, since saying
// it again costs as much as a barrier of the blocks.
#pragma once

#include "gpu/primitives/launch/launch.cuh"

namespace sortlab::gpu {

enum class TeamKind {
  block,    // a block alone
  cluster,  // all blocks are one cluster, at most 16
  grid,     // a cooperative launch: at most as many blocks as the GPU holds at once
};

/// Allows `kernel` the shared memory and the cluster of its launches, and says whether the current
/// device can run it so. Asks once a device: all clusters of a kernel must have the same number of blocks and
/// the same shared memory.
bool is_runnable(TeamKind kind, const void* kernel, const Grid& grid);
template <class... Parameters>
bool is_runnable(TeamKind kind, void (*kernel)(Parameters...), const Grid& grid) {
  return is_runnable(kind, reinterpret_cast<const void*>(kernel), grid);
}

void launch_team_kernel(std::string_view name, TeamKind kind, const void* kernel, const Grid& grid,
                        cudaStream_t stream, void** arguments);

/// Launches `kernel` on `stream` as one team. What doesn't fit is an error, not a hang.
template <class... Parameters, class... Arguments>
void launch_team(std::string_view name, TeamKind kind, void (*kernel)(Parameters...), Grid grid,
                 cudaStream_t stream, const Arguments&... arguments) {
  with_addresses(
      [&](const void* function, void** addresses) {
        launch_team_kernel(name, kind, function, grid, stream, addresses);
      },
      kernel, static_cast<Parameters>(arguments)...);
}

}  // namespace sortlab::gpu
