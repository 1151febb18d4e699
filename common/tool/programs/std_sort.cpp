// The program for one algorithm: every command of sortlab, with the std_sort variants only.
#include "common/main_template.hpp"

namespace {
struct StdSort {
  static constexpr const char* name = "std_sort";
  static constexpr const char* variants = "*/std_sort/*";
};
}  // namespace

int main(int argc, char** argv) { return sortlab::main_template<StdSort>(argc, argv); }
