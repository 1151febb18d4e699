#include "common/tool/recommend/recommend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "common/harness/config.hpp"
#include "common/harness/record/output_file.hpp"
#include "common/harness/record/record.hpp"
#include "common/harness/record/row_numbers.hpp"
#include "common/harness/record/text_file.hpp"

namespace sortlab {
namespace {

using Row = std::map<std::string, std::string>;

constexpr double kWidestGap = 16;  // between two sizes measured: farther apart lie cache borders
constexpr std::size_t kShown = 5;

/// The CSV knows a GPU sort by its number of threads.
bool is_on_device(const Row& row) { return row.at("threads") == "0"; }

bool answers(const Question& question, const Row& row) {
  const bool device_data = is_on_device(row) && row.at("host_mem") == "none";
  return row.at("key_type") == name_of(question.key_type) &&
         (row.at("value_bytes") != "0") == question.pairs && row.at("order") == question.order &&
         row.at("dist") == question.dist.name && row.at("dist_param") == question.dist.param &&
         row.at("cache") == "hot" && row.at("pinned_threads") == "0" && row.at("load") == "0" &&
         threads_in(row) <= question.max_threads &&
         device_data == (question.where == Memory::device);
}

std::string way_of(const Row& row) {
  std::string way;
  for (const char* column :
       {"variant", "threads", "params", "isa", "host_mem", "temp_policy", "launch"}) {
    way += row.at(column) + '\x1f';
  }
  return way;
}

/// On log scales, between the sizes of two rows.
RankedSort between(const SummaryRow& below, const SummaryRow& above, std::size_t n) {
  const auto low = whole_in(below.config, "n"), high = whole_in(above.config, "n");
  const double share = low == high
                           ? 0
                           : std::log(static_cast<double>(n) / static_cast<double>(low)) /
                                 std::log(static_cast<double>(high) / static_cast<double>(low));
  const auto mix = [&](double x, double y) { return x * std::pow(y / x, share); };
  return {
      below.config,
      mix(below.median_ns, above.median_ns),
      {mix(below.interval.low, above.interval.low), mix(below.interval.high, above.interval.high)},
      low,
      high,
      std::min(below.n_kept, above.n_kept),
      std::min(below.config.at("ts_utc"), above.config.at("ts_utc"))};
}

/// The word before the i-th of the ranked.
std::string_view answer_of(const std::vector<RankedSort>& ranked, std::size_t i) {
  if (i == 0) return "take";
  if (is_tie(ranked.front(), ranked[i])) return "or as well";
  return i == 1 ? "next" : "";
}

std::string join_sizes(const RankedSort& candidate) {
  return candidate.from_n == candidate.to_n
             ? fmt::format("measured at n = {}", candidate.from_n)
             : fmt::format("interpolated between n = {} and {}", candidate.from_n, candidate.to_n);
}

}  // namespace

std::string Question::text() const {
  return fmt::format("{} {} {}, {}{}, {}, on the {}", n, name_of(key_type),
                     pairs ? "keys with u32 values" : "keys", dist.name,
                     dist.param.empty() ? "" : ":" + dist.param,
                     order == "asc" ? "ascending" : "descending",
                     where == Memory::host ? "host" : "GPU");
}

std::string RankedSort::name() const {
  std::string text = config.at("variant");
  const int threads = threads_in(config);
  if (threads > 1) text += fmt::format(", {} threads", threads);
  if (threads == 1 && among_many) text += ", 1 thread";
  if (const auto& params = config.at("params"); !params.empty()) text += ", " + params;
  if (const auto& memory = config.at("host_mem"); memory != "none") {
    text += memory == "staged" ? ", copies from and to pageable memory staged by several threads"
                               : fmt::format(", copies from and to {} memory", memory);
  }
  if (const auto& launch = config.at("launch"); launch != "stream") text += ", as a " + launch;
  return text;
}

std::vector<RankedSort> rank_candidates(const Question& question,
                                        const std::vector<SummaryRow>& rows) {
  std::map<std::string, std::map<std::size_t, const SummaryRow*>> ways;
  for (const auto& row : rows) {
    if (row.status != "ok" || row.n_kept == 0 || row.median_ns <= 0) continue;
    if (!answers(question, row.config)) continue;
    ways[way_of(row.config)][whole_in(row.config, "n")] = &row;
  }
  std::vector<RankedSort> ranked;
  for (const auto& [way, sizes] : ways) {
    const auto above = sizes.lower_bound(question.n);
    if (above == sizes.end()) continue;
    const bool measured = above->first == question.n;
    if (!measured && above == sizes.begin()) continue;
    const auto below = measured ? above : std::prev(above);
    if (static_cast<double>(above->first) > kWidestGap * static_cast<double>(below->first))
      continue;
    ranked.push_back(between(*below->second, *above->second, question.n));
  }
  std::sort(ranked.begin(), ranked.end(),
            [](const auto& x, const auto& y) { return x.time_ns < y.time_ns; });
  const bool many = std::any_of(ranked.begin(), ranked.end(),
                                [](const auto& c) { return threads_in(c.config) > 1; });
  for (auto& candidate : ranked) candidate.among_many = many;
  return ranked;
}

bool is_tie(const RankedSort& best, const RankedSort& other) {
  return other.interval.low <= best.interval.high;
}

std::string readable_recommendation(const Question& question,
                                    const std::vector<RankedSort>& ranked) {
  const RankedSort& best = ranked.front();
  std::string text = fmt::format("For {}, on {}:\n\n", question.text(), best.config.at("device"));
  for (std::size_t i = 0; i < std::min(kShown, ranked.size()); ++i) {
    const RankedSort& c = ranked[i];
    text += fmt::format("  {:10} {:>8} ({} .. {}) {:>6.2f}x  {}\n", answer_of(ranked, i),
                        readable_time(c.time_ns), readable_time(c.interval.low),
                        readable_time(c.interval.high), c.time_ns / best.time_ns, c.name());
  }
  text += '\n';
  const auto longer = [&](const RankedSort& c) { return 100 * (c.time_ns / best.time_ns - 1); };
  const auto tie = std::find_if(ranked.begin() + 1, ranked.end(),
                                [&](const RankedSort& c) { return is_tie(best, c); });
  if (ranked.size() == 1) {
    text += "Nothing else was measured, so there is no runner-up.\n";
  } else if (tie == ranked.end()) {
    text += fmt::format(
        "Sure: the runner-up takes {:.1f} % longer, and their 95 % intervals lie apart.\n",
        longer(ranked[1]));
  } else {
    text += fmt::format("A tie: {} takes {:.1f} % longer, but their 95 % intervals overlap.\n",
                        tie == ranked.begin() + 1 ? "the runner-up" : tie->name(), longer(*tie));
  }
  return text + fmt::format("{}, {} samples, {}.\n", join_sizes(best), best.samples,
                            best.measured_utc.substr(0, 10));
}

void write_recommendation(const std::string& path, const Question& question,
                          const std::vector<RankedSort>& ranked) {
  std::vector<std::string> header = {"answer",  "ratio",  "time_ns", "time_low_ns", "time_high_ns",
                                     "samples", "from_n", "to_n",    "name"};
  std::vector<std::string> columns;
  for (const auto& [column, value] : Config{}.columns()) columns.push_back(column);
  header.insert(header.end(), columns.begin(), columns.end());

  require_unpacked_name(path);
  std::string text = join_csv_line(header) + '\n';
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const RankedSort& c = ranked[i];
    std::vector<std::string> fields = {std::string(answer_of(ranked, i)),
                                       fmt::format("{:.6g}", c.time_ns / ranked.front().time_ns),
                                       fmt::format("{:.1f}", c.time_ns),
                                       fmt::format("{:.1f}", c.interval.low),
                                       fmt::format("{:.1f}", c.interval.high),
                                       std::to_string(c.samples),
                                       std::to_string(c.from_n),
                                       std::to_string(c.to_n),
                                       c.name()};
    for (const auto& column : columns) {
      fields.push_back(column == "n" ? std::to_string(question.n) : c.config.at(column));
    }
    text += join_csv_line(fields) + '\n';
  }
  write_file(path, text);
}

}  // namespace sortlab
