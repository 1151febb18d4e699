#include "tool/report/gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>

#include "common/contract/errors.hpp"
#include "common/harness/record/output_file.hpp"
#include "common/harness/record/record.hpp"
#include "common/harness/record/run_files.hpp"
#include "tool/report/candidates.hpp"
#include "tool/report/files.hpp"
#include "tool/report/machines.hpp"
#include "tool/report/points.hpp"

namespace sortlab::report {
namespace {

std::string folder_of(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

void add_breakdown(const std::string& path, Machines& machines, Report& report,
                   std::vector<std::string>& warnings) {
  static const std::vector<std::string> columns = {
      "config_id", "activity", "launches_per_sort", "ns_per_sort", "share",  "variant",
      "params",    "device",   "key_type",          "value_bytes", "order",  "n",
      "dist",      "cache",    "dist_param",        "host_mem",    "launch", "load",
  };
  static const std::vector<std::string> numbers = {"launches_per_sort", "ns_per_sort", "share",
                                                   "n"};
  std::string config_id;
  for (const auto& row : read_named_rows(path, columns, numbers, warnings)) {
    const std::size_t machine = machines.machine_of("", row.at("device"), true);
    machines.add_file(machine, path);
    if (report.kernels.empty() || row.at("config_id") != config_id) {
      config_id = row.at("config_id");
      report.kernels.push_back({place_of(row, machine), row.at("variant"), row.at("params"), {}});
    }
    report.kernels.back().parts.push_back(
        {row.at("activity"), number_or(row.at("launches_per_sort"), 0),
         number_or(row.at("ns_per_sort"), 0), number_or(row.at("share"), 0)});
  }
}

void add_exhibits(const std::string& path, Report& report, std::vector<std::string>& warnings) {
  static const std::vector<std::string> columns = {
      "exhibit",  "source", "table",  "row",    "column",  "unit",    "published",
      "measured", "ratio",  "status", "reason", "machine", "revision"};
  for (auto& row : read_named_rows(path, columns, {}, warnings)) {
    std::erase_if(row, [](const auto& cell) {
      return std::find(columns.begin(), columns.end(), cell.first) == columns.end();
    });
    report.exhibits.push_back(std::move(row));
  }
}

constexpr std::size_t kMostNames = 4;

/// One line for all files of no known kind.
std::string skipped_line(const std::vector<std::string>& foreign) {
  const bool one = foreign.size() == 1;
  const std::size_t named = std::min(foreign.size(), kMostNames);
  std::string line =
      fmt::format("{} file{} not of sortlab run, skipped: {}", foreign.size(),
                  one ? " is" : "s are", fmt::join(std::span(foreign).first(named), ", "));
  if (named < foreign.size()) line += fmt::format(" and {} more", foreign.size() - named);
  return line;
}

}  // namespace

Report gather(const std::vector<std::string>& paths, std::vector<std::string>& warnings) {
  const ResultFiles files = find_result_files(paths);
  Machines machines;
  Report report;
  if (!files.foreign.empty()) warnings.push_back(skipped_line(files.foreign));
  for (const auto& csv : files.samples) machines.add_runs(csv, warnings);
  // `sortlab reproduce` writes samples.csv beside the exhibits that are made from it.
  std::set<std::string> folders_of_exhibits;
  for (const auto& csv : files.exhibits) folders_of_exhibits.insert(folder_of(csv));
  for (const auto& csv : files.samples) {
    const bool of_papers = file_name(unpacked_name(csv)) == "samples.csv" &&
                           folders_of_exhibits.contains(folder_of(csv));
    add_points(read_whole_rows(csv, warnings), csv, of_papers, machines, report);
  }
  for (const auto& csv : files.breakdowns) add_breakdown(csv, machines, report, warnings);
  for (const auto& csv : files.exhibits) add_exhibits(csv, report, warnings);
  if (report.points.empty() && report.failures.empty() && report.kernels.empty() &&
      report.exhibits.empty()) {
    const bool one = warnings.size() == 1;
    const std::string reason =
        one ? warnings.front()
            : fmt::format("{}: nothing to report: no whole row of results", fmt::join(paths, ", "));
    if (one) warnings.clear();
    throw BadInput(reason);
  }
  mark_leaders(report.points);
  find_gains(report.points);
  report.choices = find_choices(report.points);
  report.crossovers = find_crossovers(report.points);
  report.machines = machines.take();
  return report;
}

}  // namespace sortlab::report
