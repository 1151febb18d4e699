#include "common/harness/record/run_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string_view>
#include <vector>

#include "common/contract/errors.hpp"

#include "common/harness/record/output_file.hpp"
#include "common/harness/record/record.hpp"
#include "common/harness/record/text_file.hpp"

namespace sortlab {
namespace {

/// Packed files are recognized as CSVs by their names.
bool is_csv_of_ours(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  constexpr std::string_view kBegin = "schema_version,";
  std::string begin(kBegin.size(), '\0');
  std::ifstream(path).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return is_packed(path) || begin == kBegin;
}

}  // namespace

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

void require_own_files_beside(const std::string& csv) {
  const std::string stem = beside(csv, "");
  const std::vector<std::string> others =
      stem == csv ? std::vector{csv + ".csv", csv + ".csv.xz"} : std::vector{stem};
  for (const auto& other : others) {
    if (!is_csv_of_ours(other)) continue;
    throw BadInput(fmt::format("{}: {} would tell of both it and {}; name another file", csv,
                               beside(csv, ".run.json"), other));
  }
}

}  // namespace sortlab
