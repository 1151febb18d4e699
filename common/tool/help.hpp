// Examples in the help of each command, and the overview that gathers one of each.
#pragma once

#include <string>
#include <vector>

#include "common/tool/commands.hpp"

namespace sortlab {

/// Ends a command's help with examples, given without the program's name, and then with notes. The
/// first example is the one that the overview shows.
void add_examples(CLI::App& command, const CommandContext& context,
                  const std::vector<std::string>& examples, const std::string& notes = "");

/// Ends the help of the whole program with an example of each command that has some. To be called
/// when all commands are there.
void add_overview(CLI::App& app);

/// "--filter", "-o", ...: all names of a command's options.
std::vector<std::string> flags_of(const CLI::App& command);

}  // namespace sortlab
