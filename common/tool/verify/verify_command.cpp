// `sortlab verify`: runs every selected variant on the adversarial sizes and all patterns.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "common/contract/errors.hpp"
#include "common/harness/ranks/serve_ranks.hpp"
#include "common/harness/record/summary.hpp"
#include "common/harness/run/engine.hpp"
#include "common/harness/run/interrupt.hpp"
#include "common/harness/run/progress.hpp"
#include "common/harness/verify/check.hpp"
#include "common/harness/worker/workers.hpp"
#include "common/tool/commands.hpp"
#include "common/tool/help.hpp"
#include "common/tool/selection_flags.hpp"

namespace sortlab {
namespace {

struct Options {
  Selection selection;
  double timeout_s = 120;
  bool in_process = false;
};

std::unique_ptr<Measurer> measurer_of(const Options& options) {
  if (options.in_process) return std::make_unique<InProcessMeasurer>(StopSettings{});
  return std::make_unique<Workers>(StopSettings{}, options.timeout_s);
}

int verify_command(const Options& options) {
  if (!(options.timeout_s > 0)) throw BadInput("--timeout must be positive");
  Selection selection = options.selection;
  if (selection.dists.empty()) {
    for (const auto& d : patterns()) selection.dists.emplace_back(d.name);
  }
  if (selection.types.empty() && selection.records.empty())
    selection.types.assign(std::begin(kKeyTypeNames), std::end(kKeyTypeNames));
  if (selection.values.empty()) {
    selection.values = {"keys"};
    if (!selection.types.empty()) selection.values.emplace_back("pairs");
  }
  if (selection.sizes.empty()) {
    std::string sizes;
    for (const std::size_t n : adversarial_sizes(8193)) sizes += fmt::format("{},", n);
    selection.sizes = {sizes + "100003"};
  }
  const std::vector<Planned> all = plan(selection);
  if (const auto exit_code = serve_as_rank()) return *exit_code;
  const auto measurer = measurer_of(options);
  std::size_t passed = 0, failed = 0, skipped = 0;
  std::map<std::string, std::size_t> skipped_because;
  watch_for_interrupts();
  Progress progress;
  for (const auto& p : all) progress.expect(p.config.variant, p.config.n);
  measurer->while_waiting([&progress] { progress.tick(); });
  for (const Planned& planned : all) {
    Outcome outcome{Status::skipped, planned.skip_reason};
    if (planned.skip_reason.empty() || planned.skip_reason == kCorrectnessOnly) {
      progress.begin(planned.config.benchmark_name());
      outcome = measurer->check(planned.config);
    }
    if (interrupted()) {
      progress.end();
      return 130;
    }
    progress.finished(planned.config.variant, planned.config.n);
    switch (outcome.status) {
      case Status::ok:
        ++passed;
        break;
      case Status::oom:  // a fact about the machine, not the sort
        outcome.reason = "out of memory: " + outcome.reason;
        [[fallthrough]];
      case Status::skipped:
        ++skipped;
        ++skipped_because[outcome.reason];
        break;
      default:
        ++failed;
        progress.end();
        fmt::print("FAILED {}: {}\n", planned.config.benchmark_name(), outcome.reason);
    }
  }
  progress.end();
  fmt::print("{} passed, {} failed, {} skipped{}\n", passed, failed, skipped,
             skipped_because.size() == 1 ? ": " + skipped_because.begin()->first : "");
  if (skipped_because.size() > 1) fmt::print("{}", readable_skips(skipped_because));
  if (failed > 0) return 1;
  return passed > 0 ? 0 : kAllSkipped;
}

}  // namespace

void add_verify_command(CLI::App& app, CommandContext& context) {
  const auto options = std::make_shared<Options>();
  auto* verify =
      app.add_subcommand("verify", "Check results on adversarial inputs, without clocks");
  add_selection(*verify, options->selection,
                {.types = "all six",
                 .dists = "all patterns of `dists`",
                 .sizes = "0 to 100003, where sorts break"});
  verify
      ->add_option("--values", options->selection.values,
                   "Keys alone, keys with u32 values, or both (default keys,pairs)")
      ->delimiter(',')
      ->type_name("keys|pairs|keys,pairs");
  verify->add_option("--timeout", options->timeout_s,
                     "Seconds after which a sort is given up (default 120)");
  verify->add_flag("--in-process", options->in_process,
                   "No worker process: for debuggers, compute-sanitizer");
  add_examples(
      *verify, context,
      {"verify --filter 'cpu/*'", "verify --type f64 --dist special --n 1..100000*10",
       "verify --filter 'cpu/records/*' --record 100:10,16:16 --ranks 3",
       "verify --plugin ./libmysort.so --filter 'plugin/*' --type u32"},
      "Exit code: 0; 1 when a sort failed; 2 for bad input; 3 when every check was skipped; "
      "130 after\nCtrl-C.");
  verify->callback([options, &context] { context.exit_code = verify_command(*options); });
}

}  // namespace sortlab
