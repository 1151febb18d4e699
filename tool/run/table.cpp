#include "tool/run/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/contract/numbers.hpp"
#include "common/harness/plan/counts.hpp"
#include "common/harness/record/csv.hpp"
#include "common/harness/terminal/text_table.hpp"
#include "common/harness/terminal/window.hpp"

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

std::string input_title(const SummaryRow& row) {
  const auto& c = row.config;
  std::string title = name_of_types(c.at("key_type"), whole_in(c, "value_bytes"), " + ");
  if (c.at("order") != "asc") title += ", descending";
  title += ", " + c.at("dist");
  if (!c.at("dist_param").empty()) title += " " + c.at("dist_param");
  if (!c.at("lengths").empty()) title += ", segments " + c.at("lengths");
  if (!c.at("best").empty()) title += ", best " + c.at("best");
  if (c.at("load") != "0") title += ", load " + c.at("load");
  return title;
}

Side side_of(const SummaryRow& row) {
  const auto& c = row.config;
  const bool on_device = c.at("threads") == "0";
  if (on_device && c.at("host_mem") == "none") return Side::gpu;
  return on_device || c.at("variant").starts_with("gpu/") ? Side::gpu_with_copies : Side::cpu;
}

WayTitles::WayTitles(const std::vector<SummaryRow>& rows) {
  std::map<std::string, std::set<std::string>> params;
  for (const auto& row : rows) {
    many_threads_ |= whole_in(row.config, "threads") > 1;
    params[row.config.at("variant")].insert(row.config.at("params"));
  }
  for (const auto& [id, settings] : params) {
    if (settings.size() > 1) swept_.insert(id);
  }
}

std::string WayTitles::of(const SummaryRow& row) const {
  std::string title = row.config.at("variant");
  if (const auto threads = whole_in(row.config, "threads"); threads > 1) {
    title += fmt::format(" x{}", threads);
  } else if (threads == 1 && many_threads_) {
    title += " (1 thread)";
  }
  if (const auto& ranks = row.config.at("ranks"); !ranks.empty()) title += " ranks:" + ranks;
  if (const auto& devices = row.config.at("devices"); !devices.empty()) {
    title += " devices:" + devices;
  }
  if (swept_.contains(row.config.at("variant"))) title += " " + row.config.at("params");
  if (const auto& host_mem = row.config.at("host_mem"); host_mem != "none") title += " " + host_mem;
  if (const auto limit = parse_whole(row.config.at("memory_limit_bytes"))) {
    title += " gpu_mem:" + count_text(*limit);
  }
  if (const auto& launch = row.config.at("launch"); launch != "stream") title += " " + launch;
  return title;
}

double speed_of(const SummaryRow& row) {
  const std::size_t bytes = record_bytes_in(row.config);
  return bytes == 0 ? row.keys_per_s * 1e-6 : row.keys_per_s * static_cast<double>(bytes) * 1e-9;
}

std::string speed_unit(const SummaryRow& row) {
  return record_bytes_in(row.config) == 0 ? "million keys per second" : "GB per second";
}

std::string speed_title(double speed) {
  const int decimals = speed < 9.995 ? 2 : speed < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", speed, decimals);
}

std::string percent_title(double share) {
  const double percent = 100 * share;
  return percent > 999 ? ">999%" : fmt::format("{:.{}f}%", percent, percent < 0.95 ? 1 : 0);
}

std::string factor_title(double factor) {
  return fmt::format("{:.{}f}x", factor, factor < 1.995 ? 2 : factor < 99.5 ? 1 : 0);
}

}  // namespace sortlab
