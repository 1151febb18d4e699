#include "common/harness/record/schema.hpp"

#include <algorithm>

#include "common/harness/config.hpp"
#include "common/harness/config_fields.hpp"
#include "common/harness/rig/counters.hpp"

namespace sortlab {

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

bool is_header_of(const std::vector<std::string>& line, const std::vector<std::string>& columns) {
  if (line == columns) return true;
  std::vector<std::string> first = columns;
  std::erase_if(first, [](const std::string& name) { return is_later_column(name); });
  return line == first;
}

std::vector<std::string> completed(std::vector<std::string> line,
                                   const std::vector<std::string>& header,
                                   const std::vector<std::string>& columns) {
  if (line.size() != header.size() || header == columns) return line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i < line.size() && !is_later_column(columns[i])) continue;
    line.insert(line.begin() + static_cast<std::ptrdiff_t>(i), "");
  }
  return line;
}

}  // namespace sortlab
