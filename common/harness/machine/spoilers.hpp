// What would spoil a measurement on this machine, and what mends it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sortlab {

/// One thing that was looked at.
struct Finding {
  std::string name;   // "governor"
  std::string found;  // "powersave on 2 of 2 CPUs"
  bool spoils = false;
  std::string why;   // what it does to a measurement; "" where it does no harm
  std::string mend;  // a command, or what to do; "" where nothing can be done from here
};

/// Frequency governor, turbo, SMT, transparent huge pages, power cap and virtual machine, as Linux tells
/// them below `root`. What it does not tell is left out.
std::vector<Finding> machine_findings(const std::filesystem::path& root = "/");

/// Whether the flags of the CPUs say that a hypervisor runs this machine.
bool is_virtual_machine(const std::filesystem::path& root = "/");

/// How busy the machine is now: other programs, and the load average. Takes 50 ms.
Finding load_finding();

/// What a run should say before it begins, on stderr: the limits of this process, a busy machine, a
/// governor that slows CPUs down.
void tell_spoilers();

}  // namespace sortlab
