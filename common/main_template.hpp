// The only main function: the tool `sortlab` and the programs for one algorithm are instances of
// it.
//
//   struct Radix {
//     static constexpr const char* name = "radix";
//     static constexpr const char* variants = "*/radix/*";
//   };
//   int main(int argc, char** argv) { return sortlab::main_template<Radix>(argc, argv); }
#pragma once

#include "common/tool/command_line.hpp"

namespace sortlab {

template <class Program>
int main_template(int argc, char** argv) {
  return run_command_line(Program::name, Program::variants, argc, argv);
}

}  // namespace sortlab
