// The control groups (cgroups) that a process is in. Containers use them to limit CPU time and
// memory.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace sortlab {

/// The folders of the groups by which `controller` ("cpu", "memory") limits this process: its own
/// group first, then each one above it, up to the root of the hierarchy. Versions 1 and 2 are both
/// understood. A folder may be absent: in a container the path may be the host's. `root` holds proc/
/// and sys/.
std::vector<std::filesystem::path> control_groups(std::string_view controller,
                                                  const std::filesystem::path& root);

}  // namespace sortlab
