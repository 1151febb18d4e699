#include "tool/reproduce/exhibits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>

#include "common/choose/embedded.hpp"
#include "common/contract/errors.hpp"
#include "common/harness/plan/plan.hpp"

namespace sortlab::reproduce {
namespace {

using nlohmann::json;

constexpr std::pair<std::string_view, Quantity> kQuantities[] = {
    {"total", Quantity::total},
    {"total_and_alloc", Quantity::total_and_alloc},
    {"kernel", Quantity::kernel},
    {"host", Quantity::host},
    {"total_from_host", Quantity::total_from_host},
    {"activity_time", Quantity::activity_time},
    {"copies", Quantity::copies},
    {"h2d", Quantity::h2d},
    {"copy_share", Quantity::copy_share},
    {"launches", Quantity::launches},
    {"share", Quantity::share},
    {"share_ratio", Quantity::share_ratio},
    {"activity_speedup", Quantity::activity_speedup},
    {"idle_share", Quantity::idle_share},
    {"bandwidth_share", Quantity::bandwidth_share},
    {"speedup", Quantity::speedup},
    {"speedup_ratio", Quantity::speedup_ratio},
    {"crossover", Quantity::crossover},
    {"kernel_at_bandwidth", Quantity::kernel_at_bandwidth}};

Quantity parse_quantity(const std::string& name) {
  for (const auto& [known, quantity] : kQuantities) {
    if (known == name) return quantity;
  }
  throw std::runtime_error(fmt::format("no quantity '{}'", name));
}

constexpr std::string_view kUnits[] = {"s", "ms", "us",   "ns/key",  "Melem/s",
                                       "x", "%",  "keys", "launches"};

std::string parse_unit(const std::string& unit) {
  if (std::find(std::begin(kUnits), std::end(kUnits), unit) == std::end(kUnits)) {
    throw std::runtime_error(fmt::format("no unit '{}'", unit));
  }
  return unit;
}

constexpr std::string_view kMeasureKeys[] = {
    "variant", "n",    "small_n",     "type",           "dist",          "host_mem", "params",
    "time",    "unit", "quantity",    "against",        "beside",        "activity", "sizes",
    "least",   "most", "small_sizes", "bandwidth_gb_s", "bytes_per_key", "within"};

/// The part of a column, a row or a "measure" that says what to measure. `own` are its other
/// allowed keys.
json measure_in(const json& block, std::initializer_list<std::string_view> own) {
  json measure = json::object();
  for (const auto& [key, value] : block.items()) {
    if (std::find(own.begin(), own.end(), key) != own.end()) continue;
    if (std::find(std::begin(kMeasureKeys), std::end(kMeasureKeys), key) ==
        std::end(kMeasureKeys)) {
      throw std::runtime_error(fmt::format("unknown key '{}'", key));
    }
    measure[key] = value;
  }
  return measure;
}

/// `under`, with the values of the measure of `block`, if there is one, in place of its own.
json with_measure_of(json under, const json& block) {
  if (block.contains("measure")) under.merge_patch(measure_in(block.at("measure"), {}));
  return under;
}

/// A row's measure for one column: each list is replaced by its element for the column.
json of_column(json row_measure, std::size_t column, std::size_t columns) {
  for (auto& [key, value] : row_measure.items()) {
    if (!value.is_array()) continue;
    if (value.size() != columns) {
      throw std::runtime_error(
          fmt::format("'{}' has {} values for {} columns", key, value.size(), columns));
    }
    value = json(value.at(column));
  }
  return row_measure;
}

/// The value of `key`, or that of `small_<key>` if the scale is small and it exists.
std::string at_scale(const json& measure, const std::string& key, Scale scale) {
  const std::string small = "small_" + key;
  return measure.at(scale == Scale::small && measure.contains(small) ? small : key)
      .get<std::string>();
}

Subject parse_subject(const json& measure, Scale scale) {
  Subject subject;
  subject.variant = measure.at("variant").get<std::string>();
  subject.type = measure.at("type").get<std::string>();
  subject.dist = measure.value("dist", "uniform");
  subject.host_mem = measure.value("host_mem", "none");
  subject.params = measure.value("params", "");
  subject.time = parse_quantity(measure.value("time", "total"));
  if (measure.contains("n")) {
    subject.n = parse_count(at_scale(measure, "n", scale));
    subject.published_n = parse_count(measure.at("n").get<std::string>());
  }
  return subject;
}

void set_bounds(Cell& cell, const json& measure) {
  if (measure.contains("least")) cell.least = measure.at("least").get<double>();
  if (measure.contains("most")) cell.most = measure.at("most").get<double>();
  if (measure.contains("within")) {
    const double margin = measure.at("within").get<double>();
    cell.least = cell.published.value() * (1 - margin);
    cell.most = cell.published.value() * (1 + margin);
  }
}

/// `measure` with what its member `key` changes in it.
json with_changes_of(const json& measure, const char* key) {
  json changed = measure;
  changed.erase(key);
  changed.merge_patch(measure_in(measure.at(key), {}));
  return changed;
}

bool needs_against(Quantity quantity) {
  return quantity == Quantity::crossover || quantity == Quantity::speedup ||
         quantity == Quantity::speedup_ratio || quantity == Quantity::share_ratio ||
         quantity == Quantity::activity_speedup;
}

Cell parse_cell(const json& measure, const json& published, Scale scale) {
  Cell cell;
  cell.unit = parse_unit(measure.at("unit").get<std::string>());
  if (!published.is_null()) cell.published = published.get<double>();
  cell.quantity = parse_quantity(measure.value("quantity", "total"));
  cell.subject = parse_subject(measure, scale);
  cell.activity = measure.value("activity", "");
  if (measure.contains("against")) {
    const json other = with_changes_of(measure, "against");
    cell.against = parse_subject(other, scale);
    cell.against_activity = other.value("activity", "");
  }
  if (measure.contains("beside")) {
    const json beside = with_changes_of(measure, "beside");
    cell.beside = {parse_subject(beside, scale),
                   parse_subject(with_changes_of(beside, "against"), scale)};
  }
  const bool is_crossover = cell.quantity == Quantity::crossover;
  if (is_crossover) {
    cell.sizes = parse_sizes(at_scale(measure, "sizes", scale));
    cell.reduced = cell.sizes != parse_sizes(at_scale(measure, "sizes", Scale::full));
  }
  if (!is_crossover && cell.subject.n == 0) throw std::runtime_error("no n");
  if (!cell.against && needs_against(cell.quantity)) {
    throw std::runtime_error("nothing to hold it against");
  }
  if (cell.beside.empty() && cell.quantity == Quantity::speedup_ratio) {
    throw std::runtime_error("no speedup beside it");
  }
  for (const Subject& subject : subjects_of(cell)) {
    cell.reduced |= subject.n != subject.published_n;
  }
  cell.bandwidth_gb_s = measure.value("bandwidth_gb_s", 0.0);
  cell.bytes_per_key = measure.value("bytes_per_key", 0.0);
  set_bounds(cell, measure);
  return cell;
}

/// The cells of a block's rows and columns; `measure` holds for all of them.
std::vector<Cell> parse_grid(const json& block, const json& measure, Scale scale) {
  std::vector<Cell> cells;
  const json& columns = block.at("columns");
  for (const json& row : block.at("rows")) {
    const json row_measure = measure_in(row, {"row", "published"});
    const json published = row.value("published", json(std::vector<json>(columns.size())));
    if (published.size() != columns.size()) {
      throw std::runtime_error(fmt::format("row '{}': {} published values for {} columns",
                                           row.at("row").get<std::string>(), published.size(),
                                           columns.size()));
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      json whole = measure;
      whole.merge_patch(measure_in(columns[i], {"column"}));
      whole.merge_patch(of_column(row_measure, i, columns.size()));
      Cell& cell = cells.emplace_back(parse_cell(whole, published[i], scale));
      cell.row = row.at("row").get<std::string>();
      cell.column = columns[i].at("column").get<std::string>();
    }
  }
  return cells;
}

std::string source_of(const json& paper, const json& block) {
  const auto cite = paper.at("cite").get<std::string>();
  if (!block.contains("edition")) return cite;
  return fmt::format("{}, {} edition", cite, block.at("edition").get<std::string>());
}

Verdict parse_verdict(const std::string& name) {
  if (name == "confirmed") return Verdict::confirmed;
  if (name == "refuted") return Verdict::refuted;
  if (name == "open") return Verdict::open;
  throw std::runtime_error(fmt::format("no verdict '{}'", name));
}

Claim parse_claim(const json& block, const json& paper, const json& measure, Scale scale) {
  Claim claim;
  claim.text = block.at("claim").get<std::string>();
  claim.source = source_of(paper, block);
  claim.note = block.value("note", "");
  if (block.contains("verdict")) {
    claim.verdict = parse_verdict(block.at("verdict").get<std::string>());
    claim.reason = block.at("reason").get<std::string>();
    claim.gpu = block.value("gpu", "");
    return claim;
  }
  const std::string need = block.value("need", "all");
  if (need != "all" && need != "most") throw std::runtime_error("need: all or most");
  claim.need_all = need == "all";
  claim.checks = parse_grid(block, with_measure_of(measure, block), scale);
  for (const Cell& check : claim.checks) {
    if (!check.least && !check.most) {
      throw std::runtime_error(fmt::format("the claim '{}' has no bounds", claim.text));
    }
  }
  return claim;
}

/// The inverse of in_unit().
double in_ns(double value, std::size_t n, std::string_view unit) {
  const double one_ns = in_unit(1, n, unit);
  return unit == "Melem/s" ? one_ns / value : value / one_ns;
}

/// Some columns of another exhibit's cells, in another unit if one is given.
std::vector<Cell> cells_of_other(const std::vector<Exhibit>& others, const json& block) {
  const auto id = block.at("of").get<std::string>();
  const auto other =
      std::find_if(others.begin(), others.end(), [&](const Exhibit& e) { return e.id == id; });
  if (other == others.end()) throw std::runtime_error(fmt::format("no exhibit '{}' before it", id));
  const json columns = block.value("columns", json::array());
  std::vector<Cell> cells;
  for (Cell cell : other->cells) {
    if (!columns.empty() &&
        std::find(columns.begin(), columns.end(), cell.column) == columns.end()) {
      continue;
    }
    if (block.contains("unit")) {
      const std::string unit = parse_unit(block.at("unit").get<std::string>());
      const std::size_t n = cell.subject.published_n;
      if (cell.published) cell.published = in_unit(in_ns(*cell.published, n, cell.unit), n, unit);
      cell.unit = unit;
    }
    cells.push_back(std::move(cell));
  }
  return cells;
}

Exhibit parse_exhibit(const json& block, const json& paper, const std::vector<Exhibit>& before,
                      Scale scale) {
  Exhibit exhibit;
  exhibit.id = block.at("id").get<std::string>();
  exhibit.title = block.at("title").get<std::string>();
  exhibit.place = block.at("place").get<std::string>();
  exhibit.note = block.value("note", "");
  exhibit.source = paper.at("cite").get<std::string>();
  exhibit.machine = paper.at("machine").get<std::string>();
  const json measure = with_measure_of(with_measure_of(json::object(), paper), block);
  if (block.contains("of")) {
    exhibit.cells = cells_of_other(before, block);
  } else if (block.contains("rows")) {
    exhibit.cells = parse_grid(block, measure, scale);
  }
  for (const json& claim : block.value("claims", json::array())) {
    exhibit.claims.push_back(parse_claim(claim, paper, measure, scale));
  }
  return exhibit;
}

/// The files of bench/papers/, which are embedded in the program.
std::vector<std::string_view> papers() {
  std::vector<std::string_view> files;
  for (const auto& file : embedded_files()) {
    if (file.path.starts_with("bench/papers/")) files.push_back(file.content);
  }
  return files;
}

}  // namespace

std::vector<const Cell*> Exhibit::all_cells() const {
  std::vector<const Cell*> all;
  for (const Cell& cell : cells) all.push_back(&cell);
  for (const Claim& claim : claims) {
    for (const Cell& check : claim.checks) all.push_back(&check);
  }
  return all;
}

std::vector<Exhibit> parse_paper(std::string_view text, Scale scale) {
  std::string place = "the paper";
  try {
    const json paper = json::parse(text);
    std::vector<Exhibit> exhibits;
    for (const json& block : paper.at("exhibits")) {
      place = block.value("id", "an exhibit without id");
      exhibits.push_back(parse_exhibit(block, paper, exhibits, scale));
    }
    return exhibits;
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("{}: {}", place, error.what()));
  }
}

