#include "tool/run/conclusion.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "common/harness/plan/counts.hpp"
#include "common/harness/record/csv.hpp"
#include "common/harness/record/run_files.hpp"
#include "common/harness/terminal/window.hpp"
#include "common/notes.hpp"
#include "tool/run/table.hpp"

namespace sortlab {
namespace {

bool is_library(const SummaryRow& row) {
  const auto& id = row.config.at("variant");
  return row.config.at("algorithm") == "baselines" || id.starts_with("plugin/");
}

std::string title_of(Side side) {
  constexpr const char* kTitles[] = {"CPU", "GPU", "GPU with copies"};
  return kTitles[static_cast<std::size_t>(side)];
}

/// The numbers of threads that are separate contests: none unless some sort of the CPU was measured
/// with two of them.
std::set<int> thread_counts(const std::vector<SummaryRow>& rows) {
  std::map<std::string, std::set<int>> by_variant;
  for (const auto& row : rows) {
    if (side_of(row) == Side::cpu) {
      by_variant[row.config.at("variant")].insert(threads_in(row.config));
    }
  }
  std::set<int> counts;
  for (const auto& [id, threads] : by_variant) {
    if (threads.size() > 1) counts.insert(threads.begin(), threads.end());
  }
  return counts;
}

/// Successive contests with the same title, winner and rival.
struct Streak {
  std::vector<const Contest*> contests;

