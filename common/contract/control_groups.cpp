#include "common/contract/control_groups.hpp"

#include <fstream>
#include <sstream>
#include <string>

namespace sortlab {
namespace {

namespace fs = std::filesystem;

/// "cpu,cpuacct" lists cpu.
bool lists(const std::string& controllers, std::string_view controller) {
  std::istringstream names(controllers);
  for (std::string name; std::getline(names, name, ',');) {
    if (name == controller) return true;
  }
  return false;
}

/// The folder of a hierarchy's groups. Some systems mount "cpu,cpuacct" as "cpu".
fs::path top_folder(const fs::path& mounted, const std::string& controllers,
                    std::string_view controller) {
  if (controllers.empty()) return mounted;
  return fs::exists(mounted / controllers) ? mounted / controllers : mounted / controller;
}

}  // namespace

std::vector<fs::path> control_groups(std::string_view controller, const fs::path& root) {
  std::vector<fs::path> folders;
  // A line per hierarchy: "0::/a/b" for version 2, "4:cpu,cpuacct:/a/b" for version 1.
  std::ifstream lines(root / "proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const auto names = line.find(':') + 1, path = line.find(':', names) + 1;
    if (names == 0 || path == 0) continue;
    const std::string controllers = line.substr(names, path - 1 - names);
    if (!controllers.empty() && !lists(controllers, controller)) continue;
    const fs::path top = top_folder(root / "sys/fs/cgroup", controllers, controller);
    for (fs::path group = fs::path(line.substr(path)).relative_path();;
         group = group.parent_path()) {
      folders.push_back(top / group);
      if (group.empty()) break;
    }
  }
  return folders;
}

}  // namespace sortlab
