// The help of each command: its layout, its examples, and the overview that gathers one example of each.
#pragma once

#include <string>
#include <vector>

#include "common/tool/commands.hpp"

namespace sortlab {

/// Ends a command's help with examples, given without the program's name, and then with notes:
/// paragraphs, parted by blank lines. The first example is the one that the overview shows.
void add_examples(CLI::App& command, const CommandContext& context,
                  const std::vector<std::string>& examples, const std::string& notes = "");

/// Ends the help of the whole program with an example of each command that has some. To be called
/// when all commands are there.
void add_overview(CLI::App& app);

/// Lays the help of the program and of its commands out as help_text() does. To be called when all
/// commands are there.
void lay_out_help(CLI::App& app);

/// The help of a command, or of the whole program, for the window of stdout, or for 100 columns where that
/// is unknown. Only examples may be wider.
std::string help_text(const CLI::App& command, const std::string& program);

/// "sortlab compare BASE NEW [OPTIONS]".
std::string usage_of(const CLI::App& command, const std::string& program);

/// "--filter", "-o", ...: all names of a command's options.
std::vector<std::string> flags_of(const CLI::App& command);

}  // namespace sortlab
