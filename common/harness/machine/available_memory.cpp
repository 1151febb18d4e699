#include "common/harness/machine/cpu_share.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <string>

#include "common/contract/usable_cpus.hpp"

namespace sortlab {
namespace {

namespace fs = std::filesystem;

/// The number that a file begins with; empty for "max", and where there is no such file.
std::optional<std::size_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::size_t number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

/// The number behind a word at the start of a line.
std::optional<std::size_t> number_behind(const std::string& word, const fs::path& file) {
  std::ifstream in(file);
  std::string first;
  std::size_t number = 0;
  for (std::string line; in >> first >> number; std::getline(in, line)) {
    if (first == word) return number;
  }
  return std::nullopt;
}

std::size_t difference(std::size_t a, std::size_t b) { return a > b ? a - b : 0; }

/// File pages that the kernel drops when the group needs their memory.
std::size_t droppable(const fs::path& stat, const std::string& prefix) {
  return number_behind(prefix + "inactive_file", stat).value_or(0) +
         number_behind(prefix + "active_file", stat).value_or(0);
}

/// The memory that a group's limit leaves. The kernel counts page tables too, and counts in
/// batches, so a process that takes all of it is killed.
std::size_t left_of(std::size_t limit, std::size_t used, std::size_t may_be_dropped) {
  const std::size_t left = difference(limit, difference(used, may_be_dropped));
  return difference(left, limit / 64);
}

/// The memory that the group in `folder` leaves. Version 2 has memory.max, and memory.high, above
/// which it slows processes down; version 1 has memory.limit_in_bytes.
std::optional<std::size_t> left_in_group(const fs::path& folder) {
  std::optional<std::size_t> least;
  const auto add = [&](const char* limit, const char* used, const char* prefix) {
    const auto bytes = number_in(folder / limit);
    if (!bytes) return;
    const std::size_t left = left_of(*bytes, number_in(folder / used).value_or(0),
                                     droppable(folder / "memory.stat", prefix));
    if (!least || left < *least) least = left;
  };
  add("memory.max", "memory.current", "");
  add("memory.high", "memory.current", "");
  add("memory.limit_in_bytes", "memory.usage_in_bytes", "total_");
  return least;
}

rlim_t address_limit() {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

}  // namespace

AvailableMemory available_memory(const fs::path& root) {
  const auto kib = number_behind("MemAvailable:", root / "proc/meminfo");
  AvailableMemory least{kib ? *kib * 1024 : SIZE_MAX, ""};
  const auto limit = [&](std::size_t bytes, std::string_view by) {
    if (bytes < least.bytes) least = {bytes, by};
  };
  for (const auto& folder : control_groups("memory", root)) {
    if (const auto left = left_in_group(folder)) limit(*left, "limit of the control group");
  }
  if (addresses_are_limited()) {
    const auto pages = number_in(root / "proc/self/statm").value_or(0);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    limit(difference(address_limit(), pages * page), "ulimit -v");
  }
  return least;
}

bool addresses_are_limited() { return address_limit() != RLIM_INFINITY; }

}  // namespace sortlab
