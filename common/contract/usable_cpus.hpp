// The CPU that this process runs on; how many of them it may use, in a container fewer than the machine has; and the
// control groups (cgroups), by which containers limit CPU time and memory.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/contract/isa_region.hpp"

namespace sortlab {

/// "AMD EPYC 9354", as the kernel reports it. On Arm, where it reports numbers, the core's name or those
/// numbers.
const std::string& cpu_model();

/// The CPU's manufacturer; both are false on architectures other than x86.
#ifdef SORTLAB_X86
inline bool cpu_is_intel() { return __builtin_cpu_is("intel") != 0; }
inline bool cpu_is_amd() { return __builtin_cpu_is("amd") != 0; }
#else
inline bool cpu_is_intel() { return false; }
inline bool cpu_is_amd() { return false; }
#endif

/// The number of threads that can run at a time: the smaller of the CPUs in allowed_cpus() and the
/// control group's quota, rounded up. If the system does not return the mask, all CPUs count.
int count_usable_cpus() noexcept;

/// The same number, read once; later changes have no effect.
int usable_cpus();

/// The numbers of the CPUs that this process may run on, ascending: the affinity mask of its main thread. A program may
/// pin its other threads to fewer. Empty if the system does not return it.
std::vector<int> allowed_cpus();

/// An affinity mask of up to 8192 CPUs, as many as Linux supports.
struct CpuSet {
  std::array<cpu_set_t, 8> sets{};

  /// Reads the mask of a thread of this process; 0: the calling one. False if the system refuses.
  bool read(pid_t thread) { return sched_getaffinity(thread, sizeof sets, sets.data()) == 0; }
  /// Sets the mask of the calling thread, and so of what it starts. False if the system refuses.
  bool apply() const { return sched_setaffinity(0, sizeof sets, sets.data()) == 0; }
  void add(int cpu) { CPU_SET_S(static_cast<std::size_t>(cpu), sizeof sets, sets.data()); }
  bool has(int cpu) const {
    return CPU_ISSET_S(static_cast<std::size_t>(cpu), sizeof sets, sets.data());
  }
  int count() const { return CPU_COUNT_S(sizeof sets, sets.data()); }
  static constexpr int kMost = 8 * CPU_SETSIZE;
};

/// The CPU time that the control groups of this process allow, in CPUs: the smallest quota up to
/// the root. It may be a fraction. Empty without a limit. `root` holds proc/ and sys/.
std::optional<double> cpu_quota(const std::filesystem::path& root = "/");

/// The folders of the groups by which `controller` ("cpu", "memory") limits this process: its own
/// group first, then each one above it, up to the root of the hierarchy. Versions 1 and 2 are both
/// understood. A folder may be absent: in a container the path may be the host's. `root` holds proc/
/// and sys/.
std::vector<std::filesystem::path> control_groups(std::string_view controller,
                                                  const std::filesystem::path& root);

}  // namespace sortlab
