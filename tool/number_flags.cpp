#include "tool/number_flags.hpp"

#include <fmt/format.h>

#include "common/contract/errors.hpp"
#include "common/contract/numbers.hpp"

namespace sortlab {
namespace {

CLI::Option* add_float(CLI::App& command, const std::string& flag, double& value,
                       const std::string& help, bool (*fits)(double), const char* which) {
  const auto set = [=, &value](const std::string& text) {
    const auto number = parse_number(text);
    if (!number || !fits(*number)) {
      throw BadInput(fmt::format("{} {}: a number {}", flag, text, which));
    }
    value = *number;
  };
  return command.add_option_function<std::string>(flag, set, help)->type_name("FLOAT");
}

}  // namespace

std::uint64_t whole_number(const std::string& flag, const std::string& text, std::uint64_t least,
                           std::uint64_t most) {
  const auto value = parse_whole(text);
  if (!value || *value < least || *value > most) {
    throw BadInput(fmt::format("{} {}: a whole number from {} to {}", flag, text, least, most));
  }
  return *value;
}

CLI::Option* add_number(CLI::App& command, const std::string& flag, double& value,
                        const std::string& help) {
  return add_float(
      command, flag, value, help, [](double x) { return x >= 0; }, "of 0 or more");
}

CLI::Option* add_positive(CLI::App& command, const std::string& flag, double& value,
                          const std::string& help) {
  return add_float(
      command, flag, value, help, [](double x) { return x > 0; }, "above 0");
}

}  // namespace sortlab
