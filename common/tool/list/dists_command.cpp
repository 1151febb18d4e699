// `sortlab dists`: the distributions and their formulas.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "common/harness/input/distributions.hpp"
#include "common/tool/commands.hpp"
#include "common/tool/help.hpp"

namespace sortlab {
namespace {

int dists_command() {
  for (const auto& d : all_distributions()) {
    fmt::print("{:12} {}{}{}\n", d.name, d.formula,
               d.default_param.empty() ? "" : fmt::format(" (default {})", d.default_param),
               d.correctness_only ? " (for correctness only)" : "");
  }
  fmt::print(
      "\nKey i of n: w, w' are random words of index i; u a word read as a fraction in [0, 1); "
      "R(x) the "
      "key\nat the fraction x of the type's range: all of it for integers, [0, 1) for floats.\n");
  return 0;
}

}  // namespace

void add_dists_command(CLI::App& app, CommandContext& context) {
  auto* dists = app.add_subcommand("dists", "List the distributions and their formulas");
  add_examples(*dists, context, {"dists"});
  dists->callback([&context] { context.exit_code = dists_command(); });
}

}  // namespace sortlab
