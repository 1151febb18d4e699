#include "tool/report/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tool/list/catalogue.hpp"

namespace sortlab::report {
namespace {

constexpr std::size_t kLeastRivals = 3;
constexpr double kOutOfReach = 2;                       // times the fastest
constexpr std::string_view kOfProcesses = "cpu/ranks";  // needs a launch of its own: no candidate

/// The time of the fastest of `ladder`, or of all where it is empty; infinite where there is none.
double best_ns(const std::vector<const Point*>& points, const std::string& ladder) {
  double best = INFINITY;
  for (const Point* point : points) {
    if (ladder.empty() || ladder_of(point->variant) == ladder)
      best = std::min(best, point->median_ns);
  }
  return best;
}

std::set<std::string> rungs_at(const std::vector<const Point*>& points, const std::string& ladder) {
  std::set<std::string> rungs;
  for (const Point* point : points) {
    if (ladder_of(point->variant) == ladder) rungs.insert(point->variant);
  }
  return rungs;
}

}  // namespace

bool is_auto(const std::string& variant) {
  return variant == "cpu/auto/auto" || variant == "gpu/auto/auto";
}

bool is_rival(const std::string& variant) {
  const std::string_view ladder = ladder_of(variant);
  return ladder.ends_with("/baselines") || ladder.ends_with("/std_sort") ||
         variant.starts_with("plugin/");
}

MainCandidates::MainCandidates(const Entrants& entrants) : entrants_(entrants) {
  std::set<std::string> ladders;
  for (const auto& [n, points] : entrants) {
    for (const Point* point : points) {
      const std::string ladder(ladder_of(point->variant));
      const bool has_candidates = !ladder.ends_with("/auto") && ladder != kOfProcesses;
      if (!is_rival(point->variant) && has_candidates) ladders.insert(ladder);
    }
  }
  for (const auto& ladder : ladders) {
    std::size_t most = 0;
    for (const auto& [n, points] : entrants) most = std::max(most, rungs_at(points, ladder).size());
    for (const auto& [n, points] : entrants) {
      if (2 * rungs_at(points, ladder).size() < most) continue;  // too few to know its best
      const double best = best_ns(points, ladder);
      for (const Point* point : points) {
        if (ladder_of(point->variant) == ladder && point->median_ns == best) {
          best_[ladder].insert(point->variant);
        }
      }
    }
  }
}

bool MainCandidates::stands_with_its_best(const std::string& ladder, std::size_t n) const {
  const auto& points = entrants_.at(n);
  return std::any_of(points.begin(), points.end(),
                     [&](const Point* point) { return best_.at(ladder).contains(point->variant); });
}

bool MainCandidates::may_win(const std::string& ladder, std::size_t n) const {
  const auto distance = [&](std::size_t other) {
    return std::abs(std::log(static_cast<double>(other) / static_cast<double>(n)));
  };
  const std::vector<const Point*>* nearest = nullptr;
  double least = INFINITY;
  for (const auto& [other, points] : entrants_) {
    if (!stands_with_its_best(ladder, other) || distance(other) >= least) continue;
    least = distance(other);
    nearest = &points;
  }
  return nearest != nullptr && best_ns(*nearest, ladder) <= kOutOfReach * best_ns(*nearest, "");
}

std::string MainCandidates::expected_rival(std::size_t n) const {
  const auto rivals_at = [](const std::vector<const Point*>& points) {
    std::map<double, std::string> by_time;  // the fastest first
    for (const Point* point : points) {
      if (is_rival(point->variant)) by_time.emplace(point->median_ns, point->variant);
    }
    return by_time;
  };
  std::size_t most = 0;
  for (const auto& [other, points] : entrants_) most = std::max(most, rivals_at(points).size());
  std::string expected;
  double least = INFINITY;
  for (const auto& [other, points] : entrants_) {
    const auto rivals = rivals_at(points);
    const double distance = std::abs(std::log(static_cast<double>(other) / static_cast<double>(n)));
    if (rivals.empty() || 2 * rivals.size() < most || distance >= least) continue;
    least = distance;
    expected = rivals.begin()->second;
  }
  return expected;
}

std::vector<std::string> MainCandidates::lacking_at(std::size_t n) const {
  const auto& points = entrants_.at(n);
  std::vector<std::string> lacking;
  std::set<std::string> rivals;
  bool has_auto = false, has_parallel_rival = false;
  const Point* fastest = points.front();
  for (const Point* point : points) {
    has_auto = has_auto || is_auto(point->variant);
    if (point->median_ns < fastest->median_ns) fastest = point;
    if (!is_rival(point->variant)) continue;
    rivals.insert(point->variant);
    has_parallel_rival = has_parallel_rival || point->threads > 1;
  }
  if (!has_auto) {
    const bool only_gpu = std::all_of(points.begin(), points.end(), [](const Point* point) {
      return point->place.where != Where::host;
    });
    lacking.emplace_back(only_gpu ? "gpu/auto/auto" : "cpu/auto/auto");
  }
  if (rivals.size() < kLeastRivals) {
    const std::size_t more = kLeastRivals - rivals.size();
    lacking.push_back(fmt::format("{} more rival{}", more, more == 1 ? "" : "s"));
  }
  const std::string expected = expected_rival(n);
  if (!expected.empty() && !rivals.contains(expected)) lacking.push_back(expected);
  if (fastest->threads > 1 && !has_parallel_rival)
    lacking.emplace_back("a rival on several threads");
  for (const auto& [ladder, best] : best_) {
    if (stands_with_its_best(ladder, n) || !may_win(ladder, n)) continue;
    lacking.push_back(best.size() == 1 ? *best.begin() : ladder);
  }
  return lacking;
}

}  // namespace sortlab::report
