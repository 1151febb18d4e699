// The share of the machine's CPUs that this process has: its own limits, and the CPUs that other
// processes keep busy.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sortlab {

/// The numbers as Linux writes them: "0-3,8".
std::string cpu_list(std::span<const int> cpus);

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

}  // namespace sortlab
