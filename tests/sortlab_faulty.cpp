// The tool with intentionally faulty sorts, for tests of how runs handle them.
#include "common/main_template.hpp"

namespace {
struct SortlabFaulty {
  static constexpr const char* name = "sortlab_faulty";
  static constexpr const char* variants = "*";
};
}  // namespace

int main(int argc, char** argv) { return sortlab::main_template<SortlabFaulty>(argc, argv); }
