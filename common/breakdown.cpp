#include "common/breakdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "common/bad_input.hpp"
#include "common/input.hpp"
#include "common/record.hpp"
#include "common/rig.hpp"

namespace sortlab {
namespace {

constexpr int kSorts = 5;

/// All activities of kSorts sorts, after one that warms up. Restoring is not among them.
std::vector<Activity> activities_of(const Config& config, InputPool& inputs) {
  if (const std::string reason = lacks_memory(config); !reason.empty()) {
    throw std::runtime_error(reason);
  }
  inputs.prepare(config);
  const auto rig = make_rig(config);
  Sample untimed;
  std::vector<Activity> sum;
  for (int i = 0; i <= kSorts; ++i) {
    rig->restore(inputs.version(0));
    const auto once = record_activities([&] { rig->sort(untimed); });
    if (i == 0) continue;
    for (const auto& activity : once) {
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
  return sum;
}

class Table {
 public:
  explicit Table(const std::string& path) {
    if (path.empty()) return;
    file_.open(path, std::ios::binary);
    if (!file_) throw BadInput(fmt::format("{}: {}", path, std::strerror(errno)));
    std::vector<std::string> header = {"schema_version", "config_id"};
    for (const auto& [name, value] : Config{}.columns()) header.push_back(name);
    for (const char* name : {"activity", "launches_per_sort", "ns_per_sort", "share"}) {
      header.emplace_back(name);
    }
    write(header);
  }

  void add(const Config& config, const std::vector<Activity>& activities) {
    double all_ns = 1e-9;  // so that a sort without any activity has no share of nothing
    for (const auto& activity : activities) all_ns += static_cast<double>(activity.total_ns);
    fmt::print("\n{}: {:.1f} us busy\n{:>12} {:>7} {:>9}  {}\n", config.benchmark_name(),
               all_ns / kSorts * 1e-3, "us", "share", "launches", "kernel or copy");
    for (const auto& activity : activities) {
      const auto ns = static_cast<double>(activity.total_ns);
      const double launches = static_cast<double>(activity.launches) / kSorts;
      fmt::print("{:>12.2f} {:>6.1f}% {:>9g}  {}\n", ns / kSorts * 1e-3, 100 * ns / all_ns,
                 launches, activity.name);
      std::vector<std::string> fields = {std::to_string(kSchemaVersion), config.id()};
      for (const auto& [name, value] : config.columns()) fields.push_back(value);
      fields.push_back(activity.name);
      fields.push_back(fmt::format("{:g}", launches));
      fields.push_back(fmt::format("{:.0f}", ns / kSorts));
      fields.push_back(fmt::format("{:.5f}", ns / all_ns));
      write(fields);
    }
  }

 private:
  void write(const std::vector<std::string>& fields) {
    if (file_.is_open()) file_ << join_csv_line(fields) << '\n' << std::flush;
  }

  std::ofstream file_;
};

}  // namespace

int run_breakdown(const std::vector<Planned>& planned, const std::string& path) {
  if (const auto reason = recording_unavailable(); !reason.empty()) {
    throw BadInput("--breakdown: " + reason);
  }
  Table table(path);
  InputPool inputs;
  bool failed = false;
  for (const auto& [config, skip_reason] : planned) {
    if (variant_of(config).info.memory == Memory::host) continue;
    if (!skip_reason.empty()) {
      fmt::print("\n{}: skipped: {}\n", config.benchmark_name(), skip_reason);
      continue;
    }
    try {
      table.add(config, activities_of(config, inputs));
    } catch (const std::exception& error) {
      failed = true;
      fmt::print(stderr, "\n{}: {}\n", config.benchmark_name(), error.what());
    }
  }
  return failed ? 1 : 0;
}

}  // namespace sortlab
