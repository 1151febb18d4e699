#include "common/harness/record/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/contract/errors.hpp"

namespace sortlab {
namespace {

template <class T>
std::string field(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string field(const std::optional<bool>& value) { return value ? (*value ? "1" : "0") : ""; }

/// A row that ends its configuration: no further sample of it will come.
bool is_last_row(const std::map<std::string, std::string>& row) {
  return row.at("status") != "ok" || !row.at("reason").empty();
}

std::string read_whole_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw BadInput(fmt::format("{}: {}", path, std::strerror(errno)));
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
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

bool is_number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(value) && value >= 0;
}

std::map<std::string, std::string> named(const std::vector<std::string>& fields) {
  std::map<std::string, std::string> row;
  for (std::size_t i = 0; i < fields.size(); ++i) row[csv_columns()[i]] = fields[i];
  return row;
}

/// Why the fields of a line are no row of this schema; "" when they are one.
std::string fault_of(const std::vector<std::string>& fields) {
  const auto& columns = csv_columns();
  if (fields.size() != columns.size()) {
    return fmt::format("{} fields where {} belong", fields.size(), columns.size());
  }
  if (fields[0] != std::to_string(kSchemaVersion)) {
    return fmt::format("schema version '{}', this build writes {}", fields[0], kSchemaVersion);
  }
  const auto value = [&](std::string_view column) -> const std::string& {
    return fields[static_cast<std::size_t>(std::find(columns.begin(), columns.end(), column) -
                                           columns.begin())];
  };
  std::vector<std::string_view> numbers = {"value_bytes", "n", "threads"};
  if (value("status") == "ok") numbers.emplace_back("total_ns");
  if (!value("kernel_ns").empty()) numbers.emplace_back("kernel_ns");
  for (const auto column : numbers) {
    if (!is_number(value(column))) {
      return fmt::format("{} is '{}', not a number", column, value(column));
    }
  }
  return "";
}

}  // namespace

const std::vector<std::string>& csv_columns() {
  static const std::vector<std::string> columns = [] {
    std::vector<std::string> names = {"schema_version", "run_id", "config_id",
                                      "ts_utc",         "status", "reason"};
    for (const auto& [name, value] : Config{}.columns()) names.push_back(name);
    for (const char* name : {"rep", "total_ns", "alloc_ns", "h2d_ns", "kernel_ns", "host_ns",
                             "d2h_ns", "launches", "peak_temp_bytes", "gpu_J", "cpu_J", "sm_mhz",
                             "sorted_ok", "permutation_ok", "stable_ok"}) {
      names.push_back(name);
    }
    return names;
  }();
  return columns;
}

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
    if (text.find_first_of(",\"\n\r") == std::string::npos) {
      line += text;
      continue;
    }
    line += '"';
    for (const char c : text) {
      if (c == '\n' || c == '\r') {
        line += ' ';  // a row is one line
      } else {
        line += c;
        if (c == '"') line += '"';
      }
    }
    line += '"';
  }
  return line;
}

CsvTable read_csv(const std::string& path) {
  const std::string text = read_whole_file(path);
  const Lines lines = split_lines(text);
  if (lines.whole.empty() && !text.empty()) {
    throw BadInput(path + ": not a CSV of this schema; it is left untouched");
  }
  CsvTable table;
  for (std::size_t i = 0; i < lines.whole.size(); ++i) {
    const auto fields = split_csv_line(lines.whole[i]);
    if (i == 0 && fields != csv_columns()) {
      throw BadInput(path + ": line 1: not a CSV of this schema; it is left untouched");
    }
    if (i == 0) continue;
    if (const auto fault = fault_of(fields); !fault.empty()) {
      throw BadInput(fmt::format("{}: line {}: {}", path, i + 1, fault));
    }
    table.rows.push_back(named(fields));
  }
  return table;
}

