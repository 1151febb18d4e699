#include "common/contract/control_groups.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

namespace sortlab {
namespace {

namespace fs = std::filesystem;

/// The lines of a file. By the C library, as usable_cpus.cpp says; and a program may have set a locale for streams that
/// reads something else.
std::vector<std::string> lines_of(const fs::path& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"),
                                                             &std::fclose);
  std::vector<std::string> lines(1);
  if (file == nullptr) return lines;
  for (int c; (c = std::fgetc(file.get())) != EOF;) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += static_cast<char>(c);
    }
  }
  return lines;
}

/// "cpu,cpuacct" lists cpu.
bool lists(std::string_view controllers, std::string_view controller) {
  while (!controllers.empty()) {
    const auto end = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, end) == controller) return true;
    controllers.remove_prefix(std::min(end + 1, controllers.size()));
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
  for (const std::string& line : lines_of(root / "proc/self/cgroup")) {
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
