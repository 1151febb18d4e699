// The machines that results come from, as their run.json files describe them.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/harness/record/summary.hpp"
#include "tool/report/model.hpp"

namespace sortlab::report {

/// Distinguishes machines. Runs on the same CPU (name, family and model: "AMD EPYC" is a Zen 4 or a
/// Zen 5) with as many threads are of one machine, unless they used different GPUs. A run without a
/// GPU, or without its CPU's family, joins a run that has them.
class Machines {
 public:
  /// Reads FILE.run.json beside FILE.csv, if it exists and is complete.
  void add_runs(const std::string& csv, std::vector<std::string>& warnings);

  /// The machine of a row: that of its run if a run.json describes it, else one with this device,
  /// else a new one that is known only by its device.
  std::size_t machine_of(const std::string& run_id, const std::string& device, bool on_gpu);

  /// The program that made a run, "" where unknown.
  std::string revision_of(const std::string& run_id) const;

  /// Zeros where unknown.
  CopyBandwidth bandwidth_of(const std::string& run_id) const;

  void add_file(std::size_t machine, const std::string& csv);

  /// All machines, with unique names.
  std::vector<Machine> take();

 private:
  std::size_t machine_of_description(const nlohmann::json& description);

  std::vector<Machine> machines_;
  std::map<std::string, nlohmann::json> descriptions_;  // by run_id
  std::map<std::string, std::size_t> machine_of_run_;
};

/// The common name of a CPU's core: "Zen 5" for family 26, model 2, in decimal as in /proc/cpuinfo. "family 99, model 1" for a core
/// that is not in the list; "" if either is empty.
std::string core_name(const std::string& family, const std::string& model);

}  // namespace sortlab::report
