// `sortlab verify`: runs every selected variant on the adversarial sizes and all patterns.
#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <memory>

#include "common/harness/ranks/ranks.hpp"
#include "common/harness/record/summary.hpp"
#include "common/harness/run/engine.hpp"
#include "common/harness/run/interrupt.hpp"
#include "common/harness/run/progress.hpp"
#include "common/harness/terminal/window.hpp"
#include "common/harness/verify/check.hpp"
#include "common/harness/worker/workers.hpp"
#include "tool/flags.hpp"
#include "tool/help.hpp"
#include "tool/selection_flags.hpp"

namespace sortlab {
namespace {

struct VerifyOptions {
  Selection selection;
  double timeout_s = 120;
  bool in_process = false;
};

/// What the flags select, with the defaults of this command.
Selection with_defaults(Selection selection) {
  if (selection.dists.empty()) {
    for (const auto& d : patterns()) selection.dists.emplace_back(d.name);
  }
  if (selection.types.empty() && selection.records.empty()) {
    selection.types.assign(std::begin(kKeyTypeNames), std::end(kKeyTypeNames));
  }
  if (selection.values.empty()) {
    selection.values = value_names();
    if (selection.types.empty()) selection.values.resize(1);  // records
  }
  if (selection.sizes.empty()) {
    std::string sizes;
    for (const std::size_t n : adversarial_sizes(8193)) sizes += fmt::format("{},", n);
    selection.sizes = {sizes + "100003"};
  }
  return selection;
}

class Tally {
 public:
  /// Prints a failure.
  void add(const Config& config, const Outcome& outcome, const Progress& progress) {
    if (outcome.status == Status::ok) {
      ++passed_;
    } else if (outcome.status == Status::skipped) {
      ++skipped_because_[outcome.reason];
    } else if (outcome.status == Status::oom) {  // a fact about the machine, not the sort
      ++skipped_because_["out of memory: " + outcome.reason];
    } else {
      ++failed_;
      progress.end();
      fmt::print("FAILED {}: {}\n", config.benchmark_name(), outcome.reason);
    }
  }

  void print() const {
    std::size_t skipped = 0;
    for (const auto& [reason, count] : skipped_because_) skipped += count;
    std::string text =
        fmt::format("{} passed, {} failed, {} skipped{}\n", passed_, failed_, skipped,
                    skipped_because_.size() == 1 ? ": " + skipped_because_.begin()->first : "");
    if (skipped_because_.size() > 1) text += readable_skips(skipped_because_);
    fmt::print("{}", wrapped_lines(text, room_for_text(STDOUT_FILENO), 2));
  }

  int exit_code() const {
    if (failed_ > 0) return 1;
    return passed_ > 0 ? 0 : kAllSkipped;
  }

 private:
  std::size_t passed_ = 0, failed_ = 0;
  std::map<std::string, std::size_t> skipped_because_;
};

int verify_command(VerifyOptions& options, const CommandContext&) {
  const std::vector<Planned> all = plan_all({with_defaults(options.selection)});
  if (const auto exit_code = serve_as_rank()) return *exit_code;
  const auto measurer = make_measurer(options.in_process, StopSettings{}, options.timeout_s);
  watch_for_interrupts();
  Progress progress;
  for (const auto& [config, skip_reason] : all) progress.expect(config.variant, config.n);
  measurer->while_waiting([&progress] { progress.tick(); });
  Tally tally;
  for (const auto& [config, skip_reason] : all) {
    Outcome outcome{Status::skipped, skip_reason};
    if (skip_reason.empty() || skip_reason == kCorrectnessOnly) {
      progress.begin(config.benchmark_name());
      outcome = measurer->check(config);
    }
    if (interrupted()) {
      progress.end();
      return 130;
    }
    progress.finished(config.variant, config.n);
    tally.add(config, outcome, progress);
  }
  progress.end();
  tally.print();
  return tally.exit_code();
}

}  // namespace

void add_verify_command(CLI::App& app, CommandContext& context) {
  auto [verify, options] = add_command(
      app, context, "verify",
      "Check results on adversarial inputs, without clocks (all sorts take hours)", verify_command);
  add_selection(verify, options.selection,
                {{"--type", "all"},
                 {"--dist", "all patterns of `dists`"},
                 {"--n", "0 to 100003, where sorts break"}});
  add_flags(verify, options.selection, {"--values"}, {{"--values", "all"}});
  add_positive(verify, "--timeout", options.timeout_s,
               "Seconds after which a sort is given up (default 120)");
  verify.add_flag("--in-process", options.in_process,
                  "No worker process: for debuggers, compute-sanitizer");
  add_examples(
      verify, context,
      {"verify --filter 'cpu/*'", "verify --type f64 --dist special --n 1..100000*10",
       "verify --filter 'cpu/records/*' --record 100:10,16:16 --ranks 3",
       "verify --plugin ./libmysort.so --filter 'plugin/*' --type u32"},
      "Exit code: 0; 1 when a sort failed; 2 for bad input; 3 when every check was skipped; "
      "130 after\nCtrl-C.");
}

}  // namespace sortlab
