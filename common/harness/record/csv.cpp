#include "common/harness/record/csv.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <type_traits>

#include "common/contract/numbers.hpp"
#include "common/harness/bad_input.hpp"
#include "common/harness/config_fields.hpp"
#include "common/harness/measure/sample.hpp"

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

namespace {

template <class T>
struct Plain {
  using Type = T;
};
template <class T>
struct Plain<std::optional<T>> {
  using Type = T;
};

std::string fault_of_whole(const std::string& column, const std::string& text, std::uint64_t most) {
  const auto value = parse_whole(text);
  if (value && *value <= most) return "";
  return fmt::format("{} is '{}', not a whole number{}", column, text,
                     value ? fmt::format(" up to {}", most) : "");
}

/// Of a field that is not empty, in a column of the type T.
template <class T>
std::string fault_in(const std::string& column, const std::string& text) {
  if constexpr (std::is_floating_point_v<T>) {
    const auto value = parse_number(text);
    return value && *value >= 0
               ? ""
               : fmt::format("{} is '{}', not a number of 0 or more", column, text);
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return fault_of_whole(column, text, std::numeric_limits<T>::max());
  }
  return "";
}

}  // namespace

std::string fault_of_numbers(const CsvRow& row) {
  for (const Field& field : config_fields()) {
    const std::string column(field.name);
    if (field.most == 0 || (field.may_be_empty && row.at(column).empty())) continue;
    if (std::string fault = fault_of_whole(column, row.at(column), field.most); !fault.empty()) {
      return fault;
    }
  }
  std::string fault;
  const bool is_sample = row.at("status") == "ok";
  const Sample none;
  for_each_column(none, [&]<class T>(const std::string& column, const T&) {
    const bool is_needed = is_sample && column == "total_ns";
    if (!fault.empty() || (row.at(column).empty() && !is_needed)) return;
    fault = fault_in<typename Plain<T>::Type>(column, row.at(column));
  });
  return fault;
}

std::uint64_t whole_in(const CsvRow& row, const std::string& column) {
  const auto value = parse_whole(row.at(column));
  if (!value) throw bad_input("{} is '{}', not a whole number", column, row.at(column));
  return *value;
}

std::size_t record_bytes_in(const CsvRow& row) {
  const std::string& type = row.at("key_type");
  const auto colon = type.find(':');
  if (!type.starts_with('r') || colon == std::string::npos) return 0;
  return parse_whole(type.substr(1, colon - 1)).value_or(0);
}

std::size_t item_bytes_in(const CsvRow& row) {
  if (const std::size_t bytes = record_bytes_in(row); bytes != 0) return bytes;
  // Of "u32": the number in a type is that of its bits.
  return parse_whole(row.at("key_type").substr(1)).value_or(32) / 8 + whole_in(row, "value_bytes");
}

int threads_in(const CsvRow& row) { return static_cast<int>(whole_in(row, "threads")); }

}  // namespace sortlab
