#include "common/harness/record/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "common/contract/errors.hpp"
#include "common/harness/config.hpp"
#include "common/harness/config_fields.hpp"
#include "common/harness/record/output_file.hpp"
#include "common/harness/record/row_numbers.hpp"
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

namespace {

template <class T>
std::string field(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string field(const std::optional<bool>& value) { return value ? (*value ? "1" : "0") : ""; }

using CsvRow = std::map<std::string, std::string>;

/// A row that ends its configuration: no further sample of it will come.
bool is_last_row(const CsvRow& row) {
  return row.at("status") != "ok" || !row.at("reason").empty();
}

/// Such a row describes the machine at that moment, not the sort: another program may have taken
/// the memory, or a user may have killed the worker.
bool was_killed(const CsvRow& row) { return row.at("reason").ends_with(kKilled); }

/// In the order of the file's columns.
std::vector<std::string> fields_of(const CsvRow& row) {
  std::vector<std::string> fields;
  for (const auto& column : csv_columns()) fields.push_back(row.at(column));
  return fields;
}

struct Lines {
  std::vector<std::string_view> whole;
  bool is_cut = false;  // there is more behind the last line break
};

Lines split_lines(std::string_view text) {
  Lines lines;
  while (true) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) break;
    lines.whole.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  lines.is_cut = !text.empty();
  return lines;
}

/// A line as a row, or why it is none.
struct Parsed {
  CsvRow row;
  std::string fault;  // "" when it is one
};

Parsed parse_row(std::string_view line, const std::vector<std::string>& header) {
  const auto fields = completed(split_csv_line(line), header, csv_columns());
  const auto& columns = csv_columns();
  if (fields.size() != columns.size()) {
    return {{}, fmt::format("{} fields where {} belong", fields.size(), columns.size())};
  }
  if (fields[0] != std::to_string(kSchemaVersion)) {
    return {{}, fmt::format("schema version '{}', not {}", fields[0], kSchemaVersion)};
  }
  CsvRow row;
  for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = fields[i];
  std::string fault = fault_of_numbers(row);
  return {std::move(row), std::move(fault)};
}

/// The measured values, by column.
CsvRow measured_columns(const Sample& s) {
  CsvRow row{{"rep", std::to_string(s.rep)},
             {"total_ns", std::to_string(s.total_ns)},
             {"alloc_ns", field(s.alloc_ns)},
             {"h2d_ns", field(s.h2d_ns)},
             {"kernel_ns", field(s.kernel_ns)},
             {"host_ns", field(s.host_ns)},
             {"d2h_ns", field(s.d2h_ns)},
             {"exchange_ns", field(s.exchange_ns)},
             {"exchange_bytes", field(s.exchange_bytes)},
             {"imbalance", field(s.imbalance)},
             {"launches", field(s.launches)},
             {"peak_temp_bytes", field(s.peak_temp_bytes)},
             {"gpu_J", field(s.gpu_joules)},
             {"cpu_J", field(s.cpu_joules)},
             {"sm_mhz", field(s.sm_mhz)},
             {"load_1min", field(s.around.load_1min)},
             {"cpu_quota", field(s.around.cpu_quota)},
             {"cpu_list", s.around.cpu_list},
             {"free_cpus", field(s.free_cpus)},
             {"sorted_ok", field(std::optional(s.verdict.sorted))},
             {"permutation_ok", field(std::optional(s.verdict.permutation))},
             {"stable_ok", field(s.verdict.stable)}};
  for (std::size_t i = 0; i < kCounterNames.size(); ++i) {
    row[kCounterNames[i]] = field(s.counters[i]);
  }
  return row;
}

void require_no_packed_rows(const std::string& path) {
  if (std::filesystem::exists(path) || !std::filesystem::exists(path + ".xz")) return;
  throw BadInput(
      fmt::format("{0}: earlier samples are in {0}.xz. Unpack it to go on (xz -d {0}.xz), or name "
                  "another file",
                  path));
}

}  // namespace

std::vector<std::string> split_csv_line(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

std::string join_csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const auto& text : fields) {
    if (!line.empty() || &text != fields.data()) line += ',';
    const bool is_quoted = text.find_first_of(",\"") != std::string::npos;
    if (is_quoted) line += '"';
    for (const char c : text) {
      line += c == '\n' || c == '\r' ? ' ' : c;  // a row is one line
      if (c == '"') line += '"';
    }
    if (is_quoted) line += '"';
  }
  return line;
}

bool is_header_of_samples(std::string_view line) {
  return is_header_of(split_csv_line(line), csv_columns());
}

CsvTable read_csv(const std::string& path) {
  const std::string text = read_text(path);
  const Lines lines = split_lines(text);
  if (lines.whole.empty() && !text.empty()) {
    throw BadInput(path + ": not a CSV of this schema; it is left untouched");
  }
  CsvTable table;
  if (lines.whole.empty()) return table;
  if (!is_header_of_samples(lines.whole[0])) {
    throw BadInput(path + ": line 1: not a CSV of this schema; it is left untouched");
  }
  const auto header = split_csv_line(lines.whole[0]);
  for (std::size_t i = 1; i < lines.whole.size(); ++i) {
    auto [row, fault] = parse_row(lines.whole[i], header);
    if (!fault.empty()) throw BadInput(fmt::format("{}: line {}: {}", path, i + 1, fault));
    table.rows.push_back(std::move(row));
  }
  return table;
}

CsvTable read_whole_rows(const std::string& path, std::vector<std::string>& warnings) {
  const std::string text = read_text(path);
  const Lines lines = split_lines(text);
  CsvTable table;
  if (text.empty()) {
    warnings.push_back(path + ": line 1: the file is empty; nothing of it is used");
    return table;
  }
  if (lines.whole.empty() || !is_header_of_samples(lines.whole[0])) {
    warnings.push_back(path + ": line 1: not a CSV of this schema; nothing of it is used");
    return table;
  }
  std::string first;
  std::size_t left_out = 0;
  const auto leave_out = [&](std::size_t line, const std::string& fault) {
    if (left_out++ == 0) first = fmt::format("line {}: {}", line, fault);
  };
  const auto header = split_csv_line(lines.whole[0]);
  for (std::size_t i = 1; i < lines.whole.size(); ++i) {
    auto [row, fault] = parse_row(lines.whole[i], header);
    fault.empty() ? table.rows.push_back(std::move(row)) : leave_out(i + 1, fault);
  }
  if (lines.is_cut) leave_out(lines.whole.size() + 1, "cut in the middle of a row");
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
  for (const auto& row : table.rows) text += join_csv_line(fields_of(row)) + '\n';
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
    if (file_ == nullptr) throw BadInput(fmt::format("{}: {}", path_, std::strerror(errno)));
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
    for (const auto& [name, value] : measured_columns(*sample)) row.at(name) = value;
  }
  if (file_ != nullptr) write_line(fields_of(row));
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
