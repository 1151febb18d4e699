#include "tool/run/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/harness/plan/counts.hpp"
#include "common/harness/record/row_numbers.hpp"
#include "common/harness/terminal/paint.hpp"
#include "common/harness/terminal/text_table.hpp"
#include "common/harness/terminal/window.hpp"
#include "tool/run/titles.hpp"

namespace sortlab {
namespace {

struct Line {
  std::string title;
  std::map<std::size_t, const SummaryRow*> cells;  // by n

  /// The value at the largest measured n; 0 if there is none.
  double speed() const {
    for (auto cell = cells.rbegin(); cell != cells.rend(); ++cell) {
      if (cell->second->n_kept > 0) return cell->second->keys_per_s;
    }
    return 0;
  }
};

struct Block {
  std::string title;
  std::string unit;
  std::vector<Line> lines;
  std::set<std::size_t> sizes;
  bool is_loaded = false;

  const SummaryRow* fastest(std::size_t n) const {
    const SummaryRow* best = nullptr;
    for (const auto& line : lines) {
      const auto cell = line.cells.find(n);
      if (cell == line.cells.end() || cell->second->n_kept == 0) continue;
      if (best == nullptr || cell->second->median_ns < best->median_ns) best = cell->second;
    }
    return best;
  }
};

std::vector<Block> blocks_of(const std::vector<SummaryRow>& rows) {
  const WayTitles titles(rows);
  std::vector<Block> blocks;
  std::map<std::string, std::size_t> places;
  std::vector<std::map<std::string, std::size_t>> lines;  // of each block, by title
  for (const auto& row : rows) {
    const std::string title = input_title(row);
    const auto [place, is_new] = places.try_emplace(title, blocks.size());
    if (is_new) {
      blocks.push_back({title, speed_unit(row), {}, {}, row.config.at("load") != "0"});
      lines.emplace_back();
    }
    Block& block = blocks[place->second];
    const std::string way = titles.of(row);
    const auto [line, is_new_line] = lines[place->second].try_emplace(way, block.lines.size());
    if (is_new_line) block.lines.push_back({way, {}});
    const std::size_t n = whole_in(row.config, "n");
    block.lines[line->second].cells[n] = &row;
    block.sizes.insert(n);
  }
  return blocks;
}

/// Sorts the lines and keeps the first ones. Returns how many are left out.
std::size_t arrange(Block& block, const TableLayout& layout) {
  std::stable_sort(block.lines.begin(), block.lines.end(), [&](const Line& a, const Line& b) {
    return layout.sort_by == SortBy::id ? a.title < b.title : a.speed() > b.speed();
  });
  if (layout.top == 0 || block.lines.size() <= layout.top) return 0;
  std::vector<double> speeds;
  for (const auto& line : block.lines) speeds.push_back(line.speed());
  std::sort(speeds.rbegin(), speeds.rend());
  const double least = speeds[layout.top - 1];
  std::size_t kept = 0;
  const std::size_t all = block.lines.size();
  std::erase_if(block.lines,
                [&](const Line& line) { return line.speed() < least || kept++ >= layout.top; });
  return all - block.lines.size();
}

constexpr std::size_t kCell = 15;  // "  1420* +-0.4% ", with the space before it

/// A figure with its marks, padded; or the reason for none.
std::string cell_of(const Block& block, std::size_t n, const SummaryRow& row) {
  if (row.n_kept == 0) return painted(Tone::faint, fmt::format("{:>{}}", row.status, kCell));
  const bool is_fastest = &row == block.fastest(n) && block.lines.size() > 1;
  const bool is_noisy = row.is_noisy();
  const std::string marks = fmt::format("{}{}", is_fastest ? "*" : "", is_noisy ? "!" : "");
  const std::string beside = block.is_loaded ? fmt::format("{:.2f}", row.p90_ns / row.median_ns)
                                             : "±" + percent_title(row.spread());
  const std::string text = fmt::format("{:>7}{:2}{:>6}", speed_title(speed_of(row)), marks, beside);
  if (is_fastest) return painted(Tone::good, text);
  return is_noisy && !block.is_loaded ? painted(Tone::doubtful, text) : text;
}

std::string lines_of(const Block& block, std::size_t window) {
  std::vector<std::string> heads;
  for (const std::size_t n : block.sizes) {
    heads.push_back(fmt::format("{:>{}}      ", count_text(n), kCell - 6));
  }
  std::vector<TitledLine> lines;
  for (const auto& [title, cells] : block.lines) {
    TitledLine& line = lines.emplace_back(TitledLine{title, {}});
    for (const std::size_t n : block.sizes) {
      const auto cell = cells.find(n);
      line.cells.push_back(cell == cells.end() ? std::string(kCell, ' ')
                                               : cell_of(block, n, *cell->second));
    }
  }
  return titled_lines(heads, lines, kCell, window);
}

}  // namespace

std::string readable_table(const std::vector<SummaryRow>& rows, const TableLayout& layout) {
  std::string text;
  for (Block& block : blocks_of(rows)) {
    const std::size_t left_out = arrange(block, layout);
    const char* const beside =
        block.is_loaded ? "; 90th percentile of the times over their median" : "";
    const std::string title = fmt::format("{} ({}{})", block.title, block.unit, beside);
    text += '\n' + painted(Tone::strong, wrapped(title, layout.width)) + '\n';
    text += lines_of(block, layout.width);
    if (left_out > 0) text += fmt::format("... and {} slower ones\n", left_out);
  }
  const bool any_measured =
      std::any_of(rows.begin(), rows.end(), [](const SummaryRow& row) { return row.n_kept > 0; });
  if (!any_measured) return text;
  const std::string legend =
      "* fastest; ±: half of the samples lie this near the median; ! noisy: not to be trusted";
  return text + '\n' + painted(Tone::faint, wrapped(legend, layout.width)) + '\n';
}

}  // namespace sortlab
