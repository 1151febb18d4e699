// Launches of blocks that run at the same time and meet in barriers: a cluster, or a whole grid.
#pragma once

#include "gpu/primitives/launch.cuh"

namespace sortlab::gpu {

enum class TeamKind {
  cluster,  // all blocks are one cluster, at most 16
  grid,     // a cooperative launch: at most as many blocks as the GPU holds at once
};

/// Launches `kernel` on `stream` as one team. The result of a launch that doesn't fit is an error,
/// not a hang.
template <class... Parameters, class... Arguments>
void launch_team(std::string_view name, TeamKind kind, void (*kernel)(Parameters...), Grid grid,
                 cudaStream_t stream, const Arguments&... arguments) {
  const auto call = "launch of " + std::string(name);
  const auto* const function = reinterpret_cast<const void*>(kernel);
  check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(grid.shared_bytes)),
        call);
  cudaLaunchAttribute attribute{};
  if (kind == TeamKind::cluster) {
    check(cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), call);
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {static_cast<unsigned>(grid.blocks), 1, 1};
  } else {
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = static_cast<unsigned>(grid.blocks);
  config.blockDim = grid.threads;
  config.dynamicSmemBytes = grid.shared_bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), call);
}

}  // namespace sortlab::gpu
