#include "common/harness/record/run_files.hpp"

#include <fmt/format.h>

#include <climits>
#include <filesystem>
#include <fstream>
#include <random>
#include <string_view>
#include <vector>

#include "common/contract/errors.hpp"
#include "common/harness/json_value.hpp"
#include "common/harness/record/output_file.hpp"
#include "common/harness/record/record.hpp"

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

void check_cpu(const JsonValue& cpu) {
  for (const auto& [key, value] : cpu.members()) {
    if (key == "model" || key == "family" || key == "model_number") value.text();
    if (key == "threads") value.whole<int>(1, INT_MAX);
    if (key == "caches") value.elements();
  }
}

void check_gpu(const JsonValue& gpu) {
  for (const auto& [key, value] : gpu.members()) {
    if (key == "name" || key == "cuda_driver" || key == "cuda_runtime") value.text();
    if (key == "sms") value.whole<int>(1, INT_MAX);
  }
}

void check_roofs(const JsonValue& roofs) {
  for (const auto& [key, value] : roofs.members()) value.number();
}

void check_build(const JsonValue& build) {
  for (const auto& [key, value] : build.members()) {
    if (key == "git_revision") value.text();
    if (key == "git_dirty") value.truth();
  }
}

void check_run(const JsonValue& run) {
  for (const auto& [key, value] : run.members()) {
    if (key == "cpu") check_cpu(value);
    if (key == "gpu") check_gpu(value);
    if (key == "roofs" || key == "gpu_roofs") check_roofs(value);
    if (key == "memory_bytes") value.number();
    if (key == "started_utc") value.text();
    if (key == "build") check_build(value);
    if (key == "os") value.members();
  }
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

nlohmann::json read_run_json(const std::string& path) {
  if (!std::filesystem::exists(path)) return nlohmann::json::object();
  const JsonValue file = JsonValue::of_file(path);
  for (const auto& [run_id, run] : file.members()) check_run(run);
  return file.json();
}

}  // namespace sortlab
