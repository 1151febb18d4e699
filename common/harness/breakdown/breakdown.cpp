#include "common/harness/breakdown/breakdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "common/contract/numbers.hpp"
#include "common/harness/bad_input.hpp"
#include "common/harness/input/input.hpp"
#include "common/harness/machine/build_info.hpp"
#include "common/harness/record/file_lock.hpp"
#include "common/harness/record/output_file.hpp"
#include "common/harness/record/record.hpp"
#include "common/harness/rig/rig.hpp"
#include "common/harness/run/engine.hpp"
#include "common/harness/run/interrupt.hpp"
#include "common/notes.hpp"

namespace sortlab {
namespace {

constexpr int kSorts = 5;

/// All activities of kSorts sorts, after one that warms up, and the spans of the last one. Restoring is not among them.
Recording recording_of(const Task& task, InputPool& inputs) {
  const std::string reason = lacks_memory(task, inputs.make_room(task.config));
  if (!reason.empty()) throw std::runtime_error(reason);
  inputs.prepare(task.config);
  const auto rig = make_rig(task);
  Sample untimed;
  Recording recording;
  std::vector<Activity>& sum = recording.activities;
  for (int i = 0; i <= kSorts; ++i) {
    rig->restore(inputs.version(0));
    auto once = record_activities([&] { rig->sort(untimed); });
    if (i == 0) continue;
    recording.spans = std::move(once.spans);
    for (const auto& activity : once.activities) {
      const auto same = std::find_if(sum.begin(), sum.end(),
                                     [&](const auto& s) { return s.name == activity.name; });
      if (same == sum.end()) {
        sum.push_back(activity);
      } else {
        same->launches += activity.launches;
        same->total_ns += activity.total_ns;
      }
    }
  }
  std::stable_sort(sum.begin(), sum.end(),
                   [](const auto& a, const auto& b) { return a.total_ns > b.total_ns; });
  return recording;
}

const std::vector<std::string>& breakdown_columns() {
  static const std::vector<std::string> columns = [] {
    std::vector<std::string> names = {"schema_version", "config_id"};
    for (const auto& [name, value] : Config{}.columns()) names.push_back(name);
    for (const char* name : {"activity", "launches_per_sort", "ns_per_sort", "share", "revision"}) {
      names.emplace_back(name);
    }
    return names;
  }();
  return columns;
}

/// One sort's part of the activities of kSorts sorts.
std::vector<ActivityRow> rows_of(const std::vector<Activity>& activities) {
  double all_ns = 1e-9;  // avoids a division by zero for a sort without any activity
  for (const auto& activity : activities) all_ns += static_cast<double>(activity.total_ns);
  std::vector<ActivityRow> rows;
  for (const auto& activity : activities) {
    const auto ns = static_cast<double>(activity.total_ns);
    rows.push_back(
        {activity.name, static_cast<double>(activity.launches) / kSorts, ns / kSorts, ns / all_ns});
  }
  return rows;
}

void print(const Config& config, const std::vector<ActivityRow>& rows) {
  double busy_ns = 0;
  for (const auto& row : rows) busy_ns += row.ns;
  fmt::print("\n{}: {:.1f} us busy\n{:>12} {:>7} {:>9}  {}\n", config.benchmark_name(),
             busy_ns * 1e-3, "us", "share", "launches", "kernel or copy");
  for (const auto& row : rows) {
    fmt::print("{:>12.2f} {:>6.1f}% {:>9g}  {}\n", row.ns * 1e-3, 100 * row.share, row.launches,
               row.name);
  }
}

struct Held {
  ActivityTable table;
  std::vector<std::pair<std::string, std::string>> lines;  // of each whole configuration, by its id
};

/// The shares of a complete configuration add up to 1, apart from rounding.
bool is_whole(const std::vector<ActivityRow>& rows) {
  double share = 0;
  for (const auto& row : rows) share += row.share;
  return std::abs(share - 1) <= 1e-5 * static_cast<double>(rows.size());
}

/// The activity of a row. Throws BadInput, which begins with `where`.
ActivityRow activity_in(const CsvRow& row, const std::string& where) {
  const std::string &launches = row.at("launches_per_sort"), &ns = row.at("ns_per_sort"),
                    &share = row.at("share");
  const auto l = parse_number(launches), n = parse_number(ns), s = parse_number(share);
  if (l && n && s) return {row.at("activity"), *l, *n, *s, row.at("revision")};
  throw bad_input(
      "{}: launches_per_sort, ns_per_sort and share are '{}', '{}' and '{}', not "
      "three numbers",
      where, launches, ns, share);
}

/// The file's configurations that are whole. Throws BadInput for a file of another kind.
Held read_held(const std::string& path) {
  Held held;
  std::string id, lines;
  std::vector<ActivityRow> rows;  // of `id`, as `lines` has them
  const auto keep_if_whole = [&] {
    if (!rows.empty() && is_whole(rows)) {
      held.table[id] = rows;
      held.lines.emplace_back(id, lines);
    }
    rows.clear();
    lines.clear();
  };
  if (!std::filesystem::exists(path)) return held;
  const auto& columns = breakdown_columns();
  const std::string text = read_text(path);
  CsvText csv = csv_in(text);
  if (csv.header.empty() && join_csv_line(columns).starts_with(text)) return held;  // cut
  if (!is_header_of(csv.header, columns)) {
    throw BadInput(path + ": line 1: not a breakdown of this schema");
  }
  for (auto& [number, row, fault] : csv.lines) {
    const std::string where = fmt::format("{}: line {}", path, number);
    if (!fault.empty()) throw bad_input("{}: {}", where, fault);
    if (const auto& schema = row.at("schema_version"); schema != std::to_string(kSchemaVersion)) {
      throw bad_input("{}: schema version '{}', not {}", where, schema, kSchemaVersion);
    }
    if (row.at("config_id") != id) {
      keep_if_whole();
      id = row.at("config_id");
    }
    rows.push_back(activity_in(row, where));
    lines += join_csv_line(fields_of(row, columns)) + '\n';
  }
  keep_if_whole();
  return held;
}

/// The CSV, if the path isn't empty. All rows of a configuration reach it together, and take the place of its older ones.
class BreakdownFile {
 public:
  explicit BreakdownFile(const std::string& path) : path_(path) {
    if (path.empty()) return;
    lock_.emplace(path);
    held_ = read_held(path);
  }

