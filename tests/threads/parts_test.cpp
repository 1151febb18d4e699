// Sorts over several parts, here threads: every variant, type, distribution and odd share; the
// common verdict of all parts; and inputs made slice by slice.
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

#include "common/harness/ranks/part_measure.hpp"
#include "common/harness/ranks/part_rig.hpp"
#include "common/harness/ranks/part_verdict.hpp"
#include "tests/thread_parts.hpp"

namespace sortlab {
namespace {

std::vector<const Variant*> variants_over_parts() {
  std::vector<const Variant*> found;
  for (const auto& variant : all_variants()) {
    if (variant.info.parts == Parts::ranks) found.push_back(&variant);
  }
  return found;
}

Config config_of(const Variant& variant, std::size_t n, const std::string& dist = "uniform") {
  Config config;
  config.variant = variant.id;
  config.n = n;
  config.dist = parse_distribution(dist);
  return config;
}

/// The outcome on part 0, which must be that of all parts.
Outcome checked(const Config& config, int parts) {
  std::vector<Outcome> outcomes(static_cast<std::size_t>(parts));
  on_parts(parts, [&](Communicator& part) {
    outcomes[static_cast<std::size_t>(part.part())] = check_parts(Task(config), part);
  });
  for (const Outcome& outcome : outcomes) EXPECT_EQ(outcome.reason, outcomes[0].reason);
  return outcomes[0];
}

void expect_sorts(const Config& config, int parts) {
  const Outcome outcome = checked(config, parts);
  EXPECT_EQ(outcome.status, Status::ok)
      << config.benchmark_name() << " on " << parts << ": " << outcome.reason;
}

TEST(OverParts, ThereAreSuchVariants) { EXPECT_GE(variants_over_parts().size(), 3U); }

TEST(OverParts, AnyShare) {
  for (const Variant* const variant : variants_over_parts()) {
    for (const int parts : {1, 2, 3, 5}) {
      for (const std::size_t n : {0, 1, 2, 3, 4, 5, 6, 9, 31, 257, 5003}) {
        expect_sorts(config_of(*variant, n), parts);
      }
    }
  }
}

TEST(OverParts, AnyDistribution) {
  for (const Variant* const variant : variants_over_parts()) {
    for (const auto& dist : patterns()) {
      Config config = config_of(*variant, 3001, std::string(dist.name));
      config.value_bytes = sizeof(std::uint32_t);
      expect_sorts(config, 3);
      config.order = Order::descending;
      expect_sorts(config, 5);
    }
  }
}

TEST(OverParts, ManyThreads) {
  for (const char* const dist : {"uniform", "rootdups"}) {
    Config config = config_of(*find_variant("cpu/ranks/hierarchical"), 60'000, dist);
    config.threads = 3;
    config.value_bytes = sizeof(std::uint32_t);
    expect_sorts(config, 3);
  }
}

TEST(OverParts, AnyType) {
  for (const Variant* const variant : variants_over_parts()) {
    for (const auto& instance : variant->instances) {
      Config config = config_of(*variant, 2000, is_floating(instance.key_type) ? "special" : "d20");
      config.key_type = instance.key_type;
      config.value_bytes = instance.value_bytes;
      config.order = instance.order;
      expect_sorts(config, 3);
    }
  }
}

double imbalance_of(const Config& config, int parts) {
  double imbalance = 0;
  on_parts(parts, [&](Communicator& part) {
    const Task task(config);
    PartRig rig(task, part, 1);
    Sample sample;
    rig.restore(0);
    rig.sort(sample);
    rig.judge(sample);
    if (part.part() == 0) imbalance = *sample.imbalance;
  });
  return imbalance;
}

TEST(Histogram, SharesAnyInputOutEvenly) {
  for (const auto& dist : patterns()) {
    const Config config =
        config_of(*find_variant("cpu/ranks/histogram"), 20000, std::string(dist.name));
    EXPECT_LE(imbalance_of(config, 5), 1.05) << dist.name;
  }
}

TEST(Measuring, CountsWhatIsExchanged) {
  std::vector<Sample> samples;
  Outcome outcome;
  on_parts(2, [&](Communicator& part) {
    StopSettings stop;
    stop.min_samples = stop.max_samples = 3;
    const Config config = config_of(*find_variant("cpu/ranks/gather"), 1000);
    const Outcome own = measure_parts(Task(config), part, stop,
                                      [&](const Sample& sample) { samples.push_back(sample); });
    if (part.part() == 0) outcome = own;
  });
  EXPECT_EQ(outcome.status, Status::ok) << outcome.reason;
  ASSERT_EQ(samples.size(), 3U);
  for (const Sample& sample : samples) {
    EXPECT_EQ(sample.exchange_bytes, 2 * 500 * 4) << "half of the keys go to part 0 and back";
    EXPECT_GE(sample.total_ns, *sample.exchange_ns);
    EXPECT_EQ(sample.imbalance, 1);
  }
  EXPECT_NE(samples.back().stop_reason, "");
}

using Keys = std::vector<std::uint32_t>;

/// The verdict on parts with these keys and values, of an input that holds `input`.
PartsVerdict verdict_on(const std::vector<Keys>& keys, const std::vector<Keys>& values,
                        const std::vector<Keys>& input) {
  PartsVerdict verdict;
  on_parts(static_cast<int>(keys.size()), [&](Communicator& part) {
    const auto p = static_cast<std::size_t>(part.part());
    const bool pairs = !values.empty();
    const Keys* const own = pairs ? &values[p] : nullptr;
    Fingerprint expected;
    for (const auto key : input[p]) {
      expected = together(expected, fingerprint(KeyType::u32, &key, nullptr, 1));
    }
    if (pairs) expected = fingerprint(KeyType::u32, keys[p].data(), own->data(), keys[p].size());
    const PartsVerdict all = verify_parts(
        part, KeyType::u32, Order::ascending,
        {keys[p].data(), pairs ? own->data() : nullptr, keys[p].size()}, expected, true);
    if (p == 0) verdict = all;
  });
  return verdict;
}

TEST(VerdictOfParts, TakesWhatIsRight) {
  const auto right = verdict_on({{1, 2}, {}, {2, 3, 4, 5}}, {}, {{5, 4}, {3, 2}, {2, 1}});
  EXPECT_EQ(right.verdict.fault(), "");
  EXPECT_DOUBLE_EQ(right.imbalance, 2);
  EXPECT_EQ(verdict_on({{}, {}}, {}, {{}, {}}).verdict.fault(), "");
}

TEST(VerdictOfParts, FindsABorderThatIsNotInOrder) {
  for (const auto& wrong : {std::vector<Keys>{{1, 3}, {}, {2, 4}}, {{2, 1}, {3}, {4}}}) {
    EXPECT_FALSE(verdict_on(wrong, {}, wrong).verdict.sorted);
  }
}

TEST(VerdictOfParts, FindsLostAndChangedKeys) {
  EXPECT_FALSE(verdict_on({{1}, {3}}, {}, {{1, 2}, {3}}).verdict.permutation);
  EXPECT_FALSE(verdict_on({{2}, {2}}, {}, {{1}, {3}}).verdict.permutation);
  EXPECT_TRUE(verdict_on({{1}, {3}}, {}, {{3}, {1}}).verdict.permutation);
}

TEST(VerdictOfParts, FindsEqualKeysThatChangedPlaces) {
  const std::vector<Keys> keys = {{1, 2}, {}, {2, 3}};
  EXPECT_EQ(verdict_on(keys, {{0, 1}, {}, {2, 3}}, keys).verdict.stable, true);
  EXPECT_EQ(verdict_on(keys, {{0, 2}, {}, {1, 3}}, keys).verdict.stable, false) << "over a border";
}

TEST(Slices, AreWhatTheWholeInputHolds) {
  constexpr std::size_t kN = 1000;
  for (const auto& info : all_distributions()) {
    const Distribution dist = parse_distribution(info.name);
    const auto expect_same = [&](auto key) {
      std::vector<decltype(key)> all(kN), part(kN);
      generate(std::span(all), dist, 7);
      for (const std::size_t first : {0, 1, 600}) {
        const std::size_t count = first == 600 ? kN - first : 599;
        generate_slice(std::span(part).first(count), {first, count, kN}, dist, 7);
        EXPECT_EQ(std::memcmp(part.data(), all.data() + first, count * sizeof key), 0)
            << info.name << " from " << first;
      }
    };
    expect_same(std::uint32_t{});
    expect_same(double{});
  }
}

}  // namespace
}  // namespace sortlab
