// The modes in which a configuration runs. Only the CSV, matrix files and the command line use text
// for them.
#pragma once

#include <cstdint>
#include <string_view>

namespace sortlab {

/// The place of a GPU sort's data before and after the sort: on the GPU, in the host's pageable or
/// pinned memory, or in pageable memory that several threads stage.
enum class HostMem : std::uint8_t { none, pageable, pinned, staged };
inline constexpr std::string_view kHostMemNames[] = {"none", "pageable", "pinned", "staged"};
constexpr std::string_view name_of(HostMem mode) { return kHostMemNames[static_cast<int>(mode)]; }

/// Whether a GPU sort launches its kernels on the stream, or replays a graph of them.
enum class Launch : std::uint8_t { stream, graph };
inline constexpr std::string_view kLaunchNames[] = {"stream", "graph"};
constexpr std::string_view name_of(Launch mode) { return kLaunchNames[static_cast<int>(mode)]; }

/// Whether the caches may hold the input when the clock starts.
enum class CacheState : std::uint8_t { hot, cold };
inline constexpr std::string_view kCacheStateNames[] = {"hot", "cold"};
constexpr std::string_view name_of(CacheState mode) {
  return kCacheStateNames[static_cast<int>(mode)];
}

}  // namespace sortlab
