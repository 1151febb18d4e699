#include "tool/tune/shortfalls.hpp"

#include <fmt/format.h>

#include <map>

#include "common/contract/isa.hpp"
#include "common/harness/config.hpp"

namespace sortlab {
namespace {

std::string side_name(const SummaryRow& row) {
  const auto& id = row.config.at("variant");
  return id.substr(0, id.find('/'));
}

bool chooses(const SummaryRow& row) { return row.config.at("algorithm") == "auto"; }

/// A built-in sort of the suite with a complete measurement.
bool counts(const SummaryRow& row) {
  const std::string side = side_name(row);
  return (side == "cpu" || side == "gpu") && row.config.at("algorithm") != "baselines" &&
         row.status == "ok" && row.n_kept > 0;
}

/// The columns that the rows of a point share.
std::string point_of(const SummaryRow& row) {
  std::string point = side_name(row);
  for (const char* column :
       {"device", "key_type", "value_bytes", "order", "n", "dist", "dist_param", "seed", "threads",
        "pinned_threads", "host_mem", "cache", "launch", "load"}) {
    point += '|' + row.config.at(column);
  }
  return point;
}

/// Whether `chooser` could have taken `rung`.
bool may_take(const SummaryRow& chooser, const SummaryRow& rung) {
  const bool must_be_stable =
      chooser.config.at("stable") == "1" && chooser.config.at("value_bytes") != "0";
  if (must_be_stable && rung.config.at("stable") != "1") return false;
  const auto isa = isa_from_name(chooser.config.at("isa"));
  const auto isa_of_rung = isa_from_name(rung.config.at("isa"));
  return !isa || !isa_of_rung || *isa_of_rung <= *isa;
}

}  // namespace

bool ChosenPoint::holds() const {
  return over() <= (side_name(*chooser) == "gpu" ? kMostOverOnGpu : kMostOverOnCpu);
}

std::vector<ChosenPoint> chosen_points(const std::vector<SummaryRow>& rows) {
  std::map<std::string, std::vector<const SummaryRow*>> rungs;
  for (const auto& row : rows) {
    if (counts(row) && !chooses(row)) rungs[point_of(row)].push_back(&row);
  }
  std::vector<ChosenPoint> points;
  for (const auto& row : rows) {
    if (!counts(row) || !chooses(row)) continue;
    const SummaryRow* fastest = nullptr;
    for (const SummaryRow* const rung : rungs[point_of(row)]) {
      if (!may_take(row, *rung)) continue;
      if (fastest == nullptr || rung->median_ns < fastest->median_ns) fastest = rung;
    }
    if (fastest != nullptr) points.push_back({&row, fastest});
  }
  return points;
}

std::string readable_points(const std::vector<ChosenPoint>& points) {
  struct Count {
    std::size_t all = 0, hold = 0;
  };
  std::map<std::string, Count> counts;
  std::string text;
  for (const auto& point : points) {
    Count& count = counts[point.chooser->config.at("variant")];
    ++count.all;
    if (point.holds()) {
      ++count.hold;
      continue;
    }
    text += fmt::format(
        "{}: {}, {} by {}: {:.1f} % over, {}\n", configuration_name(point.chooser->config),
        readable_time(point.chooser->median_ns), readable_time(point.fastest->median_ns),
        point.fastest->config.at("variant"), 100 * point.over(),
        point.over_at_least() <= 0 ? "maybe none"
                                   : fmt::format("at least {:.1f}", 100 * point.over_at_least()));
  }
  for (const auto& [id, count] : counts) {
    const double most = id.starts_with("gpu/") ? kMostOverOnGpu : kMostOverOnCpu;
    text += fmt::format("{}: within {:.0f} % of the fastest of ours at {} of {} points\n", id,
                        100 * most, count.hold, count.all);
  }
  return text;
}

}  // namespace sortlab
