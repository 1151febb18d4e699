// `sortlab run`: reads the flags and matrix files, whose values flags override, and then starts the
// engine.
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <set>

#include "common/harness/bad_input.hpp"
#include "common/harness/breakdown/breakdown.hpp"
#include "common/harness/config_fields.hpp"
#include "common/harness/ranks/ranks.hpp"
#include "common/harness/record/output_file.hpp"
#include "common/harness/record/run_files.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/run/engine.hpp"
#include "common/notes.hpp"
#include "tool/flags.hpp"
#include "tool/help.hpp"
#include "tool/run/conclusion.hpp"
#include "tool/selection_flags.hpp"

namespace sortlab {
namespace {

const std::vector<std::string> kRunExamples = {
    "run --filter 'cpu/radix/*' --n 16K..16M --csv radix.csv",
    "run --matrix default --csv all.csv          (again: resumes)",
    "run --input ages.npy --filter 'cpu/*/parallel' --threads 1,2,4",
    "run --type u64 --pairs --dist zipf:1.0 --order desc --n 1e7 --csv -",
    "run --filter 'gpu/*' --n 128M --host-mem none,pinned",
    "run --filter 'gpu/host/*,cpu/auto/auto' --n 1G --host-mem pinned,staged --gpu-mem 2G",
    "run --filter 'gpu/bitonic/*' --n 128M --breakdown",
    "run --filter 'cpu/ranks/*' --ranks 2,4 --n 16M",
    "run --filter 'gpu/multi/*' --devices 2 --devices 4 --n 1G",
    "run --filter 'cpu/records/*' --record 100:10 --ranks 2,4 --n 10M",
    "run --filter cpu/auto/auto --n 1M --load 0,25%,50%:50/50 --rounds 3",
    "run --filter 'cpu/*' --n 1K..16M*4 --top 5",
    "run --filter 'cpu/radix/*' --threads 1 --counters",
    "run --plugin ./libmysort.so --filter 'plugin/*,cpu/std_sort/*' --n 1K..1M*32"};

constexpr const char* kRunNotes =
    R"(Sizes: 1000, 1e6, 16K, 4M, 1G (K, M, G are powers of 1024); lists 1K,4K; ranges 16K..128M
by doublings, 1K..1G*4 by another factor.

Exit code: 0; 1 when a sort failed or ran out of time; 2 for bad input; 3 when every configuration
was skipped; 130 after Ctrl-C.)";

/// Prints the configurations, one per line.
void print_plan(const std::vector<Planned>& planned) {
  for (const auto& [config, skip_reason] : planned) {
    fmt::print("{}{}\n", config.benchmark_name(),
               skip_reason.empty() ? "" : "  (skipped: " + skip_reason + ")");
  }
}

/// The blocks of a matrix file, with given flags in place of its own values.
std::vector<Selection> with_overrides(std::vector<Selection> blocks, const Selection& flags,
                                      const CLI::App& command) {
  const auto is_given = [&](std::string_view flag) {
    return !flag.empty() && command.count(std::string(flag)) > 0;
  };
  for (auto& block : blocks) {
    for (const Field& field : config_fields()) {
      if (!is_given(field.flag)) continue;
      visit_wish(field, [&](auto member) { block.*member = flags.*member; });
    }
    if (is_given("--type") || is_given("--record") || is_given("--input")) {
      block.types = flags.types;
      block.records = flags.records;
    }
    if (is_given("--input")) {
      block.dists = flags.dists;
      block.sizes = flags.sizes;
    } else {
      block.input_format = Selection{}.input_format;  // of no file
    }
  }
  return blocks;
}

/// Takes those blocks of a matrix out that need a GPU, if none can be used. Returns a line that says so, or "".
std::string leave_out_gpu_blocks(std::vector<Selection>& blocks, const std::string& matrix) {
  const std::string& reason = device_unavailable();
  if (reason.empty()) return "";
  const std::size_t all = blocks.size();
  const std::size_t left_out =
      std::erase_if(blocks, [](const Selection& block) { return block.needs_gpu; });
  if (left_out == 0) return "";
  const std::string what =
      fmt::format("matrix {}: {} of {} runs need a GPU: {}", matrix, left_out, all, reason);
  if (blocks.empty()) throw BadInput(what);
  return what + ". ./run --cuda bench on a machine with an NVIDIA GPU measures them too";
}

/// Takes the blocks of other parts of the matrix out. Throws BadInput, with the nearest names.
void leave_out_other_parts(std::vector<Selection>& blocks, const std::string& part) {
  std::set<std::string> parts;
  for (const auto& block : blocks) parts.insert(block.part);
  parts.erase("");
  if (parts.empty()) throw bad_input("--part {}: the matrix has no parts", part);
  if (!parts.contains(part))
    throw unknown_name("part", part, std::vector(parts.begin(), parts.end()));
  std::erase_if(blocks, [&](const Selection& block) { return block.part != part; });
}

/// Takes those sorts of a matrix out whose library or plug-in is missing, and blocks of which nothing is left. Returns a
/// line that names them, or "".
std::string leave_out_missing_sorts(std::vector<Selection>& blocks, const std::string& matrix) {
  std::set<std::string> built_in, plugins;
  std::erase_if(blocks, [&](Selection& block) {
    const std::size_t missing = std::erase_if(block.filters, [&](const std::string& glob) {
      if (names_any_variant(glob)) return false;
      const std::string reason = reason_left_out(glob);
      if (!reason.empty()) built_in.insert(fmt::format("{} ({})", glob, reason));
      if (glob.starts_with("plugin/")) plugins.insert(glob);
      return !reason.empty() || glob.starts_with("plugin/");
    });
    return missing > 0 && block.filters.empty();
  });
  if (built_in.empty() && plugins.empty()) return "";
  std::string text =
      fmt::format("matrix {}: incomplete, without {}", matrix, fmt::join(built_in, ", "));
  if (!plugins.empty()) {
    text += fmt::format("{}{}: --plugin loads such sorts", built_in.empty() ? "" : ", ",
                        fmt::join(plugins, ", "));
  }
  if (blocks.empty()) throw BadInput(text);
  return text;
}

/// Adds the plug-ins to the blocks that hold built-in sorts of their kind, host or device, so that a
/// plug-in given with a matrix file is measured among the others.
void join_plugins(std::vector<Selection>& blocks) {
  for (auto& block : blocks) {
    const auto selected = select_variants(block.filters);
    for (const auto& plugin : all_variants()) {
      const bool joins = !plugin.plugin_file.empty() &&
                         std::any_of(selected.begin(), selected.end(), [&](const Variant* v) {
                           return v->info.memory == plugin.info.memory;
                         });
      if (joins && !block.filters.empty()) block.filters.push_back(plugin.id);
    }
  }
}

StopSettings with_overrides(StopSettings stop, const StopSettings& flags, const CLI::App& command) {
  if (command.count("--min-samples") > 0) stop.min_samples = flags.min_samples;
  if (command.count("--max-samples") > 0) stop.max_samples = flags.max_samples;
  if (command.count("--accuracy") > 0) stop.accuracy = flags.accuracy;
  if (command.count("--time") > 0) stop.time_s = flags.time_s;
  return stop;
}

void check_stop_settings(const RunSettings& settings) {
  const StopSettings& stop = settings.stop;
  if (stop.max_samples < stop.min_samples) {
    throw BadInput("--max-samples must not be below --min-samples");
  }
  if (stop.time_s < 0 || stop.accuracy < 0 || settings.slow_s < 0) {
    throw BadInput("the matrix: time, accuracy and skip-slow must not be negative");
  }
  if (stop.accuracy > 1) throw bad_input("accuracy {}: a share, from 0 to 1", stop.accuracy);
}

void refuse_empty_jobs(const std::vector<Planned>& planned) {
  for (const auto& [config, skip_reason] : planned) {
    if (config.n == 0) throw BadInput("n is 0: run needs 1 or more keys; verify takes 0");
    if (config.top.is_asked && config.top.most == 0) {
      throw BadInput("best is 0: run needs 1 or more; verify takes 0");
    }
  }
}

/// A breakdown is measured in this process, without the loop that makes the load.
void refuse_loads(const std::vector<Planned>& planned) {
  for (const auto& [config, skip_reason] : planned) {
    if (config.load != Load{}) throw BadInput("--breakdown measures without a --load");
  }
}

struct RunOptions {
  Selection selection;
  RunSettings settings;
  std::string matrix, part;
  std::string left_out;  // what was taken out of the matrix, and why; or ""
  bool breakdown = false, dry_run = false;
  TableLayout layout;
  OutputFormat format = OutputFormat::text;
};

void add_what_to_measure(CLI::App& run, RunOptions& options) {
  add_selection(run, options.selection);
  add_text(run, "--matrix", options.matrix, "MATRIX",
           "What to run: a file, or the name of one in bench/");
  add_text(run, "--part", options.part, "PART", "Only this part of the matrix");
  add_flags(run, options.selection, {"--values", "--pairs", "--input", "--input-format"});
  add_text(run, "--csv", options.settings.csv, "FILE",
           "File for the samples (-: stdout); an existing file is resumed");
}

void add_surroundings(CLI::App& run, RunOptions& options) {
  add_flags(run, options.selection,
            {"--pin", "--cold", "--host-mem", "--load", "--energy", "--counters"});
  run.add_flag("--breakdown", options.breakdown,
               "Measure the time of each kernel and copy of GPU sorts, instead of samples");
}

void add_when_to_stop(CLI::App& run, RunSettings& settings) {
  add_whole(run, "--min-samples", settings.stop.min_samples, 1, INT_MAX,
            "At least this many samples (default 5)");
  add_whole(run, "--max-samples", settings.stop.max_samples, 1, INT_MAX,
            "At most this many samples (default 1000)");
  add_number(run, "--time", settings.stop.time_s, "Seconds per configuration (default 0.5)");
  add_number(
      run, "--accuracy", settings.stop.accuracy,
      "Stop when the 95 % interval of the median is within this share of it (default 0.005)");
  add_whole(run, "--rounds", settings.rounds, 1, kMostRounds,
            "Measure the sorts of an input in turns, this many times, each time with its own "
            "--time (default 1)");
  add_number(run, "--skip-slow", settings.slow_s,
             "Skip larger n of a sort that takes more than so many seconds, or would by its growth "
             "(default: never)");
  add_positive(run, "--timeout", settings.timeout_s,
               "Seconds after which a configuration is given up (default 120)");
}

void add_output(CLI::App& run, RunOptions& options) {
  run.add_flag("--dry-run", options.dry_run, "Only print the configurations");
  run.add_flag("--in-process", options.settings.in_process,
               "No worker process: for debuggers, profilers");
  run.add_flag("--again", options.settings.again,
               "Measure again what the CSV holds already, in place of its rows");
  add_choice(run, "--sort", options.layout.sort_by, "time|id",
             "Lines of the table by speed, or by name (default time)");
  add_whole<std::size_t>(run, "--top", options.layout.top, 1, SIZE_MAX,
                         "Only the fastest lines of each block of the table");
  add_format_flag(run, options.format);
}

void check_output(const RunOptions& options) {
  if (options.format != OutputFormat::json) return;
  if (options.settings.csv != "-" && !options.dry_run && !options.breakdown) return;
  throw BadInput("--format json: stdout holds the JSON alone: no --csv -, --dry-run, --breakdown");
}

/// The selections of the flags, or of the matrix file, which may set the rounds and when to stop.
std::vector<Selection> blocks_of(RunOptions& options, const CLI::App& run) {
  if (options.matrix.empty()) {
    if (run.count("--part") > 0) throw BadInput("--part goes with --matrix");
    return {options.selection};
  }
  Matrix from_file = read_matrix(options.matrix);
  if (run.count("--part") > 0) leave_out_other_parts(from_file.runs, options.part);
  const std::string no_gpu = leave_out_gpu_blocks(from_file.runs, options.matrix);
  if (run.count("--filter") == 0) {
    options.left_out = leave_out_missing_sorts(from_file.runs, options.matrix);
    join_plugins(from_file.runs);
  }
  if (!no_gpu.empty()) options.left_out += (options.left_out.empty() ? "" : "\n") + no_gpu;
  RunSettings& settings = options.settings;
  settings.stop = with_overrides(from_file.stop, settings.stop, run);
  if (run.count("--rounds") == 0) settings.rounds = from_file.rounds;
  if (run.count("--skip-slow") == 0) settings.slow_s = from_file.slow_s;
  return with_overrides(std::move(from_file.runs), options.selection, run);
}

int run_command(RunOptions& options, const CommandContext& context) {
  RunSettings& settings = options.settings;
  settings.arguments = context.arguments;
  if (is_stdout(settings.csv)) settings.csv = "-";
  check_output(options);
  const std::vector<Planned> planned = plan_all(blocks_of(options, *context.command));
  check_stop_settings(settings);
  refuse_empty_jobs(planned);
  if (options.dry_run) {
    print_plan(planned);
    if (!options.left_out.empty()) note("{}\n", options.left_out);
    return 0;
  }
  if (const auto exit_code = serve_as_rank()) return *exit_code;
  if (options.breakdown) {
    refuse_loads(planned);
    const bool to_file = has_files_beside(settings.csv);
    return run_breakdown(planned, to_file ? beside(settings.csv, ".breakdown.csv") : "");
  }
  const RunResult result = run_plan(in_rounds(planned, settings.rounds), settings);
  print_result(result, settings.csv, options.layout, options.format);
  if (!options.left_out.empty()) note("{}\n", options.left_out);
  return result.exit_code;
}

}  // namespace

void add_run_command(CLI::App& app, CommandContext& context) {
  auto [run, options] =
      add_command(app, context, "run", "Measure variants and record every sample", run_command);
  add_examples(run, context, kRunExamples, kRunNotes);
  add_what_to_measure(run, options);
  add_surroundings(run, options);
  add_when_to_stop(run, options.settings);
  add_output(run, options);
}

}  // namespace sortlab
