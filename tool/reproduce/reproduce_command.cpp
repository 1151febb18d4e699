// `sortlab reproduce`: the papers' tables, figures and claims beside the measurements of this
// machine.
#include <fmt/format.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "common/harness/bad_input.hpp"
#include "common/harness/record/output_file.hpp"
#include "common/harness/record/run_files.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/run/engine.hpp"
#include "common/harness/run/interrupt.hpp"
#include "common/notes.hpp"
#include "tool/flags.hpp"
#include "tool/help.hpp"
#include "tool/reproduce/render.hpp"
#include "tool/selection_flags.hpp"

namespace sortlab {
namespace {

using namespace reproduce;

constexpr const char* kReproduceNotes =
    R"(Without an ID it lists the exhibits: tables, figures and claims of publications. With IDs, or all, it
measures their configurations, prints published value, this machine's value and their ratio cell by
cell, and writes into the folder of --out:
  <id>.csv, <id>.md            each exhibit
  verdicts.md                  every claim with its verdict, counted by source
  samples.csv                  every sample, as `run` writes it, with .summary.csv, .run.json
  samples.breakdown.csv        kernels and copies, on a machine with a GPU

The same command resumes.)";

const std::vector<std::string> kReproduceExamples = {
    "reproduce goralija-table-1 --scale small", "reproduce", "reproduce all --out papers",
    "reproduce all --out papers --filter 'cpu/*'     (then 'gpu/*': the other half)",
    "reproduce all --out papers --judge"};

struct ReproduceOptions {
  std::vector<std::string> ids;
  Scale scale = Scale::full;
  std::string out;
  std::vector<std::string> filters;
  int rounds = 1;
  bool judge = false;
  RunSettings settings;
};

/// The published sizes include sorts of a minute: they take three samples. Shorter sorts take at least
/// five, and as many more as the time allows.
StopSettings stop_settings(Scale scale) {
  const bool full = scale == Scale::full;
  return {.min_samples = 5,
          .slow_min_samples = 3,
          .slow_s = 5,
          .max_samples = 1000,
          .accuracy = 0.01,
          .time_s = full ? 0.5 : 0.05};
}

/// Of all cells.
std::vector<Subject> all_subjects(const Exhibit& exhibit) {
  std::vector<Subject> all;
  for (const Cell* const cell : exhibit.all_cells()) {
    for (Subject& subject : subjects_of(*cell)) all.push_back(std::move(subject));
  }
  return all;
}

bool any_on(const Exhibit& exhibit, std::string_view side) {
  const auto subjects = all_subjects(exhibit);
  return std::any_of(subjects.begin(), subjects.end(),
                     [side](const Subject& s) { return s.variant.starts_with(side); });
}

int list_exhibits() {
  fmt::print("{:<26} {:<8} {:<30} {}\n", "id", "needs", "source", "title");
  for (const Exhibit& exhibit : all_exhibits(Scale::full)) {
    const bool gpu = any_on(exhibit, "gpu/");
    const char* const needs = !gpu ? "CPU" : any_on(exhibit, "cpu/") ? "CPU+GPU" : "GPU";
    fmt::print("{:<26} {:<8} {:<30} {}\n", exhibit.id, needs, exhibit.source, exhibit.title);
  }
  fmt::print("\nsortlab reproduce ID... measures and compares; `all` means all of them.\n");
  return 0;
}

bool matches(const std::string& glob, const std::string& id) {
  return fnmatch(glob.c_str(), id.c_str(), 0) == 0;
}

/// Each glob must match a sort, and one that these exhibits measure.
void check_filters(const std::vector<Exhibit>& exhibits, const std::vector<std::string>& filters) {
  if (!filters.empty()) select_variants(filters);
  for (const std::string& glob : filters) {
    const auto measures = [&](const Exhibit& exhibit) {
      const auto subjects = all_subjects(exhibit);
      return std::any_of(subjects.begin(), subjects.end(),
                         [&](const Subject& s) { return matches(glob, s.variant); });
    };
    if (std::none_of(exhibits.begin(), exhibits.end(), measures)) {
      throw bad_input("--filter: these exhibits measure no sort that matches {}", glob);
    }
  }
}

/// The configurations to measure, each one once, small ones first.
struct Work {
  std::vector<Planned> timed;
  std::vector<Planned> profiled;
};

Work work_of(const std::vector<Exhibit>& exhibits, const std::vector<std::string>& filters) {
  Work work;
  std::set<std::string> seen_timed;
  std::set<std::string> seen_profiled;
  const auto is_wanted = [&](const std::string& id) {
    return filters.empty() || std::any_of(filters.begin(), filters.end(),
                                          [&](const auto& glob) { return matches(glob, id); });
  };
  for (const Exhibit& exhibit : exhibits) {
    for (const Cell* const cell : exhibit.all_cells()) {
      for (const Subject& subject : subjects_of(*cell)) {
        if (!is_wanted(subject.variant)) continue;
        const Planning planning = plan_of(subject);
        if (!planning.planned) continue;
        const auto& [config, skip_reason] = *planning.planned;
        if (needs_clocks(cell->quantity) && seen_timed.insert(config.id()).second) {
          work.timed.push_back(*planning.planned);
        }
        if (needs_profiler(cell->quantity) && skip_reason.empty() &&
            recording_unavailable().empty() && seen_profiled.insert(config.id()).second) {
          work.profiled.push_back(*planning.planned);
        }
      }
    }
  }
  for (auto* const list : {&work.timed, &work.profiled}) {
    std::stable_sort(list->begin(), list->end(),
                     [](const Planned& a, const Planned& b) { return a.config.n < b.config.n; });
  }
  return work;
}

Results read_results(const std::string& csv, bool any_machine) {
  return Results(std::filesystem::exists(csv) ? read_csv(csv) : CsvTable{},
                 read_breakdown(beside(csv, ".breakdown.csv")),
                 read_run_json(beside(csv, ".run.json")), any_machine);
}

/// The files of an exhibit, or of the verdicts, without their endings.
std::string base_of(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / name).string();
}

