// `sortlab report`: makes one page from results.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "common/contract/errors.hpp"
#include "common/harness/record/output_file.hpp"
#include "common/harness/record/record.hpp"
#include "common/notes.hpp"
#include "tool/commands.hpp"
#include "tool/help.hpp"
#include "tool/report/gather.hpp"

namespace sortlab {
namespace {

constexpr const char* kReportNotes =
    R"(RESULTS are CSVs that `sortlab run --csv` or `sortlab reproduce` wrote, or folders with such
files. The .run.json and .breakdown.csv beside a CSV are used too. Results of several machines are shown
side by side. The page is one file and works offline.)";

namespace fs = std::filesystem;

/// A mistyped -o must not overwrite results.
void check_output(const std::string& output) {
  if (fs::is_directory(output)) throw BadInput(output + ": is a folder");
  if (output.ends_with(".csv") || output.ends_with(".csv.xz") || output.ends_with(".json")) {
    throw BadInput(output + ": a page is written, which is neither CSV nor JSON; name it .html");
  }
}

void make_report(const std::vector<std::string>& results, const std::string& output) {
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
  fmt::print("{}: {} configurations of {} machine{}, {:.1f} MB\n", output, gathered.points.size(),
             gathered.machines.size(), gathered.machines.size() == 1 ? "" : "s",
             static_cast<double>(page.size()) * 1e-6);
}

}  // namespace

void add_report_command(CLI::App& app, CommandContext& context) {
  struct ReportOptions {
    std::vector<std::string> results;
    std::string output = "report.html";
  };
  const auto options = std::make_shared<ReportOptions>();
  auto* report = app.add_subcommand("report", "Make one page of results");
  report->add_option("RESULTS", options->results, "CSVs, or folders with CSVs")
      ->required()
      ->type_name("FILE");
  report->add_option("-o,--out", options->output, "The page to write (default report.html)")
      ->type_name("FILE");
  add_examples(*report, context,
               {"report bench.csv -o report.html", "report results/h200 results/amd2 -o all.html"},
               kReportNotes);
  report->callback([options] { make_report(options->results, options->output); });
}

}  // namespace sortlab
