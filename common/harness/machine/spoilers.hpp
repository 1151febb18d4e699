// Finds conditions of this machine that would spoil a measurement, and their remedies.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sortlab {

/// One condition that was checked.
struct Finding {
  std::string name;   // "governor"
  std::string found;  // "powersave on 2 of 2 CPUs"
  bool spoils = false;
  std::string why;   // its effect on a measurement; "" if it does no harm
  std::string mend;  // the remedy, often a command; "" if there is none
};

/// Frequency governor, turbo, SMT, transparent huge pages, power cap and virtual machine, as Linux
/// reports them below `root`. Unreported ones are left out.
std::vector<Finding> machine_findings(const std::filesystem::path& root = "/");

/// Whether the flags of the CPUs say that a hypervisor runs this machine.
bool is_virtual_machine(const std::filesystem::path& root = "/");

/// How busy the machine is now: other programs, and the load average. Takes 50 ms.
Finding load_finding();

/// The warnings that a run prints on stderr before it begins: limits of this process, a busy
/// machine, a governor that slows CPUs down.
void tell_spoilers();

}  // namespace sortlab
