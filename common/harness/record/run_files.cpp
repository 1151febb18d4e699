#include "common/harness/record/run_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <filesystem>
#include <random>
#include <string_view>
#include <vector>

#include "common/harness/bad_input.hpp"
#include "common/harness/json_value.hpp"
#include "common/harness/machine/build_info.hpp"
#include "common/harness/record/output_file.hpp"
#include "common/harness/record/record.hpp"

namespace sortlab {
namespace {

constexpr std::string_view kBegin = "schema_version,";

/// Packed files are recognized as CSVs by their names.
bool is_csv_of_ours(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  return is_packed(path) || begins_with(path, kBegin);
}

/// Throws BadInput if a member that sortlab reads is of another kind.
void check_run(const JsonValue& run) {
  const auto text = [](const JsonValue& value) { (void)value.text(); };
  const auto number = [](const JsonValue& value) { (void)value.number(); };
  const auto count = [](const JsonValue& value) { (void)value.whole<int>(1, INT_MAX); };
  const auto truth = [](const JsonValue& value) { (void)value.truth(); };
  const auto list = [](const JsonValue& value) { (void)value.elements(); };
  const auto object = [](std::vector<JsonValue::Reader> members) {
    return [=](const JsonValue& value) { value.read(members, JsonValue::Others::passed_over); };
  };
  const auto numbers = [](const JsonValue& value) {
    for (const auto& [key, member] : value.members()) (void)member.number();
  };
  object({{"cpu", object({{"model", text},
                          {"family", text},
                          {"model_number", text},
                          {"threads", count},
                          {"caches", list}})},
          {"gpu",
           object({{"name", text}, {"cuda_driver", text}, {"cuda_runtime", text}, {"sms", count}})},
          {"roofs", numbers},
          {"gpu_roofs", numbers},
          {"memory_bytes", number},
          {"started_utc", text},
          {"build", object({{"git_revision", text}, {"git_dirty", truth}})},
          {"os", object({})}})(run);
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
  for (const std::string_view ending : {".summary.csv", ".breakdown.csv", ".run.json"}) {
    if (unpacked_name(csv).ends_with(ending)) {
      throw bad_input("{}: files that end in {} are written beside a CSV; name another file", csv,
                      ending);
    }
  }
  const std::string stem = beside(csv, "");
  const std::vector<std::string> others =
      stem == csv ? std::vector{csv + ".csv", csv + ".csv.xz"} : std::vector{stem};
  for (const auto& other : others) {
    if (!is_csv_of_ours(other)) continue;
    throw bad_input("{}: {} would be about both it and {}; name another file", csv,
                    beside(csv, ".run.json"), other);
  }
  require_place_for(beside(csv, ".summary.csv"), kBegin, "a summary of results");
}

bool is_breakdown(const std::string& path) {
  return unpacked_name(path).ends_with(".breakdown.csv");
}

std::vector<std::string> csvs_below(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    const std::string name = unpacked_name(path);
    if (!entry.is_regular_file() || !name.ends_with(".csv") || name.ends_with(".summary.csv")) {
      continue;
    }
    if (is_packed(path) && std::filesystem::exists(name)) continue;  // the same, unpacked, is read
    paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

nlohmann::json read_run_json(const std::string& path) {
  if (!std::filesystem::exists(path)) return nlohmann::json::object();
  const JsonValue file = JsonValue::of_file(path);
  for (const auto& [run_id, run] : file.members()) check_run(run);
  return file.json();
}

std::string this_revision() {
  return fmt::format("{}{}", kGitRevision, kGitDirty ? " with changes" : "");
}

std::string revision_in(const nlohmann::json& run) {
  const std::string revision = run.value("/build/git_revision"_json_pointer, "");
  return run.value("/build/git_dirty"_json_pointer, false) ? revision + " with changes" : revision;
}

}  // namespace sortlab
