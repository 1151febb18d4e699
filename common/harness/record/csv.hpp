// CSV in lines (RFC 4180): quotes may hold commas and doubled quotes, but no line breaks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sortlab {

std::vector<std::string> split_csv_line(std::string_view line);
/// The inverse, without the line break.
std::string join_csv_line(const std::vector<std::string>& fields);

using CsvRow = std::map<std::string, std::string>;  // by column

/// A line behind the header: a row, or why it is none.
struct CsvLine {
  std::size_t number;
  CsvRow row;
  std::string fault;  // "" for a row
};

inline constexpr const char* kCutLine = "cut in the middle of a row";

struct CsvText {
  std::vector<std::string> header;  // empty where the first line has no end
  std::vector<CsvLine> lines;
  std::size_t cut_line = 0;  // the number of a last line without a line break; 0: there is none

  bool is_empty() const { return header.empty() && cut_line == 0; }
};
CsvText csv_in(std::string_view text);

/// A row's fields in the order of these columns; "" for those that it lacks.
std::vector<std::string> fields_of(const CsvRow& row, const std::vector<std::string>& columns);

// The numeric fields of a CSV row. They are checked once when a file is read, and then read by
// column.

/// Names the first column whose field is not a number of its kind, and what was expected; "" if all
/// are right.
std::string fault_of_numbers(const CsvRow& row);

/// The whole number in `column`, which must be n, value_bytes or threads, or hold one. Throws
/// BadInput if not.
std::uint64_t whole_in(const CsvRow& row, const std::string& column);

/// Bytes of a record, by the column key_type; 0 where the row is about numbers.
std::size_t record_bytes_in(const CsvRow& row);

/// Of a key and its value, or of a record.
std::size_t item_bytes_in(const CsvRow& row);

/// The number of threads, as whole_in() reads it.
int threads_in(const CsvRow& row);

}  // namespace sortlab
