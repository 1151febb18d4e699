// The summary: one line per configuration, computed from its samples.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "common/harness/measure/statistics.hpp"
#include "common/harness/record/record.hpp"
#include "common/harness/rig/counters.hpp"

namespace sortlab {

struct SummaryRow {
  CsvRow config;       // the configuration's columns, and config_id
  std::string status;  // of its last row
  std::string reason;
  std::size_t n_kept = 0;  // samples that count; if 0, there are no figures either
  double median_ns = 0;
  Interval interval;  // of the median, 95 %
  double p90_ns = 0;  // nine of ten samples took less
  double relative_iqr = 0;
  double min_ns = 0;
  double max_ns = 0;
  double keys_per_s = 0;
  double bytes_per_s = 0;  // each key and value read once and written once
  bool bimodal = false;
  Counters counters;  // means per sort
  /// The samples in the order they were taken. A block ends where sampling stopped: a configuration
  /// measured once has one, rounds have one each.
  std::vector<std::vector<double>> blocks_ns;

  /// Half of the samples lie within this share of the median, above or below.
  double spread() const { return relative_iqr / 2; }
  /// Whether its median is unreliable: a wide spread, two clusters, or few samples.
  bool is_noisy() const { return spread() > 0.05 || bimodal || (n_kept > 0 && n_kept < 3); }
};

/// The column with the time from which a row's figures are computed: the sort itself, with the
/// copies if they belong to it.
std::string_view time_column(const CsvRow& row);

/// Groups the rows of a table by configuration, in order of their first row. An incomplete
/// configuration counts with the samples that it has.
std::vector<SummaryRow> summarize(const CsvTable& table);

/// Measured copy bandwidths, read and written, in bytes per second; 0: unknown.
struct CopyBandwidth {
  double host = 0;  // with all threads
  double device = 0;
};

/// Writes the summary as CSV.
void write_summary(const std::string& path, const std::vector<SummaryRow>& rows,
                   CopyBandwidth copy);

/// "12.3 ms", "850 ns": three digits and a unit.
std::string readable_time(double ns);

/// How many configurations were skipped for each reason, the most common first; a line for each:
/// "12 skipped: has no code for i32 pairs".
std::string readable_skips(const std::map<std::string, std::size_t>& skipped_because);
std::string readable_skips(const std::vector<SummaryRow>& rows);

}  // namespace sortlab
