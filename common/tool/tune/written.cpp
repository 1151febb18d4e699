#include "common/tool/tune/written.hpp"

#include "common/harness/record/output_file.hpp"

namespace sortlab {

void write_tuning(const std::string& path, const GpuTuning& tuning) {
  make_folder_of(path);
  write_file(path, text_with(tuning, path));
}
void write_tuning(const std::string& path, const CpuTuning& tuning) {
  make_folder_of(path);
  write_file(path, text_with(tuning, path));
}

void require_place_for_tuning(const std::string& path) {
  make_folder_of(path);
  require_writable(path);
  require_tune_file(path);
}

}  // namespace sortlab
