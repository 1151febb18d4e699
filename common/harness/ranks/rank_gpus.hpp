// Which rank sorts on which GPU: rank r of a host takes the GPU r modulo the host's GPUs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "common/contract/device_exchange.hpp"
#include "common/harness/measure/sample.hpp"
#include "common/harness/ranks/ranks.hpp"

namespace sortlab {

/// The number of a part among those of its host; hosts[p] names the host of part p.
inline int number_on_host(std::span<const int> hosts, int part) {
  const auto own = static_cast<std::size_t>(part);
  return static_cast<int>(std::count(hosts.begin(), hosts.begin() + part, hosts[own]));
}

/// A GPU, wherever it is, and by whatever number its process knows it.
struct GpuIdentity {
  int host;
  std::array<char, 16> uuid;
  bool operator==(const GpuIdentity&) const = default;
};

/// The most parts that share a GPU.
inline int most_on_a_gpu(std::span<const GpuIdentity> gpus) {
  std::ptrdiff_t most = 0;
  for (const GpuIdentity& gpu : gpus)
    most = std::max(most, std::count(gpus.begin(), gpus.end(), gpu));
  return static_cast<int>(most);
}

/// What a rank has of GPUs.
struct RankGpu {
  int sharers = 1;                           // the most ranks on a GPU
  std::unique_ptr<DeviceExchange> exchange;  // over NCCL, or through host memory if GPUs are shared
};

/// Assigns this rank its GPU, which becomes the current one of this thread. All ranks call it, and get the same outcome:
/// skipped, with the reason, where there is no GPU or no NCCL. `ranks` must outlive `gpu`.
Outcome join_gpus(Ranks& ranks, RankGpu& gpu);

/// "" or, in one line, that the current GPU lacks memory for so many ranks that need `bytes` each.
std::string gpu_lacks_memory(std::size_t bytes, int sharers);

}  // namespace sortlab