/// Throws BadInput if the name of a file to be written is a folder's, before anything is measured.
void refuse_folders(const std::string& folder, const std::vector<Exhibit>& exhibits) {
  is_replaceable(base_of(folder, "verdicts") + ".md");
  for (const Exhibit& exhibit : exhibits) {
    for (const char* const ending : {".csv", ".md"}) {
      is_replaceable(base_of(folder, exhibit.id) + ending);
    }
  }
}

int reproduce_command(ReproduceOptions& options, const CommandContext& context) {
  const Scale scale = options.scale;
  if (options.ids.empty()) return list_exhibits();
  const auto exhibits = select_exhibits(options.ids, scale);
  check_filters(exhibits, options.filters);

  RunSettings& settings = options.settings;
  const double seconds = settings.stop.time_s;
  settings.stop = stop_settings(scale);
  if (context.command->count("--time") > 0) settings.stop.time_s = seconds;
  settings.arguments = context.arguments;
  const std::string folder = !options.out.empty()   ? options.out
                             : scale == Scale::full ? "papers"
                                                    : "papers-small";
  settings.csv = (std::filesystem::path(folder) / "samples.csv").string();

  if (options.judge && !std::filesystem::exists(settings.csv)) {
    throw BadInput(settings.csv + ": no such file, so there is nothing to judge");
  }
  make_folder_of(settings.csv);
  refuse_folders(folder, exhibits);
  const Results before =
      read_results(settings.csv, false);  // a malformed file is told before measuring
  const auto& variants = all_variants();
  const bool sorts_on_gpus = std::any_of(variants.begin(), variants.end(), [](const Variant& one) {
    return one.id.starts_with("gpu/");
  });
  if (options.judge && before.have_gpu_sorts() && !sorts_on_gpus) {
    throw BadInput(settings.csv +
                   " has sorts of a GPU, and this program was built without any: judge with one "
                   "that has them");
  }

  const Work work = options.judge ? Work{} : work_of(exhibits, options.filters);
  const bool runs = options.judge || !work.timed.empty();  // which brings the summary up to date
  int exit_code = runs ? run_plan(in_rounds(work.timed, options.rounds), settings).exit_code : 0;
  if (exit_code == kAllSkipped) exit_code = 0;  // the exhibits tell what was skipped
  if (!work.profiled.empty() && !interrupted()) {
    const std::string breakdown = beside(settings.csv, ".breakdown.csv");
    exit_code = std::max(exit_code, extend_breakdown(work.profiled, breakdown, settings.again));
  }
  if (interrupted()) note("interrupted; the same command resumes\n");

  const Results results = read_results(settings.csv, options.judge);
  std::vector<FilledExhibit> all_filled;
  for (const Exhibit& exhibit : exhibits) {
    const FilledExhibit& filled = all_filled.emplace_back(fill(exhibit, results));
    const std::string base = base_of(folder, exhibit.id);
    fmt::print("{}", terminal_text(filled));
    write_file(base + ".csv", csv_text(filled));
    write_file(base + ".md", markdown_text(filled));
  }
  write_file(base_of(folder, "verdicts") + ".md",
             markdown_summary(all_filled, all_contradictions()));
  fmt::print("{}\nwritten to {}\n", terminal_summary(all_filled), folder);
  return exit_code;
}

}  // namespace

void add_reproduce_command(CLI::App& app, CommandContext& context) {
  auto [command, options] = add_command(
      app, context, "reproduce", "Compare this machine with published figures", reproduce_command);
  options.settings.timeout_s = 600;
  add_text(command, "ID", options.ids, "EXHIBIT",
           "Exhibits as listed, or all (default: list them)");
  add_choice(command, "--scale", options.scale, "full|small",
             "Sizes as published, or for a laptop (default full)");
  add_text(command, "--out", options.out, "FOLDER", "Folder (default papers, or papers-small)");
  auto* const filter = add_list(command, "--filter", options.filters, "VARIANT",
                                "Measure only these variants now: globs on ids");
  auto* const time = add_number(command, "--time", options.settings.stop.time_s,
                                "Seconds per configuration (default 0.5, small 0.05)");
  add_positive(command, "--timeout", options.settings.timeout_s,
               "Seconds after which a configuration is given up (default 600)");
  add_whole(command, "--rounds", options.rounds, 1, kMostRounds,
            "Measure the sorts of an input in turns, this many times (default 1)");
  auto* const again =
      command.add_flag("--again", options.settings.again,
                       "Measure again what the folder holds already, in place of its samples");
  command
      .add_flag("--judge", options.judge,
                "Measure nothing: judge what the folder holds, of whichever machine")
      ->excludes(filter)
      ->excludes(time)
      ->excludes(again);
  add_device_flag(command);
  add_examples(command, context, kReproduceExamples, kReproduceNotes);
}

}  // namespace sortlab
