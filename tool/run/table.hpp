// The tables of a run: of times, and of what --counters counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/harness/record/summary.hpp"

namespace sortlab {

enum class SortBy : std::uint8_t { time, id };

struct TableLayout {
  SortBy sort_by = SortBy::time;  // at the largest n that a line has; or the ids
  std::size_t top = 0;            // so many lines of a block, the fastest; 0: all
  std::size_t width = SIZE_MAX;   // of the window
};

/// One block per type, order, distribution and load, one line per way to sort, one column per size.
/// A cell has million keys per second, and half the spread of the samples. "*" marks a column's
/// fastest, "!" an unreliable figure. If sortlab made loads, cells have p90_ns over median_ns in
/// place of the spread. A block that is too wide for the window is printed in parts.
std::string readable_table(const std::vector<SummaryRow>& rows, const TableLayout& layout = {});

/// A block for each input and number of keys, a line for each way to sort, and a column for each counter
/// that any line has. Those of the CPU are per key, the others per sort. "" where nothing was counted.
/// The layout has the meaning that it has for readable_table().
std::string readable_counters(const std::vector<SummaryRow>& rows, const TableLayout& layout = {});

}  // namespace sortlab
