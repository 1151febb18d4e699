#include "tool/report/points.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "common/choose/embedded.hpp"
#include "tool/list/catalogue.hpp"

namespace sortlab::report {
namespace {

using nlohmann::json;

json looks_file() { return json::parse(embedded_file("plots/looks.json")); }

}  // namespace

std::string looks_json() {
  json looks = looks_file();
  looks["ladders"] = ladders();
  return looks.dump();
}

std::string rung_below(std::string_view variant) {
  if (const auto known = find_in_catalogue(variant)) return known->after;
  const auto slash = variant.rfind('/');
  if (slash == std::string_view::npos) return "";
  const std::string ladder(variant.substr(0, slash));
  if (ladder.ends_with("/baselines") || ladders().contains(ladder)) return "";
  static const auto rungs = looks_file().at("rungs").get<std::vector<std::string>>();
  const auto rung = std::find(rungs.begin(), rungs.end(), variant.substr(slash + 1));
  if (rung == rungs.begin() || rung == rungs.end()) return "";
  return ladder + "/" + *(rung - 1);
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
