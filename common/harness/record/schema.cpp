#include "common/harness/record/schema.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "common/harness/config.hpp"
#include "common/harness/rig/counters.hpp"

namespace sortlab {
namespace {

constexpr std::string_view kAddedInVersion2[] = {
    "job",         "job_params",     "offset_bits", "devices",   "ranks",     "memory_limit_bytes",
    "exchange_ns", "exchange_bytes", "imbalance",   "load_1min", "cpu_quota", "cpu_list"};
constexpr std::string_view kAddedInVersion3[] = {"load", "free_cpus"};

template <class Columns>
bool is_in(const Columns& columns, std::string_view column) {
  return std::find(std::begin(columns), std::end(columns), column) != std::end(columns);
}

/// The version that added a column.
int first_version_with(std::string_view column) {
  if (is_in(kCounterNames, column)) return 4;
  return is_in(kAddedInVersion3, column) ? 3 : is_in(kAddedInVersion2, column) ? 2 : 1;
}

}  // namespace

const std::vector<std::string>& csv_columns() {
  static const std::vector<std::string> columns = [] {
    std::vector<std::string> names = {"schema_version", "run_id", "config_id",
                                      "ts_utc",         "status", "reason"};
    for (const auto& [name, value] : Config{}.columns()) names.push_back(name);
    for (const char* name :
         {"rep", "total_ns", "alloc_ns", "h2d_ns", "kernel_ns", "host_ns", "d2h_ns", "exchange_ns",
          "exchange_bytes", "imbalance", "launches", "peak_temp_bytes", "gpu_J", "cpu_J"}) {
      names.emplace_back(name);
    }
    names.insert(names.end(), kCounterNames.begin(), kCounterNames.end());
    for (const char* name : {"sm_mhz", "load_1min", "cpu_quota", "cpu_list", "free_cpus",
                             "sorted_ok", "permutation_ok", "stable_ok"}) {
      names.emplace_back(name);
    }
    return names;
  }();
  return columns;
}

std::optional<Schema> Schema::of_header(const std::vector<std::string>& header,
                                        const std::vector<std::string>& today) {
  auto columns = today;
  for (int version = kSchemaVersion; version > 0; --version) {
    std::erase_if(columns,
                  [&](const auto& column) { return first_version_with(column) > version; });
    if (header == columns) return Schema(version, header, today);
  }
  return std::nullopt;
}

Schema::Schema(int version, const std::vector<std::string>& header,
               const std::vector<std::string>& today)
    : version_(version), width_(header.size()) {
  const auto config = Config{}.columns();
  std::map<std::string, std::string> usual(config.begin(), config.end());
  usual["schema_version"] = std::to_string(kSchemaVersion);
  for (const auto& column : today) {
    const auto place = std::find(header.begin(), header.end(), column) - header.begin();
    places_.push_back(column == "schema_version" ? width_ : static_cast<std::size_t>(place));
    usual_.push_back(usual[column]);
  }
}

std::vector<std::string> Schema::as_today(const std::vector<std::string>& fields) const {
  std::vector<std::string> row = usual_;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (places_[i] < width_) row[i] = fields[places_[i]];
  }
  return row;
}

}  // namespace sortlab
