#include "common/tool/report/cores.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/choose/embedded.hpp"
#include "common/tool/report/files.hpp"

namespace sortlab::report {

std::string core_name(const std::string& family, const std::string& model) {
  static const auto cores = nlohmann::json::parse(embedded_file("plots/cores.json")).at("cores");
  if (family.empty() || model.empty()) return "";
  const double f = number_or(family, -1), m = number_or(model, -1);
  for (const auto& core : cores) {  // family, first model, last model, name
    if (core[0] == f && core[1] <= m && m <= core[2]) return core[3].get<std::string>();
  }
  return fmt::format("family {}, model {}", family, model);
}

}  // namespace sortlab::report
