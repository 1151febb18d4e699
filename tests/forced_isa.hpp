// Instruction sets for tests: those of this CPU, and a temporarily forced one.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/contract/isa.hpp"

namespace sortlab {

/// Sets SORTLAB_ISA to `name` during its lifetime.
class Forced {
 public:
  explicit Forced(std::string_view name) {
    if (const char* const before = std::getenv("SORTLAB_ISA")) before_ = before;
    setenv("SORTLAB_ISA", std::string(name).c_str(), 1);
  }
  ~Forced() {
    if (before_) {
      setenv("SORTLAB_ISA", before_->c_str(), 1);
    } else {
      unsetenv("SORTLAB_ISA");
    }
  }

 private:
  std::optional<std::string> before_;
};

inline std::vector<Isa> isas_of_this_cpu() {
  std::vector<Isa> isas;
  for (const Isa isa : kIsasOfBuild) {
    if (has_isa(best_isa_of_cpu(), isa)) isas.push_back(isa);
  }
  return isas;
}

}  // namespace sortlab
