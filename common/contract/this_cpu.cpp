#include "common/contract/this_cpu.hpp"

#include <fstream>

namespace sortlab {

const std::string& cpu_model() {
  static const std::string model = [] {
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);) {
      if (!line.starts_with("model name")) continue;
      const auto start = line.find_first_not_of(" \t", line.find(':') + 1);
      if (start != std::string::npos) {
        return line.substr(start, line.find_last_not_of(" \t") - start + 1);
      }
    }
    return std::string("unknown CPU");
  }();
  return model;
}

}  // namespace sortlab
