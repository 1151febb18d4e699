// `sortlab recommend`: looks for measurements, makes missing ones, and answers.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/harness/bad_input.hpp"
#include "common/harness/machine/cpu_share.hpp"
#include "common/harness/plan/axes.hpp"
#include "common/harness/plan/counts.hpp"
#include "common/harness/record/csv.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/run/engine.hpp"
#include "common/harness/run/interrupt.hpp"
#include "common/harness/terminal/window.hpp"
#include "common/notes.hpp"
#include "tool/flags.hpp"
#include "tool/help.hpp"
#include "tool/output_format.hpp"
#include "tool/recommend/certainty.hpp"
#include "tool/recommend/recommend.hpp"
#include "tool/selection_flags.hpp"

namespace sortlab {
namespace {

const std::vector<std::string> kRecommendExamples = {
    "recommend --n 1e6 --type u64",
    "recommend --n 1e6 --type f32 --pairs --dist zipf:1.0 --threads 1",
    "recommend --input ages.npy --pairs --stable --max-memory 256M",
    "recommend --n 128M --where device --results results/local",
    "recommend --n 1G --devices 2 --results results/local",
    "recommend --n 4M --type f32 --segments rows:32768 --best 50:sorted --order desc --pairs",
    "recommend --n 1M --plugin ./libmysort.so --format json"};

constexpr const char* kRecommendNotes =
    R"(The answer comes from measurements on this machine: those in --results, and those of earlier questions,
which this build made in the last 30 days. If none of them answers, it measures all sorts on few keys, then
the best ones on all keys. These take turns, with all threads and with fewer: once, and four times more if
they are near the best; those too near to tell get more rounds.

Sure: no other is faster. A tie: others are within 5 %. Can't tell: another may be over 5 % faster, as
rounds differ on a busy machine. While other programs keep CPUs busy, a sure lead is over 10 %.)";

struct RecommendOptions {
  std::string n, type, dist, threads = "all", csv, input, segments, best, input_format = "auto",
                             max_memory, devices;
  bool pairs = false, measure = false, stable = false, descending = false, on_device = false,
       in_place = false;
  double seconds = 8;
  std::vector<std::string> results;
  OutputFormat format = OutputFormat::text;
};

/// The keys of a file are a separate distribution, with their own type and number.
void use_file(const RecommendOptions& options, Question& question) {
  Selection selection;
  selection.input = options.input;
  selection.input_format = options.input_format;
  if (!options.type.empty()) selection.types = {options.type};
  if (!options.dist.empty()) selection.dists = {options.dist};
  const Axes axes = parse(selection);
  question.input = options.input;
  question.input_format = options.input_format;
  question.key_type = axes.types.front().type;
  question.dist = axes.dists.front();
  if (question.n == 0) question.n = axes.file.keys;
  if (question.n > axes.file.keys) {
    throw bad_input("--n {}: {} holds {} keys", options.n, options.input, axes.file.keys);
  }
  if (question.n == 0) throw BadInput(options.input + ": holds no keys");
}

nlohmann::ordered_json json_of(const Question& question, const std::vector<RankedSort>& ranked) {
  nlohmann::ordered_json json = {{"question", question.text()},
                                 {"answer", ranked.front().name()},
                                 {"certainty", name_of(certainty_of(ranked))},
                                 {"why", certainty_text(ranked)},
                                 {"device", ranked.front().config.at("device")},
                                 {"measured_utc", ranked.front().measured_utc},
                                 {"busy_cpus", ranked.front().busy_cpus},
                                 {"candidates", nlohmann::ordered_json::array()}};
  for (const auto& c : ranked) {
    json["candidates"].push_back({{"name", c.name()},
                                  {"variant", c.config.at("variant")},
                                  {"threads", threads_in(c.config)},
                                  {"time_ns", c.time_ns},
                                  {"ci95_ns", {c.interval.low, c.interval.high}},
                                  {"times_the_first", c.time_ns / ranked.front().time_ns},
                                  {"samples", c.samples},
                                  {"rounds", c.blocks_ns.size()},
                                  {"from_n", c.from_n},
                                  {"to_n", c.to_n}});
  }
  return json;
}

Question question_of(const RecommendOptions& options) {
  Question question;
  if (options.input.empty() && options.n.empty())
    throw BadInput("--n is required, or --input FILE");
  if (!options.n.empty()) {
    question.n = parse_count(options.n);
    if (question.n == 0) throw BadInput("--n: 1 or more");
  }
  if (!options.input.empty()) {
    use_file(options, question);
  } else {
    question.key_type = parse_key_type(options.type.empty() ? "u32" : options.type);
    question.dist = parse_distribution(options.dist.empty() ? "uniform" : options.dist);
  }
  question.stable = options.stable;
  if (!options.segments.empty()) question.lengths = parse_lengths(options.segments);
  if (!options.best.empty()) {
    question.best = parse_wanted(options.best);
    if (question.best.most == 0) throw BadInput("--best: 1 or more");
  }
  question.in_place = options.in_place;
  if (options.in_place && (options.best.empty() || !options.segments.empty())) {
    throw BadInput("--in-place goes with --best, and not with --segments");
  }
  if (!options.max_memory.empty()) question.max_memory = parse_count(options.max_memory);
  question.pairs = options.pairs;
  question.order = options.descending ? "desc" : "asc";
  question.max_threads = parse_thread_count(options.threads);
  question.where = options.on_device ? Memory::device : Memory::host;
  if (!options.devices.empty()) {
    question.devices = devices_text(parse_devices(options.devices));
    question.where = Memory::device;
  }
  if (question.where == Memory::device && !device_unavailable().empty()) {
    throw BadInput(fmt::format("{}: {}", options.on_device ? "--where device" : "--devices",
                               device_unavailable()));
  }
  return question;
}

bool can_be_read(const std::string& file) {
  std::error_code none;
  return std::filesystem::is_regular_file(file, none) && access(file.c_str(), R_OK) == 0;
}

int recommend_command(RecommendOptions& options, const CommandContext&) {
  const Question question = question_of(options);
  if (!options.csv.empty()) require_place_for_table(options.csv, "answer");
  const std::string cache = recommendation_cache();
  std::vector<SummaryRow> rows;
  std::vector<RankedSort> ranked;
  std::string expired;
  if (!options.measure) {
    CsvTable known = rows_of_this_machine(options.results);
    if (can_be_read(cache)) {
      for (auto& row : fresh_rows(cache, expired).rows) known.rows.push_back(std::move(row));
    }
    rows = summarize(known);
    ranked = rank_candidates(question, rows);
  }
  if (ranked.empty() && !expired.empty()) note_line(expired);
  if (ranked.empty()) {
    note_line(fmt::format(
        "{}{}", options.measure ? "measuring" : "no results of this machine answer that: measuring",
        cache.empty() ? "" : "; the rows go to " + cache));
    ranked = rank_candidates(question, summarize(measure_for(question, options.seconds, cache)));
    if (interrupted()) return 130;
  }
  if (ranked.empty()) {
    note("no variant of this program could sort {}\n", question.text());
    return kAllSkipped;
  }
  if (!options.csv.empty()) write_recommendation(options.csv, question, ranked);
  tell_cpu_share();
  if (options.format == OutputFormat::json) {
    print_json("recommend", json_of(question, ranked));
  } else {
    fmt::print("{}", readable_recommendation(question, ranked));
    if (const auto from = several_gpus_pay_from(question, rows)) {
      fmt::print("These GPUs together are faster than one from n = {} on.\n", *from);
    }
  }
  return 0;
}

}  // namespace

