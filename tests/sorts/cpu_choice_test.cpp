// The choices of cpu/auto/auto, and the results of the chosen sorts.
#include <gtest/gtest.h>

#include <functional>
#include <span>
#include <vector>

#include "common/choose/choice_table.hpp"
#include "common/choose/cpu_choice.hpp"
#include "common/choose/cpu_tuning.hpp"
#include "common/contract/read_file.hpp"
#include "common/contract/variant.hpp"
#include "common/harness/machine/build_info.hpp"
#include "common/harness/verify/check.hpp"
#include "cpu/auto/first_look.hpp"
#include "tool/tune/measured.hpp"

namespace sortlab {
namespace {

const Steps kSteps = {{0, "cpu/quick/simd"},
                      {300, "cpu/bitonic/simd"},
                      {5000, "cpu/radix/hybrid"},
                      {90'000, "cpu/merge/simd"}};

std::string rung(std::size_t n, KeyType type, std::size_t value_bytes = 0, bool power_of_two = true,
                 const Steps* steps = &kSteps) {
  const auto fit = fit_cpu_steps(steps, type, value_bytes, power_of_two);
  auto step = fit.rbegin();
  while (step->from_n > n) ++step;
  return step->rung->id;
}

TEST(CpuChoice, GoesByTheTable) {
  EXPECT_EQ(rung(0, KeyType::u32), "cpu/quick/simd");
  EXPECT_EQ(rung(300, KeyType::f32), "cpu/bitonic/simd");
  EXPECT_EQ(rung(5000, KeyType::i64), "cpu/radix/hybrid");
  EXPECT_EQ(rung(std::size_t{1} << 40, KeyType::u64), "cpu/merge/simd");
}

TEST(CpuChoice, NeverTakesWhatIsNotFit) {
  EXPECT_EQ(rung(1100, KeyType::u64, 0, true), "cpu/bitonic/simd");
  EXPECT_EQ(rung(1100, KeyType::u64, 0, false), "cpu/quick/simd") << "padding would cost too much";
  EXPECT_EQ(rung(600, KeyType::u32, 0, false), "cpu/bitonic/simd");
  const Steps early_bitonic = {{0, "cpu/quick/simd"}, {100, "cpu/bitonic/simd"}};
  EXPECT_EQ(rung(1024, KeyType::u64, 0, false, &early_bitonic), "cpu/bitonic/simd") << "not padded";
  EXPECT_EQ(rung(1025, KeyType::u64, 0, false, &early_bitonic), "cpu/quick/simd");
  EXPECT_EQ(rung(600, KeyType::u32, 4), "cpu/radix/hybrid") << "of pairs the stable one";
  EXPECT_EQ(rung(600, KeyType::u32, 0, true, nullptr), "cpu/radix/hybrid") << "no table";
  const Steps only_bitonic = {{0, "cpu/bitonic/simd"}};
  EXPECT_EQ(rung(1 << 20, KeyType::u32, 0, true, &only_bitonic), "cpu/bitonic/simd");
  EXPECT_EQ(rung(1 << 21, KeyType::u32, 0, true, &only_bitonic), "cpu/radix/hybrid")
      << "never measured there";
  const Steps no_rung = {{0, "cpu/std_sort/naive"}};
  EXPECT_EQ(rung(9, KeyType::u32, 0, true, &no_rung), "cpu/radix/hybrid");
}

std::string chosen(const CpuChoices& choices, Isa isa, int threads, std::size_t n = 1000) {
  const CpuChoiceTables tables(choices);
  return tables.table(isa, threads, n)
      .code(KeyType::u32, 0, Order::descending, n)
      .rung->variant->id;
}

TEST(CpuChoice, TakesTheNearestThreadCount) {
  const auto all = [](const char* id) { return Choices{{Widths{}, {{0, id}}}}; };
  const CpuChoices choices = {{{Isa::avx2, 1}, all("cpu/quick/simd")},
                              {{Isa::avx2, 16}, all("cpu/merge/simd")},
                              {{Isa::avx512, 1}, all("cpu/bitonic/simd")}};
  EXPECT_EQ(chosen(choices, Isa::avx2, 1), "cpu/quick/simd");
  EXPECT_EQ(chosen(choices, Isa::avx2, 4), "cpu/quick/simd");
  EXPECT_EQ(chosen(choices, Isa::avx2, 5), "cpu/merge/simd");
  EXPECT_EQ(chosen(choices, Isa::avx2, 500), "cpu/merge/simd");
  EXPECT_EQ(chosen(choices, Isa::avx512, 500), "cpu/bitonic/simd");
  EXPECT_EQ(chosen(choices, Isa::scalar, 1), "cpu/radix/hybrid") << "nothing is known of it";
}

TEST(CpuChoice, LendsOneThreadBelowTheListForMany) {
  const auto steps = [](std::size_t from_n, const char* id) {
    return Choices{{Widths{}, {{from_n, id}}}};
  };
  const CpuChoices choices = {{{Isa::avx2, 1}, steps(0, "cpu/quick/simd")},
                              {{Isa::avx2, 16}, steps(10'000, "cpu/merge/simd")}};
  const CpuChoiceTables tables(choices);
  const auto code = [&](int threads, std::size_t n) {
    return tables.table(Isa::avx2, threads, n).code(KeyType::f32, 0, Order::ascending, n);
  };
  for (const int threads : {1, 2, 16}) {
    EXPECT_EQ(code(threads, 9999).rung->variant->id, "cpu/quick/simd");
    EXPECT_EQ(code(threads, 9999).most_threads, 1);
    EXPECT_GE(code(threads, 10'000).most_threads, 16);
  }
  EXPECT_EQ(code(16, 10'000).rung->variant->id, "cpu/merge/simd");
  EXPECT_EQ(code(2, 10'000).rung->variant->id, "cpu/quick/simd");
}

TEST(CpuChoice, IsOfTheFileElseOfWhatIsBuiltInForTheMaker) {
  const CpuFacts intel{"some Xeon"}, amd{"some EPYC", CpuKind::amd};
  const auto builtin = cpu_choices(intel, std::nullopt);
  const auto for_arm = cpu_choices({"some Neoverse", CpuKind::arm}, std::nullopt);
  EXPECT_NE(for_arm.source.find("not measured"), std::string::npos);
  for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512, Isa::neon}) {
    for (const int threads : {1, 16}) {
      const auto& known = isa == Isa::neon ? for_arm : builtin;
      const auto& choices = known.choices.at({isa, threads});
      for (const std::size_t key_bytes : {4, 8}) {
        EXPECT_TRUE(choices.contains({key_bytes, 0, false}));
        EXPECT_TRUE(choices.contains({key_bytes, 4, true}));
      }
      for (const auto& [widths, steps] : choices) {
        for (const auto& step : steps)
          EXPECT_NE(find_candidate(Memory::host, step.id), nullptr) << step.id;
      }
    }
  }
  EXPECT_NE(cpu_choices(amd, std::nullopt).source, builtin.source);

  CpuTuning file{"some Xeon", 16, "abc", "2026-11-22T00:00:00Z", {}, {}};
  file.choices[{Isa::avx512, 1}][Widths{}] = kSteps;
  const auto ours = cpu_choices(intel, file);
  EXPECT_EQ(ours.warning, "");
  EXPECT_EQ(ours.choices.at({Isa::avx512, 1}).at(Widths{}), kSteps);
  EXPECT_EQ(ours.choices.at({Isa::avx512, 16}), builtin.choices.at({Isa::avx512, 16}));
  const auto others = cpu_choices({"another"}, file);
  EXPECT_EQ(others.choices, builtin.choices);
  EXPECT_NE(others.warning.find("some Xeon"), std::string::npos);
  EXPECT_EQ(others.warning.find('\n'), std::string::npos);
}

TEST(CpuChoice, BuiltInIsWhatTheFilesSay) {
  const auto file = [](const char* name) {
    const std::string path = std::string(kSourceDir) + "/cpu/auto/" + name;
    return parse_cpu_tuning(read_file(path), path).value();
  };
  EXPECT_EQ(builtin_intel_tuning(), file("intel.json"));
  EXPECT_EQ(builtin_amd_tuning(), file("amd.json"));
  EXPECT_EQ(builtin_arm_tuning(), file("arm.json"));
}

SummaryRow row(const std::string& id, const char* isa, int threads, double ns, bool pairs = false,
               std::size_t n = 64) {
  Config config;
  config.variant = id;
  config.isa = isa;
  config.threads = threads;
  config.n = n;
  config.value_bytes = pairs ? 4 : 0;
  config.stable = find_variant(id)->info.stable;
  config.dist = {"uniform", ""};
  SummaryRow summary;
  for (const auto& [column, value] : config.columns()) summary.config[column] = value;
  summary.status = "ok";
  summary.n_kept = 9;
  summary.median_ns = ns;
  return summary;
}

TEST(CpuChoicesFrom, AreByInstructionSetAndThreads) {
  const char* const hybrid_isa =
      name_of(best_of(find_variant("cpu/radix/hybrid")->info.isas, Isa::avx512)).data();
  const auto choices = cpu_choices_from(
      {row("cpu/quick/simd", "avx512", 1, 10), row("cpu/merge/simd", "avx512", 1, 20),
       row("cpu/quick/simd", "avx512", 8, 20), row("cpu/radix/hybrid", hybrid_isa, 8, 10),
       row("cpu/radix/hybrid", hybrid_isa, 8, 10, true),
       row("cpu/std_sort/naive", "scalar", 1, 1)});
  ASSERT_EQ(choices.size(), 2u);
  const Choices alone = {{{4, 0, false}, {{0, "cpu/quick/simd"}}}};
  EXPECT_EQ(choices.at({Isa::avx512, 1}), alone);
  const Choices together = {{{4, 0, false}, {{0, "cpu/radix/hybrid"}}},
                            {{4, 4, false}, {{0, "cpu/radix/hybrid"}}},
                            {{4, 4, true}, {{0, "cpu/radix/hybrid"}}}};
  EXPECT_EQ(choices.at({Isa::avx512, 8}), together);
}

TEST(CpuChoicesFrom, BeginForManyThreadsWhereTheyAreFasterThanOne) {
  const auto at = [](std::size_t n, int threads, double ns) {
    return row("cpu/quick/simd", "avx512", threads, ns, false, n);
  };
  const std::vector<SummaryRow> rows = {at(1000, 1, 10), at(1000, 8, 40), at(100'000, 1, 4000),
                                        at(100'000, 8, 1000)};
  const auto choices = cpu_choices_from(rows);
  const Choices together = {{{4, 0, false}, {{10'000, "cpu/quick/simd"}}}};
  ASSERT_EQ(choices.size(), 1u) << "one thread was not measured with few items";
  EXPECT_EQ(choices.at({Isa::avx512, 8}), together);
}

TEST(CpuChoice, ForPairsInAnyOrderHasStepsOfItsOwnOrThoseOfStableSorts) {
  const Choices of_four = {{{4, 4, false}, {{0, "cpu/quick/pairs"}}},
                           {{4, 4, true}, {{0, "cpu/radix/pairs"}}},
                           {{8, 4, true}, {{0, "cpu/radix/hybrid"}}}};
  const CpuChoices choices = {{{Isa::avx512, 1}, of_four}};
  const auto chosen = [&](bool any_order, KeyType type) {
    const CpuChoiceTables tables(choices, any_order);
    return tables.table(Isa::avx512, 1, 1000)
        .code(type, 4, Order::ascending, 1000)
        .rung->variant->id;
  };
  EXPECT_EQ(chosen(true, KeyType::f32), "cpu/quick/pairs");
  EXPECT_EQ(chosen(false, KeyType::f32), "cpu/radix/pairs");
  EXPECT_EQ(chosen(true, KeyType::u64), "cpu/radix/hybrid");
}

TEST(CpuChoice, ChoosesOnlySortsThatHoldWhatAutoPromises) {
  const Variant* const chooser = find_variant("cpu/auto/auto");
  ASSERT_NE(chooser, nullptr);
  EXPECT_EQ(chooser->unavailable(), "");
  ASSERT_FALSE(candidates(Memory::host).empty());
  for (const Variant* const candidate : candidates(Memory::host)) {
    EXPECT_TRUE(candidate->info.total_order) << candidate->id;
    EXPECT_EQ(candidate->info.temp_policy, TempPolicy::prealloc) << candidate->id;
    EXPECT_TRUE(chooser->info.alternate || !candidate->info.alternate) << candidate->id;
  }
}

/// How often the look at 20 inputs says that they are even.
template <class Key>
int times_even(const char* dist, std::size_t n) {
  std::vector<Key> keys(n);
  int times = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    generate(std::span(keys), parse_distribution(dist), seed);
    times += looks_even(keys.data(), n, [](Key key) { return key; });
  }
  return times;
}

TEST(FirstLook, SeesThatKeysAreEven) {
  for (const std::size_t n : {1024, 4096, 100'003}) {
    for (const char* dist : {"uniform", "nearly", "sawtooth"})
      EXPECT_EQ(times_even<std::uint32_t>(dist, n), 20) << dist << " " << n;
    for (const char* dist : {"p5", "equal", "dups16", "zipf", "entropy3", "heavy"})
      EXPECT_EQ(times_even<std::uint32_t>(dist, n), 0) << dist << " " << n;
  }
}

/// Keys in the middle of their range, and k-mers, of which small ones are twice as frequent, differ little from even
/// keys: 128 of them show it mostly, 512 always.
TEST(FirstLook, SetsNearlyEvenKeysApart) {
  EXPECT_LE(times_even<std::uint32_t>("gaussian", 1024), 8);
  EXPECT_LE(times_even<std::uint32_t>("gaussian", 4096), 8);
  EXPECT_EQ(times_even<std::uint32_t>("gaussian", 100'003), 0);
  EXPECT_EQ(times_even<std::uint64_t>("uniform", 200'000), 20);
  EXPECT_EQ(times_even<std::uint64_t>("kmers", 200'000), 0);
}

/// Values that are equally frequent, spread over 32 bits: how many are too few for a digit depends on how many keys are
/// looked at.
TEST(FirstLook, TakesAFewDozenValuesForEven) {
  const auto look = [](std::uint32_t values, std::size_t n) {
    std::vector<std::uint32_t> keys(n);
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = static_cast<std::uint32_t>(i * 2654435761u >> 8) % values * 33'550'337;
    }
    return looks_even(keys.data(), n, [](std::uint32_t key) { return key; });
  };
  for (const std::size_t n : {1024, 4096, 20'000}) {
    EXPECT_TRUE(look(64, n) && look(128, n)) << n;
    EXPECT_FALSE(look(8, n) || look(16, n)) << n;
  }
  EXPECT_TRUE(look(256, 100'003));
  EXPECT_FALSE(look(64, 100'003));
}

TEST(FirstLook, SeesOneKeyThatIsHalfOfAll) {
  const auto look = [](const char* dist, std::size_t n) {
    std::vector<std::uint32_t> keys(n);
    generate(std::span(keys), parse_distribution(dist), 1);
    return looks_like_one_key(keys.data(), n, std::less<>());
  };
  for (const std::size_t n : {1 << 20, 1'234'567}) {
    for (const char* dist : {"p5", "equal"}) EXPECT_TRUE(look(dist, n)) << dist << " " << n;
    for (const char* dist : {"uniform", "dups16", "rootdups", "zipf", "sorted", "heavy"}) {
      EXPECT_FALSE(look(dist, n)) << dist << " " << n;
    }
  }
}

TEST(FirstLook, SeesThatFewKeysAreDifferent) {
  const auto look = [](const char* dist) {
    std::vector<std::uint32_t> keys(std::size_t{1} << 17);
    generate(std::span(keys), parse_distribution(dist), 1);
    return looks_like_few_keys(keys.data(), keys.size(), std::less<>());
  };
  for (const char* dist : {"experts", "p5", "equal", "dups16"}) EXPECT_TRUE(look(dist)) << dist;
  for (const char* dist : {"uniform", "ipv4", "kmers", "sorted"}) EXPECT_FALSE(look(dist)) << dist;
}

TEST(FirstLook, TellsRunsFromKeysInAnyOrder) {
  const auto look = [](const char* dist, std::size_t n) {
    std::vector<std::uint32_t> keys(n);
    generate(std::span(keys), parse_distribution(dist), 1);
    return looks_like_runs(keys.data(), n, std::less<>()) &&
           looks_like_runs(keys.data(), n, std::greater<>());
  };
  for (const std::size_t n : {1 << 20, 1'234'567, 4'000'000}) {
    for (const char* dist : {"sorted", "reverse", "nearly", "sorted95", "organpipe", "sawtooth"}) {
      EXPECT_TRUE(look(dist, n)) << dist << " " << n;
    }
    for (const char* dist : {"uniform", "equal", "dups16", "p5", "rootdups", "eightdups", "zipf",
                             "gaussian", "staggered"}) {
      EXPECT_FALSE(look(dist, n)) << dist << " " << n;
    }
  }
}

TEST(CpuAuto, SortsOnBothSidesOfItsThresholds) {
  for (const KeyType type : {KeyType::u32, KeyType::f64}) {
    for (const Order order : {Order::ascending, Order::descending}) {
      for (const std::size_t n : {127, 383, 384, 512, 8193, 50'000, 1 << 20}) {
        for (const char* dist : {"uniform", "reverse", "sorted", "organpipe"}) {
          Config config;
          config.variant = "cpu/auto/auto";
          config.key_type = type;
          config.order = order;
          config.dist = parse_distribution(dist);
          config.n = n;
          config.threads = n < 10'000 ? 1 : 9;
          EXPECT_EQ(check_sort(config, 1), "") << config.benchmark_name();
        }
      }
    }
  }
}

}  // namespace
}  // namespace sortlab
