#include "common/harness/record/run_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <random>

#include "common/harness/record/record.hpp"
#include "common/harness/record/text_file.hpp"

namespace sortlab {

std::string new_run_id() {
  std::string id = utc_timestamp();
  std::erase_if(id, [](char c) { return c == '-' || c == ':'; });
  return fmt::format("{}-{:06x}", id, std::random_device{}() & 0xffffffu);
}

std::string beside(const std::string& csv, const std::string& ending) {
  const std::filesystem::path path(unpacked_name(csv));
  return (path.parent_path() / path.stem()).string() + ending;
}

}  // namespace sortlab
