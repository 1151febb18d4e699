// Prints and writes the results of `sortlab compare`.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "common/harness/config.hpp"
#include "common/harness/terminal/window.hpp"
#include "tool/compare/compare.hpp"
#include "tool/output_format.hpp"

namespace sortlab {
namespace {

std::string shown(const std::string& value) { return value.empty() ? "nothing" : value; }

/// One line for each pair of values by which base and new differ, with the number of
/// configurations.
std::string differences(const Comparison& comparison) {
  std::string text;
  for (const auto& column : columns_that_may_differ()) {
    std::map<std::pair<std::string, std::string>, std::size_t> differing;
    for (const auto& row : comparison.rows) {
      const auto& base = row.base->config.at(column);
      const auto& next = row.next->config.at(column);
      if (base != next) ++differing[{base, next}];
    }
    for (const auto& [values, count] : differing) {
      const std::string line =
          fmt::format("{}{}: {} in the base, {} in the new run ({} configuration{})",
                      column == "device" ? "different machines: " : "differing ", column,
                      shown(values.first), shown(values.second), count, count == 1 ? "" : "s");
      text += wrapped(line, room_for_text(STDOUT_FILENO)) + '\n';
    }
  }
  return text;
}

/// In windows narrower than this, a row takes two lines and has no intervals.
constexpr std::size_t kWideLine = 140;

/// More samples than a run takes by default.
constexpr std::size_t kTooMany = 1000;

/// "8.00x"; a factor that says nothing is no long number.
std::string factor(double ratio) {
  const double times = std::max(ratio, 1 / ratio);
  if (!(times <= 99)) return ">99x";
  return fmt::format("{:.{}f}x", times, times < 1.9995 ? 3 : times < 9.995 ? 2 : 1);
}

std::string_view direction(double ratio) { return ratio > 1 ? "slower" : "faster"; }

/// "1.050x .. 1.151x slower", or both directions where 1 lies between.
std::string interval_title(const Interval& interval) {
  const auto& [low, high] = interval;
  const double near = low >= 1 ? low : high, far = low >= 1 ? high : low;
  if (low >= 1 || high <= 1) {
    return fmt::format("{} .. {} {}", factor(near), factor(far), direction(far));
  }
  return fmt::format("{} faster .. {} slower", factor(low), factor(high));
}

Tone tone_of(Change verdict) {
  if (verdict == Change::slower || verdict == Change::failed) return Tone::bad;
  if (verdict == Change::unclear) return Tone::doubtful;
  return verdict == Change::faster ? Tone::good : Tone::faint;
}

std::string line_of(const Compared& row, double threshold) {
  const std::string name = configuration_name(row.next->config);
  const std::string verdict =
      painted(tone_of(row.verdict), fmt::format("{:10}", name_of(row.verdict)));
  if (row.verdict == Change::failed) {
    return fmt::format("{} {} ({}: {})\n", verdict, name, row.next->status, row.next->reason);
  }
  const auto& [ratio, interval, p, base, next] = row.ratio;
  std::string note;
  if (row.verdict == Change::unclear) {
    const std::size_t samples = samples_to_tell(row, threshold);
    note = samples > kTooMany ? " (too noisy: measure both again with --rounds 5)"
                              : fmt::format(" (about {} samples would tell)", samples);
  }
  if (room_for_text(STDOUT_FILENO) < kWideLine) {
    constexpr std::size_t kIndent = 11;
    return fmt::format("{} {:>13}  {} -> {}\n{:{}}{}\n", verdict, change_title(ratio),
                       readable_time(base), readable_time(next), "", kIndent,
                       wrapped(name + note, room_for_text(STDOUT_FILENO), kIndent, kIndent));
  }
  return fmt::format("{} {:>13}  {:<31} {:>8} {:>8} {:>8}  {:>4} {:>4}  {}{}\n", verdict,
                     change_title(ratio), interval_title(interval),
                     p < 0.0001 ? "<0.0001" : fmt::format("{:.4f}", p), readable_time(base),
                     readable_time(next), row.base->n_kept, row.next->n_kept, name, note);
}

std::string counts(const Comparison& comparison) {
  std::string text = fmt::format("{} configuration{} in both:", comparison.rows.size(),
                                 comparison.rows.size() == 1 ? "" : "s");
  for (const auto verdict : {Change::failed, Change::identical, Change::slower, Change::faster,
                             Change::same, Change::unclear}) {
    const auto count = comparison.count(verdict);
    const bool is_rare = verdict == Change::failed || verdict == Change::identical;
    if (is_rare && count == 0) continue;
    text += fmt::format(" {} {},", count, name_of(verdict));
  }
  text.back() = ';';
  text += fmt::format(" only in the base {}, only in the new run {}, without samples {}",
                      comparison.only_base.size(), comparison.only_new.size(),
                      comparison.unmeasured.size());
  return wrapped(text, room_for_text(STDOUT_FILENO)) + '\n';
}

}  // namespace

std::string change_title(double ratio) {
  const std::string times = factor(ratio);
  return times == "1.000x" ? "as fast" : fmt::format("{} {}", times, direction(ratio));
}

std::string readable_comparison(const Comparison& comparison, double threshold) {
  std::string text = differences(comparison);
  const bool wide = room_for_text(STDOUT_FILENO) >= kWideLine;
  if (wide)
    text += painted(Tone::strong, fmt::format("{:10} {:>13}  {:<31} {:>8} {:>8} {:>8}  {:>9}  {}",
                                              "verdict", "new is", "95 % interval", "p", "base",
                                              "new", "samples", "configuration") +
                                      '\n');
  for (const auto& row : comparison.rows) text += line_of(row, threshold);
  return text + counts(comparison);
}

namespace {

/// The columns that may differ occur twice, for base and new.
Cells cells_of(const Compared& row) {
  const auto& [base, next, ratio, verdict] = row;
  const auto figure = [measured = verdict != Change::failed](double value) {
    return measured ? fmt::format("{:.6g}", value) : "";
  };
  const auto time = [](double ns) { return ns > 0 ? fmt::format("{:.1f}", ns) : ""; };
  Cells cells = {{"verdict", std::string(name_of(verdict))},
                 {"ratio", figure(ratio.value)},
                 {"ratio_low", figure(ratio.interval.low)},
                 {"ratio_high", figure(ratio.interval.high)},
                 {"p", figure(ratio.p)},
                 {"base_median_ns", time(ratio.base)},
                 {"new_median_ns", time(ratio.next)},
                 {"base_samples", std::to_string(base->n_kept)},
                 {"new_samples", std::to_string(next->n_kept)}};
  const auto& loose = columns_that_may_differ();
  for (const auto& column : loose) {
    cells.emplace_back("base_" + column, base->config.at(column));
    cells.emplace_back("new_" + column, next->config.at(column));
  }
  for (const auto& [column, value] : Config{}.columns()) {
    if (std::find(loose.begin(), loose.end(), column) != loose.end()) continue;
    cells.emplace_back(column, next->config.at(column));
  }
  return cells;
}

}  // namespace

void write_comparison(const std::string& path, const Comparison& comparison) {
  std::vector<Cells> rows;
  for (const auto& row : comparison.rows) rows.push_back(cells_of(row));
  write_table(path, rows);
}

}  // namespace sortlab
