// Fuzzes matrix files, from their JSON to the plan.
#include "tests/fuzz/fuzzing.hpp"
#include "tests/fuzz/stand_ins.hpp"

using namespace sortlab;
using namespace sortlab::fuzzing;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  register_stand_ins();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = write("matrix.json", text_of(data, size));
  Matrix matrix;
  if (!accepts(path, [&] { matrix = read_matrix_file(path); })) return 0;
  require(!matrix.runs.empty() && matrix.rounds >= 1 && matrix.rounds <= kMostRounds,
          "a matrix of no runs, or of no rounds");
  for (const auto& selection : matrix.runs) {
    accepts("", [&] { plan_small(selection); });
  }
  return 0;
}
