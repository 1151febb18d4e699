#include "common/tool/report/ladders.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "common/choose/embedded.hpp"
#include "common/contract/variant.hpp"

namespace sortlab::report {
namespace {

std::vector<std::string> known_ladder(std::string_view ladder) {
  static const auto looks = nlohmann::json::parse(embedded_file("plots/looks.json"));
  const auto& ladders = looks.at("ladders");
  const std::string name(ladder);
  return ladders.contains(name) ? ladders.at(name).get<std::vector<std::string>>()
                                : looks.at("rungs").get<std::vector<std::string>>();
}

}  // namespace

std::string rung_below(std::string_view variant) {
  if (const Variant* known = find_variant(variant)) return std::string(known->info.after);
  const auto slash = variant.rfind('/');
  if (slash == std::string_view::npos) return "";
  const auto ladder = variant.substr(0, slash);
  if (ladder.ends_with("/baselines")) return "";
  const auto rungs = known_ladder(ladder);
  const auto rung = std::find(rungs.begin(), rungs.end(), variant.substr(slash + 1));
  if (rung == rungs.begin() || rung == rungs.end()) return "";
  return std::string(ladder) + "/" + *(rung - 1);
}

void find_gains(std::vector<Point>& points) {
  std::map<std::pair<Place, std::string>, std::size_t> leaders;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].leads) leaders[{points[i].place, points[i].variant}] = i;
  }
  for (auto& point : points) {
    if (!point.leads) continue;
    for (auto rung = rung_below(point.variant); !rung.empty(); rung = rung_below(rung)) {
      const auto below = leaders.find({point.place, rung});
      if (below == leaders.end()) continue;
      point.before = below->second;
      point.gain = points[below->second].median_ns / point.median_ns;
      break;
    }
  }
}

}  // namespace sortlab::report
