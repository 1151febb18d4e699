// `sortlab compare BASE NEW`: its flags and its exit code.
#include <fmt/format.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "common/harness/bad_input.hpp"
#include "common/notes.hpp"
#include "tool/compare/compare.hpp"
#include "tool/flags.hpp"
#include "tool/help.hpp"
#include "tool/output_format.hpp"

namespace sortlab {
namespace {

const std::vector<std::string> kCompareExamples = {
    "compare base.csv new.csv", "compare base.csv new.csv --filter 'gpu/*' --threshold 0.02",
    "compare laptop.csv server.csv --csv side_by_side.csv"};

constexpr const char* kCompareNotes =
    R"(The verdict depends on the ratio of the medians and its 95 % interval. slower, faster: the whole
interval is beyond the threshold. same: the ratio is within the threshold, and twice the threshold is ruled out.
identical: both files hold the same samples. can't tell: samples too few or too noisy. Exit code 1 when
anything became slower or fails that did not, 0 otherwise.

To see how much the machine itself varies, measure both runs with --rounds 5.)";

struct CompareOptions {
  std::string base, next, csv;
  std::vector<std::string> filters;
  double threshold = 0.05;
  OutputFormat format = OutputFormat::text;
};

nlohmann::ordered_json json_of(const Comparison& comparison, double threshold) {
  nlohmann::ordered_json json = {{"threshold", threshold},
                                 {"got_worse", comparison.got_worse()},
                                 {"only_in_base", comparison.only_base.size()},
                                 {"only_in_new", comparison.only_new.size()},
                                 {"without_samples", comparison.unmeasured.size()},
                                 {"rows", nlohmann::ordered_json::array()}};
  for (const auto& row : comparison.rows) {
    nlohmann::ordered_json entry = {{"verdict", name_of(row.verdict)}};
    if (row.verdict != Change::failed) {
      const auto& [ratio, interval, p, base, next] = row.ratio;
      entry["new_over_base"] = ratio;
      entry["ci95"] = {interval.low, interval.high};
      entry["p"] = p;
    }
    entry["base"] = json_of(*row.base);
    entry["new"] = json_of(*row.next);
    json["rows"].push_back(entry);
  }
  return json;
}

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
    throw bad_input("{}: no variant matches '{}'", path, fmt::join(globs, ","));
  }
  return summarize(table);
}

int compare_command(CompareOptions& options, const CommandContext&) {
  if (!(options.threshold > 0 && options.threshold < 10)) {
    throw BadInput("--threshold: above 0 and below 10; 0.05 is 5 %");
  }
  const auto base = configurations_of(options.base, options.filters);
  const auto next = configurations_of(options.next, options.filters);
  const Comparison comparison = compare(base, next, options.threshold);
  if (comparison.rows.empty()) {
    throw bad_input(
        "{} and {}: no configuration was measured in both ({} only in the "
        "first, {} only in the second, {} without samples)",
        options.base, options.next, comparison.only_base.size(), comparison.only_new.size(),
        comparison.unmeasured.size());
  }
  if (!options.csv.empty()) write_comparison(options.csv, comparison);
  if (options.format == OutputFormat::json) {
    print_json("compare", json_of(comparison, options.threshold));
  } else {
    fmt::print("{}", readable_comparison(comparison, options.threshold));
  }
  return comparison.got_worse() ? 1 : 0;
}

}  // namespace

void add_compare_command(CLI::App& app, CommandContext& context) {
  auto [command, options] =
      add_command(app, context, "compare", "Show what became faster or slower between two runs",
                  compare_command);
  add_text(command, "BASE", options.base, "FILE", "CSV of the run to compare with")->required();
  add_text(command, "NEW", options.next, "FILE", "CSV of the run to judge")->required();
  add_number(command, "--threshold", options.threshold,
             "Changes up to this share count as none (default 0.05)");
  add_list(command, "--filter", options.filters, "VARIANT", "Variants, as globs on their ids");
  add_text(command, "--csv", options.csv, "FILE", "Also write the comparison to FILE");
  add_format_flag(command, options.format);
  add_examples(command, context, kCompareExamples, kCompareNotes);
}

}  // namespace sortlab
