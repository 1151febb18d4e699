// The flags and arguments of commands, a line each. CLI11 alone would read -1 as 2^64 - 1, 010 as 8, and accept inf and
// nan.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tool/commands.hpp"

namespace sortlab {

/// Adds a command, and options of it that live as long as the program. It runs run(options, context).
template <class Options>
std::pair<CLI::App&, Options&> add_command(CLI::App& app, CommandContext& context,
                                           const std::string& name, const std::string& summary,
                                           int (*run)(Options&, const CommandContext&)) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand(name, summary);
  command->callback([=, &context] {
    context.command = command;
    context.exit_code = run(*options, context);
  });
  return {*command, *options};
}

/// A flag, or an argument, for one text or several. `kind` names them in the help: "FILE".
template <class Texts>
CLI::Option* add_text(CLI::App& command, const std::string& flag, Texts& texts,
                      const std::string& kind, const std::string& help) {
  return command.add_option(flag, texts, help)->type_name(kind);
}

/// The same for texts with commas between them.
CLI::Option* add_list(CLI::App& command, const std::string& flag, std::vector<std::string>& texts,
                      const std::string& kind, const std::string& help);

/// A flag, or an argument, for one of the words in "text|json". Calls set() with its place.
CLI::Option* add_choice(CLI::App& command, const std::string& flag, const std::string& words,
                        const std::string& help, const std::function<void(std::size_t)>& set);

/// The same for the values of an enumeration, or false and true, in their order.
template <class Enum>
CLI::Option* add_choice(CLI::App& command, const std::string& flag, Enum& value,
                        const std::string& words, const std::string& help) {
  return add_choice(command, flag, words, help,
                    [&value](std::size_t place) { value = static_cast<Enum>(place); });
}

/// The whole number that a flag was given, in decimal digits. Throws BadInput, which names the flag, for
/// any other text and for one that is not from `least` to `most`.
std::uint64_t whole_number(const std::string& flag, const std::string& text, std::uint64_t least,
                           std::uint64_t most);

/// A flag for a whole number from `least` to `most`.
template <class Int>
CLI::Option* add_whole(CLI::App& command, const std::string& flag, Int& value, Int least, Int most,
                       const std::string& help) {
  const auto set = [=, &value](const std::string& text) {
    value = static_cast<Int>(whole_number(flag, text, static_cast<std::uint64_t>(least),
                                          static_cast<std::uint64_t>(most)));
  };
  return command.add_option_function<std::string>(flag, set, help)->type_name("N");
}

/// A flag for a number of 0 or more.
CLI::Option* add_number(CLI::App& command, const std::string& flag, double& value,
                        const std::string& help);

/// A flag for a number above 0.
CLI::Option* add_positive(CLI::App& command, const std::string& flag, double& value,
                          const std::string& help);

}  // namespace sortlab
