#include "tool/report/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "common/contract/numbers.hpp"
#include "common/harness/record/csv.hpp"
#include "common/harness/record/summary.hpp"
#include "tool/report/files.hpp"

namespace sortlab::report {
namespace {

/// A plug-in's sort may run on the GPU, too: such rows have no host threads.
bool is_on_gpu(const CsvRow& row) {
  return row.at("variant").starts_with("gpu/") || row.at("threads") == "0";
}

std::string keys_of(const CsvRow& row) {
  std::string keys = name_of_types(row.at("key_type"), whole_in(row, "value_bytes"), " + ");
  if (row.at("order") == "desc") keys += ", descending";
  return keys;
}

std::string input_of(const CsvRow& row) {
  std::string input = row.at("dist");
  if (!row.at("dist_param").empty()) input += " " + row.at("dist_param");
  if (row.at("cache") == "cold") input += ", cold cache";
  if (row.at("load") != "0") input += ", load " + row.at("load");
  return input;
}

std::string setting_of(const CsvRow& row) {
  std::string setting = row.at("params");
  const auto add = [&](const std::string& text) {
    setting += (setting.empty() ? "" : ", ") + text;
  };
  if (!row.at("isa").empty() && row.at("isa") != "scalar") add(row.at("isa"));
  if (row.at("pinned_threads") == "1") add("pinned threads");
  if (!row.at("ranks").empty()) add("ranks:" + row.at("ranks"));
  if (!row.at("devices").empty()) add("devices:" + row.at("devices"));
  if (!row.at("lengths").empty()) add("segments " + row.at("lengths"));
  if (!row.at("best").empty()) add("best " + row.at("best"));
  if (!row.at("memory_limit_bytes").empty()) add("gpu_mem:" + row.at("memory_limit_bytes"));
  return setting;
}

/// Values that summarize() does not compute: the medians of the columns that may be empty.
class OptionalColumns {
 public:
  explicit OptionalColumns(const CsvTable& table) {
    for (const auto& row : table.rows) {
      if (row.at("status") != "ok") continue;
      auto& columns = values_[row.at("config_id")];
      for (const char* name :
           {"alloc_ns", "h2d_ns", "kernel_ns", "host_ns", "d2h_ns", "gpu_J", "cpu_J"}) {
        const double value = number_or(row.at(name), -1);
        if (value >= 0) columns[name].push_back(value);
      }
    }
  }
  std::optional<double> median(const std::string& config_id, const std::string& name) const {
    const auto columns = values_.find(config_id);
    if (columns == values_.end()) return {};
    const auto column = columns->second.find(name);
    if (column == columns->second.end()) return {};
    return sortlab::median(column->second);
  }

 private:
  std::map<std::string, std::map<std::string, std::vector<double>>> values_;
};

Phases phases_of(const SummaryRow& row, const OptionalColumns& columns) {
  const auto median = [&](const char* name) {
    return columns.median(row.config.at("config_id"), name);
  };
  Phases phases;
  phases[kAlloc] = median("alloc_ns");
  if (!is_on_gpu(row.config)) {
    phases[kHost] = row.median_ns;
    return phases;
  }
  phases[kH2d] = median("h2d_ns");
  phases[kD2h] = median("d2h_ns");
  phases[kHost] = median("host_ns");
  // A hybrid sort's work on the host lies within kernel_ns.
  if (const auto kernel = median("kernel_ns")) {
    phases[kKernel] = std::max(0.0, *kernel - phases[kHost].value_or(0));
  }
  return phases;
}

Point point_of(const SummaryRow& row, const OptionalColumns& columns, CopyBandwidth copy,
               std::size_t machine) {
  const CsvRow& config = row.config;
  const bool on_gpu = is_on_gpu(config);
  Point point;
  point.place = place_of(config, machine);
  point.variant = config.at("variant");
  point.config_id = config.at("config_id");
  point.since = config.at("ts_utc");
  point.threads = threads_in(config);
  point.setting = setting_of(config);
  point.samples = row.n_kept;
  point.median_ns = row.median_ns;
  point.low_ns = row.interval.low;
  point.high_ns = row.interval.high;
  point.phases = phases_of(row, columns);
  const double roof = on_gpu ? copy.device : copy.host;
  if (roof > 0 && point.place.where != Where::copies) point.copy_share = row.bytes_per_s / roof;
  const auto joules = columns.median(point.config_id, on_gpu ? "gpu_J" : "cpu_J");
  if (joules && *joules > 0) {
    point.keys_per_joule = static_cast<double>(point.place.n) / *joules;
  }
  return point;
}

/// The number of a source; adds a new source.
std::size_t number_of(const Source& source, std::vector<Source>& sources) {
  const auto known = std::find(sources.begin(), sources.end(), source);
  if (known != sources.end()) return static_cast<std::size_t>(known - sources.begin());
  sources.push_back(source);
  return sources.size() - 1;
}

/// The measurements of both except the newest, the oldest first.
std::vector<Measurement> earlier_of(const Point& newer, const Point& older) {
  auto all = newer.earlier;
  all.insert(all.end(), older.earlier.begin(), older.earlier.end());
  all.push_back({older.since, older.source, older.median_ns, older.low_ns, older.high_ns});
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.since < b.since; });
  return all;
}

