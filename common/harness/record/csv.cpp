#include "common/harness/record/csv.hpp"

#include <fmt/format.h>

namespace sortlab {

std::vector<std::string> split_csv_line(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

std::string join_csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const auto& text : fields) {
    if (!line.empty() || &text != fields.data()) line += ',';
    const bool is_quoted = text.find_first_of(",\"") != std::string::npos;
    if (is_quoted) line += '"';
    for (const char c : text) {
      line += c == '\n' || c == '\r' ? ' ' : c;  // a row is one line
      if (c == '"') line += '"';
    }
    if (is_quoted) line += '"';
  }
  return line;
}

CsvText csv_in(std::string_view text) {
  CsvText csv;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) {
      csv.cut_line = number;
      break;
    }
    auto fields = split_csv_line(text.substr(0, end));
    text.remove_prefix(end + 1);
    if (number == 1) {
      csv.header = std::move(fields);
      continue;
    }
    CsvLine& line = csv.lines.emplace_back();
    line.number = number;
    if (fields.size() != csv.header.size()) {
      line.fault = fmt::format("{} fields where {} belong", fields.size(), csv.header.size());
      continue;
    }
    for (std::size_t i = 0; i < fields.size(); ++i) line.row[csv.header[i]] = std::move(fields[i]);
  }
  return csv;
}

std::vector<std::string> fields_of(const CsvRow& row, const std::vector<std::string>& columns) {
  std::vector<std::string> fields;
  for (const auto& column : columns) {
    const auto field = row.find(column);
    fields.push_back(field == row.end() ? "" : field->second);
  }
  return fields;
}

}  // namespace sortlab
