// The program for one algorithm: every command of sortlab, with the merge variants only.
#include "common/main_template.hpp"

namespace {
struct Merge {
  static constexpr const char* name = "merge";
  static constexpr const char* variants = "*/merge/*";
};
}  // namespace

int main(int argc, char** argv) { return sortlab::main_template<Merge>(argc, argv); }