CsvTable read_whole_rows(const std::string& path, std::vector<std::string>& warnings) {
  if (std::filesystem::is_directory(path)) throw BadInput(path + ": is a folder");
  const std::string text = read_whole_file(path);
  const Lines lines = split_lines(text);
  CsvTable table;
  if (text.empty()) {
    warnings.push_back(path + ": line 1: the file is empty; nothing of it is used");
    return table;
  }
  if (lines.whole.empty() || split_csv_line(lines.whole[0]) != csv_columns()) {
    warnings.push_back(path + ": line 1: not a CSV of this schema; nothing of it is used");
    return table;
  }
  std::string first;
  std::size_t left_out = 0;
  const auto leave_out = [&](std::size_t line, const std::string& fault) {
    if (left_out++ == 0) first = fmt::format("line {}: {}", line, fault);
  };
  for (std::size_t i = 1; i < lines.whole.size(); ++i) {
    const auto fields = split_csv_line(lines.whole[i]);
    const auto fault = fault_of(fields);
    fault.empty() ? table.rows.push_back(named(fields)) : leave_out(i + 1, fault);
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
  const std::string rewritten = path + ".part";
  {
    std::ofstream out(rewritten, std::ios::binary);
    out << join_csv_line(csv_columns()) << '\n';
    for (const auto& row : table.rows) {
      std::vector<std::string> fields;
      for (const auto& column : csv_columns()) fields.push_back(row.at(column));
      out << join_csv_line(fields) << '\n';
    }
    if (!out.flush()) throw BadInput(fmt::format("{}: {}", rewritten, std::strerror(errno)));
  }
  std::filesystem::rename(rewritten, path);
}

Recorder::Recorder(std::string path, std::string run_id)
    : path_(std::move(path)), run_id_(std::move(run_id)) {
  if (path_.empty()) return;
  if (path_ == "-") {
    file_ = stdout;
  } else {
    if (std::filesystem::is_directory(path_)) throw BadInput(path_ + ": is a folder");
    if (std::filesystem::exists(path_)) resume();
    file_ = std::fopen(path_.c_str(), "a");
    if (file_ == nullptr) throw BadInput(fmt::format("{}: {}", path_, std::strerror(errno)));
  }
  const bool is_new = path_ == "-" || std::filesystem::file_size(path_) == 0;
  if (is_new) {
    fmt::print(file_, "{}\n", join_csv_line(csv_columns()));
    std::fflush(file_);
  }
}

Recorder::~Recorder() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

void Recorder::resume() {
  table_ = read_csv(path_);
  for (const auto& row : table_.rows) {
    if (is_last_row(row)) completed_.insert(row.at("config_id"));
  }
  std::erase_if(table_.rows, [&](const auto& row) { return !completed(row.at("config_id")); });
  write_csv(path_, table_);
}

void Recorder::add_sample(const Config& config, const Sample& sample) {
  write_row(config, &sample, {sample.failed ? Status::failed : Status::ok, sample.stop_reason});
}

void Recorder::add_outcome(const Config& config, const Outcome& outcome) {
  write_row(config, nullptr, outcome);
}

void Recorder::write_row(const Config& config, const Sample* sample, const Outcome& outcome) {
  const std::string id = config.id();
  std::vector<std::string> fields = {
      std::to_string(kSchemaVersion),       run_id_,       id, utc_timestamp(),
      std::string(name_of(outcome.status)), outcome.reason};
  for (auto& [name, value] : config.columns()) fields.push_back(value);
  if (sample != nullptr) {
    const Sample& s = *sample;
    for (auto& text : {std::to_string(s.rep), std::to_string(s.total_ns), field(s.alloc_ns),
                       field(s.h2d_ns), field(s.kernel_ns), field(s.host_ns), field(s.d2h_ns),
                       field(s.launches), field(s.peak_temp_bytes), field(s.gpu_joules),
                       field(s.cpu_joules), field(s.sm_mhz), field(std::optional(s.verdict.sorted)),
                       field(std::optional(s.verdict.permutation)), field(s.verdict.stable)}) {
      fields.push_back(text);
    }
  }
  fields.resize(csv_columns().size());
  auto& row = table_.rows.emplace_back();
  for (std::size_t i = 0; i < fields.size(); ++i) row[csv_columns()[i]] = fields[i];
  if (outcome.status != Status::ok || !outcome.reason.empty()) completed_.insert(id);
  if (file_ == nullptr) return;
  fmt::print(file_, "{}\n", join_csv_line(fields));
  if (std::fflush(file_) != 0) {
    throw std::runtime_error(fmt::format("{}: {}", path_, std::strerror(errno)));
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
