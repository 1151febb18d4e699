// Sorts over several parts, here threads: every variant, type, distribution and odd share; the
// common verdict of all parts; and inputs made slice by slice.
#include <gtest/gtest.h>

#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "common/harness/ranks/part_measure.hpp"
#include "common/harness/ranks/part_rig.hpp"
#include "common/harness/ranks/peer_buffers.hpp"
#include "common/harness/verify/check.hpp"
#include "tests/effort.hpp"
#include "tests/forced_isa.hpp"
#include "tests/thread_parts.hpp"

namespace sortlab {
namespace {

std::vector<const Variant*> variants_over_parts() {
  std::vector<const Variant*> found;
  for (const auto& variant : all_variants()) {
    const bool sorts_keys = variant.instance(KeyType::u32, 0, Order::ascending) != nullptr;
    if (variant.is<RankParts>() && sorts_keys) found.push_back(&variant);
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

/// The patterns, and those of blocks for as many parts.
std::vector<std::string> patterns_for(int parts) {
  std::vector<std::string> texts;
  for (const auto& dist : patterns()) texts.emplace_back(dist.name);
  for (const auto& dist : patterns_of_blocks()) {
    const std::string name(dist.name);
    texts.push_back(dist.default_param.empty() ? name : name + ":" + std::to_string(parts));
  }
  texts.push_back("staggered:" + std::to_string(parts));
  return texts;
}

const std::vector<int> kParts =
    kEffort == Effort::full ? std::vector{1, 2, 3, 5, 8, 16} : std::vector{1, 2, 3, 5};

TEST(OverParts, ThereAreSuchVariants) { EXPECT_GE(variants_over_parts().size(), 6U); }

TEST(OverParts, AnyShare) {
  for (const Variant* const variant : variants_over_parts()) {
    for (const int parts : kParts) {
      for (const std::size_t n : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 257, 5003}) {
        expect_sorts(config_of(*variant, n), parts);
      }
    }
  }
}

TEST(OverParts, AdversarialSizes) {
  if (kEffort != Effort::full) GTEST_SKIP() << "only with --full";
  for (const Variant* const variant : variants_over_parts()) {
    for (const int parts : {3, 16}) {
      for (const std::size_t n : adversarial_sizes(8193)) {
        for (const char* const dist :
             {"uniform", "equal", "mirrored:16", "alltoone:3", "randdups"}) {
          Config config = config_of(*variant, n, dist);
          config.value_bytes = sizeof(std::uint32_t);
          expect_sorts(config, parts);
        }
      }
    }
  }
}

TEST(OverParts, AnyDistribution) {
  for (const Variant* const variant : variants_over_parts()) {
    for (const std::string& dist : patterns_for(3)) {
      Config config = config_of(*variant, 3001, dist);
      config.value_bytes = sizeof(std::uint32_t);
      expect_sorts(config, 3);
      if (kEffort == Effort::reduced) continue;
      config.order = Order::descending;
      expect_sorts(config, 5);
    }
  }
}

TEST(OverParts, ManyThreads) {
  for (const char* const dist : {"uniform", "rootdups"}) {
    Config config = config_of(*find_variant("cpu/ranks/hierarchical"), 60'000, dist);
    config.threads = 3;
    expect_sorts(config, 3);
    config.value_bytes = sizeof(std::uint32_t);
    expect_sorts(config, 3);
  }
}

TEST(OverParts, EveryInstructionSetForFewPartsAndMany) {
  for (const Isa isa : isas_of_this_cpu()) {
    const Forced forced(name_of(isa));
    for (const KeyType type : {KeyType::u32, KeyType::f64}) {
      for (const int parts : {2, 12, 70}) {
        Config config = config_of(*find_variant("cpu/ranks/shared"), 30'011, "gaussian");
        config.key_type = type;
        expect_sorts(config, parts);
      }
    }
  }
}

TEST(OverParts, ManyKeysForManyParts) {
  for (const Isa isa : isas_of_this_cpu()) {
    const Forced forced(name_of(isa));
    for (const KeyType type : {KeyType::u32, KeyType::f64, KeyType::i64, KeyType::f32}) {
      for (const int parts : {5, 4, 12}) {  // several blocks for each part
        if (kEffort == Effort::reduced && (parts != 5 || bytes_of(type) == 4)) continue;
        const std::size_t n = static_cast<std::size_t>(parts) * 100'007;
        const auto& variant = *find_variant("cpu/ranks/hierarchical");
        Config config = config_of(variant, n, is_floating(type) ? "special" : "gaussian");
        config.key_type = type;
        expect_sorts(config, parts);
        config.order = Order::descending;
        config.threads = 2;
        expect_sorts(config, parts);
      }
    }
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

/// A sample of one sort, on part 0.
Sample sampled(const Config& config, int parts) {
  Sample result;
  on_parts(parts, [&](Communicator& part) {
    const Task task(config);
    PartRig rig(task, {.parts = &part});
    const InputPool inputs = InputPool::stand_ins(config, 1);
    Sample sample;
    rig.restore(inputs.version(0));
    rig.sort(sample);
    sample.verdict = rig.verdict(inputs.version(0));
    sample.stop_reason = fault_of(rig, sample.verdict);
    sample.failed = !sample.stop_reason.empty();
    if (part.part() == 0) result = sample;
  });
  return result;
}

TEST(Shares, AreEvenForAnyInput) {
  const std::size_t more_than_samples = 100'000;
  for (const char* const id : {"cpu/ranks/histogram", "cpu/ranks/shared"}) {
    for (const std::string& dist : patterns_for(4)) {
      const Sample sample = sampled(config_of(*find_variant(id), more_than_samples, dist), 4);
      EXPECT_FALSE(sample.failed) << sample.stop_reason;
      EXPECT_LE(sample.imbalance, 1.05) << id << ' ' << dist;
    }
  }
}

TEST(Shares, AreEvenWhenTheSampleIsNotLikeTheItems) {
  for (const char* const id : {"cpu/ranks/partition", "cpu/ranks/shared"}) {
    Config config = config_of(*find_variant(id), 10'000, "gaussian");
    config.params = "sample=2";
    const Sample sample = sampled(config, 3);
    EXPECT_FALSE(sample.failed) << sample.stop_reason;
    EXPECT_LE(sample.imbalance, 1.05) << id;
  }
}

TEST(OverParts, OnePartOnlySorts) {
  for (const char* const id : {"cpu/ranks/partition", "cpu/ranks/shared"}) {
    const Sample sample = sampled(config_of(*find_variant(id), 100'000), 1);
    EXPECT_FALSE(sample.failed) << sample.stop_reason;
    EXPECT_EQ(sample.exchange_ns, 0) << id;
  }
}

TEST(SharedMemory, TakesTheItemsWithoutAnExchange) {
  const Sample with = sampled(config_of(*find_variant("cpu/ranks/shared"), 10'000), 2);
  const Sample without = sampled(config_of(*find_variant("cpu/ranks/partition"), 10'000), 2);
  EXPECT_EQ(with.exchange_ns, 0);
  EXPECT_GT(without.exchange_ns, 0);
  EXPECT_EQ(with.exchange_bytes, without.exchange_bytes);
  EXPECT_GT(with.exchange_bytes, 10'000);
}

TEST(PeerBuffers, AreThoseOfTheOthers) {
  on_parts(3, [&](Communicator& part) {
    const auto buffer = GuardedBuffer::in_a_file(1000);
    const PeerBuffers peers(part, buffer);
    ASSERT_EQ(peers.data().size(), 3U);
    const auto own = static_cast<std::size_t>(part.part());
    for (std::byte* const data : peers.data()) data[own] = data[999 - own] = std::byte(own);
    part.barrier();
    for (std::size_t other = 0; other < 3; ++other) {
      EXPECT_EQ(buffer.data()[other], std::byte(other));
      EXPECT_EQ(buffer.data()[999 - other], std::byte(other));
    }
    EXPECT_TRUE(buffer.red_zones_intact());
    part.barrier();
  });
}

TEST(PeerBuffers, BeginWhereHugePagesCanHoldThem) {
  constexpr std::uintptr_t kHugePage = std::uintptr_t{2} << 20;
  on_parts(2, [&](Communicator& part) {
    const auto buffer = GuardedBuffer::in_a_file(3 * kHugePage + 12);
    const PeerBuffers peers(part, buffer);
    for (const std::byte* const data : {buffer.data(), peers.data()[0], peers.data()[1]}) {
      const auto file = reinterpret_cast<std::uintptr_t>(data) - GuardedBuffer::offset_in_file();
      EXPECT_EQ(file % kHugePage, 0U);
    }
    part.barrier();
  });
}

TEST(PeerBuffers, AreNoneWhenOneCantBeMapped) {
  on_parts(3, [&](Communicator& part) {
    const auto buffer = part.part() == 1 ? GuardedBuffer(1000) : GuardedBuffer::in_a_file(1000);
    EXPECT_TRUE(PeerBuffers(part, buffer).data().empty());
  });
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

/// The verdict on parts with these keys and values, of an input with the keys `input`, whose values number them.
Verdict verdict_on(const std::vector<Keys>& keys, const std::vector<Keys>& values,
                   const std::vector<Keys>& input) {
  Verdict verdict;
  on_parts(static_cast<int>(keys.size()), [&](Communicator& part) {
    const auto p = static_cast<std::size_t>(part.part());
    const bool pairs = !values.empty();
    std::size_t first = 0;
    for (std::size_t before = 0; before < p; ++before) first += input[before].size();
    Keys numbers(input[p].size());
    std::iota(numbers.begin(), numbers.end(), static_cast<std::uint32_t>(first));
    const Fingerprint expected = fingerprint(KeyType::u32, input[p].data(),
                                             pairs ? numbers.data() : nullptr, numbers.size());
    const Findings found = look(KeyType::u32, Order::ascending, keys[p].data(),
                                pairs ? values[p].data() : nullptr, keys[p].size(), true);
    const Verdict all = judged(part, found, expected);
    if (p == 0) verdict = all;
  });
  return verdict;
}

TEST(VerdictOfParts, TakesWhatIsRight) {
  const auto right = verdict_on({{1, 2}, {}, {2, 3, 4, 5}}, {}, {{5, 4}, {3, 2}, {2, 1}});
  EXPECT_EQ(right.fault(), "");
  EXPECT_EQ(verdict_on({{}, {}}, {}, {{}, {}}).fault(), "");
}

TEST(VerdictOfParts, FindsABorderThatIsNotInOrder) {
  for (const auto& wrong : {std::vector<Keys>{{1, 3}, {}, {2, 4}}, {{2, 1}, {3}, {4}}}) {
    EXPECT_FALSE(verdict_on(wrong, {}, wrong).sorted);
  }
}

TEST(VerdictOfParts, FindsLostAndChangedKeys) {
  EXPECT_FALSE(verdict_on({{1}, {3}}, {}, {{1, 2}, {3}}).permutation);
  EXPECT_FALSE(verdict_on({{2}, {2}}, {}, {{1}, {3}}).permutation);
  EXPECT_TRUE(verdict_on({{1}, {3}}, {}, {{3}, {1}}).permutation);
}

TEST(VerdictOfParts, FindsEqualKeysThatChangedPlaces) {
  const std::vector<Keys> keys = {{1, 2}, {}, {2, 3}};
  EXPECT_EQ(verdict_on(keys, {{0, 1}, {}, {2, 3}}, keys).stable, true);
  EXPECT_EQ(verdict_on(keys, {{0, 2}, {}, {1, 3}}, keys).stable, false) << "over a border";
}

TEST(VerdictOfParts, FindsWhatGoesWrongBetweenTwoParts) {
  const std::vector<Keys> input = {{2, 1}, {2, 3}, {2, 1}};
  const std::vector<Keys> right_keys = {{1, 1}, {2, 2}, {2, 3}};
  const std::vector<Keys> right_values = {{1, 5}, {0, 2}, {4, 3}};
  EXPECT_EQ(verdict_on(right_keys, right_values, input).fault(), "");
  const auto fault_of = [&](const auto& change) {
    auto keys = right_keys, values = right_values;
    change(keys);
    change(values);
    return verdict_on(keys, values, input).fault();
  };
  EXPECT_EQ(fault_of([](auto& parts) { parts[0].pop_back(); }),
            "wrong result: not a permutation of the input")
      << "lost";
  EXPECT_EQ(fault_of([](auto& parts) { parts[2].insert(parts[2].begin(), parts[1].back()); }),
            "wrong result: not a permutation of the input")
      << "doubled";
  EXPECT_EQ(fault_of([](auto& parts) { std::swap(parts[0][1], parts[1][0]); }),
            "wrong result: not sorted")
      << "exchanged";
  EXPECT_EQ(fault_of([](auto& parts) { std::swap(parts[1][1], parts[2][0]); }),
            "wrong result: equal keys changed places")
      << "unstable over a border";
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
