// The command line of the tool and of the programs for one algorithm.
#pragma once

#include <string>

namespace sortlab {

/// Parses and executes the command line. `program` is its name in the help; it has only the
/// variants whose id matches the glob `scope`. Returns the exit code: 0; 1 for a failed sort; 2 for
/// bad input, said in one line on stderr; 130 after Ctrl-C.
int run_command_line(const std::string& program, const char* scope, int argc, char** argv);

}  // namespace sortlab
