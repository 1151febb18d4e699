#include "tool/tune/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "common/choose/choice_table.hpp"
#include "common/contract/isa.hpp"
#include "common/contract/read_file.hpp"
#include "common/contract/usable_cpus.hpp"
#include "common/harness/bad_input.hpp"
#include "common/harness/machine/build_info.hpp"
#include "common/harness/machine/machine.hpp"
#include "common/harness/record/csv.hpp"
#include "common/harness/record/run_files.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/run/interrupt.hpp"
#include "common/harness/run/loop.hpp"
#include "common/harness/run/progress.hpp"
#include "common/harness/terminal/window.hpp"
#include "common/notes.hpp"
#include "tool/list/catalogue.hpp"
#include "tool/tune/suggested.hpp"

namespace sortlab {
namespace {

using nlohmann::json;

/// The sizes, and how often and how long to measure.
struct Ladder {
  const char* sizes;
  int rounds;
  StopSettings stop;
};
const Ladder kFullGpu = {
    "256..1G*2", 3, {.min_samples = 3, .max_samples = 100, .accuracy = 0.005, .time_s = 0.03}};
const Ladder kQuickGpu = {
    "256..64M*4", 2, {.min_samples = 3, .max_samples = 20, .accuracy = 0.01, .time_s = 0.01}};
const Ladder kFullCpu = {
    "16..64M*2", 3, {.min_samples = 2, .max_samples = 100, .accuracy = 0.005, .time_s = 0.02}};
const Ladder kQuickCpu = {
    "16..16M*4", 2, {.min_samples = 2, .max_samples = 50, .accuracy = 0.01, .time_s = 0.01}};
constexpr double kTimeout = 60;  // seconds, of one configuration

/// For the candidates of one side.
std::vector<Config> configurations(Memory memory, const Ladder& ladder,
                                   std::vector<std::string> threads) {
  Selection selection;
  for (const Variant* const rung : candidates(memory)) selection.filters.push_back(rung->id);
  selection.types = {"u32", "u64"};
  selection.values = {"keys", "pairs"};
  selection.sizes = {ladder.sizes};
  selection.threads = std::move(threads);
  std::vector<Config> configs;
  for (const auto& planned : in_rounds(plan(selection), ladder.rounds)) {
    if (planned.skip_reason.empty()) configs.push_back(planned.config);
  }
  return configs;
}

/// The file that keeps the samples until all are complete: "tune.json.cpu-quick-3ef387ab12cd.csv".
/// Files of other builds are removed.
std::string kept_file(const std::string& out, const char* side, Thoroughness thoroughness) {
  namespace fs = std::filesystem;
  const std::string begin = fmt::format("{}.{}-{}-", fs::path(out).filename().string(), side,
                                        thoroughness == Thoroughness::full ? "full" : "quick");
  const std::string name =
      fmt::format("{}{}{}.csv", begin, kGitRevision, kGitDirty ? "-changed" : "");
  const fs::path folder = fs::absolute(fs::path(out)).parent_path();
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string other = entry.path().filename().string();
    if (other.starts_with(begin) && other.ends_with(".csv") && other != name) {
      fs::remove(entry.path(), none);
    }
  }
  return (fs::path(out).parent_path() / name).string();
}

/// The least time for the configurations on idle CPUs, with the time to make and check inputs.
double least_seconds(const std::vector<Config>& configs, const Ladder& ladder) {
  constexpr double kSlowest = 100e6;  // keys per second, of candidates for large sizes
  double seconds = 0;
  for (const auto& config : configs) {
    const double sort_s = static_cast<double>(config.n) / kSlowest;
    seconds += std::max(ladder.stop.time_s, 2 * ladder.stop.min_samples * sort_s) + 0.02;
  }
  return seconds;
}

/// Empty after Ctrl-C; then the file keeps the progress.
std::optional<Measured> measure_kept(const std::vector<Config>& configs, const Ladder& ladder,
                                     const std::string& file) {
  note_line(
      fmt::format("{} configurations, about {} on an idle machine; Ctrl-C keeps what is measured",
                  configs.size(), readable_duration(least_seconds(configs, ladder))));
  Measured measured = measure_all(configs, ladder.stop, kTimeout, file);
  if (interrupted()) {
    note("stopped: {} keeps what is measured; the same command resumes\n", file);
    return std::nullopt;
  }
  std::error_code none;
  std::filesystem::remove(file, none);
  return measured;
}

/// Device, versions and date, as a run describes them.
GpuTuning described_gpu(const json& gpu, const std::string& revision, const std::string& utc) {
  GpuTuning tuning;
  gpu.at("name").get_to(tuning.device);
  gpu.at("sms").get_to(tuning.sms);
  tuning.cuda_driver = gpu.value("cuda_driver", "");
  tuning.cuda_runtime = gpu.value("cuda_runtime", "");
  tuning.revision = revision;
  tuning.measured_utc = utc;
  return tuning;
}

/// The newest description of the GPU, or of the CPU, among the runs that added to a CSV.
Tunings described(const std::string& csv) {
  const std::string path = beside(csv, ".run.json");
  const json runs = read_run_json(path);
  Tunings newest;
  const auto is_newer = [](const auto& known, const std::string& utc) {
    return !known || known->measured_utc <= utc;
  };
  try {
    for (const auto& run : runs) {
      const std::string utc = run.at("started_utc");
      const std::string revision = run.at("/build/git_revision"_json_pointer);
      if (run.contains("gpu") && is_newer(newest.gpu, utc)) {
        newest.gpu = described_gpu(run.at("gpu"), revision, utc);
      }
      if (run.contains("cpu") && is_newer(newest.cpu, utc)) {
        newest.cpu = CpuTuning{run.at("/cpu/model"_json_pointer),
                               run.at("/cpu/threads"_json_pointer),
                               revision,
                               utc,
                               {},
                               {}};
      }
    }
  } catch (const json::exception&) {
    newest = {};
  }
  return newest;
}

/// The rows of one side, "cpu/" or "gpu/", of the machine that the runs describe. Sets `tuning`
/// from the newest description.
template <class Tuning, class NameOf>
std::vector<SummaryRow> rows_of(const std::vector<std::string>& files, std::string_view side,
                                std::optional<Tuning> Tunings::*section, NameOf name_of,
                                Tuning& tuning) {
  std::vector<SummaryRow> rows;
  for (const auto& file : files) {
    require_no_pipe(file);
    std::vector<SummaryRow> of_file = summarize(read_csv(file));
    std::erase_if(of_file, [&](const SummaryRow& row) {
      return !row.config.at("variant").starts_with(side);
    });
    if (of_file.empty()) continue;
    const std::optional<Tuning> run = described(file).*section;
    if (!run) {
      throw bad_input("{}: {} does not say on which {} it was measured", file,
                      beside(file, ".run.json"), side == "gpu/" ? "GPU" : "CPU");
    }
    if (!tuning.results.empty() && name_of(*run) != name_of(tuning)) {
      throw bad_input("{} is of {}, {} of {}", fmt::join(tuning.results, ", "), name_of(tuning),
                      file, name_of(*run));
    }
    if (run->measured_utc > tuning.measured_utc) {
      const auto results = std::move(tuning.results);
      tuning = *run;
      tuning.results = results;
    }
    tuning.results.push_back(file);
    std::erase_if(of_file,
                  [&](const SummaryRow& row) { return row.config.at("device") != name_of(*run); });
    std::move(of_file.begin(), of_file.end(), std::back_inserter(rows));
  }
  return rows;
}

/// Whether so few items were measured that a table from 0 on may begin with them.
bool has_few_items(const std::vector<SummaryRow>& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const SummaryRow& row) { return whole_in(row.config, "n") <= kFewItems; });
}

}  // namespace

