#include "common/record.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/bad_input.hpp"

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
  const auto& columns = csv_columns();
  CsvTable table;
  std::size_t line_number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = text.find('\n', begin);
    if (end == std::string::npos) break;
    ++line_number;
    const auto fields = split_csv_line(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    if (line_number == 1) {
      if (fields != columns) {
        throw BadInput(path + ": line 1: not a CSV of this schema; it is left untouched");
      }
      continue;
    }
    if (fields.size() != columns.size()) {
      throw BadInput(fmt::format("{}: line {}: {} fields where {} belong", path, line_number,
                                 fields.size(), columns.size()));
    }
    if (fields[0] != std::to_string(kSchemaVersion)) {
      throw BadInput(fmt::format("{}: line {}: schema version '{}', this build writes {}", path,
                                 line_number, fields[0], kSchemaVersion));
    }
    auto& row = table.rows.emplace_back();
    for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = fields[i];
  }
  if (line_number == 0 && !text.empty()) {
    throw BadInput(path + ": not a CSV of this schema; it is left untouched");
  }
  return table;
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
  // Written beside the file and renamed over it, so that a kill at any moment loses nothing.
  const std::string rewritten = path_ + ".part";
  {
    std::ofstream out(rewritten, std::ios::binary);
    out << join_csv_line(csv_columns()) << '\n';
    for (const auto& row : table_.rows) {
      std::vector<std::string> fields;
      for (const auto& column : csv_columns()) fields.push_back(row.at(column));
      out << join_csv_line(fields) << '\n';
    }
    if (!out.flush()) throw BadInput(fmt::format("{}: {}", rewritten, std::strerror(errno)));
  }
  std::filesystem::rename(rewritten, path_);
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
