#include "common/harness/verify/check.hpp"

#include <set>

#include "common/harness/rig/rig.hpp"

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
  return check_sort(config, make_input(config, config.seed), misalign);
}

std::string check_sort(const Config& config, const Input& input, std::size_t misalign) {
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

}  // namespace sortlab
