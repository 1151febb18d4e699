// `sortlab recommend`: looks for measurements, makes them where there are none, and answers.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "common/contract/errors.hpp"
#include "common/contract/usable_cpus.hpp"
#include "common/harness/machine/cpu_share.hpp"
#include "common/harness/record/output_file.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/run/interrupt.hpp"
#include "common/notes.hpp"
#include "common/tool/commands.hpp"
#include "common/tool/help.hpp"
#include "common/tool/number_flags.hpp"
#include "common/tool/recommend/recommend.hpp"

namespace sortlab {
namespace {

const std::vector<std::string> kExamples = {
    "recommend --n 1e6 --type u64",
    "recommend --n 1e6 --type f32 --pairs --dist zipf:1.0 --threads 1",
    "recommend --n 128M --where device --results results/local"};

struct Options {
  std::string n, type = "u32", dist = "uniform", order = "asc", threads = "all", where = "host",
                 csv;
  bool pairs = false, measure = false;
  double seconds = 8;
  std::vector<std::string> results;
};

/// One of two words. Throws BadInput for any other.
bool is_second(std::string_view what, const std::string& given, const std::string& first,
               const std::string& second) {
  const std::vector<std::string> known = {first, second};
  if (given != first && given != second) throw unknown_name(what, given, known);
  return given == second;
}

int parse_max_threads(const std::string& text) {
  if (text == "all") return usable_cpus();
  const std::size_t count = parse_count(text);
  if (count < 1 || count > 4096) {
    throw BadInput(fmt::format("--threads {}: a count from 1 to 4096, or all", text));
  }
  return static_cast<int>(count);
}

Question question_of(const Options& options) {
  Question question;
  question.n = parse_count(options.n);
  if (question.n == 0) throw BadInput("--n: 1 or more");
  question.key_type = parse_key_type(options.type);
  question.pairs = options.pairs;
  question.order = is_second("order", options.order, "asc", "desc") ? "desc" : "asc";
  question.dist = parse_distribution(options.dist);
  question.max_threads = parse_max_threads(options.threads);
  const bool on_device = is_second("place", options.where, "host", "device");
  question.where = on_device ? Memory::device : Memory::host;
  if (on_device && !device_unavailable().empty()) {
    throw BadInput("--where device: " + device_unavailable());
  }
  return question;
}

bool can_be_read(const std::string& file) {
  std::error_code none;
  return std::filesystem::is_regular_file(file, none) && access(file.c_str(), R_OK) == 0;
}

int recommend_command(const Options& options) {
  const Question question = question_of(options);
  if (!options.csv.empty()) require_writable(options.csv);
  const std::string cache = recommendation_cache();
  auto paths = options.results;
  if (can_be_read(cache)) paths.push_back(cache);
  std::vector<RankedSort> ranked;
  if (!options.measure) {
    ranked = rank_candidates(question, summarize(rows_of_this_machine(paths)));
  }
  if (ranked.empty()) {
    note("{}{}\n",
         options.measure ? "measuring" : "no results of this machine answer that: measuring",
         cache.empty() ? "" : "; the rows go to " + cache);
    ranked = rank_candidates(question, summarize(measure_for(question, options.seconds, cache)));
    if (interrupted()) return 130;
  }
  if (ranked.empty()) {
    note("no variant of this program could sort {}\n", question.text());
    return 1;
  }
  if (!options.csv.empty()) write_recommendation(options.csv, question, ranked);
  tell_cpu_share();
  fmt::print("{}", readable_recommendation(question, ranked));
  return 0;
}

}  // namespace

void add_recommend_command(CLI::App& app, CommandContext& context) {
  const auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand("recommend", "Name the best sort for your n, type and data");
  command->add_option("--n", options->n, "Number of keys: 1000, 1e6, 4M")
      ->required()
      ->type_name("N");
  command->add_option("--type", options->type, "Key type (default u32)")->type_name("TYPE");
  command->add_flag("--pairs", options->pairs, "u32 values travel with the keys");
  command->add_option("--dist", options->dist, "What the keys are like (default uniform)")
      ->type_name("DIST");
  command->add_option("--order", options->order, "Ascending or descending (default asc)")
      ->type_name("asc|desc");
  command->add_option("--threads", options->threads, "At most so many (default all)")
      ->type_name("N|all");
  command
      ->add_option("--where", options->where,
                   "Where the keys lie and the result is to be; on the host, copies to a GPU and "
                   "back count (default host)")
      ->type_name("host|device");
  command
      ->add_option("--results", options->results,
                   "CSV files, or folders of them, to look into first")
      ->delimiter(',')
      ->type_name("FILE");
  add_examples(*command, context, kExamples);
  command->add_flag("--measure", options->measure, "Measure now, whatever is known");
  add_number(*command, "--time", options->seconds, "Seconds to measure for, in all (default 8)");
  command->add_option("--csv", options->csv, "All candidates go into FILE, too")->type_name("FILE");
  command->callback([options, &context] { context.exit_code = recommend_command(*options); });
}

}  // namespace sortlab
