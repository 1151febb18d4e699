// The numbers among a CSV row's fields: checked once when a file is read, then taken by column.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace sortlab {

/// Which column holds what is no number of its kind, and what was expected; "" when all is well.
std::string fault_of_numbers(const std::map<std::string, std::string>& row);

/// A whole number; `column` must be n, value_bytes or threads, or hold one. Throws BadInput if not.
std::uint64_t whole_in(const std::map<std::string, std::string>& row, const std::string& column);

/// The same for threads, as an int.
int threads_in(const std::map<std::string, std::string>& row);

}  // namespace sortlab
