// Finds the measurements for a recommendation: those of this machine by this program.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "common/choose/tune_file.hpp"
#include "common/contract/errors.hpp"
#include "common/contract/usable_cpus.hpp"
#include "common/harness/machine/machine.hpp"
#include "common/harness/record/output_file.hpp"
#include "common/harness/record/run_files.hpp"
#include "common/harness/rig/device.hpp"
#include "common/notes.hpp"
#include "common/utils.hpp"
#include "tool/recommend/recommend.hpp"

namespace sortlab {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<std::string> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const auto& path : paths) {
    if (!fs::exists(path)) throw BadInput(path + ": no such file or folder");
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    for (const auto& csv : csvs_below(path)) {
      if (!is_breakdown(csv)) files.push_back(csv);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Distinguishes this machine from others with the same CPU model.
json machine_facts(const json& description) {
  const json cpu = description.value("cpu", json::object());
  return {cpu.value("model", ""), cpu.value("family", ""), cpu.value("model_number", ""),
          cpu.value("threads", 0)};
}

/// The runs that were made on other machines, according to run.json.
std::vector<std::string> runs_elsewhere(const std::string& csv, const json& here) {
  const json runs = read_run_json(beside(csv, ".run.json"));
  std::vector<std::string> elsewhere;
  for (const auto& [run_id, description] : runs.items()) {
    if (machine_facts(description) != here) elsewhere.push_back(run_id);
  }
  return elsewhere;
}

/// The time since a UTC timestamp (utc_timestamp()); infinite for any other text.
double days_since(const std::string& utc) {
  std::tm then{};
  if (strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%SZ", &then) == nullptr) return HUGE_VAL;
  return std::difftime(std::time(nullptr), timegm(&then)) / 86400;
}

bool is_of_this_program(const CsvRow& row) {
  const Variant* const variant = find_variant(row.at("variant"));
  if (variant == nullptr || row.at("lib_version") != variant->info.lib_version) return false;
  return row.at("device") == (variant->info.memory == Memory::host ? cpu_model() : gpu_name());
}

}  // namespace

CsvTable rows_of_this_machine(const std::vector<std::string>& paths) {
  const json here = machine_facts(describe_machine());
  CsvTable usable;
  std::vector<std::string> warnings;
  for (const auto& file : files_of(paths)) {
    const auto elsewhere = runs_elsewhere(file, here);
    CsvTable table = read_whole_rows(file, warnings);
    for (auto& row : table.rows) {
      const bool is_elsewhere =
          std::find(elsewhere.begin(), elsewhere.end(), row.at("run_id")) != elsewhere.end();
      if (!is_elsewhere && is_of_this_program(row)) usable.rows.push_back(std::move(row));
    }
  }
  for (const auto& warning : warnings) note("{}\n", warning);
  return usable;
}

CsvTable fresh_rows(const std::string& cache, std::string& expired) {
  constexpr double kDays = 30;
  const json runs = read_run_json(beside(cache, ".run.json"));
  std::set<std::string> fresh;  // runs
  for (const auto& [run_id, run] : runs.items()) {
    if (revision_in(run) == this_revision() && days_since(run.value("started_utc", "")) <= kDays)
      fresh.insert(run_id);
  }
  CsvTable table = rows_of_this_machine({cache});
  std::set<std::string> left_out;
  std::erase_if(table.rows, [&](const auto& row) {
    if (fresh.contains(row.at("run_id"))) return false;
    left_out.insert(row.at("config_id"));
    return true;
  });
  if (!left_out.empty()) {
    expired =
        fmt::format("{} measurements kept from earlier are of another build, or over {} days old",
                    left_out.size(), kDays);
  }
  return table;
}

std::string recommendation_cache() {
  const auto machine = fnv1a(machine_facts(describe_machine()).dump());
  return user_file("XDG_CACHE_HOME", ".cache",
                   fmt::format("recommend-{:08x}.csv", machine & 0xffffffffu));
}

}  // namespace sortlab
