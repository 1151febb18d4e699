// The last lines of a run with sorts of both sides: from which n on the GPU is faster.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "common/harness/plan/counts.hpp"
#include "common/harness/record/csv.hpp"
#include "common/harness/terminal/window.hpp"
#include "tool/crossing.hpp"
#include "tool/run/conclusion.hpp"
#include "tool/run/table.hpp"

namespace sortlab {
namespace {

struct BothSides {
  std::string title;
  BestTimes cpu;
  std::map<std::string, BestTimes>
      gpu;  // by the host memory from and to which the items are copied; or none
};

/// In the order of the rows. Sorts that a CUDA graph launches do not count: a program rarely has one.
std::vector<BothSides> inputs_of(const std::vector<SummaryRow>& rows) {
  std::vector<BothSides> inputs;
  for (const auto& row : rows) {
    if (row.n_kept == 0 || row.config.at("launch") == "graph") continue;
    const std::string title = input_title(row);
    auto input = std::find_if(inputs.begin(), inputs.end(),
                              [&](const BothSides& known) { return known.title == title; });
    if (input == inputs.end()) input = inputs.insert(input, {title, {}, {}});
    BestTimes& times =
        side_of(row) == Side::cpu ? input->cpu : input->gpu[row.config.at("host_mem")];
    const auto [best, is_new] = times.try_emplace(whole_in(row.config, "n"), row.median_ns);
    if (!is_new) best->second = std::min(best->second, row.median_ns);
  }
  return inputs;
}

/// Two digits: "730", "21K", "1.4M".
std::string about(double n) {
  for (const auto& [unit, suffix] : {std::pair{30, "G"}, {20, "M"}, {10, "K"}}) {
    const double count = n / static_cast<double>(std::size_t{1} << unit);
    if (count >= 1) return fmt::format("{:.{}f}{}", count, count < 9.95 ? 1 : 0, suffix);
  }
  return fmt::format("{:.0f}", n);
}

std::string verdict_of(const Crossing& crossing) {
  switch (crossing.kind) {
    case Crossing::Kind::at:
      return fmt::format("the GPU wins from about {} keys on", about(crossing.n));
    case Crossing::Kind::always_gpu:
      return fmt::format("the GPU wins at all n, {} .. {}", count_text(crossing.n_low),
                         count_text(crossing.n_high));
    case Crossing::Kind::always_cpu:
      return fmt::format("the CPU wins at {}, the largest n", count_text(crossing.n_high));
    case Crossing::Kind::no_common_n:
      break;
  }
  return "no n was measured on both sides";
}

}  // namespace

std::string readable_crossings(const std::vector<SummaryRow>& rows, std::size_t width) {
  std::string text;
  for (const auto& [title, cpu, gpu] : inputs_of(rows)) {
    if (cpu.empty()) continue;
    for (const auto& [host_mem, times] : gpu) {
      const std::string copies = host_mem == "none" ? "" : ", with copies (" + host_mem + ")";
      const std::string verdict = verdict_of(crossing_of(cpu, times));
      text += wrapped(fmt::format("  {}{}: {}", title, copies, verdict), width, 6) + '\n';
    }
  }
  if (text.empty()) return "";
  return '\n' + painted(Tone::strong, "GPU against CPU:") + '\n' + text;
}

}  // namespace sortlab
