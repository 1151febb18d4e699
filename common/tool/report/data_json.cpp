// The report as the page's scripts read it.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "common/harness/machine/build_info.hpp"
#include "common/tool/report/gather.hpp"

namespace sortlab::report {
namespace {

using nlohmann::json;

/// Five significant digits: more than any measurement here holds, and a third of the bytes.
json brief(double value) {
  if (std::abs(value) < 1e5 && value == static_cast<std::int64_t>(value)) {
    return static_cast<std::int64_t>(value);
  }
  return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr);
}

/// Each name occurs once; elsewhere its number replaces it.
class Names {
 public:
  std::size_t operator[](const std::string& name) {
    const auto [known, is_new] = numbers_.try_emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return known->second;
  }
  json list() const { return names_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> names_;
};

json phases_json(const Phases& phases) {
  json list = json::array();
  for (const auto& phase : phases) list.push_back(phase ? brief(*phase) : json());
  return list;
}

json earlier_json(const std::vector<Measurement>& earlier) {
  json rows = json::array();
  for (const auto& m : earlier) {
    rows.push_back({m.since, m.source, brief(m.median_ns), brief(m.low_ns), brief(m.high_ns)});
  }
  return rows;
}

/// Only the leading points, because no chart draws the others.
json points_json(const std::vector<Point>& points, Names& names) {
  std::map<std::size_t, std::size_t> drawn;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].leads) drawn.emplace(i, drawn.size());
  }
  json rows = json::array();
  for (const auto& [i, number] : drawn) {
    const Point& p = points[i];
    rows.push_back({p.place.machine,
                    static_cast<int>(p.place.where),
                    names[p.place.host_mem],
                    names[p.place.keys],
                    names[p.place.input],
                    p.place.n,
                    names[p.variant],
                    p.threads,
                    names[p.setting],
                    p.samples,
                    brief(p.median_ns),
                    brief(p.low_ns),
                    brief(p.high_ns),
                    brief(p.copy_share),
                    brief(p.keys_per_joule),
                    p.before ? json(drawn.at(*p.before)) : json(),
                    brief(p.gain),
                    phases_json(p.phases),
                    p.source,
                    p.since,
                    earlier_json(p.earlier)});
  }
  return rows;
}

json choices_json(const std::vector<Choice>& choices, Names& names) {
  json rows = json::array();
  for (const auto& c : choices) {
    json next = json::array();
    for (const auto& variant : c.next) next.push_back(names[variant]);
    json peers = json::array();
    for (const auto& variant : c.peers) peers.push_back(names[variant]);
    json lacking = json::array();
    for (const auto& what : c.lacking) lacking.push_back(names[what]);
    rows.push_back({c.machine,
                    static_cast<int>(c.where),
                    names[c.keys],
                    names[c.input],
                    c.threads,
                    c.n_low,
                    c.n_high,
                    names[c.best],
                    c.best_threads,
                    brief(c.rate_low),
                    brief(c.rate_high),
                    next,
                    brief(c.margin_low),
                    brief(c.margin_high),
                    c.in_doubt,
                    c.rivals_low,
                    c.both_sides,
                    lacking,
                    peers,
                    brief(c.over_peer_low),
                    brief(c.over_peer_high)});
  }
  return rows;
}

json crossovers_json(const std::vector<Crossover>& crossovers, Names& names) {
  json rows = json::array();
  for (const auto& c : crossovers) {
    rows.push_back({c.machine, static_cast<int>(c.where), names[c.keys], names[c.input],
                    static_cast<int>(c.crossing.kind), brief(c.crossing.n), c.crossing.n_low,
                    c.crossing.n_high});
  }
  return rows;
}

json kernels_json(const std::vector<KernelStack>& kernels, Names& names) {
  json rows = json::array();
  for (const auto& k : kernels) {
    json parts = json::array();
    for (const auto& part : k.parts) {
      parts.push_back({names[part.name], brief(part.launches), brief(part.ns), brief(part.share)});
    }
    rows.push_back({k.place.machine, names[k.place.host_mem], names[k.place.keys],
                    names[k.place.input], k.place.n, names[k.variant], names[k.setting], parts});
  }
  return rows;
}

json failures_json(const std::vector<Failure>& failures, Names& names) {
  json rows = json::array();
  for (const auto& f : failures) {
    rows.push_back(
        {f.machine, names[f.variant], f.status, f.reason, f.configurations, f.n_low, f.n_high});
  }
  return rows;
}

json exhibits_json(const std::vector<ExhibitCell>& cells, Names& names) {
  json rows = json::array();
  for (const auto& c : cells) {
    rows.push_back({names[c.exhibit], names[c.source], names[c.table], names[c.row],
                    names[c.column], names[c.unit], c.published, c.measured, c.ratio,
                    names[c.status], names[c.reason], names[c.machine], names[c.revision]});
  }
  return rows;
}

json sources_json(const std::vector<Source>& sources) {
  json list = json::array();
  for (const auto& s : sources) list.push_back({s.csv, s.revision});
  return list;
}

json machines_json(const std::vector<Machine>& machines) {
  json list = json::array();
  for (const auto& m : machines) {
    list.push_back({{"name", m.name}, {"facts", m.facts}, {"files", m.files}});
  }
  return list;
}

}  // namespace

std::string data_json(const Report& report, std::string_view made) {
  Names names;
  json data = {{"made", made},
               {"revision", std::string(kGitRevision) + (kGitDirty ? " with changes" : "")},
               {"configurations", report.points.size()},
               {"machines", machines_json(report.machines)},
               {"sources", sources_json(report.sources)},
               {"points", points_json(report.points, names)},
               {"choices", choices_json(report.choices, names)},
               {"crossovers", crossovers_json(report.crossovers, names)},
               {"kernels", kernels_json(report.kernels, names)},
               {"failures", failures_json(report.failures, names)},
               {"exhibits", exhibits_json(report.exhibits, names)}};
  data["names"] = names.list();
  return data.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace sortlab::report
