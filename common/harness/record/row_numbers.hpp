// The numeric fields of a CSV row. They are checked once when a file is read, and then read by
// column.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace sortlab {

/// Names the first column whose field is not a number of its kind, and what was expected; "" if all
/// are right.
std::string fault_of_numbers(const std::map<std::string, std::string>& row);

/// The whole number in `column`, which must be n, value_bytes or threads, or hold one. Throws
/// BadInput if not.
std::uint64_t whole_in(const std::map<std::string, std::string>& row, const std::string& column);

/// The same for threads, as an int.
int threads_in(const std::map<std::string, std::string>& row);

}  // namespace sortlab
