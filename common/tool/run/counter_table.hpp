// The table of what `run --counters` counted.
#pragma once

#include <string>
#include <vector>

#include "common/harness/record/summary.hpp"
#include "common/tool/run/table.hpp"

namespace sortlab {

/// A block for each input and number of keys, a line for each way to sort, and a column for each counter
/// that any line has. Those of the CPU are per key, the others per sort. "" where nothing was counted.
/// The layout has the meaning that it has for readable_table().
std::string readable_counters(const std::vector<SummaryRow>& rows, const TableLayout& layout = {});

}  // namespace sortlab
