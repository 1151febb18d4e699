// The only main function: the tool `sortlab` and the programs for one algorithm are instances of
// it (tool/programs.cpp).
//
//   struct Radix {
//     static constexpr const char* name = "radix";
//     static constexpr const char* variants = "*/radix/*";
//   };
//   int main(int argc, char** argv) { return sortlab::main_template<Radix>(argc, argv); }
#pragma once

#include <string>

namespace sortlab {

/// Parses and executes the command line. `program` is its name in the help; it has only the
/// variants whose id matches the glob `scope`. Returns the exit code: 0; 1 for a failed sort; 2 for
/// bad input, said in one line on stderr; 130 after Ctrl-C.
int run_command_line(const std::string& program, const char* scope, int argc, char** argv);

template <class Program>
int main_template(int argc, char** argv) {
  return run_command_line(Program::name, Program::variants, argc, argv);
}

}  // namespace sortlab
