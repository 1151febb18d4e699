#include "common/tool/number_flags.hpp"

#include <fmt/format.h>

#include "common/contract/errors.hpp"
#include "common/contract/numbers.hpp"

namespace sortlab {

std::uint64_t whole_number(const std::string& flag, const std::string& text, std::uint64_t least,
                           std::uint64_t most) {
  const auto value = parse_whole(text);
  if (!value || *value < least || *value > most) {
    throw BadInput(fmt::format("{} {}: a whole number from {} to {}", flag, text, least, most));
  }
  return *value;
}

double finite_number(const std::string& flag, const std::string& text) {
  const auto value = parse_number(text);
  if (!value || *value < 0) throw BadInput(fmt::format("{} {}: a number of 0 or more", flag, text));
  return *value;
}

CLI::Option* add_number(CLI::App& command, const std::string& flag, double& value,
                        const std::string& help) {
  const auto set = [flag, &value](const std::string& text) { value = finite_number(flag, text); };
  return command.add_option_function<std::string>(flag, set, help)->type_name("FLOAT");
}

}  // namespace sortlab