std::vector<Contradiction> parse_contradictions(std::string_view text) {
  try {
    const json paper = json::parse(text);
    std::vector<Contradiction> contradictions;
    for (const json& block : paper.value("contradictions", json::array())) {
      contradictions.push_back({source_of(paper, block),
                                block.at("contradiction").get<std::string>(),
                                block.at("lines").get<std::vector<std::string>>()});
    }
    return contradictions;
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("contradictions: {}", error.what()));
  }
}

std::vector<Exhibit> all_exhibits(Scale scale) {
  std::vector<Exhibit> all;
  for (const std::string_view paper : papers()) {
    for (auto& exhibit : parse_paper(paper, scale)) all.push_back(std::move(exhibit));
  }
  return all;
}

std::vector<Contradiction> all_contradictions() {
  std::vector<Contradiction> all;
  for (const std::string_view paper : papers()) {
    for (auto& one : parse_contradictions(paper)) all.push_back(std::move(one));
  }
  return all;
}

std::vector<Exhibit> select_exhibits(const std::vector<std::string>& ids, Scale scale) {
  const std::vector<Exhibit> all = all_exhibits(scale);
  std::vector<std::string> known = {"all"};
  for (const Exhibit& exhibit : all) known.push_back(exhibit.id);
  std::vector<Exhibit> selected;
  std::set<std::size_t> seen;
  const auto add = [&](std::size_t i) {
    if (seen.insert(i).second) selected.push_back(all[i]);
  };
  for (const std::string& id : ids) {
    const std::size_t place = index_of_name("exhibit", id, known);
    if (place > 0) add(place - 1);
    for (std::size_t i = 0; place == 0 && i < all.size(); ++i) add(i);
  }
  return selected;
}

