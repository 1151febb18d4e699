// The CSV of kernels and copies, as `run --breakdown` resumes it and `reproduce` reads it.
#include "common/harness/breakdown/breakdown.hpp"

#include "tests/fuzz/fuzzing.hpp"

using namespace sortlab;
using namespace sortlab::fuzzing;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = write("a.breakdown.csv", with_header(text_of(data, size)));
  accepts(path, [&] {
    for (const auto& [id, rows] : read_breakdown(path)) {
      require(!rows.empty(), "a configuration without rows");
    }
  });
  return 0;
}
