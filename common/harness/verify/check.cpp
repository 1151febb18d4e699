#include "common/harness/verify/check.hpp"

#include <set>

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

std::string fault_of_sorting(Rig& rig, const Input& input) {
  Sample untimed;
  rig.poison();
  rig.restore(input);
  rig.sort(untimed);
  return fault_of(rig, rig.verdict(input));
}

std::string check_sort(const Task& task, std::size_t misalign) {
  return check_sort(task, make_input(task.config, task.config.seed), misalign);
}

std::string check_sort(const Task& task, const Input& input, std::size_t misalign) {
  return fault_of_sorting(*make_rig(task, misalign), input);
}

}  // namespace sortlab
