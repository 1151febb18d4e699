// How rows of a summary are called in tables.
#pragma once

#include <cstddef>
#include <string>

#include "common/harness/record/summary.hpp"

namespace sortlab {

/// What was sorted, and under which load: "u32 + 4 B values, descending, zipf 1.0".
std::string input_title(const SummaryRow& row);

/// Which sort, and in which way: "cpu/auto/auto x2 bucket_kib=512". Among lines of many threads, one of
/// one thread says so.
std::string way_title(const SummaryRow& row, bool among_many);

/// Whether any of the rows used several threads.
bool any_of_many_threads(const std::vector<SummaryRow>& rows);

/// "16K", "1M", "1000".
std::string size_title(std::size_t n);

/// Million keys per second, in three digits or more: "0.42", "13.1", "1420".
std::string speed_title(double keys_per_s);

/// "2%", "0.4%": of a share.
std::string percent_title(double share);

/// "8.0x": of a factor of 1 or more.
std::string factor_title(double factor);

}  // namespace sortlab
