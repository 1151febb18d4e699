// The help of each command: its layout, its examples, and the overview with one example of each. And what is wrong with a
// command line, in one line each.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "common/contract/errors.hpp"
#include "tool/commands.hpp"

namespace sortlab {

/// Adds examples, given without the program's name, and then notes to the end of a command's help.
/// Blank lines separate the paragraphs of the notes. The overview shows the first example.
void add_examples(CLI::App& command, const CommandContext& context,
                  const std::vector<std::string>& examples, const std::string& notes = "");

/// Adds one example of each command that has some to the end of the program's help. To be called
/// after all commands were added.
void add_overview(CLI::App& app);

/// Makes the program and its commands use the layout of help_text(). To be called after all
/// commands were added.
void lay_out_help(CLI::App& app);

/// The help of a command, or of the whole program, for the window of stdout, or for 100 columns where that
/// is unknown. Only examples may be wider.
std::string help_text(const CLI::App& command, const std::string& program);

/// "sortlab compare BASE NEW [OPTIONS]".
std::string usage_of(const CLI::App& command, const std::string& program);

/// The names of the program's commands.
std::vector<std::string> commands_of(const CLI::App& app);

/// The command of that name. Throws BadInput, with the nearest ones.
const CLI::App& command_named(const CLI::App& app, const std::string& name);

/// "--filter", "-o", ...: all names of a command's options.
std::vector<std::string> flags_of(const CLI::App& command);

/// Makes an empty value of any option an error: a script's unset variable, most likely. To be called
/// after all commands were added.
void refuse_empty_values(CLI::App& app);

/// The message for a command line that can't be parsed. An unknown flag comes first.
BadInput complaint(const CLI::App& app, const CLI::ParseError& error);

}  // namespace sortlab
