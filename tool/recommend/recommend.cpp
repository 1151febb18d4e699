#include "tool/recommend/recommend.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "common/contract/numbers.hpp"
#include "common/contract/top_k.hpp"
#include "common/contract/variant.hpp"
#include "common/harness/config.hpp"
#include "common/harness/machine/cpu_share.hpp"
#include "common/harness/plan/counts.hpp"
#include "common/harness/record/csv.hpp"
#include "common/harness/record/record.hpp"
#include "common/harness/terminal/window.hpp"
#include "tool/output_format.hpp"
#include "tool/recommend/certainty.hpp"

namespace sortlab {
namespace {

constexpr double kWidestGap = 16;  // between two sizes measured: farther apart lie cache borders
constexpr std::size_t kShown = 5;

/// In the CSV a GPU sort has 0 threads.
bool is_on_device(const CsvRow& row) { return row.at("threads") == "0"; }

/// Whether a row's sort fits into the allowed memory; false if its memory is unknown.
bool fits(const Question& question, const CsvRow& row) {
  if (!question.max_memory) return true;
  const auto bytes = parse_whole(row.at("peak_temp_bytes"));
  return bytes && *bytes <= *question.max_memory;
}

/// The CPUs that other programs kept busy when a row was measured; 0 where that is unknown.
double busy_cpus_of(const CsvRow& row) {
  const auto free = parse_number(row.at("free_cpus"));
  return free ? std::max(0.0, static_cast<double>(cpus_in(row.at("cpu_list")).size()) - *free) : 0;
}

/// Whether the row's sort brings the best items to the front of the array.
bool is_in_place(const CsvRow& row) {
  const Variant* const variant = find_variant(row.at("variant"));
  return variant != nullptr && variant->is<Partial>();
}

bool answers(const Question& question, const CsvRow& row) {
  if (question.stable && question.pairs && row.at("stable") != "1") return false;
  if (!fits(question, row)) return false;
  const bool device_data = is_on_device(row) && row.at("host_mem") == "none";
  const std::string value_bytes = std::to_string(question.pairs ? kUsualValueBytes : 0);
  return row.at("key_type") == name_of(question.key_type) && row.at("value_bytes") == value_bytes &&
         row.at("order") == question.order && row.at("dist") == question.dist.name &&
         row.at("dist_param") == question.dist.param && row.at("cache") == "hot" &&
         row.at("pinned_threads") == "0" && row.at("load") == "0" &&
         row.at("memory_limit_bytes").empty() &&
         (row.at("devices").empty() || row.at("devices") == question.devices) &&
         row.at("lengths") == text_of(question.lengths) &&
         row.at("best") == text_of(question.best) && is_in_place(row) == question.in_place &&
         row.at("ranks").empty() &&  // the user's keys lie in one memory
         threads_in(row) <= question.max_threads &&
         device_data == (question.where == Memory::device);
}

std::string way_of(const CsvRow& row) {
  std::string way;
  for (const char* column :
       {"variant", "devices", "threads", "params", "isa", "host_mem", "temp_policy", "launch"}) {
    way += row.at(column) + '\x1f';
  }
  return way;
}

/// Interpolates on log scales between the sizes of two rows.
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
      std::min(below.config.at("ts_utc"), above.config.at("ts_utc")),
      std::max(busy_cpus_of(below.config), busy_cpus_of(above.config)),
      low == high ? above.blocks_ns : std::vector<std::vector<double>>{}};
}

/// The parameters of a row's sort that are not the sort's own, "a=1;b=2".
std::string chosen_params(const CsvRow& row) {
  const Variant* const variant = find_variant(row.at("variant"));
  std::string chosen;
  for (const auto param : split(row.at("params"), ';')) {
    const auto is_own = [&](const ParamSpec& spec) {
      return param == fmt::format("{}={}", spec.name, spec.fallback);
    };
    const bool own = variant != nullptr &&
                     std::any_of(variant->info.params.begin(), variant->info.params.end(), is_own);
    if (!own && !param.empty()) chosen += fmt::format("{}{}", chosen.empty() ? "" : ";", param);
  }
  return chosen;
}

/// The word before the i-th of the ranked.
std::string_view answer_of(const std::vector<RankedSort>& ranked, std::size_t i) {
  if (i == 0) return certainty_of(ranked) == Certainty::unclear ? "ahead" : "take";
  switch (standing_of(ranked.front(), ranked[i])) {
    case Standing::equal:
      return "or as well";
    case Standing::unclear:
      return "maybe";
    case Standing::no_faster:
    case Standing::slower:
      break;
  }
  return i == 1 ? "next" : "";
}

/// "64 MiB"; bytes where no unit divides them.
std::string readable_bytes(std::size_t bytes) {
  for (const auto& [unit, name] : {std::pair{30, "GiB"}, {20, "MiB"}, {10, "KiB"}}) {
    if (bytes != 0 && bytes % (std::size_t{1} << unit) == 0)
      return fmt::format("{} {}", bytes >> unit, name);
  }
  return fmt::format("{} bytes", bytes);
}

