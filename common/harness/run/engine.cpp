#include "common/harness/run/engine.hpp"
#include "common/harness/record/run_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/harness/machine/cpu_share.hpp"
#include "common/harness/machine/machine.hpp"
#include "common/harness/record/record.hpp"
#include "common/harness/record/run_json.hpp"
#include "common/harness/record/summary.hpp"
#include "common/harness/record/text_file.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/run/interrupt.hpp"
#include "common/harness/run/loop.hpp"
#include "common/harness/worker/worker.hpp"

namespace sortlab {
namespace {

using nlohmann::json;

void add_run_description(const std::string& path, const std::string& run_id, json description) {
  json all = read_run_json(path);
  all[run_id] = std::move(description);
  std::ofstream(path) << all.dump(2) << '\n';
}

/// The newest measurements among the runs that added to FILE.
CopyBandwidth measured_copy_bandwidth(const std::string& path) {
  CopyBandwidth copy;
  for (const auto& run : read_run_json(path)) {
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

/// In a process of its own: the memory that it takes may be more than the system gives.
json roofs_from_a_worker(double timeout_s) try {
  json roofs = WorkerProcess({}, timeout_s).measure_roofs();
  if (!roofs.contains("copy_bytes_per_s_all_threads")) {
    fmt::print(stderr, "the memory bandwidth is not measured: too little memory is available\n");
  }
  return roofs;
} catch (const std::exception& error) {
  fmt::print(stderr, "the memory bandwidth is not measured: {}\n", error.what());
  return json::object();
}

json describe_run(const std::vector<Planned>& planned, const RunSettings& settings) {
  json description = describe_machine();
  description["arguments"] = settings.arguments;
  description["started_utc"] = utc_timestamp();
  description["roofs"] = roofs_from_a_worker(settings.timeout_s);
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

/// Why the plan has no row but skipped ones; nothing when it has others.
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

}  // namespace

int run_plan(const std::vector<Planned>& planned, const RunSettings& settings) {
  const std::string run_id = new_run_id();
  const bool to_file = !settings.csv.empty() && settings.csv != "-";
  Recorder recorder(settings.csv, run_id);
  std::vector<Planned> missing;  // from the CSV
  std::copy_if(planned.begin(), planned.end(), std::back_inserter(missing),
               [&](const Planned& p) { return !recorder.completed(p.config.id()); });
  if (missing.size() < planned.size()) {
    fmt::print(stderr, "{} of {} configurations are in {} already\n",
               planned.size() - missing.size(), planned.size(), settings.csv);
  }
  if (!missing.empty()) tell_cpu_share();
  if (to_file && !missing.empty()) {
    add_run_description(beside(settings.csv, ".run.json"), run_id, describe_run(planned, settings));
  }

  watch_for_interrupts();
  const std::size_t failures = measure_all(missing, *measurer_of(settings), recorder);

  const auto summary = summarize(recorder.table());
  if (to_file) {
    write_summary(beside(settings.csv, ".summary.csv"), summary,
                  measured_copy_bandwidth(beside(settings.csv, ".run.json")));
  }
  if (settings.print_table) {
    fmt::print(settings.csv == "-" ? stderr : stdout, "{}", readable_table(summary));
    if (to_file) fmt::print("\nrows: {}\n", settings.csv);
  }
  if (interrupted()) return 130;
  if (failures > 0) return 1;
  if (const auto why = why_all_skipped(planned, summary)) {
    fmt::print(stderr, "nothing was measured: {}\n", *why);
    return kAllSkipped;
  }
  return 0;
}

}  // namespace sortlab