void add_recommend_command(CLI::App& app, CommandContext& context) {
  auto [command, options] = add_command(
      app, context, "recommend", "Name the best sort for your n, type and data", recommend_command);
  add_text(command, "--n", options.n, "N",
           "Number of keys: 1000, 1e6, 4M; required without --input");
  add_text(command, "--input", options.input, "FILE",
           "Your keys, in place of --n, --type and --dist: .npy, SOSD, raw, text");
  add_text(command, "--input-format", options.input_format, "auto|npy|sosd|raw|text",
           "Format of that file (default auto)");
  add_text(command, "--type", options.type, "TYPE", "Key type (default u32)");
  command.add_flag("--pairs", options.pairs, "Values travel with the keys, as with `run --pairs`");
  command.add_flag("--stable", options.stable, "Values of equal keys keep their order");
  add_text(command, "--max-memory", options.max_memory, "N",
           "Leave out sorts that need more bytes beyond keys and values: 0, 64M, 1G");
  add_text(command, "--dist", options.dist, "DIST", "Distribution of the keys (default uniform)");
  add_text(command, "--segments", options.segments, "RULE:MEAN",
           "Sort segments, each for itself: a rule for their lengths and the mean, as in rows:64");
  add_text(command, "--best", options.best, "K",
           "Find the best K of all keys, or of each row of --segments, as `run --best` does");
  command.add_flag("--in-place", options.in_place,
                   "Bring the best to the front of the keys, by a partial sort");
  add_choice(command, "--order", options.descending, "asc|desc",
             "Ascending or descending (default asc)");
  add_text(command, "--threads", options.threads, "N|all", "Use at most this many (default all)");
  add_choice(command, "--where", options.on_device, "host|device",
             "Where keys and result are; on the host, the time of a GPU sort includes the copies "
             "(default host)");
  add_text(
      command, "--devices", options.devices, "N|LIST",
      "GPUs that share the keys: 2 (the first two) or 0,2; one of them alone is compared, too");
  add_list(command, "--results", options.results, "FILE",
           "CSV files, or folders of them, to use first");
  add_examples(command, context, kRecommendExamples, kRecommendNotes);
  command.add_flag("--measure", options.measure, "Measure now, even if the answer is known");
  add_number(command, "--time", options.seconds, "Seconds to measure for, in all (default 8)");
  add_text(command, "--csv", options.csv, "FILE", "Also write all candidates to FILE");
  add_plugin_flag(command);
  add_format_flag(command, options.format);
}

}  // namespace sortlab
