#include "common/harness/rig/rig.hpp"

#include <fmt/format.h>

#include "common/harness/machine/cpu_share.hpp"
#include "common/harness/rig/workspace.hpp"

namespace sortlab {
namespace {

constexpr std::size_t kAnyProcessHas = std::size_t{1} << 20;

std::string in_gib(std::size_t bytes) {
  return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / (1u << 30));
}

}  // namespace

std::string fault_of(Rig& rig, const Verdict& verdict) {
  const std::string overrun = rig.overrun();
  return overrun.empty() ? verdict.fault() : overrun;
}

std::string lacks_host_memory(const Task& task, std::size_t needed) {
  if (!task.on_device() && task.config.cache == CacheState::cold) needed += bytes_to_flush_caches();
  return lacks_host_memory(needed);
}

std::string lacks_host_memory(std::size_t needed) {
  if (needed <= kAnyProcessHas) return "";  // and thousands of small checks need not ask
  const auto [available, limited_by] = available_memory();
  if (needed <= available) return "";
  return fmt::format("needs {}, {} are available{}{}", in_gib(needed), in_gib(available),
                     limited_by.empty() ? "" : ": ", limited_by);
}

}  // namespace sortlab
