// The tool, with all variants.
#include "common/main_template.hpp"

namespace {
struct Sortlab {
  static constexpr const char* name = "sortlab";
  static constexpr const char* variants = "*";
};
}  // namespace

int main(int argc, char** argv) { return sortlab::main_template<Sortlab>(argc, argv); }
