#include "tool/report/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "common/contract/errors.hpp"
#include "common/contract/numbers.hpp"
#include "common/contract/read_file.hpp"
#include "common/harness/record/output_file.hpp"
#include "common/harness/record/record.hpp"
#include "common/harness/record/run_files.hpp"

namespace sortlab::report {
namespace {

namespace fs = std::filesystem;

bool is_breakdown(const std::string& path) {
  return unpacked_name(path).ends_with(".breakdown.csv");
}

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

std::vector<std::string> csvs_below(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    const std::string name = unpacked_name(path);
    if (!entry.is_regular_file() || !name.ends_with(".csv") || name.ends_with(".summary.csv")) {
      continue;
    }
    if (is_packed(path) && fs::exists(name)) continue;  // the same, unpacked, is read
    paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
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

std::vector<NamedRow> read_named_rows(const std::string& path,
                                      const std::vector<std::string>& columns,
                                      const std::vector<std::string>& numbers,
                                      std::vector<std::string>& warnings) {
  std::istringstream in(read_text(path));
  std::vector<NamedRow> rows;
  std::vector<std::string> header;
  std::string line, fault;
  std::size_t number = 0;
  const auto leave_out = [&](const std::string& why) {
    if (fault.empty()) fault = fmt::format("{}: line {}: {}; it is left out", path, number, why);
  };
  while (std::getline(in, line)) {
    ++number;
    const bool is_cut = in.eof();  // no line break behind it
    if (line.ends_with('\r')) line.pop_back();
    const auto fields = split_csv_line(line);
    if (number == 1) {
      header = fields;
      for (const auto& column : columns) {
        if (std::find(header.begin(), header.end(), column) != header.end()) continue;
        warnings.push_back(
            fmt::format("{}: line 1: no column {}; nothing of it is used", path, column));
        return {};
      }
    } else if (is_cut || fields.size() != header.size()) {
      leave_out(is_cut ? "cut in the middle of a row"
                       : fmt::format("{} fields where {} belong", fields.size(), header.size()));
    } else {
      NamedRow row;
      for (std::size_t i = 0; i < header.size(); ++i) row[header[i]] = fields[i];
      const auto word = std::find_if(numbers.begin(), numbers.end(), [&](const auto& column) {
        return !parse_number(row.at(column));
      });
      if (word == numbers.end()) {
        rows.push_back(std::move(row));
      } else {
        leave_out(fmt::format("{} is '{}', not a number", *word, row.at(*word)));
      }
    }
  }
  if (number == 0) fault = path + ": line 1: the file is empty; nothing of it is used";
  if (!fault.empty()) warnings.push_back(fault);
  return rows;
}

std::string file_name(const std::string& path) { return fs::path(path).filename().string(); }

double number_or(const std::string& text, double otherwise) {
  return parse_number(text).value_or(otherwise);
}

}  // namespace sortlab::report
