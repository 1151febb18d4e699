#include "tool/ladder/screen.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "common/harness/plan/counts.hpp"
#include "common/harness/terminal/text_table.hpp"
#include "common/harness/terminal/window.hpp"
#include "tool/list/catalogue.hpp"
#include "tool/list/source_text.hpp"

namespace sortlab {
namespace {

constexpr std::size_t kWidth = 100;  // columns of a line, where there is no window
constexpr std::size_t kIdeaIndent = 4;
constexpr double kNoisy =
    0.05;  // a larger spread makes samples unreliable, as in the table of `run`

/// Three digits: "0.239", "12.8", "851", "12818".
std::string three_digits(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}", value, value >= 9.995 ? 1 : value >= 0.9995 ? 2 : 3);
}

std::string rate(std::size_t n, double ns) {
  return three_digits(static_cast<double>(n) / ns * 1e3);
}

std::string times(double gain) { return three_digits(gain) + "x"; }

/// Values for a sort of n keys.
const Profile* profile_of(const std::vector<RecordedRung>& recorded, const std::string& id,
                          std::size_t n) {
  for (const auto& rung : recorded) {
    if (rung.variant == id && rung.profile && rung.profile->n == n) return &*rung.profile;
  }
  return nullptr;
}

std::string figures_table(std::string_view ladder, std::size_t n, const Figures& figures,
                          const std::vector<RecordedRung>& recorded) {
  TextTable table({"rung", "Mkeys/s", "spread", "gain", "launches", "bytes/key", "remarks"});
  for (const auto& [id, branch] : ladder_tree(ladder)) {
    const auto found = figures.find(id);
    const RungFigures rung = found == figures.end() ? RungFigures{} : found->second;
    const auto bytes = bytes_per_key(source_text(id), n);
    const Profile* const profile = profile_of(recorded, id, n);
    std::string remark = rung.remark;
    if (profile != nullptr) {
      remark += fmt::format("{}{:.0f} % of the time in {}", remark.empty() ? "" : "; ",
                            100 * profile->busiest_share, profile->busiest);
    }
    table.add({branch + id.substr(ladder.size() + 1), rung.rate, rung.spread, rung.gain,
               profile == nullptr ? "" : fmt::format("{:g}", profile->launches),
               bytes ? std::to_string(*bytes) : "", remark});
  }
  return table.text();
}

std::string ideas(std::string_view ladder) {
  const auto width = std::max<std::size_t>(window_width(STDOUT_FILENO).value_or(kWidth), 40);
  std::string text;
  for (const auto& row : ladder_tree(ladder)) {
    const auto source = source_text(row.id);
    text += row.id.substr(ladder.size() + 1);
    if (!source.path.empty()) text += fmt::format(": {}, {} lines", source.path, source.lines());
    text += '\n' + std::string(kIdeaIndent, ' ') +
            wrapped(idea_of(source), width, kIdeaIndent, kIdeaIndent) + '\n';
  }
  return text;
}

}  // namespace

Figures figures_of(std::string_view ladder, const std::map<std::string, MeasuredRung>& measured) {
  Figures figures;
  for (const auto& [id, rung] : measured) {
    RungFigures& out = figures[id];
    if (rung.median_ns == 0) {
      out.remark = (rung.failed ? "FAILED: " : "not measured: ") + rung.reason;
      continue;
    }
    out.rate = rate(rung.n, rung.median_ns);
    out.spread = fmt::format("{:.0f} %", 100 * rung.relative_iqr);
    if (rung.threads > 1) out.remark = fmt::format("{} threads", rung.threads);
    if (rung.relative_iqr > kNoisy) out.remark += out.remark.empty() ? "noisy" : ", noisy";
    const auto known = find_in_catalogue(id);
    if (!known || ladder_of(known->after) != ladder) continue;
    const auto before = measured.find(known->after);
    if (before == measured.end() || before->second.median_ns == 0) continue;
    out.gain = times(before->second.median_ns / rung.median_ns);
  }
  return figures;
}

Figures figures_of(const std::vector<RecordedRung>& recorded, std::size_t n) {
  Figures figures;
  for (const auto& rung : recorded) {
    RungFigures& out = figures[rung.variant];
    out.rate = rate(rung.n, rung.median_ns);
    if (rung.gain) out.gain = times(rung.gain->times);
    std::vector<std::string> remarks;
    if (rung.machine != recorded.front().machine) remarks.push_back("on " + rung.machine);
    if (rung.n != n) remarks.push_back("measured at " + count_text(rung.n));
    if (rung.gain && rung.gain->n != rung.n) {
      remarks.push_back("gain at " + count_text(rung.gain->n));
    }
    if (rung.threads > 1) remarks.push_back(fmt::format("{} threads", rung.threads));
    out.remark = fmt::format("{}", fmt::join(remarks, ", "));
  }
  return figures;
}

std::string ladder_screen(std::string_view ladder, std::size_t n, const Figures& figures,
                          const std::vector<RecordedRung>& recorded) {
  return figures_table(ladder, n, figures, recorded) + '\n' + ideas(ladder);
}

}  // namespace sortlab
