// Launches of blocks that run at the same time and meet in barriers: a cluster, or a whole grid.
// For sorts of some microseconds: what a kernel must be allowed is said once a device, since saying
// it again costs as much as a barrier of the blocks.
#pragma once

#include <map>
#include <mutex>
#include <utility>

#include "gpu/primitives/launch/kernel.cuh"

namespace sortlab::gpu {

enum class TeamKind {
  block,    // a block alone
  cluster,  // all blocks are one cluster, at most 16
  grid,     // a cooperative launch: at most as many blocks as the GPU holds at once
};

/// A launch, and the attribute that makes its blocks a team. Points into itself: not to be moved.
struct TeamLaunch {
  TeamLaunch(TeamKind kind, Grid grid, cudaStream_t stream) {
    config.gridDim = static_cast<unsigned>(grid.blocks);
    config.blockDim = grid.threads;
    config.dynamicSmemBytes = grid.shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = kind == TeamKind::block ? 0 : 1;
    if (kind == TeamKind::cluster) {
      attribute.id = cudaLaunchAttributeClusterDimension;
      attribute.val.clusterDim.x = config.gridDim.x;
      attribute.val.clusterDim.y = 1;
      attribute.val.clusterDim.z = 1;
    } else {
      attribute.id = cudaLaunchAttributeCooperative;
      attribute.val.cooperative = 1;
    }
  }
  TeamLaunch(const TeamLaunch&) = delete;
  TeamLaunch& operator=(const TeamLaunch&) = delete;

  cudaLaunchConfig_t config{};
  cudaLaunchAttribute attribute{};
};

/// Allows `kernel` the shared memory and the cluster of its launches, and says whether the current
/// device can run it so. Asks once a device: all launches of a kernel must be of one kind, with the
/// same shared memory, and those of a cluster with the same number of blocks.
template <class... Parameters>
bool is_runnable(TeamKind kind, void (*kernel)(Parameters...), Grid grid) {
  static std::mutex mutex;
  static std::map<std::pair<int, const void*>, bool> answers;
  const auto* const function = reinterpret_cast<const void*>(kernel);
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  const std::lock_guard lock(mutex);
  const auto [answer, is_new] = answers.try_emplace({device, function}, false);
  if (!is_new) return answer->second;

  if (grid.shared_bytes > device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)) return false;
  if (kind == TeamKind::cluster && device_attribute(cudaDevAttrClusterLaunch) == 0) return false;
  check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(grid.shared_bytes)),
        "cudaFuncSetAttribute");
  if (kind == TeamKind::cluster) {
    const TeamLaunch launch(kind, grid, nullptr);
    int clusters = 0;
    const bool is_allowed =
        cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) ==
            cudaSuccess &&
        cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch.config) == cudaSuccess;
    (void)cudaGetLastError();
    if (!is_allowed || clusters == 0) return false;
  }
  return answer->second = true;
}

/// Launches `kernel` on `stream` as one team. What doesn't fit is an error, not a hang.
template <class... Parameters, class... Arguments>
void launch_team(std::string_view name, TeamKind kind, void (*kernel)(Parameters...), Grid grid,
                 cudaStream_t stream, const Arguments&... arguments) {
  if (!is_runnable(kind, kernel, grid)) {
    throw BadInput(
        std::string(name) + " needs more than this GPU has: " + std::to_string(grid.shared_bytes) +
        " bytes of shared memory a block, " + std::to_string(grid.blocks) + " blocks at a time");
  }
  const TeamLaunch launch(kind, grid, stream);
  check(cudaLaunchKernelEx(&launch.config, kernel, static_cast<Parameters>(arguments)...),
        "launch of " + std::string(name));
}

}  // namespace sortlab::gpu
