#include "common/harness/record/run_files.hpp"

#include <fmt/format.h>

#include <random>

#include "common/harness/record/output_file.hpp"
#include "common/harness/record/record.hpp"
#include "common/harness/record/text_file.hpp"

namespace sortlab {

std::string new_run_id() {
  std::string id = utc_timestamp();
  std::erase_if(id, [](char c) { return c == '-' || c == ':'; });
  return fmt::format("{}-{:06x}", id, std::random_device{}() & 0xffffffu);
}

std::string beside(const std::string& csv, const std::string& ending) {
  const std::string name = unpacked_name(csv);
  return (name.ends_with(".csv") ? name.substr(0, name.size() - 4) : name) + ending;
}

bool has_files_beside(const std::string& csv) {
  return !csv.empty() && csv != "-" && is_replaceable(csv);
}

}  // namespace sortlab
