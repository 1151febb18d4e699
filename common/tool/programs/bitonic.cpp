// The program for one algorithm: every command of sortlab, with the bitonic variants only.
#include "common/main_template.hpp"

namespace {
struct Bitonic {
  static constexpr const char* name = "bitonic";
  static constexpr const char* variants = "*/bitonic/*";
};
}  // namespace

int main(int argc, char** argv) { return sortlab::main_template<Bitonic>(argc, argv); }
