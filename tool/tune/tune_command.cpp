// `sortlab tune`: measures the sorts that gpu/auto and cpu/auto may choose, or reads measurements,
// and writes the choices: from which n on to take which sort.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/choose/cpu_choice.hpp"
#include "common/choose/cpu_tuning.hpp"
#include "common/choose/gpu_choice.hpp"
#include "common/harness/bad_input.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/run/interrupt.hpp"
#include "common/harness/terminal/window.hpp"
#include "tool/flags.hpp"
#include "tool/help.hpp"
#include "tool/selection_flags.hpp"
#include "tool/tune/measured.hpp"
#include "tool/tune/shortfalls.hpp"
#include "tool/tune/suggested.hpp"

namespace sortlab {
namespace {

const std::vector<std::string> kTuneExamples = {
    "tune --quick", "tune --cpu --out xeon.json",
    "tune --from results/h200/auto.csv.xz --out h200.json", "tune --check results/h200/auto.csv.xz",
    "tune --show"};

constexpr const char* kTuneNotes =
    R"(Without --out the choices go to $XDG_CONFIG_HOME/sortlab/tune.json (~/.config/sortlab/tune.json).
gpu/auto and cpu/auto read them there, or in the file that the environment variable SORTLAB_TUNE names. If
that variable is empty, they use the built-in choices. Choices for another GPU or CPU are ignored with a
warning. `sortlab show gpu/auto/auto` shows what it would choose.

--check compares gpu/auto and cpu/auto with the fastest of the sorts that they may choose, wherever the
files hold both. It exits with 1 if they took over 3 % longer on a GPU, or 5 % on a CPU.)";

struct TuneOptions {
  std::string out;
  std::vector<std::string> from, check;
  bool quick = false, show = false, cpu = false, gpu = false;
};

int check_choices(const std::vector<std::string>& files) {
  std::vector<SummaryRow> rows;
  for (const auto& file : files) {
    for (auto& row : summarize(read_csv(file))) rows.push_back(std::move(row));
  }
  const auto points = chosen_points(rows);
  if (points.empty()) {
    throw bad_input("{}: no sort that chooses beside one that it could choose",
                    fmt::join(files, ", "));
  }
  fmt::print("{}", readable_points(points));
  return std::all_of(points.begin(), points.end(), [](const auto& p) { return p.holds(); }) ? 0 : 1;
}

/// Empty without a GPU.
std::optional<GpuFacts> this_gpu() {
  const nlohmann::json gpu = describe_gpu();
  if (gpu.empty()) return std::nullopt;
  const bool clusters = std::stoi(gpu.at("compute_capability").get<std::string>()) >= 9;
  return GpuFacts{gpu.at("name"), gpu.at("sms"), gpu.at("shared_bytes_per_block"),
                  gpu.at("shared_bytes_per_sm"), clusters};
}

constexpr std::size_t kIndent = 11;  // of the facts about choices

void show_choices() {
  const std::string text = fmt::format("gpu/auto\n{}\ncpu/auto\n{}",
                                       describe_gpu_choices(this_gpu()), describe_cpu_choices());
  fmt::print("{}", wrapped_lines(text, room_for_text(STDOUT_FILENO), kIndent));
}

/// Measures the devices that the flags name, or all present ones, if `out` can be written. Empty
/// after Ctrl-C.
std::optional<Tunings> measured(const TuneOptions& options, const std::string& out) {
  const auto& no_gpu = device_unavailable();
  const bool gpu = options.gpu || (!options.cpu && no_gpu.empty());
  if (gpu && !no_gpu.empty()) {
    throw BadInput("tune: nothing to measure without a GPU: " + no_gpu);
  }
  require_place_for_tuning(out);
  const Thoroughness thoroughness = options.quick ? Thoroughness::quick : Thoroughness::full;
  watch_for_interrupts();
  Tunings all;
  if (gpu) {
    const auto tunings = measure_gpu_tuning(thoroughness, out);
    if (!tunings) return std::nullopt;
    all = *tunings;
    write_tuning(out, *all.gpu);  // kept even if the CPU's part is stopped
  }
  if (options.cpu || !options.gpu) {
    const auto tunings = measure_cpu_tuning(thoroughness, out);
    if (!tunings) return std::nullopt;
    all.cpu = tunings->cpu;
    all.any_failed |= tunings->any_failed;
  }
  return all;
}

void write(const Tunings& tunings, const std::string& out) {
  if (const auto& gpu = tunings.gpu) {
    write_tuning(out, *gpu);
    fmt::print("{}\nfor {} with {} SMs, in {}\n", readable_choices(gpu->choices), gpu->device,
               gpu->sms, out);
  }
  if (const auto& cpu = tunings.cpu) {
    write_tuning(out, *cpu);
    fmt::print("{}\nfor {} with {} threads, in {}\n", readable_choices(cpu->choices), cpu->cpu,
               cpu->threads, out);
  }
}

int tune_command(TuneOptions& options, const CommandContext&) {
  const bool measures = options.quick || options.cpu || options.gpu;
  const bool writes = measures || !options.out.empty() || !options.from.empty();
  if (options.show && (writes || !options.check.empty()))
    throw BadInput("--show excludes all other flags");
  if (!options.check.empty() && writes) throw BadInput("--check excludes all other flags");
  if (options.show) {
    show_choices();
    return 0;
  }
  if (!options.check.empty()) return check_choices(options.check);
  if (!options.from.empty() && measures) {
    throw BadInput("--from excludes --quick, --cpu and --gpu: it measures nothing");
  }
  const std::string out = options.out.empty() ? default_tune_path() : options.out;
  const auto tunings = options.from.empty() ? measured(options, out) : tunings_from(options.from);
  if (!tunings) return 130;
  write(*tunings, out);
  return tunings->any_failed ? 1 : 0;
}

}  // namespace

void add_tune_command(CLI::App& app, CommandContext& context) {
  auto [command, options] = add_command(
      app, context, "tune", "Measure from which n on gpu/auto and cpu/auto should take which sort",
      tune_command);
  add_text(command, "--out", options.out, "FILE",
           "File for the choices (default: the one that gpu/auto and cpu/auto read)");
  command.add_flag("--cpu", options.cpu,
                   "Only the sorts of the CPU (default: of the CPU and the GPU)");
  command.add_flag("--gpu", options.gpu, "Only the sorts of the GPU");
  command.add_flag("--quick", options.quick,
                   "Fewer sizes and samples: a minute each on an idle machine");
  add_list(command, "--from", options.from, "FILE",
           "Measure nothing: use CSVs of `run`, which have their run.json beside them");
  add_list(command, "--check", options.check, "FILE",
           "Only show where, in CSVs of `run`, the choice is not the fastest");
  command.add_flag("--show", options.show, "Only print the choices in use");
  add_device_flag(command);
  add_examples(command, context, kTuneExamples, kTuneNotes);
}

}  // namespace sortlab
