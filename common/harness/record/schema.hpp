// The schema of the CSV: its version and its columns.
#pragma once

#include <string>
#include <vector>

namespace sortlab {

inline constexpr int kSchemaVersion = 1;

/// The names of the CSV's columns, in order.
const std::vector<std::string>& csv_columns();

}  // namespace sortlab
