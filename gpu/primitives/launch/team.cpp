#include "gpu/primitives/launch/team.cuh"

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "common/contract/errors.hpp"
#include "common/cuda_check.hpp"

namespace sortlab::gpu {
namespace {

/// A launch, and the attribute that makes its blocks a team. Points into itself: not to be moved.
struct TeamLaunch {
  TeamLaunch(TeamKind kind, const Grid& grid, cudaStream_t stream) {
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

/// Whether the current device can hold a cluster.
bool is_cluster_allowed(const void* kernel, const Grid& grid) {
  const TeamLaunch launch(TeamKind::cluster, grid, nullptr);
  int clusters = 0;
  const bool is_allowed =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) ==
          cudaSuccess &&
      cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch.config) == cudaSuccess;
  (void)cudaGetLastError();
  return is_allowed && clusters > 0;
}

}  // namespace

bool is_runnable(TeamKind kind, const void* kernel, const Grid& grid) {
  // Asked each time, as a test may pretend that there is less.
  if (grid.shared_bytes > device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)) return false;
  static std::mutex mutex;
  static std::map<std::pair<int, const void*>, bool> answers;
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  const std::lock_guard lock(mutex);
  const auto [answer, is_new] = answers.try_emplace({device, kernel}, false);
  if (!is_new) return answer->second;

  if (kind == TeamKind::cluster && device_attribute(cudaDevAttrClusterLaunch) == 0) return false;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(grid.shared_bytes)),
        "cudaFuncSetAttribute");
  if (kind == TeamKind::cluster && !is_cluster_allowed(kernel, grid)) return false;
  return answer->second = true;
}

void launch_team_kernel(std::string_view name, TeamKind kind, const void* kernel, const Grid& grid,
                        cudaStream_t stream, void** arguments) {
  if (!is_runnable(kind, kernel, grid)) {
    throw BadInput(
        std::string(name) + " needs more than this GPU has: " + std::to_string(grid.shared_bytes) +
        " bytes of shared memory a block, " + std::to_string(grid.blocks) + " blocks at a time");
  }
  const TeamLaunch launch(kind, grid, stream);
  check(cudaLaunchKernelExC(&launch.config, kernel, arguments), "launch of " + std::string(name));
}

}  // namespace sortlab::gpu
