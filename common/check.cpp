#include "common/check.hpp"

#include <fmt/format.h>

#include <set>

#include "common/commands.hpp"
#include "common/rig.hpp"

namespace sortlab {

std::vector<std::size_t> adversarial_sizes(std::size_t max_n) {
  std::set<std::size_t> sizes = {0, 1, 2, 3, 5, 6, 7};
  for (std::size_t power = 4; power <= 2 * max_n; power *= 2) {
    sizes.insert({power - 1, power, power + 1});
  }
  // Insertion sorts end at 16, 24 and 64, tiles and blocks hold 384 to 1536 items.
  for (const std::size_t threshold : {16, 24, 48, 64, 96, 128, 384, 768, 1000, 1536, 3000, 6000}) {
    sizes.insert({threshold - 1, threshold, threshold + 1});
  }
  sizes.erase(sizes.upper_bound(max_n), sizes.end());
  return {sizes.begin(), sizes.end()};
}

std::string check_sort(const Config& config, std::size_t misalign) {
  const Input input = make_input(config, config.seed);
  const auto rig = make_rig(config, misalign);
  Sample untimed;
  rig->poison();
  rig->restore(input);
  rig->sort(untimed);
  if (const std::string overrun = rig->overrun(); !overrun.empty()) return overrun;
  const Verdict verdict = rig->verdict(input);
  if (!verdict.sorted) return "not sorted";
  if (!verdict.permutation) return "not a permutation of the input";
  if (verdict.stable == false) return "not stable, though it says so";
  return "";
}

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

}  // namespace sortlab
