// Flags that take a number. CLI11 alone would read -1 as 2^64 - 1, 010 as 8, and accept inf and
// nan.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace sortlab {

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
