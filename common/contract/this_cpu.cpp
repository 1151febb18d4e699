#include "common/contract/this_cpu.hpp"

#include <fstream>
#include <map>

#include "common/contract/made_once.hpp"

namespace sortlab {
namespace {

/// The fields of the first CPU in /proc/cpuinfo.
std::map<std::string, std::string> first_cpu() {
  std::map<std::string, std::string> fields;
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line) && !line.empty();) {
    const auto colon = line.find(':');
    const auto name_end = line.find_last_not_of(" \t", colon - 1);
    const auto start = line.find_first_not_of(" \t", colon + 1);
    if (colon == std::string::npos || start == std::string::npos) continue;
    fields[line.substr(0, name_end + 1)] =
        line.substr(start, line.find_last_not_of(" \t") - start + 1);
  }
  return fields;
}

/// Arm's server cores by part number. Other cores are named by their numbers.
std::string arm_core(const std::string& implementer, const std::string& part) {
  const std::map<std::string, std::string> cores = {
      {"0xd0c", "Neoverse N1"}, {"0xd40", "Neoverse V1"},   {"0xd49", "Neoverse N2"},
      {"0xd4f", "Neoverse V2"}, {"0xd83", "Neoverse V3AE"}, {"0xd84", "Neoverse V3"},
      {"0xd8e", "Neoverse N3"}};
  const auto core = cores.find(part);
  if (implementer == "0x41" && core != cores.end()) return "Arm " + core->second;
  return "CPU implementer " + implementer + ", part " + part;
}

}  // namespace

const std::string& cpu_model() {
  static constinit MadeOnce<std::string> model;
  return model.get([] {
    auto fields = first_cpu();
    if (fields.contains("model name")) return fields["model name"];
    if (fields.contains("CPU part")) return arm_core(fields["CPU implementer"], fields["CPU part"]);
    return std::string("unknown CPU");
  });
}

}  // namespace sortlab
