#include "common/harness/machine/machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "common/contract/isa.hpp"
#include "common/contract/numbers.hpp"
#include "common/contract/usable_cpus.hpp"
#include "common/harness/machine/build_info.hpp"
#include "common/harness/machine/cpu_share.hpp"
#include "common/harness/rig/workspace.hpp"
#include "common/timers.hpp"

namespace sortlab {
namespace {

using nlohmann::json;

std::string first_line(const std::filesystem::path& path) { return line_in(path).value_or(""); }

/// The value behind "key<spaces>: value" in a file such as /proc/cpuinfo.
std::string value_of(const char* path, std::string_view key) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(key)) {
      const auto colon = line.find_first_of(":=");
      const auto start = line.find_first_not_of(" \t\"", colon + 1);
      if (start == std::string::npos) return "";
      const auto end = line.find_last_not_of(" \t\"");
      return line.substr(start, end - start + 1);
    }
  }
  return "";
}

json caches() {
  json list = json::array();
  const std::filesystem::path folder = "/sys/devices/system/cpu/cpu0/cache";
  for (int index = 0; std::filesystem::exists(folder / ("index" + std::to_string(index)));
       ++index) {
    const auto cache = folder / ("index" + std::to_string(index));
    list.push_back({{"level", first_line(cache / "level")},
                    {"type", first_line(cache / "type")},
                    {"size", first_line(cache / "size")},
                    {"line_bytes", first_line(cache / "coherency_line_size")}});
  }
  return list;
}

json operating_system() {
  utsname name{};
  uname(&name);
  return {{"name", value_of("/etc/os-release", "PRETTY_NAME")},
          {"kernel", std::string(name.sysname) + " " + name.release},
          {"transparent_huge_pages", first_line("/sys/kernel/mm/transparent_hugepage/enabled")}};
}

json build() {
  json libraries = json::object();
  for (const auto& dependency : dependencies()) {
    libraries[std::string(dependency.name)] = std::string(dependency.version);
  }
  return {{"git_revision", kGitRevision}, {"git_dirty", kGitDirty},
          {"compiler", kCompiler},        {"flags", kCompilerFlags},
          {"build_type", kBuildType},     {"cuda_compiler", kCudaCompiler},
          {"libraries", libraries}};
}

/// The variables by which a user sets how OpenMP's threads wait, which some library sorts use.
json openmp_environment() {
  json set = json::object();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with("OMP_") && !text.starts_with("GOMP_")) continue;
    const auto equals = text.find('=');
    set[std::string(text.substr(0, equals))] = std::string(text.substr(equals + 1));
  }
  return set;
}

/// The bytes to copy for measuring the memory; 0 if the available memory is hardly larger than the
/// caches.
std::size_t bytes_to_copy() {
  constexpr std::size_t kBeyondAnyCache = std::size_t{256} << 20;
  const std::size_t share = available_memory().bytes / 4;
  if (share >= kBeyondAnyCache) return kBeyondAnyCache;
  const auto last_cache = static_cast<std::size_t>(std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE)));
  return share > 2 * last_cache ? share : 0;
}

/// Bytes read and written per second when `copy` moves `bytes` bytes: the best of five.
template <class Copy>
double copy_bandwidth(std::size_t bytes, Copy copy) {
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    const Stopwatch watch;
    copy();
    best = std::max(best, 2.0 * static_cast<double>(bytes) / watch.elapsed_s());
  }
  return best;
}

namespace fs = std::filesystem;

}  // namespace

json describe_machine() {
  return {{"cpu",
           {{"model", cpu_model()},
            {"threads", usable_cpus()},
            {"family", value_of("/proc/cpuinfo", "cpu family")},
            {"model_number", value_of("/proc/cpuinfo", "model\t")},
            {"isa_best", std::string(name_of(best_isa_of_cpu()))},
            {"isa_used", std::string(name_of(usable_isa()))},
            {"governor", first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
            {"caches", caches()}}},
          {"memory_bytes", static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                               static_cast<std::size_t>(sysconf(_SC_PAGESIZE))},
          {"os", operating_system()},
          {"environment", openmp_environment()},
          {"build", build()}};
}

json measure_roofs() {
  json roofs = {{"clock_resolution_ns", clock_resolution_ns()}};
  const std::size_t bytes = bytes_to_copy();
  if (bytes == 0) return roofs;
  const GuardedBuffer from(bytes);
  const GuardedBuffer to(bytes);
  roofs["copy_buffer_bytes"] = bytes;
  roofs["copy_bytes_per_s_one_thread"] =
      copy_bandwidth(bytes, [&] { std::memcpy(to.data(), from.data(), bytes); });
  roofs["copy_bytes_per_s_all_threads"] =
      copy_bandwidth(bytes, [&] { copy_bytes(to.data(), from.data(), bytes); });
  return roofs;
}

std::vector<Cpus> numa_nodes(const Cpus& allowed, const fs::path& root) {
  const fs::path folder = root / "sys/devices/system/node";
  std::vector<Cpus> nodes;
  for (const int node : cpus_in(first_line(folder / "online"))) {
    Cpus cpus = cpus_in(first_line(folder / ("node" + std::to_string(node)) / "cpulist")), own;
    std::sort(cpus.begin(), cpus.end());
    std::set_intersection(cpus.begin(), cpus.end(), allowed.begin(), allowed.end(),
                          std::back_inserter(own));
    if (!own.empty()) nodes.push_back(std::move(own));
  }
  if (nodes.empty()) nodes.push_back(allowed);
  return nodes;
}

Cpus cpus_of_rank(const std::vector<Cpus>& nodes, int rank, int ranks) {
  const int count = static_cast<int>(nodes.size());
  if (ranks % count == 0) return nodes[static_cast<std::size_t>(rank / (ranks / count))];
  if (count % ranks != 0) return {};
  const int each = count / ranks;
  Cpus cpus;
  for (int node = rank * each; node < (rank + 1) * each; ++node) {
    const Cpus& own = nodes[static_cast<std::size_t>(node)];
    cpus.insert(cpus.end(), own.begin(), own.end());
  }
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

}  // namespace sortlab
