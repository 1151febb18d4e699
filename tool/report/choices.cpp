
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "tool/report/candidates.hpp"

namespace sortlab::report {
namespace {

/// A contest: the sorts that compete under one set of conditions, at each n.
struct Contest {
  std::size_t machine;
  Where where;
  std::string keys, input;
  int threads;
  auto operator<=>(const Contest&) const = default;
};

double rate(const Point& point) {
  return static_cast<double>(point.place.n) / (point.median_ns * 1e-9);
}

/// Each variant's fastest point, the fastest first.
std::vector<const Point*> ranked(const std::vector<const Point*>& entrants) {
  std::map<std::string, const Point*> fastest;
  for (const Point* point : entrants) {
    const Point*& best = fastest[point->variant];
    if (best == nullptr || point->median_ns < best->median_ns) best = point;
  }
  std::vector<const Point*> order;
  for (const auto& [variant, point] : fastest) order.push_back(point);
  std::stable_sort(order.begin(), order.end(),
                   [](const Point* a, const Point* b) { return a->median_ns < b->median_ns; });
  return order;
}

/// The numbers of host threads that each machine was measured with: each is a limit to choose under.
std::map<std::size_t, std::set<int>> thread_limits(const std::vector<Point>& points) {
  std::map<std::size_t, std::set<int>> limits;
  for (const auto& point : points) {
    if (point.place.where == Where::host) limits[point.place.machine].insert(point.threads);
  }
  return limits;
}

std::map<Contest, Entrants> contests(const std::vector<Point>& points) {
  std::map<Contest, Entrants> all;
  std::set<std::tuple<std::size_t, std::string, std::string>> with_copies;
  for (const auto& point : points) {
    const Place& p = point.place;
    if (p.where == Where::copies && !point.of_papers)
      with_copies.insert({p.machine, p.keys, p.input});
  }
  auto limits_of = thread_limits(points);
  for (const auto& point : points) {
    if (point.of_papers) continue;
    const Place& p = point.place;
    const auto enter = [&](Where where, int threads) {
      all[{p.machine, where, p.keys, p.input, threads}][p.n].push_back(&point);
    };
    if (p.where == Where::device || p.where == Where::graph) {
      enter(p.where, 0);
      continue;
    }
    auto& limits = limits_of[p.machine];
    if (p.where == Where::copies && limits.empty()) limits.insert(0);
    for (const int limit : limits) {
      if (p.where == Where::host && point.threads > limit) continue;
      if (p.where == Where::host) enter(Where::host, limit);
      if (with_copies.contains({p.machine, p.keys, p.input})) enter(Where::copies, limit);
    }
  }
  return all;
}

/// The fastest sort. If its interval overlaps with that of the suite's own choice, which calls one
/// of the others, that choice.
const Point& named(const std::vector<const Point*>& order) {
  for (const Point* point : order) {
    if (is_auto(point->variant) && point->low_ns <= order.front()->high_ns) return *point;
  }
  return *order.front();
}

void add_peer(Choice& choice, const Point& best, const std::vector<const Point*>& order) {
  for (const Point* point : order) {
    if (!is_rival(point->variant) || point == &best) continue;
    choice.peers = {point->variant};
    choice.over_peer_low = choice.over_peer_high = point->median_ns / best.median_ns;
    return;
  }
}

/// A choice for this contest, of no sort yet.
Choice choice_of(const Contest& contest) {
  Choice choice;
  choice.machine = contest.machine;
  choice.where = contest.where;
  choice.keys = contest.keys;
  choice.input = contest.input;
  choice.threads = contest.threads;
  return choice;
}

/// The contest at a single n.
Choice choice_at(const Contest& contest, std::size_t n, const std::vector<const Point*>& entrants) {
  const auto order = ranked(entrants);
  const Point& best = named(order);
  Choice choice = choice_of(contest);
  choice.n_low = choice.n_high = n;
  choice.best = best.variant;
  choice.best_threads = best.threads;
  choice.rate_low = choice.rate_high = rate(best);
  choice.rivals_low = order.size();
  if (order.size() > 1) {
    const Point& next = order[0] == &best ? *order[1] : *order[0];
    choice.next = {next.variant};
    choice.margin_low = choice.margin_high = next.median_ns / best.median_ns - 1;
    choice.in_doubt = best.high_ns >= next.low_ns;
  }
  add_peer(choice, best, order);
  choice.both_sides = contest.where != Where::copies ||
                      std::any_of(order.begin(), order.end(), [](const Point* point) {
                        return point->place.where == Where::host;
                      });
  return choice;
}

/// Whether `next` continues `choice`, so that both are one range.
bool continues(const Choice& choice, const Choice& next) {
  return choice.best == next.best && choice.lacking == next.lacking &&
         choice.best_threads == next.best_threads && choice.next.empty() == next.next.empty() &&
         choice.both_sides == next.both_sides;
}

void add_new(std::vector<std::string>& names, const std::vector<std::string>& more) {
  for (const auto& name : more) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
}

void extend(Choice& choice, const Choice& next) {
  choice.n_high = next.n_high;
  choice.rate_low = std::min(choice.rate_low, next.rate_low);
  choice.rate_high = std::max(choice.rate_high, next.rate_high);
  choice.margin_low = std::min(choice.margin_low, next.margin_low);
  choice.margin_high = std::max(choice.margin_high, next.margin_high);
  choice.in_doubt = choice.in_doubt || next.in_doubt;
  choice.rivals_low = std::min(choice.rivals_low, next.rivals_low);
  choice.over_peer_low = std::min(choice.over_peer_low, next.over_peer_low);
  choice.over_peer_high = std::max(choice.over_peer_high, next.over_peer_high);
  add_new(choice.next, next.next);
  add_new(choice.peers, next.peers);
}

/// The result for a contest in which no winner can be named: it says which candidates were missing
/// at the most complete n.
Choice not_measured(const Contest& contest, const Entrants& entrants_at,
                    const MainCandidates& candidates) {
  Choice choice = choice_of(contest);
  choice.n_low = entrants_at.begin()->first;
  choice.n_high = entrants_at.rbegin()->first;
  for (const auto& [n, entrants] : entrants_at) {
    auto lacking = candidates.lacking_at(n);
    if (choice.lacking.empty() || lacking.size() < choice.lacking.size()) {
      choice.lacking = std::move(lacking);
      choice.rivals_low = ranked(entrants).size();
    }
  }
  return choice;
}

}  // namespace

std::vector<Choice> find_choices(const std::vector<Point>& points) {
  std::vector<Choice> choices;
  for (const auto& [contest, entrants_at] : contests(points)) {
    const MainCandidates candidates(entrants_at);
    bool first = true;
    for (const auto& [n, entrants] : entrants_at) {
      if (!candidates.lacking_at(n).empty()) continue;
      Choice choice = choice_at(contest, n, entrants);
      if (!first && continues(choices.back(), choice)) {
        extend(choices.back(), choice);
      } else {
        choices.push_back(std::move(choice));
      }
      first = false;
    }
    if (first) choices.push_back(not_measured(contest, entrants_at, candidates));
  }
  return choices;
}

std::vector<Crossover> find_crossovers(const std::vector<Point>& points) {
  std::map<std::tuple<std::size_t, std::string, std::string>, std::map<Where, BestTimes>> curves;
  for (const auto& point : points) {
    const Place& p = point.place;
    auto& curve = curves[{p.machine, p.keys, p.input}][p.where];
    const auto [best, is_new] = curve.try_emplace(p.n, point.median_ns);
    if (!is_new) best->second = std::min(best->second, point.median_ns);
  }
  std::vector<Crossover> crossovers;
  for (auto& [key, curve] : curves) {
    for (const Where where : {Where::device, Where::copies}) {
      if (!curve.contains(where)) continue;
      const auto& [machine, keys, input] = key;
      crossovers.push_back(
          {machine, where, keys, input, crossing_of(curve[Where::host], curve[where])});
    }
  }
  return crossovers;
}

}  // namespace sortlab::report
