#include "common/harness/run/engine.hpp"
#include "common/harness/record/output_file.hpp"
#include "common/harness/record/run_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "common/harness/machine/machine.hpp"
#include "common/harness/record/record.hpp"
#include "common/harness/record/summary.hpp"
#include "common/harness/record/text_file.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/run/interrupt.hpp"
#include "common/harness/run/loop.hpp"
#include "common/harness/worker/worker.hpp"
#include "common/notes.hpp"

namespace sortlab {
namespace {

using nlohmann::json;

/// The entries of FILE.run.json, one a run that added to FILE, by run_id.
json read_run_descriptions(const std::string& path) {
  json all = json::object();
  if (std::ifstream in(path); in) all = json::parse(in, nullptr, false);
  return all.is_object() ? all : json::object();
}

/// Gives a file that is no list of runs another name: someone may want to mend it.
void set_aside_if_broken(const std::string& path) {
  std::ifstream in(path);
  if (!in || json::parse(in, nullptr, false).is_object()) return;
  std::string kept = path + ".broken";
  for (int i = 2; std::filesystem::exists(kept); ++i) kept = fmt::format("{}.broken{}", path, i);
  std::filesystem::rename(path, kept);
  note("{}: not whole; it is {} now, and a new one begins\n", path, kept);
}

void add_run_description(const std::string& path, const std::string& run_id, json description) {
  if (is_replaceable(path)) set_aside_if_broken(path);
  json all = read_run_descriptions(path);
  all[run_id] = std::move(description);
  // An argument may be no UTF-8.
  write_file(path, all.dump(2, ' ', false, json::error_handler_t::replace) + '\n');
}

/// The newest measurements among the runs that added to FILE.
CopyBandwidth measured_copy_bandwidth(const std::string& path) {
  CopyBandwidth copy;
  for (const auto& run : read_run_descriptions(path)) {
    copy.host = run.value("/roofs/copy_bytes_per_s_all_threads"_json_pointer, copy.host);
    copy.device = run.value("/gpu_roofs/device_copy_bytes_per_s"_json_pointer, copy.device);
  }
  return copy;
}

bool any_on_device(const std::vector<Planned>& planned) {
  return std::any_of(planned.begin(), planned.end(), [](const Planned& p) {
    return p.skip_reason.empty() && p.config.on_device();
  });
}

json describe_run(const std::vector<Planned>& planned, const RunSettings& settings) {
  json description = describe_machine();
  description["arguments"] = settings.arguments;
  description["started_utc"] = utc_timestamp();
  description["roofs"] = measure_roofs();
  if (any_on_device(planned)) {
    description["gpu"] = describe_gpu();
    description["gpu_roofs"] = measure_gpu_roofs();
  }
  return description;
}

std::unique_ptr<Measurer> measurer_of(const RunSettings& settings) {
  if (settings.in_process) return std::make_unique<InProcessMeasurer>(settings.stop);
  return std::make_unique<WorkerProcess>(settings.stop, settings.timeout_s);
}

std::set<std::string> ids_of(const std::vector<Planned>& planned) {
  std::set<std::string> ids;
  for (const auto& p : planned) ids.insert(p.config.id());
  return ids;
}

/// What the CSV does not hold: of in_rounds()'s copies, those that none of its blocks stands for.
std::vector<Planned> missing_from(const Recorder& recorder, const std::vector<Planned>& planned,
                                  const std::string& csv) {
  std::vector<Planned> missing;
  std::map<std::string, int> rounds;
  std::set<std::string> unfinished;
  for (const auto& p : planned) {
    const std::string id = p.config.id();
    if (recorder.completed(id, ++rounds[id])) continue;
    missing.push_back(p);
    unfinished.insert(id);
  }
  if (const auto held = rounds.size() - unfinished.size(); held > 0) {
    note("{} of {} configurations are in {} already\n", held, rounds.size(), csv);
  }
  return missing;
}

/// Returns whether it could. What was measured is in the CSV in any case.
bool write_summary_beside(const std::string& csv, const std::vector<SummaryRow>& summary) try {
  write_summary(beside(csv, ".summary.csv"), summary,
                measured_copy_bandwidth(beside(csv, ".run.json")));
  return true;
} catch (const std::exception& error) {
  note("{}\n", error.what());
  return false;
}

}  // namespace

int run_plan(const std::vector<Planned>& planned, const RunSettings& settings) {
  const std::string run_id = new_run_id();
  const bool to_file = has_files_beside(settings.csv);
  Recorder recorder(settings.csv, run_id, ids_of(planned));
  const auto missing = missing_from(recorder, planned, settings.csv);
  if (to_file && !missing.empty()) {
    add_run_description(beside(settings.csv, ".run.json"), run_id, describe_run(planned, settings));
  }

  watch_for_interrupts();
  const std::size_t failures = measure_all(missing, *measurer_of(settings), recorder);

  const auto summary = summarize(recorder.table());
  const bool summed_up = !to_file || write_summary_beside(settings.csv, summary);
  if (settings.print_table) {
    const std::string table = readable_table(summary);
    settings.csv == "-" ? note("{}", table) : fmt::print("{}", table);
    if (to_file) fmt::print("\nrows: {}\n", settings.csv);
  }
  if (interrupted()) return 130;
  return failures > 0 || !summed_up ? 1 : 0;
}

}  // namespace sortlab
