// `sortlab verify`: every variant selected on the adversarial sizes and all distributions.
#include <fmt/format.h>

#include <memory>

#include "common/check.hpp"
#include "common/commands.hpp"
#include "common/help.hpp"
#include "common/selection_flags.hpp"

namespace sortlab {
namespace {

int verify_command(const Selection& given) {
  Selection selection = given;
  if (selection.dists.empty()) {
    for (const auto& d : all_distributions()) selection.dists.emplace_back(d.name);
  }
  if (selection.types.empty())
    selection.types.assign(std::begin(kKeyTypeNames), std::end(kKeyTypeNames));
  if (selection.values.empty()) selection.values = {"keys", "pairs"};
  if (selection.sizes.empty()) {
    std::string sizes;
    for (const std::size_t n : adversarial_sizes(8193)) sizes += fmt::format("{},", n);
    selection.sizes = {sizes + "100003"};
  }
  std::size_t passed = 0, failed = 0, skipped = 0;
  for (const Planned& planned : plan(selection)) {
    if (!planned.skip_reason.empty() && planned.skip_reason != kCorrectnessOnly) {
      ++skipped;
      continue;
    }
    const std::string fault = check_sort(planned.config);
    fault.empty() ? ++passed : ++failed;
    if (!fault.empty()) fmt::print("FAILED {}: {}\n", planned.config.benchmark_name(), fault);
  }
  fmt::print("{} passed, {} failed, {} skipped\n", passed, failed, skipped);
  return failed == 0 ? 0 : 1;
}

}  // namespace

void add_verify_command(CLI::App& app, CommandContext& context) {
  const auto selection = std::make_shared<Selection>();
  auto* verify =
      app.add_subcommand("verify", "Check results on adversarial inputs, without clocks");
  add_selection(*verify, *selection);
  verify->add_option("--values", selection->values, "Default both")
      ->delimiter(',')
      ->type_name("keys|pairs");
  add_examples(*verify, context,
               {"verify --filter 'cpu/*'", "verify --type f64 --dist special --n 0..100000*10"});
  verify->callback([selection, &context] { context.exit_code = verify_command(*selection); });
}

}  // namespace sortlab
