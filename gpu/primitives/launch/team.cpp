#include "gpu/primitives/launch/team.cuh"

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "common/contract/made_once.hpp"
#include "common/cuda_check.hpp"
#include "gpu/primitives/launch/shared_bytes.hpp"

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
  if (!runs_clusters(kernel)) return false;
  set_attribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  const TeamLaunch launch(TeamKind::cluster, grid, nullptr);
  int clusters = 0;
  if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch.config) == cudaSuccess) {
    return clusters > 0;
  }
  (void)cudaGetLastError();
  return false;
}

/// Whether a device can run a kernel's clusters.
using Answers = std::map<std::pair<int, const void*>, bool>;
constinit MadeOnce<Answers> answers;
constinit std::mutex answering;

}  // namespace

bool is_runnable(TeamKind kind, const void* kernel, const Grid& grid) {
  // Asked each time, as a test may pretend that there is less.
  if (grid.shared_bytes > device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)) return false;
  allow_shared_bytes("a team", kernel, grid.shared_bytes);
  if (kind != TeamKind::cluster) return true;
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  Answers& known = answers.get([] { return Answers(); });
  const std::lock_guard lock(answering);
  const auto answer = known.find({device, kernel});
  if (answer != known.end()) return answer->second;
  return known[{device, kernel}] = is_cluster_allowed(kernel, grid);
}

void launch_team_kernel(std::string_view name, TeamKind kind, const void* kernel, const Grid& grid,
                        cudaStream_t stream, void** arguments) {
  allow_shared_bytes(name, kernel, grid.shared_bytes);
  const TeamLaunch launch(kind, grid, stream);
  check(cudaLaunchKernelExC(&launch.config, kernel, arguments), "launch of " + std::string(name));
}

}  // namespace sortlab::gpu