bool is_unit_of_time(std::string_view unit) {
  constexpr std::string_view kTimes[] = {"s", "ms", "us", "ns/key", "Melem/s"};
  return std::find(std::begin(kTimes), std::end(kTimes), unit) != std::end(kTimes);
}

double in_unit(double ns, std::size_t n, std::string_view unit) {
  if (unit == "s") return ns * 1e-9;
  if (unit == "ms") return ns * 1e-6;
  if (unit == "us") return ns * 1e-3;
  if (unit == "ns/key") return ns / static_cast<double>(n);
  if (unit == "Melem/s") return static_cast<double>(n) / ns * 1e3;
  throw std::out_of_range(fmt::format("'{}' is no unit of time", unit));
}

bool is_free_of_size(std::string_view unit) {
  return unit == "ns/key" || unit == "Melem/s" || unit == "x";
}

bool needs_profiler(Quantity quantity) {
  switch (quantity) {
    case Quantity::launches:
    case Quantity::share:
    case Quantity::share_ratio:
    case Quantity::activity_time:
    case Quantity::activity_speedup:
    case Quantity::idle_share:
    case Quantity::total_from_host:
      return true;
    default:
      return false;
  }
}

bool needs_clocks(Quantity quantity) {
  return quantity != Quantity::launches && quantity != Quantity::activity_time;
}

std::vector<Subject> subjects_of(const Cell& cell) {
  std::vector<Subject> subjects = {cell.subject};
  if (cell.against) subjects.push_back(*cell.against);
  subjects.insert(subjects.end(), cell.beside.begin(), cell.beside.end());
  if (cell.sizes.empty()) return subjects;
  std::vector<Subject> at_sizes;
  for (const std::size_t n : cell.sizes) {
    for (Subject subject : subjects) {
      subject.n = n;
      subject.published_n = n;
      at_sizes.push_back(std::move(subject));
    }
  }
  return at_sizes;
}

}  // namespace sortlab::reproduce
