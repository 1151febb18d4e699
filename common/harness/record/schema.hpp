// The schema of the CSV: its version and its columns.
#pragma once

#include <string>
#include <vector>

namespace sortlab {

inline constexpr int kSchemaVersion = 1;

/// The names of the CSV's columns, in order.
const std::vector<std::string>& csv_columns();

/// Whether a file's first line names these columns. It may lack those that the schema got later.
bool is_header_of(const std::vector<std::string>& line, const std::vector<std::string>& columns);
/// A line of a file with such a first line, with empty fields for the columns that it lacks.
std::vector<std::string> completed(std::vector<std::string> line,
                                   const std::vector<std::string>& header,
                                   const std::vector<std::string>& columns);

}  // namespace sortlab