  bool holds(const Config& config) const { return held_.table.contains(config.id()); }

  void add(const Config& config, const std::vector<ActivityRow>& rows) {
    if (path_.empty()) return;
    std::string lines;
    for (const auto& row : rows) {
      std::vector<std::string> fields = {std::to_string(kSchemaVersion), config.id()};
      for (const auto& [name, value] : config.columns()) fields.push_back(value);
      fields.push_back(row.name);
      fields.push_back(fmt::format("{:g}", row.launches));
      fields.push_back(fmt::format("{:.0f}", row.ns));
      fields.push_back(fmt::format("{:.5f}", row.share));
      fields.push_back(fmt::format("{}{}", kGitRevision, kGitDirty ? "-dirty" : ""));
      lines += join_csv_line(fields) + '\n';
    }
    std::erase_if(held_.lines, [&](const auto& older) { return older.first == config.id(); });
    held_.lines.emplace_back(config.id(), lines);
    std::string text = join_csv_line(breakdown_columns()) + '\n';
    for (const auto& [id, of_id] : held_.lines) text += of_id;
    write_file(path_, text);
  }

 private:
  std::string path_;
  std::optional<FileLock> lock_;
  Held held_;
};

struct Recorded {
  bool any = false;
  bool any_failed = false;
};

/// Records the configurations, and passes on the rows and the spans of each.
template <class Take>
Recorded record_all(const std::vector<Planned>& planned, Take take) {
  InputPool inputs;
  Recorded recorded;
  for (const auto& [config, skip_reason] : planned) {
    if (interrupted()) break;
    if (!config.on_device()) continue;
    if (!skip_reason.empty()) {
      fmt::print("\n{}: skipped: {}\n", config.benchmark_name(), skip_reason);
      continue;
    }
    try {
      auto recording = recording_of(config, inputs);
      take(config, rows_of(recording.activities), std::move(recording.spans));
      recorded.any = true;
    } catch (const std::exception& error) {
      recorded.any_failed = true;
      note("\n{}: {}\n", config.benchmark_name(), error.what());
    }
  }
  return recorded;
}

void require_recording() {
  if (const auto reason = recording_unavailable(); !reason.empty()) {
    throw BadInput("--breakdown: " + reason);
  }
}

}  // namespace

std::string timeline_text(std::vector<Span> spans) {
  std::stable_sort(spans.begin(), spans.end(),
                   [](const Span& a, const Span& b) { return a.start < b.start; });
  struct Line {
    Span all;
    std::uint64_t busy = 0;
    std::size_t count = 0;
  };
  std::vector<Line> lines;
  for (const Span& span : spans) {
    const bool is_copy = span.name.find("copy") != std::string::npos;
    // Kernels and copies of a GPU run side by side, so each kind follows its own last line.
    const auto last = std::find_if(lines.rbegin(), lines.rend(), [&](const Line& line) {
      return line.all.device == span.device &&
             (line.all.name.find("copy") != std::string::npos) == is_copy;
    });
    if (last == lines.rend() || last->all.name != span.name) {
      lines.push_back({span, span.end - span.start, 1});
    } else {
      last->all.end = std::max(last->all.end, span.end);
      last->busy += span.end - span.start;
      ++last->count;
    }
  }
  std::string text = fmt::format("{:>3} {:>10} {:>10} {:>10} {:>6}  {}\n", "GPU", "begin, us",
                                 "end", "busy", "count", "kernel or copy");
  for (const auto& [all, busy, count] : lines) {
    const auto us = [&](std::uint64_t ns) { return static_cast<double>(ns) * 1e-3; };
    text += fmt::format("{:>3} {:>10.1f} {:>10.1f} {:>10.1f} {:>6}  {}\n", all.device,
                        us(all.start - spans.front().start), us(all.end - spans.front().start),
                        us(busy), count, all.name);
  }
  return text;
}

int run_breakdown(const std::vector<Planned>& planned, const std::string& path) {
  BreakdownFile file(path);
  require_recording();
  const auto recorded =
      record_all(planned, [&](const Config& config, const auto& rows, auto spans) {
        print(config, rows);
        if (config.devices.size() > 1) fmt::print("\n{}", timeline_text(std::move(spans)));
        file.add(config, rows);
      });
  if (recorded.any_failed) return 1;
  if (recorded.any) return 0;
  note("nothing was recorded: every configuration was skipped, or sorts on the CPU\n");
  return kAllSkipped;
}

int extend_breakdown(const std::vector<Planned>& planned, const std::string& path, bool again) {
  BreakdownFile file(path);
  require_recording();
  std::vector<Planned> missing;
  for (const auto& p : planned) {
    if (again || !file.holds(p.config)) missing.push_back(p);
  }
  const auto recorded = record_all(missing, [&](const Config& config, const auto& rows,
                                                const auto&) { file.add(config, rows); });
  return recorded.any_failed ? 1 : 0;
}

ActivityTable read_breakdown(const std::string& path) { return read_held(path).table; }

}  // namespace sortlab