CpuChoices cpu_choices_from(const std::vector<SummaryRow>& rows) {
  const auto isa_of = [](const SummaryRow& row) { return isa_from_name(row.config.at("isa")); };
  const auto rung_of = [](const SummaryRow& row) {
    return find_candidate(Memory::host, row.config.at("variant"));
  };
  std::set<CpuSetting> settings;
  for (const auto& row : rows) {
    const Variant* const rung = rung_of(row);
    if (rung == nullptr || rung->info.isas.mask != kEveryIsa.mask || !isa_of(row)) continue;
    settings.insert({*isa_of(row), threads_in(row.config)});
  }
  const auto of_setting = [&](CpuSetting setting) {
    std::vector<SummaryRow> some;
    for (const auto& row : rows) {
      const Variant* const rung = rung_of(row);
      if (rung != nullptr && isa_of(row) == best_of(rung->info.isas, setting.isa) &&
          threads_in(row.config) == (rung->info.parallel ? setting.threads : 1)) {
        some.push_back(row);
      }
    }
    return some;
  };
  CpuChoices all;
  for (const CpuSetting setting : settings) {
    if (setting.threads == 1 && !has_few_items(of_setting(setting))) continue;
    const Choices choices = setting.threads == 1
                                ? choices_from(of_setting(setting), candidate_ids(Memory::host))
                                : choices_from(of_setting(setting), candidate_ids(Memory::host),
                                               of_setting({setting.isa, 1}));
    if (!choices.empty()) all[setting] = choices;
  }
  return all;
}

