// The numbers among a CSV row's fields: checked once when a file is read, then taken by column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace sortlab {

/// Which column holds what is no number of its kind, and what was expected; "" when all is well.
std::string fault_of_numbers(const std::map<std::string, std::string>& row);

/// A whole number; `column` must be n, value_bytes or threads, or hold one. Throws BadInput if not.
std::uint64_t whole_in(const std::map<std::string, std::string>& row, const std::string& column);

/// Bytes of a record, by the column key_type; 0 where the row is about numbers.
std::size_t record_bytes_in(const std::map<std::string, std::string>& row);

/// Of a key and its value, or of a record.
std::size_t item_bytes_in(const std::map<std::string, std::string>& row);

/// The number of threads, as whole_in() reads it.
int threads_in(const std::map<std::string, std::string>& row);

}  // namespace sortlab
