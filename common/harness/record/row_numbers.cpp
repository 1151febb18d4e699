#include "common/harness/record/row_numbers.hpp"

#include <fmt/format.h>

#include <limits>

#include "common/contract/errors.hpp"
#include "common/contract/numbers.hpp"
#include "common/harness/config_fields.hpp"
#include "common/harness/rig/counters.hpp"

namespace sortlab {
namespace {

using CsvRow = std::map<std::string, std::string>;

constexpr std::uint64_t kMostTime = std::numeric_limits<std::int64_t>::max();  // 292 years in ns
constexpr std::uint64_t kMostInt = std::numeric_limits<int>::max();

struct WholeColumn {
  std::string_view name;
  std::uint64_t most;
};

constexpr WholeColumn kIfMeasured[] = {
    {"rep", kMostInt},       {"total_ns", kMostTime},        {"alloc_ns", kMostTime},
    {"h2d_ns", kMostTime},   {"kernel_ns", kMostTime},       {"host_ns", kMostTime},
    {"d2h_ns", kMostTime},   {"exchange_ns", kMostTime},     {"exchange_bytes", kMostTime},
    {"launches", kMostTime}, {"peak_temp_bytes", kMostTime}, {"sm_mhz", kMostInt}};
constexpr const char* kNumbers[] = {"imbalance", "gpu_J",     "cpu_J",
                                    "load_1min", "cpu_quota", "free_cpus"};

std::string fault_of(const CsvRow& row, const WholeColumn& column) {
  const std::string& text = row.at(std::string(column.name));
  const auto value = parse_whole(text);
  if (value && *value <= column.most) return "";
  return fmt::format("{} is '{}', not a whole number{}", column.name, text,
                     value ? fmt::format(" up to {}", column.most) : "");
}

}  // namespace

std::string fault_of_numbers(const CsvRow& row) {
  std::string fault;
  const auto check_whole = [&](const WholeColumn& column, bool is_needed) {
    const bool is_empty = row.at(std::string(column.name)).empty();
    if (fault.empty() && (is_needed || !is_empty)) fault = fault_of(row, column);
  };
  for (const Field& field : config_fields()) {
    if (field.most != 0) check_whole({field.name, field.most}, !field.may_be_empty);
  }
  const bool is_sample = row.at("status") == "ok";
  for (const auto& column : kIfMeasured) {
    check_whole(column, is_sample && column.name == "total_ns");
  }
  const auto check_number = [&](const char* column) {
    const std::string& text = row.at(column);
    const auto value = parse_number(text);
    if (fault.empty() && !text.empty() && (!value || *value < 0)) {
      fault = fmt::format("{} is '{}', not a number of 0 or more", column, text);
    }
  };
  for (const char* const column : kNumbers) check_number(column);
  for (const char* const column : kCounterNames) check_number(column);
  return fault;
}

std::uint64_t whole_in(const CsvRow& row, const std::string& column) {
  const auto value = parse_whole(row.at(column));
  if (!value) throw BadInput(fmt::format("{} is '{}', not a whole number", column, row.at(column)));
  return *value;
}

std::size_t record_bytes_in(const CsvRow& row) {
  const std::string& type = row.at("key_type");
  const auto colon = type.find(':');
  if (!type.starts_with('r') || colon == std::string::npos) return 0;
  return parse_whole(type.substr(1, colon - 1)).value_or(0);
}

std::size_t item_bytes_in(const CsvRow& row) {
  if (const std::size_t bytes = record_bytes_in(row); bytes != 0) return bytes;
  // Of "u32": the number in a type is that of its bits.
  return parse_whole(row.at("key_type").substr(1)).value_or(32) / 8 + whole_in(row, "value_bytes");
}

int threads_in(const CsvRow& row) { return static_cast<int>(whole_in(row, "threads")); }

}  // namespace sortlab
