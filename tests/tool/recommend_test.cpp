// The choice of a sort from measured results.
#include "tool/recommend/recommend.hpp"

#include "tool/recommend/certainty.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "tool/run/table.hpp"

namespace sortlab {
namespace {

constexpr std::size_t kN = 1000000;

/// The configuration of a row: a CPU sort of uniform u64 keys on one thread.
Config on_cpu(const std::string& variant, std::size_t n = kN) {
  Config config;
  config.variant = variant;
  config.device = "CPU A";
  config.key_type = KeyType::u64;
  config.n = n;
  config.dist = {"uniform", ""};
  return config;
}

Config on_gpu(const std::string& variant, HostMem host_mem) {
  Config config = on_cpu(variant);
  config.threads = 0;
  config.host_mem = host_mem;
  return config;
}

/// Nine samples around `ms`, up to `spread` (a share) away; kernels take a tenth on a GPU.
void add(CsvTable& table, const Config& config, double ms, double spread = 0.001) {
  Recorder recorder("", "run");
  for (int i = -4; i <= 4; ++i) {
    Sample sample;
    sample.total_ns = static_cast<std::int64_t>(ms * 1e6 * (1 + spread * i / 4));
    if (config.threads == 0) sample.kernel_ns = sample.total_ns / 10;
    sample.verdict = {.sorted = true, .permutation = true, .stable = std::nullopt};
    if (i == 4) sample.stop_reason = "accuracy";
    recorder.add_sample(config, sample);
  }
  table.rows.insert(table.rows.end(), recorder.table().rows.begin(), recorder.table().rows.end());
}

Question question(std::size_t n = kN) {
  Question q;
  q.n = n;
  q.key_type = KeyType::u64;
  q.dist = {"uniform", ""};
  q.max_threads = 8;
  return q;
}

std::vector<std::string> names(const Question& q, const CsvTable& table) {
  std::vector<std::string> all;
  for (const auto& candidate : rank_candidates(q, summarize(table))) {
    all.push_back(candidate.name());
  }
  return all;
}

using Names = std::vector<std::string>;

TEST(Recommend, SeveralGpusAreComparedWithOne) {
  CsvTable table;
  const auto add_at = [&](const char* variant, std::size_t n, Devices devices, double ms) {
    Config config = on_gpu(variant, HostMem::none);
    config.n = n;
    config.devices = std::move(devices);
    add(table, config, ms);
  };
  for (const std::size_t n : {kN, 10 * kN, 100 * kN}) {
    const double one = static_cast<double>(n) / kN;
    add_at("gpu/a/one", n, {}, one);
    add_at("gpu/multi/both", n, {0, 1}, n == kN ? 2 : one * 0.6);
    add_at("gpu/multi/other", n, {0, 2}, one * 0.1);
  }
  Question two = question(10 * kN);
  two.where = Memory::device;
  EXPECT_EQ(names(two, table), Names{"gpu/a/one"});
  two.devices = "2";
  EXPECT_EQ(names(two, table), (Names{"gpu/multi/both, GPUs 2", "gpu/a/one"}));
  EXPECT_EQ(two.text(), "10000000 u64 keys, uniform, ascending, on the GPUs 2");
  EXPECT_EQ(several_gpus_pay_from(two, summarize(table)), 10 * kN);
  two.devices = "0+3";
  EXPECT_EQ(several_gpus_pay_from(two, summarize(table)), std::nullopt);
}

TEST(Recommend, TheFastestGoesFirst) {
  CsvTable table;
  add(table, on_cpu("cpu/a/slow"), 30);
  add(table, on_cpu("cpu/b/fast"), 10);
  add(table, on_cpu("cpu/c/middle"), 20);
  EXPECT_EQ(names(question(), table), (Names{"cpu/b/fast", "cpu/c/middle", "cpu/a/slow"}));
  const auto ranked = rank_candidates(question(), summarize(table));
  EXPECT_DOUBLE_EQ(ranked[0].time_ns, 10e6);
  EXPECT_EQ(ranked[0].from_n, kN);
  EXPECT_EQ(ranked[0].to_n, kN);
  const std::string text = readable_recommendation(question(), ranked);
  for (const char* part :
       {"take", "cpu/b/fast", "Sure", "100.0 % longer", "measured at n = 1000000"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(Recommend, OnlyWhatAnswersTheQuestionCounts) {
  const Config right = on_cpu("cpu/right/one");
  CsvTable table;
  add(table, right, 50);
  const auto wrong = [&](auto change) {
    Config config = on_cpu("cpu/wrong/one");
    change(config);
    add(table, config, 1);
  };
  wrong([](Config& c) { c.key_type = KeyType::u32; });
  wrong([](Config& c) { c.value_bytes = 4; });
  wrong([](Config& c) { c.order = Order::descending; });
  wrong([](Config& c) { c.dist = {"sorted", ""}; });
  wrong([](Config& c) { c.dist = {"zipf", "1.0"}; });
  wrong([](Config& c) { c.threads = 16; });
  wrong([](Config& c) { c.cache = CacheState::cold; });
  wrong([](Config& c) { c.load = {8, 0, 0}; });
  wrong([](Config& c) { c.devices = {0, 1}; });
  wrong([](Config& c) { c.ranks = 2; });
  wrong([](Config& c) { c.pinned = true; });
  wrong([](Config& c) { c.n = 2 * kN; });
  Recorder recorder("", "run");
  recorder.add_outcome(on_cpu("cpu/failed/one"), {Status::failed, "wrong result"});
  table.rows.push_back(recorder.table().rows[0]);
  EXPECT_EQ(names(question(), table), Names{"cpu/right/one"});
}

TEST(Recommend, TheDataHasItsPlace) {
  CsvTable table;
  add(table, on_cpu("cpu/x/sort"), 10);
  add(table, on_gpu("gpu/x/sort", HostMem::none), 5);       // 0.5 ms in kernels
  add(table, on_gpu("gpu/x/sort", HostMem::pageable), 12);  // with its copies
  add(table, on_gpu("gpu/x/sort", HostMem::staged), 11);
  EXPECT_EQ(names(question(), table),
            (Names{"cpu/x/sort",
                   "gpu/x/sort, copies from and to pageable memory staged by several threads",
                   "gpu/x/sort, copies from and to pageable memory"}));
  Question q = question();
  q.where = Memory::device;
  EXPECT_EQ(names(q, table), Names{"gpu/x/sort"});
  EXPECT_DOUBLE_EQ(rank_candidates(q, summarize(table))[0].time_ns, 0.5e6);
}

TEST(Recommend, ThreadsAreAWayOfTheirOwn) {
  CsvTable table;
  for (const int threads : {1, 4, 8}) {
    Config config = on_cpu("cpu/x/parallel");
    config.threads = threads;
    add(table, config, 40.0 / threads);
  }
  EXPECT_EQ(names(question(), table)[0], "cpu/x/parallel, 8 threads");
  Question q = question();
  q.max_threads = 4;
  EXPECT_EQ(names(q, table)[0], "cpu/x/parallel, 4 threads");
}

TEST(Recommend, OneThreadIsMarkedBesideMany) {
  CsvTable table;
  add(table, on_cpu("cpu/baselines/serial"), 30);
  Config many = on_cpu("cpu/x/parallel");
  many.threads = 4;
  add(table, many, 10);
  EXPECT_EQ(names(question(), table),
            (Names{"cpu/x/parallel, 4 threads", "cpu/baselines/serial, 1 thread"}));
  const auto summary = readable_table(summarize(table));
  EXPECT_THAT(summary, testing::HasSubstr("\ncpu/x/parallel x4 "));
  EXPECT_THAT(summary, testing::HasSubstr("\ncpu/baselines/serial (1 thread) "));
  Question q = question();
  q.max_threads = 1;
  EXPECT_EQ(names(q, table), Names{"cpu/baselines/serial"});
}

TEST(Recommend, InterpolatesOnLogScales) {
  CsvTable table;
  add(table, on_cpu("cpu/x/sort", 1000), 1);
  add(table, on_cpu("cpu/x/sort", 16000), 64);  // n^1.5
  const auto ranked = rank_candidates(question(4000), summarize(table));
  ASSERT_EQ(ranked.size(), 1u);
  EXPECT_NEAR(ranked[0].time_ns, 8e6, 1);
  EXPECT_NEAR(ranked[0].interval.low, 8e6 * 0.999, 1e3);
  EXPECT_NE(readable_recommendation(question(4000), ranked)
                .find("interpolated between n = 1000 and 16000"),
            std::string::npos);
  EXPECT_EQ(names(question(999), table), Names{}) << "below what was measured";
  EXPECT_EQ(names(question(16001), table), Names{}) << "above it";
  EXPECT_EQ(names(question(1000), table).size(), 1u);

  CsvTable far;
  add(far, on_cpu("cpu/x/sort", 1000), 1);
  add(far, on_cpu("cpu/x/sort", 17000), 64);
  EXPECT_EQ(names(question(4000), far), Names{}) << "the neighbours are too far apart";
}

TEST(Recommend, ACrossoverIsSeen) {
  CsvTable table;
  for (const auto& [n, early, late] :
       {std::tuple{1000, 1.0, 3.0}, {8000, 10.0, 10.5}, {64000, 100.0, 50.0}}) {
    add(table, on_cpu("cpu/early/one", static_cast<std::size_t>(n)), early);
    add(table, on_cpu("cpu/late/one", static_cast<std::size_t>(n)), late);
  }
  EXPECT_EQ(names(question(2000), table)[0], "cpu/early/one");
  EXPECT_EQ(names(question(40000), table)[0], "cpu/late/one");
}

TEST(Recommend, WhatIsSurelyNearIsATie) {
  CsvTable table;
  add(table, on_cpu("cpu/a/one"), 10, 0.01);
  add(table, on_cpu("cpu/b/one"), 10.2, 0.01);
  add(table, on_cpu("cpu/c/one"), 15, 0.05);
  const auto ranked = rank_candidates(question(), summarize(table));
  EXPECT_EQ(standing_of(ranked[0], ranked[1]), Standing::equal);
  EXPECT_EQ(standing_of(ranked[0], ranked[2]), Standing::slower);
  EXPECT_EQ(certainty_of(ranked), Certainty::tie);
  const std::string text = readable_recommendation(question(), ranked);
  EXPECT_NE(text.find("A tie"), std::string::npos) << text;
  EXPECT_NE(text.find("or as well"), std::string::npos) << text;
}

TEST(Recommend, AnyOverlapIsADoubt) {
  CsvTable table;
  add(table, on_cpu("cpu/a/one"), 10, 0.01);
  add(table, on_cpu("cpu/b/one"), 11, 0.01);
  add(table, on_cpu("cpu/c/scattered"), 12, 0.5);
  const auto ranked = rank_candidates(question(), summarize(table));
  EXPECT_EQ(standing_of(ranked[0], ranked[1]), Standing::slower);
  EXPECT_EQ(standing_of(ranked[0], ranked[2]), Standing::unclear);
  const std::string text = readable_recommendation(question(), ranked);
  EXPECT_NE(text.find("Can't tell: cpu/c/scattered takes 20.0 % longer"), std::string::npos)
      << text;
}

/// A sort with these times in milliseconds, one per round.
RankedSort in_rounds(const std::string& variant, const std::vector<double>& rounds,
                     double busy = 0) {
  RankedSort sort;
  sort.config = {{"variant", variant}, {"algorithm", variant.substr(4, variant.rfind('/') - 4)}};
  for (const char* column : {"params", "device", "devices"}) sort.config[column] = "";
  sort.config["threads"] = "1";
  sort.config["host_mem"] = "none";
  sort.config["launch"] = "stream";
  std::vector<double> all;
  for (const double ms : rounds) {
    sort.blocks_ns.push_back({ms * 0.999e6, ms * 1e6, ms * 1.001e6});
    all.push_back(ms * 1e6);
  }
  std::sort(all.begin(), all.end());
  sort.time_ns = all[all.size() / 2];
  sort.interval = {all.front(), all.back()};
  sort.busy_cpus = busy;
  return sort;
}

TEST(Certainty, AsksAllRounds) {
  const RankedSort first = in_rounds("cpu/a/x", {10, 10.1, 10, 10.2, 10});
  EXPECT_EQ(certainty_of({first, in_rounds("cpu/b/y", {13, 13.1, 13, 13.2, 13})}), Certainty::sure);
  EXPECT_EQ(certainty_of({first, in_rounds("cpu/b/y", {10.1, 10.2, 10.1, 10.3, 10.1})}),
            Certainty::tie);
  const std::vector<RankedSort> disagree = {first, in_rounds("cpu/b/y", {13, 9, 13, 8, 20})};
  EXPECT_EQ(certainty_of(disagree), Certainty::unclear);
  EXPECT_NE(certainty_text(disagree).find("faster in 3 of 5 rounds"), std::string::npos);
  EXPECT_EQ(certainty_of({first}), Certainty::alone);
}

TEST(Certainty, WhatCannotBeMuchFasterIsNoDoubt) {
  const RankedSort first = in_rounds("cpu/a/x", {10, 10.1, 10, 10.2, 10});
  const RankedSort uneven = in_rounds("cpu/b/y", {11.2, 10.9, 9.9, 11.4, 11});
  EXPECT_EQ(standing_of(first, uneven), Standing::no_faster);
  EXPECT_EQ(certainty_of({first, uneven}), Certainty::sure);
  EXPECT_NE(certainty_text({first, uneven}).find("takes 10.0 % longer, and is at best"),
            std::string::npos);
  const RankedSort near = in_rounds("cpu/b/y", {10.4, 10.1, 9.9, 10.6, 10});
  EXPECT_EQ(certainty_of({first, near}), Certainty::tie);
  EXPECT_EQ(certainty_of({in_rounds("cpu/a/x", {10, 10.1, 10, 10.2, 10}, 2), uneven}),
            Certainty::unclear)
      << "a busy machine needs more";
}

TEST(Certainty, TheFirstMayHaveMoreRounds) {
  const RankedSort first = in_rounds("cpu/a/x", {10, 10.1, 10, 10.2, 10, 10, 10.1, 10, 10, 10});
  EXPECT_EQ(standing_of(first, in_rounds("cpu/b/y", {13, 13.1, 13, 13.2, 13})), Standing::slower);
}

TEST(Certainty, WhatSlowsAWholeRoundCancelsOut) {
  const RankedSort first = in_rounds("cpu/a/x", {10, 20, 12, 30, 11});
  const RankedSort second = in_rounds("cpu/b/y", {11.1, 22, 13.1, 33.2, 12});
  EXPECT_EQ(standing_of(first, second), Standing::slower);
}

TEST(Certainty, ABusyMachineNeedsAMargin) {
  const std::vector<double> near = {10.8, 10.9, 10.8, 11, 10.8};
  const std::vector<double> base = {10, 10.1, 10, 10.2, 10};
  EXPECT_EQ(certainty_of({in_rounds("cpu/a/x", base), in_rounds("cpu/b/y", near)}),
            Certainty::sure);
  EXPECT_EQ(certainty_of({in_rounds("cpu/a/x", base, 2), in_rounds("cpu/b/y", near, 2)}),
            Certainty::unclear);
  // Measured once, it must take twice as long.
  CsvTable table;
  add(table, on_cpu("cpu/a/one"), 10);
  add(table, on_cpu("cpu/b/one"), 15);
  auto ranked = rank_candidates(question(), summarize(table));
  EXPECT_EQ(certainty_of(ranked), Certainty::sure);
  ranked[0].busy_cpus = 1;
  EXPECT_EQ(certainty_of(ranked), Certainty::unclear);
}

TEST(Certainty, WhatCallsAnotherMakesNoTieAndNoDoubt) {
  const RankedSort first = in_rounds("cpu/a/x", {10, 10.1, 10, 10.2, 10});
  const RankedSort chooser = in_rounds("cpu/auto/auto", {10.1, 9, 11, 10, 10.3});
  const RankedSort slow = in_rounds("cpu/b/y", {13, 13.1, 13, 13.2, 13});
  EXPECT_EQ(certainty_of({first, chooser, slow}), Certainty::sure);
  EXPECT_EQ(certainty_text({first, chooser, slow}).find("Sure: cpu/b/y takes 30.0 % longer"), 0u);
}

TEST(Recommend, StableAndMemoryAreAskedFor) {
  CsvTable table;
  Config unstable = on_cpu("cpu/a/unstable"), stable = on_cpu("cpu/b/stable");
  for (Config* config : {&unstable, &stable}) config->value_bytes = 4;
  stable.stable = true;
  add(table, unstable, 10);
  add(table, stable, 20);
  Question q = question();
  q.pairs = true;
  EXPECT_EQ(names(q, table)[0], "cpu/a/unstable");
  q.stable = true;
  EXPECT_EQ(names(q, table), Names{"cpu/b/stable"});
  q.max_memory = 1000;
  EXPECT_EQ(names(q, table), Names{}) << "what is unknown is not allowed";
  for (auto& row : table.rows) row["peak_temp_bytes"] = "1000";
  EXPECT_EQ(names(q, table), Names{"cpu/b/stable"});
  q.max_memory = 999;
  EXPECT_EQ(names(q, table), Names{});
}

TEST(Recommend, ALoneSortHasNoRunnerUp) {
  CsvTable table;
  add(table, on_cpu("cpu/a/one"), 10);
  const auto ranked = rank_candidates(question(), summarize(table));
  EXPECT_NE(readable_recommendation(question(), ranked).find("no runner-up"), std::string::npos);
}

}  // namespace
}  // namespace sortlab
