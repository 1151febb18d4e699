#include "common/harness/record/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "common/harness/bad_input.hpp"
#include "common/harness/config.hpp"
#include "common/harness/config_fields.hpp"
#include "common/harness/measure/sample.hpp"
#include "common/harness/record/csv.hpp"
#include "common/harness/record/output_file.hpp"

namespace sortlab {

const std::vector<std::string>& csv_columns() {
  static const std::vector<std::string> columns = [] {
    std::vector<std::string> names = {"schema_version", "run_id", "config_id",
                                      "ts_utc",         "status", "reason"};
    for (const auto& [name, value] : Config{}.columns()) names.push_back(name);
    const Sample none;
    for_each_column(none, [&](const char* name, const auto&) { names.emplace_back(name); });
    return names;
  }();
  return columns;
}

bool is_header_of(const std::vector<std::string>& line, const std::vector<std::string>& columns) {
  const auto first_ones = [](std::vector<std::string> names) {
    std::erase_if(names, [](const std::string& name) { return is_later_column(name); });
    return names;
  };
  return first_ones(line) == first_ones(columns);
}

namespace {

std::string written(const std::string& text) { return text; }
std::string written(bool is_so) { return is_so ? "1" : "0"; }
template <class T>
std::string written(const T& number) {
  return fmt::format("{}", number);
}
template <class T>
std::string written(const std::optional<T>& value) {
  return value ? written(*value) : "";
}

/// A row that ends its configuration: no further sample of it will come.
bool is_last_row(const CsvRow& row) {
  return row.at("status") != "ok" || !row.at("reason").empty();
}

/// Such a row describes the machine at that moment, not the sort: another program may have taken
/// the memory, or a user may have killed the worker.
bool was_killed(const CsvRow& row) { return row.at("reason").ends_with(kKilled); }

/// The rows of a CSV of this schema. Calls leave_out(number, fault) for each other line.
template <class LeaveOut>
CsvTable rows_in(CsvText csv, LeaveOut leave_out) {
  CsvTable table;
  for (auto& [number, row, fault] : csv.lines) {
    if (fault.empty()) {
      if (csv.header.size() < csv_columns().size()) {
        for (const auto& column : csv_columns()) row[column];  // empty if it came later
      }
      const std::string& schema = row.at("schema_version");
      fault = schema == std::to_string(kSchemaVersion)
                  ? fault_of_numbers(row)
                  : fmt::format("schema version '{}', not {}", schema, kSchemaVersion);
    }
    fault.empty() ? table.rows.push_back(std::move(row)) : leave_out(number, fault);
  }
  return table;
}

void require_no_packed_rows(const std::string& path) {
  if (std::filesystem::exists(path) || !std::filesystem::exists(path + ".xz")) return;
  throw bad_input(
      "{0}: earlier samples are in {0}.xz. Unpack it to go on (xz -d {0}.xz), or name "
      "another file",
      path);
}

}  // namespace

bool is_header_of_samples(std::string_view line) {
  return is_header_of(split_csv_line(line), csv_columns());
}

CsvTable read_csv(const std::string& path) {
  CsvText csv = csv_in(read_text(path));
  if (csv.is_empty()) return {};
  if (!is_header_of(csv.header, csv_columns())) {
    throw BadInput(path + ": line 1: not a CSV of this schema; it is left untouched");
  }
  return rows_in(std::move(csv), [&](std::size_t number, const std::string& fault) {
    throw bad_input("{}: line {}: {}", path, number, fault);
  });
}

CsvTable read_whole_rows(const std::string& path, std::vector<std::string>& warnings) {
  CsvText csv = csv_in(read_text(path));
  if (!is_header_of(csv.header, csv_columns())) {
    warnings.push_back(
        fmt::format("{}: line 1: {}; nothing of it is used", path,
                    csv.is_empty() ? "the file is empty" : "not a CSV of this schema"));
    return {};
  }
  std::string first;
  std::size_t left_out = 0;
  const auto leave_out = [&](std::size_t number, const std::string& fault) {
    if (left_out++ == 0) first = fmt::format("line {}: {}", number, fault);
  };
  const std::size_t cut_line = csv.cut_line;
  CsvTable table = rows_in(std::move(csv), leave_out);
  if (cut_line != 0) leave_out(cut_line, kCutLine);
  if (left_out > 0) {
    warnings.push_back(
        fmt::format("{}: {}; {} left out, {} whole row{} used", path, first,
                    left_out == 1 ? "it is" : fmt::format("{} such lines are", left_out),
                    table.rows.size(), table.rows.size() == 1 ? " is" : "s are"));
  }
  return table;
}

void write_csv(const std::string& path, const CsvTable& table) {
  std::string text = join_csv_line(csv_columns()) + '\n';
  for (const auto& row : table.rows) text += join_csv_line(fields_of(row, csv_columns())) + '\n';
  write_file(path, text);
}

Recorder::Recorder(std::string path, std::string run_id, const PlannedIds& planned, bool again)
    : path_(std::move(path)), run_id_(std::move(run_id)) {
  if (path_.empty()) return;
  if (path_ == "-") {
    file_ = stdout;
  } else {
    if (is_replaceable(path_)) {
      require_unpacked_name(path_);
      require_no_packed_rows(path_);
      lock_.emplace(path_);
      resume(planned, again);
    } else if (!std::filesystem::is_character_file(path_)) {
      throw BadInput(path_ +
                     ": a pipe or a disk is no place for rows; name a file, or - for stdout");
    }
    file_ = std::fopen(path_.c_str(), "ae");
    if (file_ == nullptr) throw bad_input("{}: {}", path_, std::strerror(errno));
  }
  const bool is_new = !lock_ || std::filesystem::file_size(path_) == 0;
  if (is_new) write_line(csv_columns());
}

Recorder::~Recorder() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

void Recorder::resume(const PlannedIds& planned, bool again) {
  if (!std::filesystem::exists(path_)) return;
  CsvTable before = read_csv(path_);
  std::map<std::string, std::vector<CsvRow*>> unended;  // blocks, by configuration
  for (auto& row : before.rows) {
    auto& block = unended[row.at("config_id")];
    block.push_back(&row);
    if (!again && is_last_row(row) && !was_killed(row)) block.clear();
  }
  for (const auto& [id, block] : unended) {
    if (planned && !planned->contains(id)) continue;
    for (CsvRow* const row : block) row->clear();
  }
  for (auto& row : before.rows) {
    if (!row.empty()) add(std::move(row));
  }
  write_csv(path_, table_);
}

bool Recorder::completed(const std::string& config_id, int blocks) const {
  const auto held = held_.find(config_id);
  return held != held_.end() && (held->second.given_up || held->second.blocks >= blocks);
}

int Recorder::samples(const std::string& config_id) const {
  const auto held = held_.find(config_id);
  return held == held_.end() ? 0 : held->second.samples;
}

void Recorder::add(CsvRow row) {
  Held& held = held_[row.at("config_id")];
  if (!row.at("rep").empty()) ++held.samples;
  if (row.at("status") != "ok") {
    held.given_up = true;
  } else if (is_last_row(row)) {
    ++held.blocks;
  }
  table_.rows.push_back(std::move(row));
}

void Recorder::add_sample(const Config& config, const Sample& sample) {
  write_row(config, &sample, {sample.failed ? Status::failed : Status::ok, sample.stop_reason});
}

void Recorder::add_outcome(const Config& config, const Outcome& outcome) {
  write_row(config, nullptr, outcome);
}

void Recorder::write_row(const Config& config, const Sample* sample, const Outcome& outcome) {
  CsvRow row;
  for (const auto& column : csv_columns()) row[column];  // empty unless said below
  row["schema_version"] = std::to_string(kSchemaVersion);
  row["run_id"] = run_id_;
  row["config_id"] = config.id();
  row["ts_utc"] = utc_timestamp();
  row["status"] = name_of(outcome.status);
  row["reason"] = outcome.reason;
  for (const auto& [name, value] : config.columns()) row.at(name) = value;
  if (sample != nullptr) {
    for_each_column(*sample,
                    [&](const char* name, const auto& value) { row.at(name) = written(value); });
  }
  if (file_ != nullptr) write_line(fields_of(row, csv_columns()));
  add(std::move(row));
}

void Recorder::write_line(const std::vector<std::string>& fields) {
  const std::string line = join_csv_line(fields) + '\n';
  if (std::fputs(line.c_str(), file_) < 0 || std::fflush(file_) != 0) {
    throw std::runtime_error(
        fmt::format("{}: {}", path_ == "-" ? "stdout" : path_, std::strerror(errno)));
  }
}

std::string utc_timestamp() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace sortlab
