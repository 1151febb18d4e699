#include "tool/flags.hpp"

#include <fmt/format.h>

#include "common/contract/numbers.hpp"
#include "common/harness/bad_input.hpp"
#include "common/harness/plan/counts.hpp"

namespace sortlab {
namespace {

CLI::Option* add_float(CLI::App& command, const std::string& flag, double& value,
                       const std::string& help, bool (*fits)(double), const char* which) {
  const auto set = [=, &value](const std::string& text) {
    const auto number = parse_number(text);
    if (!number || !fits(*number)) {
      throw bad_input("{} {}: a number {}", flag, text, which);
    }
    value = *number;
  };
  return command.add_option_function<std::string>(flag, set, help)->type_name("FLOAT");
}

}  // namespace

CLI::Option* add_list(CLI::App& command, const std::string& flag, std::vector<std::string>& texts,
                      const std::string& kind, const std::string& help) {
  return add_text(command, flag, texts, kind, help)->delimiter(',');
}

CLI::Option* add_choice(CLI::App& command, const std::string& flag, const std::string& words,
                        const std::string& help, const std::function<void(std::size_t)>& set) {
  const auto choose = [=](const std::string& text) {
    const auto parts = split(words, '|');
    const std::vector<std::string> known(parts.begin(), parts.end());
    set(index_of_name("value of " + flag, text, known));
  };
  return command.add_option_function<std::string>(flag, choose, help)->type_name(words);
}

std::uint64_t whole_number(const std::string& flag, const std::string& text, std::uint64_t least,
                           std::uint64_t most) {
  const auto value = parse_whole(text);
  if (!value || *value < least || *value > most) {
    throw bad_input("{} {}: a whole number from {} to {}", flag, text, least, most);
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
