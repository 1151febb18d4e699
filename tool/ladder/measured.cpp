#include "tool/ladder/measured.hpp"

#include <vector>

#include "common/harness/record/summary.hpp"
#include "common/harness/run/interrupt.hpp"
#include "common/harness/run/loop.hpp"

namespace sortlab {
namespace {

constexpr StopSettings kStop{.min_samples = 5, .max_samples = 50, .accuracy = 0.01, .time_s = 0.2};
constexpr double kTimeout = 60;  // seconds, of one rung

}  // namespace

std::map<std::string, MeasuredRung> measure_rungs(std::string_view ladder, std::size_t n) {
  watch_for_interrupts();
  Selection selection;
  selection.filters = {std::string(ladder) + "/*"};
  selection.types = {"u32"};
  selection.dists = {"uniform"};
  selection.sizes = {std::to_string(n)};
  selection.values = {"keys"};
  std::map<std::string, MeasuredRung> rungs;
  std::vector<Config> configs;
  for (const auto& planned : plan(selection)) {
    if (planned.skip_reason.empty()) {
      configs.push_back(planned.config);
    } else {
      rungs[planned.config.variant].reason = planned.skip_reason;
    }
  }
  for (const auto& row : summarize(measure_all(configs, kStop, kTimeout).table)) {
    auto& rung = rungs[row.config.at("variant")];
    rung.n = n;
    rung.threads = std::stoi(row.config.at("threads"));
    rung.device = row.config.at("device");
    rung.reason = row.reason;
    rung.failed = row.status == "failed" || row.status == "timeout";
    if (row.status != "ok") continue;
    rung.median_ns = row.median_ns;
    rung.relative_iqr = row.relative_iqr;
    rung.reason.clear();
  }
  return rungs;
}

}  // namespace sortlab
