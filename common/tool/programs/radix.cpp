// The program for one algorithm: every command of sortlab, with the radix variants only.
#include "common/main_template.hpp"

namespace {
struct Radix {
  static constexpr const char* name = "radix";
  static constexpr const char* variants = "*/radix/*";
};
}  // namespace

int main(int argc, char** argv) { return sortlab::main_template<Radix>(argc, argv); }
