#include "tool/report/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/contract/errors.hpp"
#include "common/contract/numbers.hpp"
#include "common/contract/read_file.hpp"
#include "common/harness/record/output_file.hpp"
#include "common/harness/record/record.hpp"
#include "common/harness/record/run_files.hpp"

namespace sortlab::report {
namespace {

namespace fs = std::filesystem;

bool has_header_of_samples(std::string_view text) {
  const auto end = text.find('\n');
  return end != std::string_view::npos && is_header_of_samples(text.substr(0, end));
}

void place(const std::string& path, ResultFiles& files) {
  if (is_breakdown(path)) {
    files.breakdowns.push_back(path);
    return;
  }
  const std::string text = read_text(path);
  if (text.starts_with("exhibit,")) {
    files.exhibits.push_back(path);
  } else if (text.empty() || has_header_of_samples(text)) {
    files.samples.push_back(path);
  } else {
    files.foreign.push_back(path);
  }
}

}  // namespace

ResultFiles find_result_files(const std::vector<std::string>& paths) {
  ResultFiles files;
  std::set<fs::path> seen;
  const auto add = [&](const std::string& path) {
    if (seen.insert(fs::weakly_canonical(path)).second) place(path, files);
  };
  for (const auto& path : paths) {
    if (!fs::exists(path)) throw BadInput(path + ": no such file or folder");
    if (fs::is_directory(path)) {
      for (const auto& csv : csvs_below(path)) add(csv);
      continue;
    }
    require_no_pipe(path);
    add(path);
    if (is_breakdown(path)) continue;
    const std::string breakdown = beside(path, ".breakdown.csv");
    for (const auto& name : {breakdown, breakdown + ".xz"}) {
      if (fs::exists(name)) {
        add(name);
        break;
      }
    }
  }
  return files;
}

std::vector<CsvRow> read_named_rows(const std::string& path,
                                    const std::vector<std::string>& columns,
                                    const std::vector<std::string>& numbers,
                                    std::vector<std::string>& warnings) {
  const CsvText csv = csv_in(read_text(path));
  for (const auto& column : columns) {
    if (std::find(csv.header.begin(), csv.header.end(), column) != csv.header.end()) continue;
    warnings.push_back(fmt::format("{}: line 1: {}; nothing of it is used", path,
                                   csv.is_empty() ? "the file is empty" : "no column " + column));
    return {};
  }
  std::vector<CsvRow> rows;
  std::string first;
  const auto leave_out = [&](std::size_t number, const std::string& why) {
    if (first.empty()) first = fmt::format("{}: line {}: {}; it is left out", path, number, why);
  };
  for (const auto& [number, row, fault] : csv.lines) {
    if (!fault.empty()) {
      leave_out(number, fault);
      continue;
    }
    const auto word = std::find_if(
        numbers.begin(), numbers.end(),
        [&fields = row](const auto& column) { return !parse_number(fields.at(column)); });
    if (word == numbers.end()) {
      rows.push_back(row);
    } else {
      leave_out(number, fmt::format("{} is '{}', not a number", *word, row.at(*word)));
    }
  }
  if (csv.cut_line != 0) leave_out(csv.cut_line, kCutLine);
  if (!first.empty()) warnings.push_back(first);
  return rows;
}

std::string file_name(const std::string& path) { return fs::path(path).filename().string(); }

double number_or(const std::string& text, double otherwise) {
  return parse_number(text).value_or(otherwise);
}

}  // namespace sortlab::report
