// The tables of a run: of times, and of what --counters counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
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

// The titles of a summary's rows in tables.

/// The input, and the load: "u32 + u32, descending, zipf 1.0".
std::string input_title(const SummaryRow& row);

/// Where the items lie and who sorts: the CPU; a GPU that has them; or a GPU, or both, with the host's items.
enum class Side { cpu, gpu, gpu_with_copies };
Side side_of(const SummaryRow& row);

/// Which sort, and in which way: "cpu/auto/auto x2 bucket_kib=512".
class WayTitles {
 public:
  /// Titles depend on `rows`: a row with one thread says so if others have many, and a sort shows
  /// its parameters if it was measured with several settings.
  explicit WayTitles(const std::vector<SummaryRow>& rows);

  std::string of(const SummaryRow& row) const;

 private:
  bool many_threads_ = false;
  std::set<std::string> swept_;  // ids of sorts
};

/// Of a row that has a time: million keys per second, or GB per second where it sorts records.
double speed_of(const SummaryRow& row);
std::string speed_unit(const SummaryRow& row);

/// In three digits or more: "0.42", "13.1", "1420".
std::string speed_title(double speed);

/// "2%", "0.4%": of a share.
std::string percent_title(double share);

/// "8.0x": of a factor of 1 or more.
std::string factor_title(double factor);

}  // namespace sortlab
