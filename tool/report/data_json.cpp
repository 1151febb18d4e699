// The report as the page's scripts read it: tables of rows, whose fields are named here and nowhere else.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "common/harness/record/run_files.hpp"
#include "tool/report/gather.hpp"

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

/// Rows of equal objects without their keys, and each text of them once:
///
///   [{"variant": "cpu/a", "n": 1}, ...]   ->   {"columns": ["$variant", "n"], "rows": [[0, 1], ...]}
///
/// A column with a $ has numbers of names() in place of texts; a value may be a list of texts, or of rows.
class Tables {
 public:
  json table(const json& rows) {
    if (rows.empty()) return rows;
    json columns = json::array(), packed = json::array();
    for (const auto& [key, first] : rows.front().items()) {
      const auto is_text = [&name = key](const json& row) {
        const json& value = row.at(name);
        return value.is_string() || (value.is_array() && !value.empty() && value[0].is_string());
      };
      columns.push_back((std::any_of(rows.begin(), rows.end(), is_text) ? "$" : "") + key);
    }
    for (const json& row : rows) {
      json& cells = packed.emplace_back(json::array());
      for (const auto& [key, value] : row.items()) cells.push_back(packed_value(value));
    }
    return {{"columns", columns}, {"rows", packed}};
  }

  const std::vector<std::string>& names() const { return names_; }

 private:
  json packed_value(const json& value) {
    if (value.is_number_float()) return brief(value);
    if (value.is_string()) {
      const auto [known, is_new] = numbers_.try_emplace(value, names_.size());
      if (is_new) names_.push_back(value);
      return known->second;
    }
    if (!value.is_array()) return value;
    if (!value.empty() && value[0].is_object()) return table(value);
    json list = json::array();
    for (const json& element : value) list.push_back(packed_value(element));
    return list;
  }

  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> names_;
};

/// `row` with more fields: a name and a value of each in turn.
json with(json row) { return row; }

template <class Value, class... More>
json with(json row, const char* name, const Value& value, const More&... more) {
  row[name] = value;
  return with(std::move(row), more...);
}

std::string_view name_of(Where where) {
  constexpr std::string_view kNames[] = {"host", "device", "graph", "copies"};
  return kNames[static_cast<int>(where)];
}

json row_of(const Place& p) {
  return with({}, "machine", p.machine, "where", name_of(p.where), "hostMem", p.host_mem, "keys",
              p.keys, "input", p.input, "n", p.n);
}

json row_of(const Measurement& m) {
  return with({}, "since", m.since, "source", m.source, "median", m.median_ns, "low", m.low_ns,
              "high", m.high_ns);
}

json row_of(const Choice& c) {
  return with({}, "machine", c.machine, "where", name_of(c.where), "keys", c.keys, "input", c.input,
              "threads", c.threads, "nLow", c.n_low, "nHigh", c.n_high, "best", c.best,
              "bestThreads", c.best_threads, "rateLow", c.rate_low, "rateHigh", c.rate_high, "next",
              c.next, "marginLow", c.margin_low, "marginHigh", c.margin_high, "inDoubt", c.in_doubt,
              "rivals", c.rivals_low, "bothSides", c.both_sides, "lacking", c.lacking, "peers",
              c.peers, "overPeerLow", c.over_peer_low, "overPeerHigh", c.over_peer_high);
}

json row_of(const Crossover& c) {
  constexpr std::string_view kKinds[] = {"at", "always_gpu", "always_cpu", "no_common_n"};
  return with({}, "machine", c.machine, "where", name_of(c.where), "keys", c.keys, "input", c.input,
              "kind", kKinds[static_cast<int>(c.crossing.kind)], "n", c.crossing.n, "nLow",
              c.crossing.n_low, "nHigh", c.crossing.n_high);
}

json row_of(const KernelStack::Part& part) {
  return with({}, "name", part.name, "launches", part.launches, "ns", part.ns, "share", part.share);
}

json row_of(const Failure& f) {
  return with({}, "machine", f.machine, "variant", f.variant, "status", f.status, "reason",
              f.reason, "configurations", f.configurations, "nLow", f.n_low, "nHigh", f.n_high);
}

json row_of(const Source& s) { return with({}, "csv", s.csv, "revision", s.revision); }

json row_of(const Machine& m) {
  return with({}, "name", m.name, "facts", m.facts, "files", m.files);
}

json row_of(const KernelStack& k);

template <class T>
json rows_of(const std::vector<T>& things) {
  json rows = json::array();
  for (const T& thing : things) rows.push_back(row_of(thing));
  return rows;
}

json row_of(const KernelStack& k) {
  json row = row_of(k.place);
  row.erase("where");  // all on a GPU
  return with(std::move(row), "variant", k.variant, "setting", k.setting, "parts",
              rows_of(k.parts));
}

/// `drawn`: the places of points among those on the page.
json row_of(const Point& p, const std::map<std::size_t, std::size_t>& drawn) {
  json phases = json::array();
  for (const auto& phase : p.phases) phases.push_back(phase ? json(*phase) : json());
  return with(row_of(p.place), "variant", p.variant, "threads", p.threads, "setting", p.setting,
              "samples", p.samples, "median", p.median_ns, "low", p.low_ns, "high", p.high_ns,
              "share", p.copy_share, "keysPerJoule", p.keys_per_joule, "before",
              p.before ? json(drawn.at(*p.before)) : json(), "gain", p.gain, "phases", phases,
              "source", p.source, "since", p.since, "earlier", rows_of(p.earlier));
}

/// Only the leading points, because no chart draws the others.
json leading_rows(const std::vector<Point>& points) {
  std::map<std::size_t, std::size_t> drawn;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].leads) drawn.emplace(i, drawn.size());
  }
  json rows = json::array();
  for (const auto& [i, number] : drawn) rows.push_back(row_of(points[i], drawn));
  return rows;
}

}  // namespace

std::string data_json(const Report& report, std::string_view made) {
  Tables tables;
  json data = with({}, "made", made, "revision", this_revision(), "configurations",
                   report.points.size(), "machines", rows_of(report.machines));
  data["tables"] = with(
      {}, "sources", tables.table(rows_of(report.sources)), "points",
      tables.table(leading_rows(report.points)), "choices", tables.table(rows_of(report.choices)),
      "crossovers", tables.table(rows_of(report.crossovers)), "kernels",
      tables.table(rows_of(report.kernels)), "failures", tables.table(rows_of(report.failures)),
      "exhibits", tables.table(report.exhibits));
  data["names"] = tables.names();
  return data.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace sortlab::report
