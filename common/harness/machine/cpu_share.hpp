// The share of the machine that this process has: CPUs and memory, by its own limits and by what other processes take.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sortlab {

/// The numbers as Linux writes them: "0-3,8".
std::string cpu_list(std::span<const int> cpus);

/// The inverse. Parts that can't be are left out.
std::vector<int> cpus_in(std::string_view list);

/// The first line of a file; nothing when there is none.
std::optional<std::string> line_in(const std::filesystem::path& file);

/// How long a CPU worked and waited since the machine started, in ticks of the kernel's clock.
struct CpuTimes {
  double busy = 0;
  double idle = 0;
};

/// By CPU, from <root>/proc/stat; empty where there is none.
std::vector<CpuTimes> cpu_times(const std::filesystem::path& root = "/");

/// How many of `cpus` worked between two readings. Empty when that is unknown.
std::optional<double> busy_cpus(std::span<const int> cpus, const std::vector<CpuTimes>& before,
                                const std::vector<CpuTimes>& after);

/// The limits of this process, and the load of the machine.
struct CpuShare {
  int of_machine = 1;
  int usable = 1;
  std::vector<int> allowed;      // by the affinity mask
  std::optional<double> quota;   // of the control group
  std::optional<double> others;  // so many of `allowed` are busy with other processes
};

/// Now. Looks at the load for 50 ms, in which the caller must not compute.
CpuShare cpu_share();

/// How many of `allowed` other processes leave free. Empty when that is unknown.
std::optional<double> free_cpus(const CpuShare& share);

/// One sentence; "" when all CPUs of the machine may be used and are free.
std::string remark_on(const CpuShare& share);

/// Writes the same, measured now, to stderr.
void tell_cpu_share();

/// Other influences on a measurement: the load of other programs, and this process's share of the CPUs.
struct Surroundings {
  /// The system's load average over the last minute: threads that ran or waited for a CPU. The
  /// samples before this one are part of it. The kernel renews it every 5 seconds.
  std::optional<double> load_1min;
  /// The CPU time that the control group (cgroup) of this process allows, in CPUs; may be a
  /// fraction. Empty without a limit.
  std::optional<double> cpu_quota;
  /// The CPUs that this thread may run on, as Linux writes them: "0-3,8".
  std::string cpu_list;
};

/// Of the calling thread, now.
Surroundings surroundings();

/// The memory that this process can still get.
struct AvailableMemory {
  std::size_t bytes;
  std::string_view limited_by;  // "" for the machine's own memory
};

/// The smallest of three amounts: the machine's free memory without swapping, the memory that the
/// control groups leave, and the addresses that `ulimit -v` leaves. `root` holds proc/ and sys/.
AvailableMemory available_memory(const std::filesystem::path& root = "/");

/// Whether `ulimit -v` limits the addresses of this process.
bool addresses_are_limited();

}  // namespace sortlab
