// The programs: `sortlab` with all variants, and for each algorithm one with every command, but its variants only. CMake
// compiles this file for each.
#include "common/main_template.hpp"

namespace {

struct Program {
#ifdef SORTLAB_ALGORITHM
  static constexpr const char* name = SORTLAB_ALGORITHM;
  static constexpr const char* variants = "*/" SORTLAB_ALGORITHM "/*";
#else
  static constexpr const char* name = "sortlab";
  static constexpr const char* variants = "*";
#endif
};

}  // namespace

int main(int argc, char** argv) { return sortlab::main_template<Program>(argc, argv); }
