// The table of a run.
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

}  // namespace sortlab