std::string join_sizes(const RankedSort& candidate) {
  return candidate.from_n == candidate.to_n
             ? fmt::format("measured at n = {}", candidate.from_n)
             : fmt::format("interpolated between n = {} and {}", candidate.from_n, candidate.to_n);
}

}  // namespace

std::string Question::text() const {
  const std::string what =
      pairs ? fmt::format("keys with {} values", name_of_values(kUsualValueBytes)) : "keys";
  std::string text = fmt::format("{} {} {}, {}{}, {}, on the {}", n, name_of(key_type), what,
                                 dist.name, dist.param.empty() ? "" : ":" + dist.param,
                                 order == "asc" ? "ascending" : "descending",
                                 where == Memory::host ? "host" : "GPU");
  if (!devices.empty()) text += "s " + devices;
  if (!lengths.rule.empty()) text += ", segments " + text_of(lengths);
  if (best.is_asked) text += ", best " + text_of(best);
  if (in_place) text += ", in place";
  if (stable) text += ", stable";
  if (max_memory) text += fmt::format(", with at most {} more", readable_bytes(*max_memory));
  return text;
}

std::string RankedSort::name() const {
  std::string text = config.at("variant");
  const int threads = threads_in(config);
  if (const auto& devices = config.at("devices"); !devices.empty()) text += ", GPUs " + devices;
  if (threads > 1) text += fmt::format(", {} threads", threads);
  if (threads == 1 && among_many) text += ", 1 thread";
  if (const auto params = chosen_params(config); !params.empty()) text += ", " + params;
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

std::optional<std::size_t> several_gpus_pay_from(const Question& question,
                                                 const std::vector<SummaryRow>& rows) {
  std::set<std::size_t> sizes;
  for (const auto& row : rows) sizes.insert(whole_in(row.config, "n"));
  std::optional<std::size_t> from;
  for (const std::size_t n : sizes) {
    Question at_n = question;
    at_n.n = n;
    const auto ranked = rank_candidates(at_n, rows);
    const auto has_several = [](const RankedSort& c) { return !c.config.at("devices").empty(); };
    // Where one kind alone was measured, nothing is known.
    const auto several = std::count_if(ranked.begin(), ranked.end(), has_several);
    if (several == 0 || several == std::ssize(ranked)) continue;
    if (!has_several(ranked.front())) {
      from.reset();
    } else if (!from) {
      from = n;
    }
  }
  return from;
}

std::string readable_recommendation(const Question& question,
                                    const std::vector<RankedSort>& ranked) {
  const RankedSort& best = ranked.front();
  const std::size_t room = room_for_text(STDOUT_FILENO);
  const std::string title =
      fmt::format("For {}, on {}:", question.text(), best.config.at("device"));
  std::string text = wrapped(title, room) + "\n\n";
  for (std::size_t i = 0; i < std::min(kShown, ranked.size()); ++i) {
    const RankedSort& c = ranked[i];
    constexpr std::size_t kIndent = 13;
    const std::string line =
        fmt::format("  {:10} {:>8} ({} .. {}) {:>6.2f}x  {}", answer_of(ranked, i),
                    readable_time(c.time_ns), readable_time(c.interval.low),
                    readable_time(c.interval.high), c.time_ns / best.time_ns, c.name());
    const std::string fitted = wrapped(line, room, kIndent);
    text += (i == 0 ? painted(Tone::good, fitted) : fitted) + '\n';
  }
  std::string last = fmt::format(
      "{}\n{}, {} samples{}, {}.", certainty_text(ranked), join_sizes(best), best.samples,
      best.blocks_ns.size() > 1 ? fmt::format(" in {} rounds", best.blocks_ns.size()) : "",
      best.measured_utc.substr(0, 10));
  if (best.busy_cpus >= 0.5) {
    last += fmt::format(
        "\nMeanwhile other programs kept {:.1f} CPUs busy: ask again when they are idle.",
        best.busy_cpus);
  }
  return text + '\n' + wrapped(last, room) + '\n';
}

void write_recommendation(const std::string& path, const Question& question,
                          const std::vector<RankedSort>& ranked) {
  const auto time = [](double ns) { return fmt::format("{:.1f}", ns); };
  std::vector<Cells> rows;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const RankedSort& c = ranked[i];
    Cells& cells = rows.emplace_back(
        Cells{{"answer", std::string(answer_of(ranked, i))},
              {"ratio", fmt::format("{:.6g}", c.time_ns / ranked.front().time_ns)},
              {"time_ns", time(c.time_ns)},
              {"time_low_ns", time(c.interval.low)},
              {"time_high_ns", time(c.interval.high)},
              {"samples", std::to_string(c.samples)},
              {"from_n", std::to_string(c.from_n)},
              {"to_n", std::to_string(c.to_n)},
              {"name", c.name()}});
    for (const auto& [column, value] : Config{}.columns()) {
      cells.emplace_back(column, column == "n" ? std::to_string(question.n) : c.config.at(column));
    }
  }
  write_table(path, rows);
}

}  // namespace sortlab