void add_or_merge(Point point, std::vector<Point>& points) {
  const auto known = std::find_if(points.begin(), points.end(), [&](const Point& p) {
    return p.config_id == point.config_id && p.place.machine == point.place.machine;
  });
  if (known == points.end()) {
    points.push_back(std::move(point));
    return;
  }
  Point& newer = known->since < point.since ? point : *known;
  const Point& older = known->since < point.since ? *known : point;
  if (newer.keys_per_joule == 0) newer.keys_per_joule = older.keys_per_joule;
  newer.earlier = earlier_of(newer, older);
  newer.of_papers = newer.of_papers && older.of_papers;
  *known = Point(newer);
}

void add_failure(const SummaryRow& row, std::size_t machine, std::vector<Failure>& failures) {
  const std::size_t n = whole_in(row.config, "n");
  Failure failure{machine, row.config.at("variant"), row.status, row.reason, 1, n, n};
  for (auto& known : failures) {
    if (std::tie(known.machine, known.variant, known.status, known.reason) !=
        std::tie(failure.machine, failure.variant, failure.status, failure.reason)) {
      continue;
    }
    ++known.configurations;
    known.n_low = std::min(known.n_low, n);
    known.n_high = std::max(known.n_high, n);
    return;
  }
  failures.push_back(std::move(failure));
}

}  // namespace

Place place_of(const CsvRow& row, std::size_t machine) {
  Place place{machine,      Where::host,   row.at("host_mem"),
              keys_of(row), input_of(row), clamped<std::size_t>(number_or(row.at("n"), 0))};
  if (!is_on_gpu(row)) return place;
  if (place.host_mem != "none") {
    place.where = Where::copies;
  } else {
    place.where = row.at("launch") == "graph" ? Where::graph : Where::device;
  }
  return place;
}

void add_points(const CsvTable& table, const std::string& csv, bool of_papers, Machines& machines,
                Report& report) {
  const OptionalColumns columns(table);
  for (const auto& row : summarize(table)) {
    const std::string& run_id = row.config.at("run_id");
    const std::size_t machine =
        machines.machine_of(run_id, row.config.at("device"), is_on_gpu(row.config));
    machines.add_file(machine, csv);
    if (row.status != "ok") {
      add_failure(row, machine, report.failures);
    } else if (row.median_ns > 0 && row.config.at("n") != "0") {
      Point point = point_of(row, columns, machines.bandwidth_of(run_id), machine);
      point.source = number_of({file_name(csv), machines.revision_of(run_id)}, report.sources);
      point.of_papers = of_papers;
      add_or_merge(std::move(point), report.points);
    }
  }
}

void mark_leaders(std::vector<Point>& points) {
  std::map<std::pair<Place, std::string>, Point*> fastest;
  for (auto& point : points) {
    Point*& best = fastest[{point.place, point.variant}];
    if (best == nullptr || point.median_ns < best->median_ns) best = &point;
  }
  for (const auto& [place, best] : fastest) best->leads = true;
}

}  // namespace sortlab::report
