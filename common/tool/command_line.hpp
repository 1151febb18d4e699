// The command line of the tool and of the programs of one algorithm.
#pragma once

#include <string>

namespace sortlab {

/// Parses and carries out. `program` is what the help calls it; only variants whose id matches the
/// glob `scope` exist for it. Returns the exit code: 0; 1 for a failed sort; 2 for bad input, said
/// in one line on stderr; 130 after Ctrl-C.
int run_command_line(const std::string& program, const char* scope, int argc, char** argv);

}  // namespace sortlab
