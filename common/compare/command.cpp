// `sortlab compare BASE NEW`: its flags, and what becomes the exit code.
#include <fmt/format.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "common/bad_input.hpp"
#include "common/commands.hpp"
#include "common/compare/compare.hpp"

namespace sortlab {
namespace {

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
  for (const auto& warning : warnings) fmt::print(stderr, "{}\n", warning);
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
  command->add_option("BASE", options->base, "CSV of the run to compare with")->required();
  command->add_option("NEW", options->next, "CSV of the run to judge")->required();
  command->add_option("--threshold", options->threshold,
                      "Changes up to this share count as none (default 0.05)");
  command->add_option("--filter", options->filters, "Variants, as globs on their ids")
      ->delimiter(',');
  command->add_option("--csv", options->csv, "Writes the comparison there");
  command->callback([options, &context] { context.exit_code = compare_command(*options); });
}

}  // namespace sortlab
