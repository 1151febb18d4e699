// `sortlab compare BASE NEW`: its flags, and what becomes the exit code.
#include <fmt/format.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "common/contract/errors.hpp"
#include "common/notes.hpp"
#include "common/tool/commands.hpp"
#include "common/tool/compare/compare.hpp"
#include "common/tool/help.hpp"

namespace sortlab {
namespace {

const std::vector<std::string> kExamples = {
    "compare base.csv new.csv", "compare base.csv new.csv --filter 'gpu/*' --threshold 0.02",
    "compare laptop.csv server.csv --csv side_by_side.csv"};

constexpr const char* kNotes =
    R"(The ratio is new over base: above 1 is slower. slower: its 95 % interval lies wholly above
1 + threshold; faster: below 1 / (1 + threshold); same: the ratio is within the threshold and twice
the threshold is ruled out; can't tell: samples too few or too noisy. Exit code 1 when anything
became slower or fails that did not, 0 otherwise.

Measured in several blocks spread over the run, a configuration tells more of the machine's moods:
add --rounds 5 to both runs.)";

struct Options {
  std::string base, next, csv;
  std::vector<std::string> filters;
  double threshold = 0.05;
};

std::vector<SummaryRow> configurations_of(const std::string& path,
                                          const std::vector<std::string>& globs) {
  std::vector<std::string> warnings;
  CsvTable table = read_whole_rows(path, warnings);
  if (table.rows.empty()) {
    throw BadInput(warnings.empty() ? path + ": holds no rows" : warnings.front());
  }
  for (const auto& warning : warnings) note("{}\n", warning);
  std::erase_if(table.rows, [&](const auto& row) {
    return !globs.empty() && std::none_of(globs.begin(), globs.end(), [&](const auto& glob) {
      return fnmatch(glob.c_str(), row.at("variant").c_str(), 0) == 0;
    });
  });
  if (table.rows.empty()) {
    throw BadInput(fmt::format("{}: no variant matches '{}'", path, fmt::join(globs, ",")));
  }
  return summarize(table);
}

int compare_command(const Options& options) {
  if (!(options.threshold > 0 && options.threshold < 10)) {
    throw BadInput("--threshold: above 0 and below 10; 0.05 is 5 %");
  }
  const auto base = configurations_of(options.base, options.filters);
  const auto next = configurations_of(options.next, options.filters);
  const Comparison comparison = compare(base, next, options.threshold);
  if (comparison.rows.empty()) {
    throw BadInput(
        fmt::format("{} and {}: no configuration was measured in both ({} only in the "
                    "first, {} only in the second, {} without samples)",
                    options.base, options.next, comparison.only_base.size(),
                    comparison.only_new.size(), comparison.unmeasured.size()));
  }
  if (!options.csv.empty()) write_comparison(options.csv, comparison);
  fmt::print("{}", readable_comparison(comparison));
  return comparison.got_worse() ? 1 : 0;
}

}  // namespace

void add_compare_command(CLI::App& app, CommandContext& context) {
  const auto options = std::make_shared<Options>();
  auto* command =
      app.add_subcommand("compare", "Tell what became faster or slower between two runs");
  command->add_option("BASE", options->base, "CSV of the run to compare with")
      ->required()
      ->type_name("FILE");
  command->add_option("NEW", options->next, "CSV of the run to judge")
      ->required()
      ->type_name("FILE");
  command->add_option("--threshold", options->threshold,
                      "Changes up to this share count as none (default 0.05)");
  command->add_option("--filter", options->filters, "Variants, as globs on their ids")
      ->delimiter(',')
      ->type_name("VARIANT");
  command->add_option("--csv", options->csv, "Writes the comparison there")->type_name("FILE");
  add_examples(*command, context, kExamples, kNotes);
  command->callback([options, &context] { context.exit_code = compare_command(*options); });
}

}  // namespace sortlab
