#include "common/harness/record/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/contract/numbers.hpp"
#include "common/harness/record/csv.hpp"
#include "common/harness/record/output_file.hpp"

namespace sortlab {
namespace {

void add_figures(SummaryRow& row) {
  std::vector<double> samples;
  for (const auto& block : row.blocks_ns) samples.insert(samples.end(), block.begin(), block.end());
  row.n_kept = samples.size();
  if (samples.empty()) return;
  std::sort(samples.begin(), samples.end());
  row.median_ns = quantile(samples, 0.5);
  row.interval = median_interval(samples);
  row.p90_ns = quantile(samples, 0.9);
  row.relative_iqr = (quantile(samples, 0.75) - quantile(samples, 0.25)) / row.median_ns;
  row.min_ns = samples.front();
  row.max_ns = samples.back();
  row.bimodal = is_bimodal(samples);
  const auto n = static_cast<double>(whole_in(row.config, "n"));
  row.keys_per_s = n / (row.median_ns * 1e-9);
  row.bytes_per_s = 2 * static_cast<double>(item_bytes_in(row.config)) * row.keys_per_s;
}

/// `place`: of each configuration's id in `rows`.
void add_counters(const CsvTable& table, const std::map<std::string, std::size_t>& place,
                  std::vector<SummaryRow>& rows) {
  for (std::size_t i = 0; i < kCounterNames.size(); ++i) {
    std::map<std::size_t, std::vector<double>> counts;
    for (const auto& row : table.rows) {
      const auto count = parse_number(row.at(kCounterNames[i]));
      if (count && row.at("status") == "ok") {
        counts[place.at(row.at("config_id"))].push_back(*count);
      }
    }
    for (const auto& [at, all] : counts) {
      rows[at].counters[i] =
          std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
    }
  }
}

}  // namespace

std::string_view time_column(const CsvRow& row) {
  return row.at("kernel_ns").empty() || row.at("host_mem") != "none" ? "total_ns" : "kernel_ns";
}

std::string readable_time(double ns) {
  for (const auto& [scale, unit] : {std::pair{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}}) {
    if (ns < scale * 0.9995) continue;
    const double value = ns / scale;
    return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, unit);
  }
  return fmt::format("{:.0f} ns", ns);
}

std::vector<SummaryRow> summarize(const CsvTable& table) {
  std::vector<SummaryRow> rows;
  std::map<std::string, std::size_t> place;
  for (const auto& row : table.rows) {
    const auto [entry, is_new] = place.try_emplace(row.at("config_id"), rows.size());
    if (is_new) rows.emplace_back().config = row;
    SummaryRow& summary = rows[entry->second];
    const bool block_ended = summary.blocks_ns.empty() || !summary.reason.empty();
    summary.status = row.at("status");
    summary.reason = row.at("reason");
    if (row.at("status") != "ok") continue;
    if (block_ended) summary.blocks_ns.emplace_back();
    summary.blocks_ns.back().push_back(
        static_cast<double>(whole_in(row, std::string(time_column(row)))));
  }
  for (auto& row : rows) add_figures(row);
  add_counters(table, place, rows);
  return rows;
}

void write_summary(const std::string& path, const std::vector<SummaryRow>& rows,
                   CopyBandwidth copy) {
  std::vector<std::string> config_columns = {"config_id"};
  for (const auto& [name, value] : Config{}.columns()) config_columns.push_back(name);
  std::vector<std::string> header = {"schema_version"};
  header.insert(header.end(), config_columns.begin(), config_columns.end());
  for (const char* name : {"status", "reason", "n_kept", "median_ns", "ci95_low_ns", "ci95_high_ns",
                           "p90_ns", "relative_iqr", "min_ns", "max_ns", "keys_per_s",
                           "bytes_per_s", "pct_of_copy_bandwidth", "stop_reason", "bimodal"}) {
    header.emplace_back(name);
  }
  header.insert(header.end(), kCounterNames.begin(), kCounterNames.end());
  std::string text = join_csv_line(header) + '\n';
  for (const auto& row : rows) {
    std::vector<std::string> fields = {std::to_string(kSchemaVersion)};
    for (const auto& column : config_columns) fields.push_back(row.config.at(column));
    const bool ok = row.status == "ok";
    fields.push_back(row.status);
    fields.push_back(ok ? "" : row.reason);
    fields.push_back(std::to_string(row.n_kept));
    if (row.n_kept > 0) {
      for (const double value : {row.median_ns, row.interval.low, row.interval.high, row.p90_ns}) {
        fields.push_back(fmt::format("{:.1f}", value));
      }
      fields.push_back(fmt::format("{:.5f}", row.relative_iqr));
      for (const double value : {row.min_ns, row.max_ns, row.keys_per_s, row.bytes_per_s}) {
        fields.push_back(fmt::format("{:.0f}", value));
      }
      const double roof = row.config.at("variant").starts_with("gpu/") ? copy.device : copy.host;
      fields.push_back(roof > 0 ? fmt::format("{:.3f}", 100 * row.bytes_per_s / roof) : "");
      fields.push_back(ok ? row.reason : "");
      fields.emplace_back(row.bimodal ? "1" : "0");
      for (const auto& count : row.counters) {
        fields.push_back(count ? fmt::format("{:.4g}", *count) : "");
      }
    }
    fields.resize(header.size());
    text += join_csv_line(fields) + '\n';
  }
  write_file(path, text);
}

std::string readable_skips(const std::map<std::string, std::size_t>& skipped_because) {
  std::vector<std::pair<std::string, std::size_t>> reasons(skipped_because.begin(),
                                                           skipped_because.end());
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [reason, count] : reasons)
    text += fmt::format("{} skipped: {}\n", count, reason);
  return text;
}

std::string readable_skips(const std::vector<SummaryRow>& rows) {
  std::map<std::string, std::size_t> skipped_because;
  for (const auto& row : rows) {
    if (row.status == "skipped") ++skipped_because[row.reason];
  }
  return readable_skips(skipped_because);
}

}  // namespace sortlab
