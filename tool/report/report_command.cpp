// `sortlab report`: makes one page from results.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "common/contract/errors.hpp"
#include "common/harness/record/output_file.hpp"
#include "common/harness/record/record.hpp"
#include "common/notes.hpp"
#include "tool/flags.hpp"
#include "tool/help.hpp"
#include "tool/report/gather.hpp"

namespace sortlab {
namespace {

constexpr const char* kReportNotes =
    R"(RESULTS are CSVs that `sortlab run --csv` or `sortlab reproduce` wrote, or folders with such
files. The .run.json and .breakdown.csv beside a CSV are used too. Results of several machines are shown
side by side. The page is one file and works offline.)";

/// A mistyped -o must not overwrite results.
void check_output(const std::string& output) {
  if (output.ends_with(".csv") || output.ends_with(".csv.xz") || output.ends_with(".json")) {
    throw BadInput(output + ": a page is written, which is neither CSV nor JSON; name it .html");
  }
  require_place_for(output, "<!DOCTYPE html>", "a page");
}

struct ReportOptions {
  std::vector<std::string> results;
  std::string output = "report.html";
};

int report_command(ReportOptions& options, const CommandContext&) {
  const auto& [results, output] = options;
  check_output(output);
  std::vector<std::string> warnings;
  const auto print_warnings = [&] {
    for (const auto& warning : warnings) note("{}\n", warning);
  };
  report::Report gathered;
  try {
    gathered = report::gather(results, warnings);
  } catch (const BadInput&) {
    print_warnings();
    throw;
  }
  print_warnings();
  const std::string page = report::html_page(gathered, utc_timestamp());
  write_file(output, page);
  const auto ending = [](std::size_t number) { return number == 1 ? "" : "s"; };
  fmt::print("{}: {} configuration{} of {} machine{}, {:.1f} MB\n", output, gathered.points.size(),
             ending(gathered.points.size()), gathered.machines.size(),
             ending(gathered.machines.size()), static_cast<double>(page.size()) * 1e-6);
  return 0;
}

}  // namespace

void add_report_command(CLI::App& app, CommandContext& context) {
  auto [report, options] =
      add_command(app, context, "report", "Make one page of results", report_command);
  add_text(report, "RESULTS", options.results, "FILE", "CSVs, or folders with CSVs")->required();
  add_text(report, "-o,--out", options.output, "FILE", "The page to write (default report.html)");
  add_examples(report, context,
               {"report bench.csv -o report.html", "report results/h200 results/amd2 -o all.html"},
               kReportNotes);
}

}  // namespace sortlab
