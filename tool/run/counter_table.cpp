#include "tool/run/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "common/harness/plan/counts.hpp"
#include "common/harness/record/csv.hpp"
#include "common/harness/terminal/text_table.hpp"
#include "common/harness/terminal/window.hpp"

namespace sortlab {
namespace {

constexpr std::size_t kCounterCell = 13;

/// In the order of kCounterNames.
constexpr const char* kHeads[] = {"cycles",      "instructions", "branch miss.",
                                  "cache miss.", "page faults",  "switches"};

struct CountedInput {
  std::string title;
  std::vector<const SummaryRow*> rows;
};

bool has_counters(const SummaryRow& row) {
  return std::any_of(row.counters.begin(), row.counters.end(),
                     [](const auto& count) { return count.has_value(); });
}

std::vector<CountedInput> counted_inputs(const std::vector<SummaryRow>& rows) {
  std::vector<CountedInput> inputs;
  std::map<std::pair<std::string, std::size_t>, std::size_t> places;
  for (const auto& row : rows) {
    if (!has_counters(row)) continue;
    const std::size_t n = whole_in(row.config, "n");
    const std::string title = input_title(row);
    const auto [place, is_new] = places.try_emplace({title, n}, inputs.size());
    if (is_new) inputs.push_back({fmt::format("{}, {} keys", title, count_text(n)), {}});
    inputs[place->second].rows.push_back(&row);
  }
  return inputs;
}

/// Sorts the lines, and keeps the fastest.
void arrange(CountedInput& input, const WayTitles& titles, const TableLayout& layout) {
  std::stable_sort(input.rows.begin(), input.rows.end(),
                   [](const auto* a, const auto* b) { return a->median_ns < b->median_ns; });
  if (layout.top > 0 && input.rows.size() > layout.top) input.rows.resize(layout.top);
  if (layout.sort_by == SortBy::time) return;
  std::stable_sort(input.rows.begin(), input.rows.end(),
                   [&](const auto* a, const auto* b) { return titles.of(*a) < titles.of(*b); });
}

/// Three digits, and no more than four decimals.
std::string figure(double value) {
  const int decimals = value < 0.0995  ? 4
                       : value < 0.995 ? 3
                       : value < 9.95  ? 2
                       : value < 99.5  ? 1
                                       : 0;
  return fmt::format("{:.{}f}", value, value == 0 ? 0 : decimals);
}

std::string counter_text(const SummaryRow& row, std::size_t counter) {
  const auto count = row.counters[counter];
  if (!count) return "";
  const bool per_key = counter < kCpuCounters;
  return figure(per_key ? *count / static_cast<double>(whole_in(row.config, "n")) : *count);
}

std::string lines_of(const CountedInput& input, const std::vector<std::size_t>& counters,
                     const WayTitles& titles, std::size_t window) {
  std::vector<std::string> heads;
  for (const std::size_t counter : counters) {
    heads.push_back(fmt::format("{:>{}}", kHeads[counter], kCounterCell));
  }
  std::vector<TitledLine> lines;
  for (const SummaryRow* row : input.rows) {
    TitledLine& line = lines.emplace_back(TitledLine{titles.of(*row), {}});
    for (const std::size_t counter : counters) {
      line.cells.push_back(fmt::format("{:>{}}", counter_text(*row, counter), kCounterCell));
    }
  }
  return titled_lines(heads, lines, kCounterCell, window);
}

}  // namespace

std::string readable_counters(const std::vector<SummaryRow>& rows, const TableLayout& layout) {
  std::vector<std::size_t> counted;
  for (std::size_t i = 0; i < kCounterNames.size(); ++i) {
    if (std::any_of(rows.begin(), rows.end(),
                    [&](const SummaryRow& row) { return row.counters[i].has_value(); })) {
      counted.push_back(i);
    }
  }
  const WayTitles titles(rows);
  std::string text;
  for (CountedInput& input : counted_inputs(rows)) {
    arrange(input, titles, layout);
    text += '\n' + painted(Tone::strong, wrapped(input.title + ": counters", layout.width)) + '\n';
    text += lines_of(input, counted, titles, layout.width);
  }
  if (text.empty()) return "";
  const std::string of_cpu = "cycles, instructions and misses per key, in user mode; ";
  const std::string legend =
      (counted.front() < kCpuCounters ? of_cpu : "") + "page faults and context switches per sort";
  return text + '\n' + painted(Tone::faint, wrapped(legend, layout.width)) + '\n';
}

}  // namespace sortlab
