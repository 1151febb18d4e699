// CPU sorts on the keys of real programs: each with the key types and values that programs use.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/harness/input/distributions.hpp"
#include "common/harness/verify/check.hpp"
#include "tests/effort.hpp"
#include "tests/subjects.hpp"

namespace sortlab {
namespace {

std::vector<std::string> real_inputs_by_name() {
  std::vector<std::string> names;
  for (const auto& info : all_distributions()) {
    if (info.usage.is_real()) names.emplace_back(info.name);
  }
  return names;
}

class KeysOfPrograms : public testing::TestWithParam<std::string> {};

TEST_P(KeysOfPrograms, AreSorted) {
  const Distribution dist = parse_distribution(GetParam());
  const Usage usage = usage_of(dist);
  std::vector<std::size_t> sizes = {1, 2, 3, 999};
  if (kEffort != Effort::reduced) sizes.push_back(20'011);
  for (const Subject& subject : subjects_in(Memory::host)) {
    if (!subject.variant->unavailable().empty() || !usage.types.has(subject.key_type)) continue;
    for (Config& config : instances_of(subject)) {
      if (config.order == Order::descending || !usage.has_value_bytes(config.value_bytes)) continue;
      config.dist = dist;
      config.threads = 2;
      for (const std::size_t n : sizes) {
        config.n = n;
        if (n > subject.variant->limit(dist.name).max_n) continue;
        EXPECT_EQ(check_sort(config), "") << config.benchmark_name();
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, KeysOfPrograms, testing::ValuesIn(real_inputs_by_name()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace sortlab
