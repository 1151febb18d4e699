#include "common/harness/record/row_numbers.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <type_traits>

#include "common/contract/numbers.hpp"
#include "common/harness/bad_input.hpp"
#include "common/harness/config_fields.hpp"
#include "common/harness/measure/sample_columns.hpp"

namespace sortlab {
namespace {

template <class T>
struct Plain {
  using Type = T;
};
template <class T>
struct Plain<std::optional<T>> {
  using Type = T;
};

std::string fault_of_whole(const std::string& column, const std::string& text, std::uint64_t most) {
  const auto value = parse_whole(text);
  if (value && *value <= most) return "";
  return fmt::format("{} is '{}', not a whole number{}", column, text,
                     value ? fmt::format(" up to {}", most) : "");
}

/// Of a field that is not empty, in a column of the type T.
template <class T>
std::string fault_in(const std::string& column, const std::string& text) {
  if constexpr (std::is_floating_point_v<T>) {
    const auto value = parse_number(text);
    return value && *value >= 0
               ? ""
               : fmt::format("{} is '{}', not a number of 0 or more", column, text);
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return fault_of_whole(column, text, std::numeric_limits<T>::max());
  }
  return "";
}

}  // namespace

std::string fault_of_numbers(const CsvRow& row) {
  for (const Field& field : config_fields()) {
    const std::string column(field.name);
    if (field.most == 0 || (field.may_be_empty && row.at(column).empty())) continue;
    if (std::string fault = fault_of_whole(column, row.at(column), field.most); !fault.empty()) {
      return fault;
    }
  }
  std::string fault;
  const bool is_sample = row.at("status") == "ok";
  const Sample none;
  for_each_column(none, [&]<class T>(const std::string& column, const T&) {
    const bool is_needed = is_sample && column == "total_ns";
    if (!fault.empty() || (row.at(column).empty() && !is_needed)) return;
    fault = fault_in<typename Plain<T>::Type>(column, row.at(column));
  });
  return fault;
}

std::uint64_t whole_in(const CsvRow& row, const std::string& column) {
  const auto value = parse_whole(row.at(column));
  if (!value) throw bad_input("{} is '{}', not a whole number", column, row.at(column));
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
