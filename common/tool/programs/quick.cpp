// The program for one algorithm: every command of sortlab, with the quick variants only.
#include "common/main_template.hpp"

namespace {
struct Quick {
  static constexpr const char* name = "quick";
  static constexpr const char* variants = "*/quick/*";
};
}  // namespace

int main(int argc, char** argv) { return sortlab::main_template<Quick>(argc, argv); }
