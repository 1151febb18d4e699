#include "common/harness/run/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "common/contract/errors.hpp"
#include "common/harness/machine/machine.hpp"
#include "common/harness/machine/spoilers.hpp"
#include "common/harness/record/output_file.hpp"
#include "common/harness/record/record.hpp"
#include "common/harness/record/run_files.hpp"
#include "common/harness/record/summary.hpp"
#include "common/harness/rig/counters.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/run/interrupt.hpp"
#include "common/harness/run/loop.hpp"
#include "common/harness/terminal/window.hpp"
#include "common/harness/worker/workers.hpp"
#include "common/notes.hpp"

namespace sortlab {
namespace {

using nlohmann::json;

/// The entries of FILE.run.json by run_id, one per run that added to FILE. A file in another format
/// is renamed, so that its owner can repair it.
json read_or_set_aside(const std::string& path) try {
  return is_replaceable(path) ? read_run_json(path) : json::object();
} catch (const BadInput& error) {
  std::string kept = path + ".broken";
  for (int i = 2; std::filesystem::exists(kept); ++i) kept = fmt::format("{}.broken{}", path, i);
  std::filesystem::rename(path, kept);
  note("{}; it is {} now, and a new one begins\n", error.what(), kept);
  return json::object();
}

void add_run_description(const std::string& path, const std::string& run_id, json description) {
  json all = read_or_set_aside(path);
  all[run_id] = std::move(description);
  // An argument may be invalid UTF-8.
  write_file(path, all.dump(2, ' ', false, json::error_handler_t::replace) + '\n');
}

/// The newest measured copy bandwidths among the runs that added to FILE.
CopyBandwidth measured_copy_bandwidth(const std::string& path) {
  CopyBandwidth copy;
  for (const auto& run : read_run_json(path)) {
    copy.host = run.value("/roofs/copy_bytes_per_s_all_threads"_json_pointer, copy.host);
    copy.device = run.value("/gpu_roofs/device_copy_bytes_per_s"_json_pointer, copy.device);
  }
  return copy;
}

bool any_uses_gpu(const std::vector<Planned>& planned) {
  return std::any_of(planned.begin(), planned.end(),
                     [](const Planned& p) { return p.skip_reason.empty() && p.config.uses_gpu(); });
}

/// Runs in its own process, because it may need more memory than the system has.
json roofs_from_a_worker(double timeout_s) try {
  json roofs = WorkerProcess({}, timeout_s).measure_roofs();
  if (!roofs.contains("copy_bytes_per_s_all_threads")) {
    note("the memory bandwidth is not measured: too little memory is available\n");
  }
  return roofs;
} catch (const std::exception& error) {
  note("the memory bandwidth is not measured: {}\n", error.what());
  return json::object();
}

/// Runs in its own process, so that this one holds no GPU memory while sorts are measured.
json gpu_roofs_from_a_worker(double timeout_s) try {
  return WorkerProcess({}, timeout_s).measure_gpu_roofs();
} catch (const std::exception& error) {
  note("the GPU's bandwidths are not measured: {}\n", error.what());
  return json::object();
}

json describe_run(const std::vector<Planned>& planned, const RunSettings& settings) {
  json description = describe_machine();
  description["arguments"] = settings.arguments;
  description["started_utc"] = utc_timestamp();
  description["roofs"] = roofs_from_a_worker(settings.timeout_s);
  if (any_uses_gpu(planned)) {
    description["gpu"] = describe_gpu();
    description["gpu_roofs"] = gpu_roofs_from_a_worker(settings.timeout_s);
  }
  return description;
}

/// Why the plan has only skipped rows; empty if it has others.
std::optional<std::string> why_all_skipped(const std::vector<Planned>& planned,
                                           const std::vector<SummaryRow>& summary) {
  if (planned.empty()) return "no sort that --filter names takes these types and sizes";
  std::map<std::string, const SummaryRow*> by_id;
  for (const auto& row : summary) by_id[row.config.at("config_id")] = &row;
  for (const auto& p : planned) {
    const auto row = by_id.find(p.config.id());
    if (row == by_id.end() || row->second->status != name_of(Status::skipped)) return std::nullopt;
  }
  return "every configuration was skipped, the first because: " +
         by_id.at(planned.front().config.id())->reason;
}

std::set<std::string> ids_of(const std::vector<Planned>& planned) {
  std::set<std::string> ids;
  for (const auto& p : planned) ids.insert(p.config.id());
  return ids;
}

/// Says how many configurations of the plan are complete in the CSV.
void tell_held(const std::vector<Planned>& planned, const std::vector<Planned>& missing,
               const std::string& csv) {
  const std::size_t all = ids_of(planned).size(), held = all - ids_of(missing).size();
  if (held > 0) note_line(fmt::format("{} of {} configurations are in {} already", held, all, csv));
}

/// Says which rows of the plan in the CSV were measured by another revision.
void tell_other_revisions(const CsvTable& table, const std::vector<Planned>& planned,
                          const std::string& csv) try {
  const std::string here = this_revision();
  const json runs = read_run_json(beside(csv, ".run.json"));
  const std::set<std::string> ids = ids_of(planned);
  std::map<std::string, std::set<std::string>> others;  // configurations by revision
  for (const auto& row : table.rows) {
    if (!ids.contains(row.at("config_id")) || !runs.contains(row.at("run_id"))) continue;
    const std::string revision = revision_in(runs.at(row.at("run_id")));
    if (!revision.empty() && revision != here) others[revision].insert(row.at("config_id"));
  }
  for (const auto& [revision, configurations] : others) {
    note_line(
        fmt::format("{} of them: measured by revision {}, this is {}; --again measures them again",
                    configurations.size(), revision, here));
  }
} catch (const BadInput&) {  // a malformed run.json, which add_run_description() reports
}

bool counts(const Planned& planned) {
  const Config& config = planned.config;
  return config.counters && planned.skip_reason.empty() && !config.uses_gpu() && config.ranks == 0;
}

bool counts_any(const std::vector<Planned>& planned) {
  return std::any_of(planned.begin(), planned.end(), counts);
}

/// Says how many configurations of the plan have samples in the CSV, but no counters although they are
/// wanted.
void tell_held_uncounted(const CsvTable& table, const std::vector<Planned>& planned) {
  std::set<std::string> wanted, uncounted;
  for (const auto& p : planned) {
    if (counts(p)) wanted.insert(p.config.id());
  }
  for (const auto& row : table.rows) {
    const bool has_counters = !row.at(kCounterNames.back()).empty();
    if (row.at("status") == "ok" && !has_counters && wanted.contains(row.at("config_id"))) {
      uncounted.insert(row.at("config_id"));
    }
  }
  if (uncounted.empty()) return;
  note_line(fmt::format("{} of them: measured without counters; --again measures them again",
                        uncounted.size()));
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

RunResult run_plan(const std::vector<Planned>& planned, const RunSettings& settings) {
  const std::string run_id = new_run_id();
  const bool to_file = has_files_beside(settings.csv);
  if (to_file) require_own_files_beside(settings.csv);
  Recorder recorder(settings.csv, run_id, ids_of(planned), settings.again);
  const auto missing = missing_from(recorder, planned);
  tell_held(planned, missing, settings.csv);
  if (to_file && missing.size() < planned.size())
    tell_other_revisions(recorder.table(), planned, settings.csv);
  tell_held_uncounted(recorder.table(), planned);
  if (!missing.empty()) tell_spoilers();
  if (counts_any(missing)) note_missing_counters();
  if (to_file && !missing.empty()) {
    add_run_description(beside(settings.csv, ".run.json"), run_id, describe_run(planned, settings));
  }

  watch_for_interrupts();
  const std::size_t failures =
      measure_all(missing, *make_measurer(settings.in_process, settings.stop, settings.timeout_s),
                  recorder, settings.slow_s);

  RunResult result;
  result.rows = summarize(recorder.table());
  const bool summed_up = !to_file || write_summary_beside(settings.csv, result.rows);
  if (interrupted()) {
    result.exit_code = 130;
  } else if (failures > 0 || !summed_up) {
    result.exit_code = 1;
  } else if (const auto why = why_all_skipped(planned, result.rows)) {
    result.why_nothing = *why;
    result.exit_code = kAllSkipped;
  }
  return result;
}

}  // namespace sortlab