  const Contest& first() const { return *contests.front(); }
  const Contest& last() const { return *contests.back(); }
};

std::string id_of(const SummaryRow* row) { return row == nullptr ? "" : row->config.at("variant"); }

std::vector<Streak> streaks_of(const std::vector<Contest>& contests) {
  std::vector<Streak> streaks;
  for (const auto& contest : contests) {
    const bool goes_on =
        !streaks.empty() && streaks.back().last().title == contest.title &&
        id_of(&streaks.back().last().winner()) == id_of(&contest.winner()) &&
        streaks.back().last().is_tie() == contest.is_tie() &&
        (streaks.back().last().library() == nullptr) == (contest.library() == nullptr);
    if (!goes_on) streaks.emplace_back();
    streaks.back().contests.push_back(&contest);
  }
  return streaks;
}

/// "low .. high", or one of them if both have the same text.
std::string range(const std::string& low, const std::string& high) {
  return low == high ? low : low + " .. " + high;
}

/// The ids of a streak's rivals; only the most frequent one if there are many.
std::string rivals_of(const Streak& streak) {
  std::set<std::string> ids;
  for (const Contest* contest : streak.contests) ids.insert(id_of(contest->rival()));
  if (ids.size() <= 2) return fmt::format("{}", fmt::join(ids, " or "));
  return fmt::format("the best of {} others", ids.size());
}

std::string verdict_of(const Streak& streak) {
  const Contest& first = streak.first();
  if (first.rival() == nullptr) return "alone: nothing else was measured";
  double low = first.gain(), high = low;
  for (const Contest* contest : streak.contests) {
    low = std::min(low, contest->gain());
    high = std::max(high, contest->gain());
  }
  const bool over_library = first.rival() == first.library();
  const std::string rivals = (over_library ? "the best library, " : "") + rivals_of(streak);
  const bool is_next = std::all_of(streak.contests.begin(), streak.contests.end(),
                                   [](const Contest* c) { return c->rival() == c->ranked[1]; });
  const std::string factor = range(factor_title(low), factor_title(high));
  if (first.is_tie() && is_next) return fmt::format("a tie with {} ({})", rivals, factor);
  return fmt::format("{} faster than {}{}", factor, rivals,
                     first.is_tie() ? "; a tie with the next in rank" : "");
}

bool any_noisy(const Streak& streak) {
  return std::any_of(streak.contests.begin(), streak.contests.end(),
                     [](const Contest* contest) { return contest->winner().is_noisy(); });
}

std::string line_of(const Streak& streak, const WayTitles& titles) {
  double slow = speed_of(streak.first().winner()), fast = slow, spread = 0;
  for (const Contest* contest : streak.contests) {
    slow = std::min(slow, speed_of(contest->winner()));
    fast = std::max(fast, speed_of(contest->winner()));
    spread = std::max(spread, contest->winner().spread());
  }
  std::string text = fmt::format(
      "  {}: {}, {} {} ±{}: {}", range(count_text(streak.first().n), count_text(streak.last().n)),
      titles.of(streak.first().winner()), range(speed_title(slow), speed_title(fast)),
      speed_unit(streak.first().winner()), percent_title(spread), verdict_of(streak));
  if (any_noisy(streak)) text += " (noisy: measure again)";
  return text;
}

using nlohmann::ordered_json;

ordered_json json_of(const Contest& contest) {
  ordered_json json = {{"input", contest.title},
                       {"n", contest.n},
                       {"fastest", contest.winner().config.at("config_id")},
                       {"tie", contest.is_tie()}};
  const auto id_of = [](const SummaryRow* row) {
    return row == nullptr ? ordered_json(nullptr) : ordered_json(row->config.at("config_id"));
  };
  json["best_library"] = id_of(contest.library());
  json["rival"] = id_of(contest.rival());
  json["times_as_fast_as_rival"] =
      contest.rival() == nullptr ? ordered_json(nullptr) : ordered_json(contest.gain());
  return json;
}

ordered_json json_of(const RunResult& result, const std::string& csv) {
  ordered_json json = {{"rows", ordered_json::array()}, {"contests", ordered_json::array()}};
  for (const auto& row : result.rows) json["rows"].push_back(sortlab::json_of(row));
  for (const auto& contest : contests_of(result.rows)) json["contests"].push_back(json_of(contest));
  json["csv"] = csv;
  json["exit_code"] = result.exit_code;
  return json;
}

std::string files_of(const std::string& csv) {
  return fmt::format("\nsamples: {}\nmedians: {}\nmachine: {}\n", csv, beside(csv, ".summary.csv"),
                     beside(csv, ".run.json"));
}

}  // namespace

const SummaryRow* Contest::library() const {
  const auto found = std::find_if(ranked.begin(), ranked.end(),
                                  [](const SummaryRow* row) { return is_library(*row); });
  return found == ranked.end() ? nullptr : *found;
}

const SummaryRow* Contest::rival() const {
  const SummaryRow* const best = library();
  if (best != nullptr && best != ranked.front()) return best;
  return ranked.size() > 1 ? ranked[1] : nullptr;
}

double Contest::gain() const {
  return rival() == nullptr ? 1 : rival()->median_ns / winner().median_ns;
}

bool Contest::is_tie() const {
  return ranked.size() > 1 && ranked[1]->interval.low <= winner().interval.high;
}

std::vector<Contest> contests_of(const std::vector<SummaryRow>& rows) {
  const std::set<int> counts = thread_counts(rows);
  const std::set<int> budgets = counts.empty() ? std::set<int>{0} : counts;  // 0: any number
  std::set<Side> sides;
  for (const auto& row : rows) sides.insert(side_of(row));
  std::vector<std::string> titles;  // in order
  std::map<std::string, std::map<std::size_t, Contest>> contests;
  for (const int budget : budgets) {
    for (const auto& row : rows) {
      if (row.n_kept == 0 || row.median_ns <= 0) continue;
      const Side side = side_of(row);
      const bool on_cpu = side == Side::cpu;
      if (on_cpu && budget > 0 && threads_in(row.config) > budget) continue;
      if (!on_cpu && budget != *budgets.begin()) continue;
      std::string title = input_title(row);
      if (sides.size() > 1) title += ", " + title_of(side);
      if (budget > 0 && on_cpu) {
        title += budget == 1 ? ", 1 thread" : fmt::format(", up to {} threads", budget);
      }
      if (!contests.contains(title)) titles.push_back(title);
      const std::size_t n = whole_in(row.config, "n");
      Contest& contest = contests[title].try_emplace(n, Contest{title, n, {}}).first->second;
      contest.ranked.push_back(&row);
    }
  }
  std::vector<Contest> all;
  for (const auto& title : titles) {
    for (auto& [n, contest] : contests[title]) {
      std::stable_sort(contest.ranked.begin(), contest.ranked.end(),
                       [](const auto* a, const auto* b) { return a->median_ns < b->median_ns; });
      all.push_back(std::move(contest));
    }
  }
  return all;
}

std::string readable_conclusion(const std::vector<Contest>& contests, std::size_t width) {
  if (contests.empty()) return "";
  std::vector<SummaryRow> winners;
  for (const auto& contest : contests) winners.push_back(contest.winner());
  const WayTitles titles(winners);
  std::string text = '\n' + painted(Tone::strong, "Fastest:") + '\n', title;
  for (const auto& streak : streaks_of(contests)) {
    if (streak.first().title != title) {
      title = streak.first().title;
      text += title + '\n';
    }
    const std::string line = line_of(streak, titles);
    text +=
        painted(any_noisy(streak) ? Tone::doubtful : Tone::good, wrapped(line, width, 6)) + '\n';
  }
  return text;
}

void print_result(const RunResult& result, const std::string& csv, TableLayout layout,
                  OutputFormat format) {
  if (format == OutputFormat::json) {
    print_json("run", json_of(result, csv));
  } else {
    const bool to_stderr = csv == "-";
    const int fd = to_stderr ? STDERR_FILENO : STDOUT_FILENO;
    layout.width = room_for_text(fd);
    const std::string skips = readable_skips(result.rows);
    const std::string text = readable_table(result.rows, layout) +
                             readable_counters(result.rows, layout) +
                             (skips.empty() ? "" : '\n' + wrapped_lines(skips, layout.width, 2)) +
                             readable_conclusion(contests_of(result.rows), layout.width) +
                             readable_crossings(result.rows, layout.width);
    to_stderr ? note("{}", text) : fmt::print("{}", text);
    if (has_files_beside(csv)) fmt::print("{}", files_of(csv));
  }
  if (!result.why_nothing.empty()) note_line("nothing was measured: " + result.why_nothing);
}

}  // namespace sortlab