Tunings tunings_from(const std::vector<std::string>& files) {
  Tunings tunings;
  GpuTuning gpu;
  const auto gpu_rows = rows_of(
      files, "gpu/", &Tunings::gpu, [](const GpuTuning& t) { return t.device; }, gpu);
  gpu.choices = choices_from(gpu_rows, candidate_ids(Memory::device));
  if (!gpu.choices.empty()) tunings.gpu = gpu;
  CpuTuning cpu;
  cpu.choices = cpu_choices_from(rows_of(
      files, "cpu/", &Tunings::cpu, [](const CpuTuning& t) { return t.cpu; }, cpu));
  if (!cpu.choices.empty()) tunings.cpu = cpu;
  if (!tunings.gpu && !tunings.cpu) {
    throw bad_input(
        "{}: no uniform u32 or u64 keys sorted by what gpu/auto or cpu/auto may choose "
        " (for one thread also few, at most {})",
        fmt::join(files, ", "), kFewItems);
  }
  return tunings;
}

std::optional<Tunings> measure_gpu_tuning(Thoroughness thoroughness, const std::string& out) {
  const Ladder& ladder = thoroughness == Thoroughness::full ? kFullGpu : kQuickGpu;
  Tunings tunings;
  tunings.gpu = described_gpu(describe_gpu(), kGitRevision, utc_timestamp());
  const auto measured = measure_kept(configurations(Memory::device, ladder, {}), ladder,
                                     kept_file(out, "gpu", thoroughness));
  if (!measured) return std::nullopt;
  tunings.any_failed = measured->failures > 0;
  tunings.gpu->choices = choices_from(summarize(measured->table), candidate_ids(Memory::device));
  return tunings;
}

std::optional<Tunings> measure_cpu_tuning(Thoroughness thoroughness, const std::string& out) {
  const Ladder& ladder = thoroughness == Thoroughness::full ? kFullCpu : kQuickCpu;
  Tunings tunings;
  tunings.cpu = CpuTuning{cpu_model(), usable_cpus(), kGitRevision, utc_timestamp(), {}, {}};
  auto configs = configurations(Memory::host, ladder, {"1", "all"});
  std::erase_if(configs, [](const Config& c) {
    return c.n > find_candidate(Memory::host, c.variant)->info.candidate->most_n;
  });
  const auto measured = measure_kept(configs, ladder, kept_file(out, "cpu", thoroughness));
  if (!measured) return std::nullopt;
  tunings.any_failed = measured->failures > 0;
  tunings.cpu->choices = cpu_choices_from(summarize(measured->table));
  return tunings;
}

}  // namespace sortlab
