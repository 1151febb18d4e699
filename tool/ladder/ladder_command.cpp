// `sortlab ladder`: a ladder on one screen, and the changes between two of its rungs.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <set>

#include "common/contract/errors.hpp"
#include "common/contract/variant.hpp"
#include "common/harness/machine/cpu_share.hpp"
#include "common/harness/plan/counts.hpp"
#include "common/harness/record/run_files.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/run/engine.hpp"
#include "common/harness/run/interrupt.hpp"
#include "common/harness/terminal/window.hpp"
#include "tool/flags.hpp"
#include "tool/help.hpp"
#include "tool/ladder/screen.hpp"
#include "tool/list/catalogue.hpp"

namespace sortlab {
namespace {

constexpr std::size_t kHostKeys = std::size_t{1} << 20;
constexpr std::size_t kDeviceKeys = std::size_t{1} << 24;

struct LadderOptions {
  std::string ladder;
  std::string n;
  bool recorded = false;
  std::vector<std::string> diff;
};

void require_ladder(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [ladder, rungs] : ladders()) {
    if (ladder.starts_with("plugin/") || ladder.ends_with("/baselines")) continue;
    if (ladder == name) return;
    known.push_back(ladder);
  }
  throw unknown_name("ladder", name, known);
}

/// Why no rung can be measured here; "" when one can.
std::string unmeasurable(const std::string& ladder) {
  std::string why = "this program holds none of its rungs";
  if (ladder.starts_with("gpu/")) why = device_unavailable();
  for (const auto& variant : all_variants()) {
    if (ladder_of(variant.id) != ladder) continue;
    why = variant.unavailable();
    if (why.empty()) return "";
  }
  return why;
}

std::string keys_of(std::size_t n) { return count_text(n) + " uniform u32 keys"; }

/// Prints lines, wrapped to the window.
void print_fitted(const std::string& lines) {
  fmt::print("{}\n", wrapped(lines, room_for_text(STDOUT_FILENO)));
}

/// "16 threads of Intel(R) Xeon(R) Processor", "NVIDIA H200".
std::string machine_text(const std::string& device, int threads) {
  return threads == 0 ? device
                      : fmt::format("{} thread{} of {}", threads, threads == 1 ? "" : "s", device);
}

/// The most common number of keys among the rungs on the first rung's machine; 0 without any rung.
std::size_t common_n(const std::vector<RecordedRung>& rungs) {
  std::map<std::size_t, int> rungs_of;
  for (const auto& rung : rungs) {
    if (rung.machine == rungs.front().machine) ++rungs_of[rung.n];
  }
  std::size_t n = 0;
  for (const auto& [size, count] : rungs_of) {
    if (n == 0 || count >= rungs_of[n]) n = size;
  }
  return n;
}

void print_recorded(const std::string& ladder, const std::string& why) {
  const auto rungs = recorded_rungs(ladder);
  const std::size_t n = common_n(rungs);
  if (rungs.empty()) {
    print_fitted(fmt::format("{}: not measured here ({}), and not in results/\n", ladder, why));
  } else {
    int threads = 0;
    std::set<std::string> revisions;
    for (const auto& rung : rungs) {
      revisions.insert(rung.revision);
      if (rung.machine == rungs.front().machine) threads = std::max(threads, rung.threads);
    }
    print_fitted(fmt::format("{}: {}, {}\nfrom results/{}, revision{} {}; not measured here: {}\n",
                             ladder, keys_of(n), machine_text(rungs.front().device, threads),
                             rungs.front().machine, revisions.size() == 1 ? "" : "s",
                             fmt::join(revisions, ", "), why));
  }
  fmt::print("{}", ladder_screen(ladder, n, figures_of(rungs, n), rungs));
}

int print_measured(const std::string& ladder, std::size_t n) {
  tell_cpu_share();
  const auto rungs = measure_rungs(ladder, n);
  if (interrupted()) return 130;
  int threads = 0;
  std::string device;
  bool failed = false;
  bool any = false;
  for (const auto& [id, rung] : rungs) {
    any = any || rung.median_ns > 0;
    threads = std::max(threads, rung.threads);
    if (!rung.device.empty()) device = rung.device;
    failed = failed || rung.failed;
  }
  if (!any) {
    print_fitted(
        fmt::format("{}: {}\nno rung was measured: choose another --n\n", ladder, keys_of(n)));
    fmt::print("{}", ladder_screen(ladder, n, figures_of(ladder, rungs), recorded_rungs(ladder)));
    return failed ? 1 : kAllSkipped;
  }
  print_fitted(fmt::format("{}: {}, {}\nmeasured now, revision {}, each result verified\n", ladder,
                           keys_of(n), machine_text(device, threads), this_revision()));
  fmt::print("{}", ladder_screen(ladder, n, figures_of(ladder, rungs), recorded_rungs(ladder)));
  return failed ? 1 : 0;
}

int ladder_command(LadderOptions& options, const CommandContext& context) {
  require_ladder(options.ladder);
  if (!options.diff.empty()) return print_diff(options.ladder, options.diff[0], options.diff[1]);
  const bool on_device = options.ladder.starts_with("gpu/");
  std::size_t n = on_device ? kDeviceKeys : kHostKeys;
  if (!options.n.empty()) n = parse_count(options.n);
  if (n == 0) throw BadInput("--n: 1 or more");
  const std::string why = options.recorded ? "--recorded was given" : unmeasurable(options.ladder);
  int exit_code = 0;
  if (why.empty()) {
    exit_code = print_measured(options.ladder, n);
  } else {
    print_recorded(options.ladder, why);
  }
  if (exit_code != 130) {
    print_fitted(fmt::format(
        "\ngain: times as fast as the rung before it. What changed: {} ladder {} --diff A B",
        context.program, options.ladder));
  }
  return exit_code;
}

}  // namespace

void add_ladder_command(CLI::App& app, CommandContext& context) {
  auto [ladder, options] =
      add_command(app, context, "ladder",
                  "Show a series of sorts step by step, and what each step gains", ladder_command);
  add_text(ladder, "LADDER", options.ladder, "LADDER", "As in cpu/radix, gpu/bitonic")->required();
  auto* n =
      add_text(ladder, "--n", options.n, "N", "Number of keys (default 1M; for GPU sorts 16M)");
  auto* recorded = ladder.add_flag("--recorded", options.recorded,
                                   "Measure nothing: show the results in results/");
  add_text(ladder, "--diff", options.diff, "RUNG RUNG", "What changed between two rungs' files")
      ->expected(2)
      ->excludes(n)
      ->excludes(recorded);
  recorded->excludes(n);
  add_examples(
      ladder, context, {"ladder cpu/radix", "ladder gpu/bitonic --diff v1 v2"},
      "Measures the rungs that can run here, and verifies each result. Otherwise, and with "
      "--recorded,\nit shows what is in results/, with its machine and revision.");
}

}  // namespace sortlab
