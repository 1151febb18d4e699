// `sortlab tune`: measures the sorts that gpu/auto may choose, or reads measurements, and writes
// from which n on to take which.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "common/bad_input.hpp"
#include "common/build_info.hpp"
#include "common/commands.hpp"
#include "common/device.hpp"
#include "common/engine.hpp"
#include "common/help.hpp"
#include "common/summary.hpp"
#include "common/tune/gpu_choice.hpp"
#include "common/worker.hpp"

namespace sortlab {
namespace {

using nlohmann::json;

const std::vector<std::string> kExamples = {"tune --quick", "tune --out h200.json",
                                            "tune --from results/h200/radix.csv --out h200.json",
                                            "tune --show"};

constexpr const char* kNotes =
    R"(Without --out the choices go to $XDG_CONFIG_HOME/sortlab/tune.json (~/.config/sortlab/tune.json),
where gpu/auto/* look for them; the environment variable SORTLAB_TUNE names another file for them,
and set to nothing has them go by what is built in. A file for another GPU is ignored, with a line
that says so. `sortlab show gpu/auto/auto` tells what it would choose.)";

struct Options {
  std::string out;
  std::vector<std::string> from;
  bool quick = false, show = false;
};

/// Sizes, and time for each configuration.
struct Ladder {
  const char* sizes;
  StopSettings stop;
};
const Ladder kFull = {"256..1G*2",
                      {.min_samples = 5, .max_samples = 100, .accuracy = 0.005, .time_s = 0.1}};
const Ladder kQuick = {"256..64M*4",
                       {.min_samples = 5, .max_samples = 20, .accuracy = 0.01, .time_s = 0.02}};
constexpr double kTimeout = 60;  // seconds, of one configuration

std::vector<Config> configurations(const Ladder& ladder) {
  Selection selection;
  for (const auto id : gpu_rung_ids()) {
    if (find_variant(id) != nullptr) selection.filters.emplace_back(id);
  }
  selection.types = {"u32", "u64"};
  selection.values = {"keys", "pairs"};
  selection.sizes = {ladder.sizes};
  std::vector<Config> configs;
  for (const auto& planned : plan(selection)) {
    if (planned.skip_reason.empty()) configs.push_back(planned.config);
  }
  return configs;
}

/// Device, versions and date, as a run describes them.
GpuTuning described(const json& gpu, const std::string& revision, const std::string& utc) {
  GpuTuning tuning;
  gpu.at("name").get_to(tuning.device);
  gpu.at("sms").get_to(tuning.sms);
  tuning.cuda_driver = gpu.value("cuda_driver", "");
  tuning.cuda_runtime = gpu.value("cuda_runtime", "");
  tuning.revision = revision;
  tuning.measured_utc = utc;
  return tuning;
}

/// The description of the GPU of the newest run that added to a CSV.
GpuTuning tuning_of_run(const std::string& csv) {
  const std::string path = beside(csv, ".run.json");
  std::ifstream in(path);
  const json runs = in ? json::parse(in, nullptr, false) : json();
  GpuTuning newest;
  try {
    for (const auto& run : runs) {
      if (!run.contains("gpu") || run.at("started_utc") < newest.measured_utc) continue;
      newest = described(run.at("gpu"), run.at("/build/git_revision"_json_pointer),
                         run.at("started_utc"));
    }
  } catch (const json::exception&) {
    newest = {};
  }
  if (newest.device.empty()) {
    throw BadInput(fmt::format("{}: {} does not say on which GPU it was measured", csv, path));
  }
  return newest;
}

/// The choices that the rows of CSV files suggest; where two hold the same configuration, those of
/// the last.
GpuTuning tuning_from(const std::vector<std::string>& files) {
  GpuTuning tuning;
  std::vector<SummaryRow> rows;
  for (const auto& file : files) {
    const GpuTuning run = tuning_of_run(file);
    if (!tuning.device.empty() && (run.device != tuning.device || run.sms != tuning.sms)) {
      throw BadInput(
          fmt::format("{} is of {}, {} of {}", files.front(), tuning.device, file, run.device));
    }
    if (run.measured_utc > tuning.measured_utc) tuning = run;
    for (auto& row : summarize(read_csv(file))) {
      if (row.config.at("device") == run.device) rows.push_back(std::move(row));
    }
  }
  tuning.results = files;
  tuning.choices = choices_from(rows, gpu_rung_ids());
  if (tuning.choices.empty()) {
    throw BadInput(
        fmt::format("{}: no uniform u32 or u64 keys sorted on the GPU by what gpu/auto "
                    "may choose",
                    fmt::join(files, ", ")));
  }
  return tuning;
}

/// Says on stderr which sorts went wrong, if any did: they have no place among the choices.
bool report_failures(const CsvTable& measured) {
  bool any = false;
  for (const auto& row : measured.rows) {
    const auto& status = row.at("status");
    if (status != "failed" && status != "timeout") continue;
    any = true;
    fmt::print(stderr, "{}: {}: {}\n", configuration_name(row), status, row.at("reason"));
  }
  return any;
}

int tune_command(const Options& options) {
  if (options.show) {
    if (!options.out.empty() || !options.from.empty() || options.quick) {
      throw BadInput("--show goes alone");
    }
    fmt::print("{}", describe_gpu_choices());
    return 0;
  }
  const std::string out = options.out.empty() ? default_tune_path() : options.out;
  GpuTuning tuning;
  bool any_failed = false;
  if (!options.from.empty()) {
    if (options.quick) throw BadInput("--quick is about measuring: --from measures nothing");
    tuning = tuning_from(options.from);
  } else {
    if (const auto& reason = device_unavailable(); !reason.empty()) {
      throw BadInput("tune: nothing to measure without a GPU: " + reason);
    }
    tuning = described(describe_gpu(), kGitRevision, utc_timestamp());
    watch_for_interrupts();
    const Ladder& ladder = options.quick ? kQuick : kFull;
    const CsvTable measured = measure_all(configurations(ladder), ladder.stop, kTimeout);
    if (interrupted()) return 130;
    any_failed = report_failures(measured);
    tuning.choices = choices_from(summarize(measured), gpu_rung_ids());
  }
  write_gpu_tuning(out, tuning);
  fmt::print("{}\nfor {} with {} SMs, in {}\n", readable_choices(tuning.choices), tuning.device,
             tuning.sms, out);
  return any_failed ? 1 : 0;
}

}  // namespace

void add_tune_command(CLI::App& app, CommandContext& context) {
  const auto options = std::make_shared<Options>();
  auto* command =
      app.add_subcommand("tune", "Measure which sort gpu/auto should take from which n on");
  command
      ->add_option("--out", options->out,
                   "Where the choices go (default: where gpu/auto looks for them)")
      ->type_name("FILE");
  command->add_flag("--quick", options->quick, "Fewer sizes and samples: half a minute");
  command
      ->add_option("--from", options->from,
                   "Measure nothing: from the CSVs of `run`, with their run.json beside them")
      ->delimiter(',')
      ->type_name("FILE");
  command->add_flag("--show", options->show, "Only print the choices that gpu/auto goes by");
  command->add_option_function<int>("--device", choose_device, "Which GPU (default 0)");
  add_examples(*command, context, kExamples, kNotes);
  command->callback([options, &context] { context.exit_code = tune_command(*options); });
}

}  // namespace sortlab
