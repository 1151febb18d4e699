// What is wrong with a command line, in one line each.
#pragma once

#include <CLI/CLI.hpp>

#include "common/contract/errors.hpp"

namespace sortlab {

/// Makes an empty value of any option an error: a script's unset variable, most likely. To be called
/// after all commands were added.
void refuse_empty_values(CLI::App& app);

/// The message for a command line that can't be parsed. An unknown flag comes first.
BadInput complaint(const CLI::App& app, const CLI::ParseError& error);

}  // namespace sortlab
