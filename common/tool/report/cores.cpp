#include "common/tool/report/cores.hpp"

#include <fmt/format.h>

#include "common/tool/report/files.hpp"

namespace sortlab::report {
namespace {

/// Models `first` to `last` of a family. AMD's families are above 20, Intel's is 6.
struct Core {
  int family, first, last;
  const char* name;
};

// As the kernel lists them in arch/x86: intel-family.h, and cpu/amd.c for Zen.
constexpr Core kCores[] = {
    {6, 60, 60, "Haswell"},
    {6, 61, 61, "Broadwell"},
    {6, 63, 63, "Haswell"},
    {6, 69, 70, "Haswell"},
    {6, 71, 71, "Broadwell"},
    {6, 78, 78, "Skylake"},
    {6, 79, 79, "Broadwell"},
    {6, 85, 85, "Skylake or Cascade Lake"},
    {6, 86, 86, "Broadwell"},
    {6, 94, 94, "Skylake"},
    {6, 106, 106, "Ice Lake"},
    {6, 108, 108, "Ice Lake"},
    {6, 125, 126, "Ice Lake"},
    {6, 140, 141, "Tiger Lake"},
    {6, 142, 142, "Kaby Lake"},
    {6, 143, 143, "Sapphire Rapids"},
    {6, 151, 151, "Alder Lake"},
    {6, 154, 154, "Alder Lake"},
    {6, 158, 158, "Kaby Lake"},
    {6, 165, 166, "Comet Lake"},
    {6, 167, 167, "Rocket Lake"},
    {6, 170, 170, "Meteor Lake"},
    {6, 172, 172, "Meteor Lake"},
    {6, 173, 174, "Granite Rapids"},
    {6, 175, 175, "Sierra Forest"},
    {6, 183, 183, "Raptor Lake"},
    {6, 186, 186, "Raptor Lake"},
    {6, 189, 189, "Lunar Lake"},
    {6, 191, 191, "Raptor Lake"},
    {6, 197, 198, "Arrow Lake"},
    {6, 207, 207, "Emerald Rapids"},
    {23, 0, 7, "Zen"},
    {23, 8, 8, "Zen+"},
    {23, 17, 17, "Zen"},
    {23, 24, 24, "Zen+"},
    {23, 32, 32, "Zen"},
    {23, 48, 255, "Zen 2"},
    {25, 0, 15, "Zen 3"},
    {25, 16, 31, "Zen 4"},
    {25, 32, 95, "Zen 3"},
    {25, 96, 175, "Zen 4"},
    {26, 0, 79, "Zen 5"},
    {26, 96, 127, "Zen 5"},
};

}  // namespace

std::string core_name(const std::string& family, const std::string& model) {
  if (family.empty() || model.empty()) return "";
  const double f = number_or(family, -1), m = number_or(model, -1);
  for (const Core& core : kCores) {
    if (core.family == f && core.first <= m && m <= core.last) return core.name;
  }
  return fmt::format("family {}, model {}", family, model);
}

}  // namespace sortlab::report
