#include "common/harness/run/slow_sorts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "common/harness/record/csv.hpp"
#include "common/harness/record/summary.hpp"

namespace sortlab {
namespace {

using Columns = std::vector<std::pair<std::string, std::string>>;

/// What all sizes of a configuration share.
std::string id_without_n(Columns columns) {
  for (auto& [name, value] : columns) {
    if (name == "n") value.clear();
  }
  return config_id(columns);
}

std::string id_without_n(const CsvRow& row) {
  Columns columns = Config{}.columns();
  for (auto& [name, value] : columns) value = row.at(name);
  return id_without_n(std::move(columns));
}

/// Of one sort; infinite for one that never ended. 0 for a row without a time.
double seconds_of(const CsvRow& row) {
  if (row.at("status") == name_of(Status::timeout)) return std::numeric_limits<double>::infinity();
  if (row.at("status") != name_of(Status::ok)) return 0;
  return static_cast<double>(whole_in(row, std::string(time_column(row)))) * 1e-9;
}

}  // namespace

void SlowSorts::read_new_rows() {
  for (; rows_read_ < table_.rows.size(); ++rows_read_) {
    const auto& row = table_.rows[rows_read_];
    const double seconds = seconds_of(row);
    if (seconds == 0) continue;
    FastestByN*& times = times_of_[row.at("config_id")];
    if (times == nullptr) times = &times_[id_without_n(row)];
    const auto [time, is_new] = times->try_emplace(whole_in(row, "n"), seconds);
    if (!is_new) time->second = std::min(time->second, seconds);
  }
}

std::string SlowSorts::reason(const Config& config) {
  if (limit_s_ == 0) return "";
  read_new_rows();
  const FastestByN& times = times_[id_without_n(config.columns())];
  const auto above = times.lower_bound(config.n);
  if (above == times.begin()) return "";
  const auto& [n, seconds] = *std::prev(above);
  if (seconds > limit_s_) {
    return fmt::format("slow: more than {} s per sort at a smaller n", limit_s_);
  }
  if (std::prev(above) == times.begin()) return "";
  const auto& [smaller_n, less] = *std::prev(above, 2);
  const auto ratio = [](std::size_t a, std::size_t b) {
    return std::log(static_cast<double>(a) / static_cast<double>(b));
  };
  const double exponent = std::log(seconds / less) / ratio(n, smaller_n);
  if (seconds * std::exp(exponent * ratio(config.n, n)) <= limit_s_) return "";
  return fmt::format("slow: more than {} s per sort, by its growth at smaller n", limit_s_);
}

}  // namespace sortlab
