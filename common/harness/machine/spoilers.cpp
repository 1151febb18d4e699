#include "common/harness/machine/spoilers.hpp"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <optional>

#include "common/contract/numbers.hpp"
#include "common/harness/machine/cpu_share.hpp"
#include "common/harness/terminal/window.hpp"

namespace sortlab {
namespace {

namespace fs = std::filesystem;

constexpr double kBusy = 0.5;  // CPUs' worth of other programs

/// 0 when there is no such file, or no number in it.
double microwatts_of(const fs::path& path) {
  const auto line = line_in(path);
  return line ? parse_number(*line).value_or(0) : 0;
}

bool says(const fs::path& path, std::string_view value) { return line_in(path) == value; }

void add_governor(const fs::path& cpus, std::vector<Finding>& findings) {
  std::map<std::string, int> governors;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(cpus, none)) {
    const auto governor = line_in(entry.path() / "cpufreq/scaling_governor");
    if (governor) ++governors[*governor];
  }
  if (governors.empty()) return;
  std::string found;
  for (const auto& [name, count] : governors) {
    found += fmt::format("{}{} on {} CPUs", found.empty() ? "" : ", ", name, count);
  }
  const bool spoils = governors.size() > 1 || governors.begin()->first != "performance";
  findings.push_back(
      {"governor", found, spoils,
       spoils ? "the clock rises only after a sort has begun: short sorts look slow" : "",
       spoils ? "sudo cpupower frequency-set -g performance" : ""});
}

void add_turbo(const fs::path& cpus, std::vector<Finding>& findings) {
  const bool intel = fs::exists(cpus / "intel_pstate/no_turbo");
  if (!intel && !fs::exists(cpus / "cpufreq/boost")) return;
  const bool on =
      intel ? says(cpus / "intel_pstate/no_turbo", "0") : says(cpus / "cpufreq/boost", "1");
  findings.push_back(
      {"turbo", on ? "on" : "off", on,
       on ? "the clock falls as the machine warms up, and with busy neighbour cores" : "",
       !on     ? ""
       : intel ? "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
               : "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"});
}

void add_smt(const fs::path& cpus, std::vector<Finding>& findings) {
  const auto active = line_in(cpus / "smt/active");
  if (!active) return;
  const bool on = *active == "1";
  findings.push_back({"SMT", on ? "two threads share a core" : "off", on,
                      on ? "another program on the same core slows a sort down unseen" : "",
                      on ? "echo off | sudo tee /sys/devices/system/cpu/smt/control" : ""});
}

/// "always [madvise] never": the word in brackets counts.
void add_huge_pages(const fs::path& root, std::vector<Finding>& findings) {
  const auto line = line_in(root / "sys/kernel/mm/transparent_hugepage/enabled");
  if (!line) return;
  const auto open = line->find('['), close = line->find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return;
  const std::string used = line->substr(open + 1, close - open - 1);
  const bool never = used == "never";
  findings.push_back(
      {"huge pages", used, never,
       never ? "large sorts miss the TLB more often than on most machines" : "",
       never ? "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled" : ""});
}

void add_power_cap(const fs::path& root, std::vector<Finding>& findings) {
  const fs::path zone = root / "sys/class/powercap/intel-rapl:0";
  const double set = microwatts_of(zone / "constraint_0_power_limit_uw");
  const double may = microwatts_of(zone / "constraint_0_max_power_uw");
  if (set <= 0 || may <= 0) return;
  const bool capped = set < may;
  findings.push_back({"power cap", fmt::format("{:.0f} W of {:.0f} W", set * 1e-6, may * 1e-6),
                      capped, capped ? "the clock falls under long loads of all cores" : "",
                      capped ? fmt::format("echo {:.0f} | sudo tee {}", may,
                                           (zone / "constraint_0_power_limit_uw").string())
                             : ""});
}

void add_virtual_machine(const fs::path& root, std::vector<Finding>& findings) {
  if (!is_virtual_machine(root)) return;
  findings.push_back({"machine", "virtual", true,
                      "other virtual machines take caches, memory bandwidth and clock unseen", ""});
}

}  // namespace

std::vector<Finding> machine_findings(const fs::path& root) {
  const fs::path cpus = root / "sys/devices/system/cpu";
  std::vector<Finding> findings;
  add_governor(cpus, findings);
  add_turbo(cpus, findings);
  add_smt(cpus, findings);
  add_huge_pages(root, findings);
  add_power_cap(root, findings);
  add_virtual_machine(root, findings);
  return findings;
}

bool is_virtual_machine(const fs::path& root) {
  std::ifstream in(root / "proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("flags")) return line.find(" hypervisor") != std::string::npos;
  }
  return false;
}

Finding load_finding() {
  const CpuShare share = cpu_share();
  const auto average = surroundings().load_1min;
  Finding finding{"load", "", share.others.value_or(0) >= kBusy, "", ""};
  finding.found = fmt::format("other programs keep {:.1f} of {} CPUs busy",
                              share.others.value_or(0), share.allowed.size());
  if (average) finding.found += fmt::format("; load average {:.1f}", *average);
  if (finding.spoils) {
    finding.why = "sorts wait for CPUs, and those with several threads wait for the slowest";
    finding.mend = "end the other programs, or measure with --pin and fewer --threads";
  }
  return finding;
}

void tell_spoilers() {
  tell_cpu_share();
  for (const auto& finding : machine_findings()) {
    if (finding.name != "governor" || !finding.spoils) continue;
    note_line(fmt::format("governor: {}: {} (mend: {})", finding.found, finding.why, finding.mend));
  }
}

}  // namespace sortlab
