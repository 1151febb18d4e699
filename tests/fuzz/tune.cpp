// Fuzzes tune.json: reads it, writes a section into it, and reads the result.
#include "common/choose/tune_file.hpp"
#include "tests/fuzz/fuzzing.hpp"

using namespace sortlab;
using namespace sortlab::fuzzing;

namespace {

template <class Tuning>
void write_and_read(std::optional<Tuning> (*parse)(std::string_view, const std::string&),
                    const std::string& text, const std::string& path) {
  std::optional<Tuning> tuning;
  if (!accepts(path, [&] { tuning = parse(text, path); }) || !tuning) return;
  for (const std::string& file : {path, folder() + "/none.json"}) {
    const auto again = parse(text_with(*tuning, file), file);
    require(again == tuning, "choices changed by writing and reading them");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(text_of(data, size));
  const std::string path = write("tune.json", text);
  accepts(path, [&] { require_tune_file(path); });
  write_and_read<GpuTuning>(&parse_gpu_tuning, text, path);
  write_and_read<CpuTuning>(&parse_cpu_tuning, text, path);
  return 0;
}
