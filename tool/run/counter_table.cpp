#include "tool/run/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "common/harness/record/row_numbers.hpp"
#include "common/harness/terminal/paint.hpp"
#include "common/harness/terminal/window.hpp"
#include "tool/run/titles.hpp"

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
    if (is_new) inputs.push_back({fmt::format("{}, {} keys", title, size_title(n)), {}});
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

std::string count_text(const SummaryRow& row, std::size_t counter) {
  const auto count = row.counters[counter];
  if (!count) return "";
  const bool per_key = counter < kCpuCounters;
  return figure(per_key ? *count / static_cast<double>(whole_in(row.config, "n")) : *count);
}

/// The columns `counters`.
std::string counter_lines(const CountedInput& input, const std::vector<std::size_t>& counters,
                          const WayTitles& titles, std::size_t width) {
  std::string text(width, ' ');
  for (const std::size_t counter : counters)
    text += fmt::format("{:>{}}", kHeads[counter], kCounterCell);
  text += '\n';
  for (const SummaryRow* row : input.rows) {
    std::string line = fmt::format("{:{}}", cut_to(titles.of(*row), width), width);
    for (const std::size_t counter : counters)
      line += fmt::format("{:>{}}", count_text(*row, counter), kCounterCell);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
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
    std::size_t width = 0;
    for (const auto* row : input.rows) width = std::max(width, columns_of(titles.of(*row)));
    width = std::min(width, layout.width - std::min(layout.width, kCounterCell));
    const std::size_t columns = std::max<std::size_t>((layout.width - width) / kCounterCell, 1);
    text += '\n' + painted(Tone::strong, wrapped(input.title + ": counters", layout.width)) + '\n';
    for (std::size_t first = 0; first < counted.size(); first += columns) {
      const auto begin = counted.begin() + static_cast<std::ptrdiff_t>(first);
      const auto count = std::min(columns, counted.size() - first);
      text +=
          counter_lines(input, {begin, begin + static_cast<std::ptrdiff_t>(count)}, titles, width);
    }
  }
  if (text.empty()) return "";
  const std::string of_cpu = "cycles, instructions and misses per key, in user mode; ";
  const std::string legend =
      (counted.front() < kCpuCounters ? of_cpu : "") + "page faults and context switches per sort";
  return text + '\n' + painted(Tone::faint, wrapped(legend, layout.width)) + '\n';
}

}  // namespace sortlab
