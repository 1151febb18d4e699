// The numeric fields of a CSV row. They are checked once when a file is read, and then read by
// column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/harness/record/csv.hpp"

namespace sortlab {

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
