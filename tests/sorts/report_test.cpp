// How a report uses results: which files count, and the figures on the page.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/contract/errors.hpp"
#include "common/harness/record/record.hpp"
#include "tests/temporary_file.hpp"
#include "tool/report/candidates.hpp"
#include "tool/report/files.hpp"
#include "tool/report/gather.hpp"
#include "tool/report/machines.hpp"
#include "tool/report/points.hpp"

namespace sortlab::report {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Fields = std::map<std::string, std::string>;

/// Samples of one configuration as rows of the CSV; `fields` in place of the defaults.
std::string rows(Fields fields, const std::vector<int>& times_ns) {
  Config config;
  config.n = 1000;
  config.dist.name = "uniform";
  config.isa = "scalar";
  config.device = "Acme 9";
  Fields row = {{"schema_version", std::to_string(kSchemaVersion)},
                {"run_id", "run"},
                {"ts_utc", "2026-01-01T00:00:00Z"},
                {"status", "ok"}};
  for (const auto& [name, value] : config.columns()) row[name] = value;
  if (fields.at("variant").starts_with("gpu/")) {
    row["device"] = "A GPU";
    row["threads"] = "0";
    row["isa"] = "";
  }
  for (const auto& [name, value] : fields) row[name] = value;
  std::string id;
  for (const auto& [name, value] : row) id += value + "|";
  row["config_id"] = std::to_string(std::hash<std::string>{}(id));
  std::string text;
  for (const int time : times_ns) {
    row["total_ns"] = std::to_string(time);
    if (row["variant"].starts_with("gpu/") && !fields.contains("kernel_ns")) {
      row["kernel_ns"] = std::to_string(time);
    }
    std::vector<std::string> line;
    for (const auto& column : csv_columns()) line.push_back(row[column]);
    text += join_csv_line(line) + '\n';
  }
  return text;
}

std::string outcome(const std::string& variant, const std::string& status,
                    const std::string& reason, const std::string& n = "1000") {
  return rows({{"variant", variant}, {"status", status}, {"reason", reason}, {"n", n}}, {0});
}

/// The suite's own choice and three rivals, all slow, which a recommendation needs beside its
/// winner.
std::string slow_field(const std::string& n = "1000") {
  std::string text;
  for (const char* variant :
       {"cpu/auto/auto", "cpu/baselines/qsort", "cpu/baselines/vqsort", "cpu/std_sort/naive"}) {
    text += rows({{"variant", variant}, {"n", n}}, {900'000});
  }
  return text;
}

std::string csv(const std::string& text) { return join_csv_line(csv_columns()) + '\n' + text; }

const Point& point_of(const Report& report, std::string_view variant, std::size_t n = 1000) {
  for (const auto& point : report.points) {
    if (point.variant == variant && point.place.n == n) return point;
  }
  throw std::out_of_range(fmt::format("no point of {}", variant));
}

class ReportTest : public TemporaryFolder {
 protected:
  Report gather_files(const std::vector<std::string>& paths) { return gather(paths, warnings_); }
  Report gather_text(const std::string& text) {
    return gather_files({write("run.csv", csv(text))});
  }

  std::string refused(const std::vector<std::string>& paths) {
    try {
      gather(paths, warnings_);
    } catch (const BadInput& error) {
      return error.what();
    }
    return "";
  }

  std::vector<std::string> warnings_;
};

TEST_F(ReportTest, MedianIntervalAndThroughputOfAPoint) {
  const Report report =
      gather_text(rows({{"variant", "cpu/radix/naive"}}, {100, 300, 200, 900, 250}));
  ASSERT_EQ(report.points.size(), 1u);
  const Point& point = report.points[0];
  EXPECT_EQ(point.samples, 5u);
  EXPECT_DOUBLE_EQ(point.median_ns, 250);
  EXPECT_DOUBLE_EQ(point.low_ns, 100);  // with fewer than six samples, all of the range
  EXPECT_DOUBLE_EQ(point.high_ns, 900);
  EXPECT_EQ(point.place.where, Where::host);
  EXPECT_TRUE(point.leads);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(ReportTest, PlacesTellKeysInputsAndCopiesApart) {
  const Report report = gather_text(
      rows({{"variant", "cpu/radix/naive"}, {"value_bytes", "4"}, {"order", "desc"}}, {100}) +
      rows({{"variant", "cpu/quick/naive"},
            {"dist", "zipf"},
            {"dist_param", "0.75"},
            {"cache", "cold"}},
           {100}) +
      rows({{"variant", "cpu/merge/naive"}, {"load", "8:50/50"}}, {100}) +
      rows({{"variant", "gpu/radix/naive"}}, {100}) +
      rows({{"variant", "gpu/merge/naive"}, {"launch", "graph"}}, {100}) +
      rows({{"variant", "gpu/quick/naive"}, {"host_mem", "pinned"}}, {100}));
  EXPECT_EQ(point_of(report, "cpu/radix/naive").place.keys, "u32 + u32, descending");
  EXPECT_EQ(point_of(report, "cpu/quick/naive").place.input, "zipf 0.75, cold cache");
  EXPECT_EQ(point_of(report, "cpu/merge/naive").place.input, "uniform, load 8:50/50");
  EXPECT_EQ(point_of(report, "gpu/radix/naive").place.where, Where::device);
  EXPECT_EQ(point_of(report, "gpu/merge/naive").place.where, Where::graph);
  EXPECT_EQ(point_of(report, "gpu/quick/naive").place.where, Where::copies);
}

TEST_F(ReportTest, PhasesOfAHybridSortAreApart) {
  const Report report = gather_text(rows({{"variant", "gpu/quick/iterative"},
                                          {"host_mem", "pinned"},
                                          {"alloc_ns", "5"},
                                          {"h2d_ns", "10"},
                                          {"kernel_ns", "70"},
                                          {"host_ns", "60"},
                                          {"d2h_ns", "20"}},
                                         {100}));
  const Phases& phases = report.points.at(0).phases;
  EXPECT_EQ(phases[kAlloc], 5);
  EXPECT_EQ(phases[kH2d], 10);
  EXPECT_EQ(phases[kKernel], 10);  // kernel_ns without the host's work
  EXPECT_EQ(phases[kHost], 60);
  EXPECT_EQ(phases[kD2h], 20);
}

TEST_F(ReportTest, MachineAndRoofsComeFromTheRunFile) {
  write("run.run.json", R"({"run": {"cpu": {"model": "Acme 9", "threads": 8},
      "roofs": {"copy_bytes_per_s_all_threads": 1e9}}})");
  const Report report = gather_text(rows({{"variant", "cpu/radix/naive"}}, {80000}));
  ASSERT_EQ(report.machines.size(), 1u);
  EXPECT_EQ(report.machines[0].name, "Acme 9, 8 threads");
  // 1000 keys of 4 bytes, read and written: 8000 bytes in 80 us are a tenth of 1e9 bytes a second.
  EXPECT_NEAR(report.points.at(0).copy_share, 0.1, 1e-9);
}

TEST_F(ReportTest, RunsOfOneMachineJoinAndOthersStandBeside) {
  write("gpu.run.json", R"({"gpu-run": {"cpu": {"model": "Acme 9", "threads": 8},
      "gpu": {"name": "A GPU"}}})");
  write("cpu.run.json", R"({"cpu-run": {"cpu": {"model": "Acme 9", "threads": 8}}})");
  write("far.run.json", R"({"far-run": {"cpu": {"model": "Acme 9", "threads": 2}}})");
  write("cpu.csv", csv(rows({{"variant", "cpu/radix/naive"}, {"run_id", "cpu-run"}}, {100})));
  write("far.csv", csv(rows({{"variant", "cpu/radix/naive"}, {"run_id", "far-run"}}, {300})));
  write("gpu.csv", csv(rows({{"variant", "gpu/radix/naive"}, {"run_id", "gpu-run"}}, {10})));
  const Report report = gather_files({path("")});
  ASSERT_EQ(report.machines.size(), 2u);
  EXPECT_EQ(report.points.size(), 3u);
  EXPECT_EQ(point_of(report, "gpu/radix/naive").place.machine, 0u);
  EXPECT_EQ(report.machines[0].name, "A GPU + Acme 9, 8 threads");
  EXPECT_EQ(report.machines[1].name, "Acme 9, 2 threads");
}

// Zen 4 and Zen 5 machines both call themselves "AMD EPYC".
TEST_F(ReportTest, CpusOfOneNameAreToldApartByFamilyAndModel) {
  const auto add = [&](const std::string& name, const std::string& core) {
    write(name + ".run.json",
          fmt::format(R"({{"{}": {{"cpu": {{"model": "Acme 9", {}"threads": 2}}}}}})", name, core));
    write(name + ".csv", csv(rows({{"variant", "cpu/radix/naive"}, {"run_id", name}}, {100})));
  };
  add("a", R"("family": "25", "model_number": "17", )");
  add("b", R"("family": "26", "model_number": "2", )");
  add("c", R"("family": "26", "model_number": "2", )");
  const Report report = gather_files({path("")});
  ASSERT_EQ(report.machines.size(), 2u);
  EXPECT_EQ(report.machines[0].name, "Acme 9 (Zen 4), 2 threads");
  EXPECT_EQ(report.machines[1].name, "Acme 9 (Zen 5), 2 threads");
  EXPECT_THAT(report.machines[0].files, ElementsAre("a.csv"));
  EXPECT_THAT(report.machines[1].files, ElementsAre("b.csv", "c.csv"));
}

TEST_F(ReportTest, TheLaterTimesCountAndEnergyStays) {
  const std::string early = rows({{"variant", "gpu/radix/naive"}, {"gpu_J", "0.5"}}, {100});
  std::string late = early;
  late.replace(late.find("2026-01-01"), 10, "2026-01-02");
  late.replace(late.find(",0.5,"), 5, ",,");
  late.replace(late.find(",100,"), 5, ",200,");
  late.replace(late.find(",100,"), 5, ",200,");
  for (const bool late_first : {false, true}) {
    write("a.csv", csv(late_first ? late : early));
    write("b.csv", csv(late_first ? early : late));
    const Report report = gather_files({path("a.csv"), path("b.csv")});
    ASSERT_EQ(report.points.size(), 1u);
    EXPECT_DOUBLE_EQ(report.points[0].median_ns, 200);
    EXPECT_DOUBLE_EQ(report.points[0].keys_per_joule, 2000);
  }
}

TEST_F(ReportTest, GainsAreOverTheNearestRungMeasured) {
  const Report report = gather_text(rows({{"variant", "cpu/radix/naive"}}, {800}) +
                                    rows({{"variant", "cpu/radix/parallel"}}, {200}) +
                                    rows({{"variant", "cpu/merge/optimized"}}, {100}));
  const Point& parallel = point_of(report, "cpu/radix/parallel");
  ASSERT_TRUE(parallel.before.has_value());
  EXPECT_EQ(report.points[*parallel.before].variant, "cpu/radix/naive");
  EXPECT_DOUBLE_EQ(parallel.gain, 4);
  EXPECT_FALSE(point_of(report, "cpu/merge/optimized").before.has_value());
}

TEST(RungBelow, IsKnownOfTheBuildOrOfTheLooks) {
  EXPECT_EQ(rung_below("cpu/radix/parallel"), "cpu/radix/optimized");  // of the build
  EXPECT_EQ(rung_below("gpu/bitonic/v1_fused"), "gpu/bitonic/v0_step_per_launch");
  EXPECT_EQ(rung_below("cpu/radix/naive"), "");
  EXPECT_EQ(rung_below("cpu/baselines/qsort"), "");
  EXPECT_EQ(rung_below("cpu/shell/parallel"),
            "cpu/shell/optimized");  // unknown, but the common rungs
  EXPECT_EQ(rung_below("mine"), "");
  EXPECT_EQ(rung_below("gpu/bitonic/of_tomorrow"), "");
}

TEST_F(ReportTest, OnlyTheFastestSettingOfAVariantLeads) {
  const Report report =
      gather_text(rows({{"variant", "gpu/radix/naive"}, {"params", "threads=128"}}, {300}) +
                  rows({{"variant", "gpu/radix/naive"}, {"params", "threads=256"}}, {200}));
  ASSERT_EQ(report.points.size(), 2u);
  EXPECT_FALSE(report.points[0].leads);
  EXPECT_TRUE(report.points[1].leads);
}

/// Two variants at four n: the first wins at 1000 and 2000, the second above.
std::string two_over_four() {
  std::string text;
  for (const auto& [n, a, b] : {std::tuple{"1000", 100, 150},
                                {"2000", 200, 240},
                                {"4000", 500, 400},
                                {"8000", 1000, 500}}) {
    text += rows({{"variant", "cpu/radix/naive"}, {"n", n}}, {a});
    text += rows({{"variant", "cpu/quick/naive"}, {"n", n}}, {b});
    text += slow_field(n);
  }
  return text;
}

TEST_F(ReportTest, ChoicesAreRangesOfOneWinner) {
  const Report report = gather_text(two_over_four());
  ASSERT_EQ(report.choices.size(), 2u);
  const Choice& small = report.choices[0];
  EXPECT_EQ(small.best, "cpu/radix/naive");
  EXPECT_EQ(small.n_low, 1000u);
  EXPECT_EQ(small.n_high, 2000u);
  EXPECT_NEAR(small.margin_low, 0.2, 1e-12);
  EXPECT_NEAR(small.margin_high, 0.5, 1e-12);
  EXPECT_DOUBLE_EQ(small.rate_high, 1e10);
  EXPECT_THAT(small.next, ElementsAre("cpu/quick/naive"));
  EXPECT_FALSE(small.in_doubt);
  EXPECT_THAT(small.peers, ElementsAre("cpu/baselines/qsort"));
  EXPECT_DOUBLE_EQ(small.over_peer_low, 4500);
  EXPECT_DOUBLE_EQ(small.over_peer_high, 9000);
  EXPECT_EQ(report.choices[1].best, "cpu/quick/naive");
  EXPECT_EQ(report.choices[1].n_high, 8000u);
}

TEST_F(ReportTest, OverlappingIntervalsAreInDoubt) {
  const Report report =
      gather_text(rows({{"variant", "cpu/radix/naive"}}, {100, 110, 140}) +
                  rows({{"variant", "cpu/quick/naive"}}, {120, 130, 150}) + slow_field());
  ASSERT_EQ(report.choices.size(), 1u);
  EXPECT_TRUE(report.choices[0].in_doubt);
}

TEST_F(ReportTest, ALimitOfThreadsLeavesTheOthersOut) {
  const Report report = gather_text(
      rows({{"variant", "cpu/radix/parallel"}, {"threads", "8"}}, {100}) +
      rows({{"variant", "cpu/radix/optimized"}}, {300}) +
      rows({{"variant", "cpu/quick/naive"}}, {400}) +
      rows({{"variant", "cpu/baselines/gnu_parallel_sort"}, {"threads", "8"}}, {900'000}) +
      slow_field());
  ASSERT_EQ(report.choices.size(), 2u);
  EXPECT_EQ(report.choices[0].threads, 1);
  EXPECT_EQ(report.choices[0].best, "cpu/radix/optimized");
  EXPECT_EQ(report.choices[1].threads, 8);
  EXPECT_EQ(report.choices[1].best, "cpu/radix/parallel");
  EXPECT_EQ(report.choices[1].best_threads, 8);
  EXPECT_EQ(report.choices[1].rivals_low, 8u);
}

TEST_F(ReportTest, NothingIsRecommendedWhereTooFewWereMeasured) {
  const Report report = gather_text(rows({{"variant", "cpu/radix/naive"}}, {100}) +
                                    rows({{"variant", "cpu/baselines/qsort"}}, {200}));
  ASSERT_EQ(report.choices.size(), 1u);
  EXPECT_EQ(report.choices[0].best, "");
  EXPECT_THAT(report.choices[0].lacking, ElementsAre("cpu/auto/auto", "2 more rivals"));
}

TEST_F(ReportTest, ARangeLeavesOutAnNWhereALaddersBestIsMissing) {
  std::string text = slow_field("1000") + slow_field("2000") + slow_field("4000");
  for (const char* n : {"1000", "4000"}) {
    text += rows({{"variant", "cpu/radix/naive"}, {"n", n}}, {300});
    text += rows({{"variant", "cpu/radix/optimized"}, {"n", n}}, {100});
    text += rows({{"variant", "cpu/radix/parallel"}, {"n", n}}, {200});
  }
  text += rows({{"variant", "cpu/radix/naive"}, {"n", "2000"}}, {300});
  const Report report = gather_text(text);
  ASSERT_EQ(report.choices.size(), 1u);
  EXPECT_EQ(report.choices[0].best, "cpu/radix/optimized");
  EXPECT_EQ(report.choices[0].n_low, 1000u);
  EXPECT_EQ(report.choices[0].n_high, 4000u);
  EXPECT_DOUBLE_EQ(report.choices[0].rate_low, 1e10);  // that of 2000 would be lower
}

TEST_F(ReportTest, ALadderOutOfReachMayBeMissing) {
  std::string text = slow_field("1000") + slow_field("2000");
  for (const char* n : {"1000", "2000"})
    text += rows({{"variant", "cpu/radix/naive"}, {"n", n}}, {100});
  text += rows({{"variant", "cpu/bitonic/naive"}, {"n", "1000"}}, {201});
  const Report report = gather_text(text);
  ASSERT_EQ(report.choices.size(), 1u);
  EXPECT_EQ(report.choices[0].n_high, 2000u);
}

TEST_F(ReportTest, SeveralThreadsNeedARivalOnSeveral) {
  const Report report = gather_text(
      rows({{"variant", "cpu/radix/parallel"}, {"threads", "8"}}, {100}) + slow_field());
  ASSERT_EQ(report.choices.size(), 2u);  // at most 1 thread, and at most 8
  EXPECT_EQ(report.choices[0].best, "cpu/auto/auto");
  EXPECT_THAT(report.choices[1].lacking, ElementsAre("a rival on several threads"));
}

TEST_F(ReportTest, TheBestRivalOfTheNeighbourhoodIsNeeded) {
  std::string text = slow_field("1000") + slow_field("2000");
  for (const char* n : {"1000", "2000"})
    text += rows({{"variant", "cpu/radix/naive"}, {"n", n}}, {100});
  for (const char* rival : {"a/x", "b/x", "c/x", "d/x"}) {
    text += rows({{"variant", std::string("plugin/") + rival}, {"n", "1000"}},
                 {rival[0] == 'a' ? 300 : 400});
  }
  const Report report = gather_text(text);  // at 2000 the fast rivals were not measured
  ASSERT_EQ(report.choices.size(), 1u);
  EXPECT_EQ(report.choices[0].n_high, 1000u);
  EXPECT_THAT(report.choices[0].peers, ElementsAre("plugin/a/x"));
}

TEST_F(ReportTest, WhatThePapersNeededIsNotRecommended) {
  write("exhibit.csv",
        "exhibit,source,table,row,column,unit,published,measured,ratio,status,reason,machine,"
        "revision\n"
        "a,b,c,d,e,ms,1,1,1,measured,,f,g\n");
  const std::string samples = write("samples.csv", csv(two_over_four()));
  EXPECT_THAT(gather_files({samples, path("exhibit.csv")}).choices, IsEmpty());
  EXPECT_EQ(gather_files({samples}).choices.size(), 2u);
  const std::string run = write("run.csv", csv(two_over_four()));
  EXPECT_EQ(gather_files({run, path("exhibit.csv")}).choices.size(), 2u);
}

TEST_F(ReportTest, ATieGoesToTheSuitesOwnChoice) {
  const std::string others = rows({{"variant", "cpu/baselines/qsort"}}, {300}) +
                             rows({{"variant", "cpu/baselines/vqsort"}}, {300}) +
                             rows({{"variant", "cpu/std_sort/naive"}}, {300}) +
                             rows({{"variant", "cpu/radix/naive"}}, {100, 105, 110});
  const auto best = [&](int low) {
    return gather_text(others + rows({{"variant", "cpu/auto/auto"}}, {low, low + 5, low + 10}))
        .choices.at(0)
        .best;
  };
  EXPECT_EQ(best(108), "cpu/auto/auto");
  EXPECT_EQ(best(111), "cpu/radix/naive");
}

TEST_F(ReportTest, APlugInsGpuSortStandsAmongGpuSorts) {
  const Report report = gather_text(rows(
      {{"variant", "plugin/cub/radix"}, {"threads", "0"}, {"device", "A GPU"}, {"kernel_ns", "70"}},
      {100}));
  EXPECT_EQ(report.points.at(0).place.where, Where::device);
  EXPECT_DOUBLE_EQ(report.points.at(0).median_ns, 70);
  EXPECT_EQ(report.machines.at(0).gpu, "A GPU");
}

TEST_F(ReportTest, EarlierMeasurementsAndTheirSourcesStay) {
  write(
      "a.run.json",
      R"({"old": {"cpu": {"model": "Acme 9"}, "build": {"git_revision": "abc", "git_dirty": true}}})");
  write(
      "b.run.json",
      R"({"new": {"cpu": {"model": "Acme 9"}, "build": {"git_revision": "def", "git_dirty": false}}})");
  std::string text = rows({{"variant", "cpu/radix/naive"}}, {200});
  text.replace(text.find(",run,"), 5, ",old,");
  const std::string old = write("a.csv", csv(text));
  text.replace(text.find(",old,"), 5, ",new,");
  text.replace(text.find("2026-01-01"), 10, "2026-01-02");
  const Report report = gather_files({write("b.csv", csv(text)), old});
  ASSERT_EQ(report.points.size(), 1u);
  ASSERT_EQ(report.points[0].earlier.size(), 1u);
  EXPECT_EQ(report.sources.at(report.points[0].source), (Source{"b.csv", "def"}));
  EXPECT_EQ(report.sources.at(report.points[0].earlier[0].source),
            (Source{"a.csv", "abc with changes"}));
}

TEST(CoreName, IsWhatPeopleSay) {
  EXPECT_EQ(core_name("26", "2"), "Zen 5");
  EXPECT_EQ(core_name("25", "17"), "Zen 4");
  EXPECT_EQ(core_name("6", "207"), "Emerald Rapids");
  EXPECT_EQ(core_name("99", "1"), "family 99, model 1");
  EXPECT_EQ(core_name("", "1"), "");
}

/// A machine with both: the GPU is faster from 1000 on if the data is there, and at 16000 with
/// copies.
std::string host_and_gpu() {
  std::string text;
  for (const auto& [n, host, device, copies] :
       {std::tuple{"1000", 100, 50, 400}, {"4000", 400, 60, 800}, {"16000", 1600, 80, 800}}) {
    text += rows({{"variant", "cpu/radix/naive"}, {"n", n}}, {host});
    text += rows({{"variant", "gpu/radix/naive"}, {"n", n}}, {device});
    text += rows({{"variant", "gpu/radix/naive"}, {"n", n}, {"host_mem", "pinned"}}, {copies});
    text += slow_field(n);
  }
  return text;
}

std::string run_file() {
  return R"({"run": {"cpu": {"model": "Acme 9", "threads": 1}, "gpu": {"name": "A GPU"}}})";
}

TEST_F(ReportTest, CrossoverWithAndWithoutCopies) {
  write("run.run.json", run_file());
  const Report report = gather_text(host_and_gpu());
  ASSERT_EQ(report.crossovers.size(), 2u);
  EXPECT_EQ(report.crossovers[0].where, Where::device);
  EXPECT_EQ(report.crossovers[0].crossing.kind, Crossing::Kind::always_gpu);
  EXPECT_EQ(report.crossovers[0].crossing.n_low, 1000u);
  EXPECT_EQ(report.crossovers[1].where, Where::copies);
  EXPECT_EQ(report.crossovers[1].crossing.kind, Crossing::Kind::at);
  // Half as fast at 4000, twice as fast at 16000: equal half way between, on a logarithmic scale.
  EXPECT_NEAR(report.crossovers[1].crossing.n, 8000, 1);
}

TEST_F(ReportTest, CrossoverThatIsNeverReachedOrCantBeTold) {
  write("run.run.json", run_file());
  Report report = gather_text(rows({{"variant", "cpu/radix/naive"}}, {100}) +
                              rows({{"variant", "gpu/radix/naive"}}, {200}));
  ASSERT_EQ(report.crossovers.size(), 1u);
  EXPECT_EQ(report.crossovers[0].crossing.kind, Crossing::Kind::always_cpu);
  report = gather_text(rows({{"variant", "cpu/radix/naive"}}, {100}) +
                       rows({{"variant", "gpu/radix/naive"}, {"n", "5"}}, {200}));
  EXPECT_EQ(report.crossovers.at(0).crossing.kind, Crossing::Kind::no_common_n);
}

TEST_F(ReportTest, WithCopiesTheHostCompetes) {
  write("run.run.json", run_file());
  const Report report = gather_text(host_and_gpu());
  std::vector<std::string> winners;
  for (const auto& choice : report.choices) {
    if (choice.where == Where::copies) winners.push_back(choice.best);
  }
  EXPECT_THAT(winners, ElementsAre("cpu/radix/naive", "gpu/radix/naive"));
}

TEST_F(ReportTest, NoGpuRowsNoCrossover) {
  const Report report = gather_text(two_over_four());
  EXPECT_THAT(report.crossovers, IsEmpty());
  EXPECT_THAT(report.kernels, IsEmpty());
}

TEST_F(ReportTest, FailuresOnlyAreGroupedByReason) {
  const Report report = gather_text(outcome("gpu/radix/naive", "skipped", "no GPU", "16") +
                                    outcome("gpu/radix/naive", "skipped", "no GPU", "64") +
                                    outcome("cpu/radix/naive", "timeout", "gave up after 1 s"));
  EXPECT_THAT(report.points, IsEmpty());
  EXPECT_THAT(report.choices, IsEmpty());
  ASSERT_EQ(report.failures.size(), 2u);
  EXPECT_EQ(report.failures[0].configurations, 2u);
  EXPECT_EQ(report.failures[0].n_low, 16u);
  EXPECT_EQ(report.failures[0].n_high, 64u);
  EXPECT_EQ(report.failures[1].reason, "gave up after 1 s");
}

TEST_F(ReportTest, AWrongAnswerIsNoTime) {
  const Report report =
      gather_text(rows({{"variant", "cpu/radix/naive"}}, {1, 2, 3}) +
                  rows({{"variant", "cpu/radix/naive"}, {"status", "failed"}}, {1}));
  EXPECT_EQ(report.points.size(), 1u);
  EXPECT_EQ(report.failures.size(), 1u);
}

TEST_F(ReportTest, ACutRowIsLeftOutAndNamed) {
  const std::string whole = rows({{"variant", "cpu/radix/naive"}}, {100, 200, 300});
  write("cut.csv", csv(whole + "1,run,abc,2026"));
  const Report report = gather_files({path("cut.csv")});
  EXPECT_EQ(report.points.at(0).samples, 3u);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_THAT(warnings_[0], HasSubstr("cut.csv: line 5: cut in the middle of a row"));
}

TEST_F(ReportTest, ForeignAndEmptyFilesAreNamedAndTheOthersUsed) {
  write("a_foreign.csv", "who,what\nme,this\n");
  write("b_empty.csv", "");
  write("c.csv", csv(rows({{"variant", "cpu/radix/naive"}}, {100})));
  const Report report = gather_files({path("")});
  EXPECT_EQ(report.points.size(), 1u);
  ASSERT_EQ(warnings_.size(), 2u);
  EXPECT_THAT(warnings_[0], AllOf(StartsWith("1 file is not of sortlab run, skipped: "),
                                  EndsWith("a_foreign.csv")));
  EXPECT_THAT(warnings_[1], HasSubstr("b_empty.csv: line 1"));
}

TEST_F(ReportTest, NothingUsableIsRefusedInOneLine) {
  EXPECT_THAT(refused({write("foreign.csv", "who,what\nme,this\n")}),
              AllOf(HasSubstr("1 file is not of sortlab run, skipped: "), EndsWith("foreign.csv")));
  EXPECT_THAT(warnings_, IsEmpty());  // the one line is the refusal itself
  EXPECT_THAT(refused({write("header.csv", csv(""))}), HasSubstr("nothing to report"));
  EXPECT_THAT(refused({path("absent.csv")}), HasSubstr("absent.csv: no such file or folder"));
}

TEST_F(ReportTest, ABrokenRunFileIsNamedAndTheTimesUsed) {
  write("run.run.json", "{\"run\": {\"cpu\"");
  const Report report = gather_text(rows({{"variant", "cpu/radix/naive"}}, {100}));
  EXPECT_EQ(report.machines.at(0).name, "Acme 9");
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_THAT(warnings_[0], HasSubstr("run.run.json: not JSON: parse error at line 1"));
}

TEST_F(ReportTest, FoldersGiveEachFileOnceAndNoSummaries) {
  std::filesystem::create_directory(path("deep"));
  const std::string text = csv(rows({{"variant", "cpu/radix/naive"}}, {100}));
  write("deep/run.csv", text);
  write("deep/run.summary.csv", "anything");
  write("deep/run.breakdown.csv", "anything");
  write("deep/paper.csv", "exhibit,source\n");
  const ResultFiles files = find_result_files({path(""), path("deep/run.csv")});
  EXPECT_THAT(files.samples, ElementsAre(HasSubstr("run.csv")));
  EXPECT_THAT(files.breakdowns, ElementsAre(HasSubstr("run.breakdown.csv")));
  EXPECT_THAT(files.exhibits, ElementsAre(HasSubstr("paper.csv")));
}

TEST_F(ReportTest, BreakdownBesideACsvBecomesAStack) {
  std::vector<std::string> names = {"schema_version", "config_id"};
  std::vector<std::string> values = {"1", "abc"};
  const Fields row = {{"variant", "gpu/radix/naive"}, {"device", "A GPU"}, {"key_type", "u32"},
                      {"value_bytes", "0"},           {"n", "1000"},       {"dist", "uniform"},
                      {"host_mem", "none"},           {"load", "0"}};
  for (const auto& [name, value] : Config{}.columns()) {
    names.push_back(name);
    values.push_back(row.contains(name) ? row.at(name) : "");
  }
  for (const char* name : {"activity", "launches_per_sort", "ns_per_sort", "share", "revision"}) {
    names.emplace_back(name);
  }
  std::string text = join_csv_line(names) + '\n';
  for (const auto& [name, ns] : {std::pair{"count, digits", "75"}, {"scatter", "25"}}) {
    auto line = values;
    line.insert(line.end(), {name, "2", ns, "0.5", ""});
    text += join_csv_line(line) + '\n';
  }
  write("run.breakdown.csv", text + "1,abc,cut");
  const Report report = gather_text(rows({{"variant", "gpu/radix/naive"}}, {100}));
  ASSERT_EQ(report.kernels.size(), 1u);
  ASSERT_EQ(report.kernels[0].parts.size(), 2u);
  EXPECT_EQ(report.kernels[0].parts[0].name, "count, digits");
  EXPECT_DOUBLE_EQ(report.kernels[0].parts[0].ns, 75);
  EXPECT_EQ(report.machines.size(), 1u);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_THAT(warnings_[0], HasSubstr("run.breakdown.csv: line 4: cut"));
}

TEST_F(ReportTest, ExhibitsAreKnownByTheirFirstColumn) {
  write("table.csv",
        "exhibit,source,table,row,column,unit,published,measured,ratio,status,reason,machine,"
        "revision\ntable-1,\"A, 2025\",Table I,radix,time,ms,50,25,0.5,measured,,A GPU,abc\n");
  const Report report = gather_files({path("table.csv")});
  ASSERT_EQ(report.exhibits.size(), 1u);
  EXPECT_EQ(report.exhibits[0].at("source"), "A, 2025");
  EXPECT_EQ(report.exhibits[0].at("ratio"), "0.5");
  EXPECT_THAT(refused({write("bad.csv", "exhibit,source\nx,y\n")}), HasSubstr("no column table"));
}

TEST_F(ReportTest, DataIsWholeAndCompact) {
  write("run.run.json", run_file());
  const Report report = gather_text(host_and_gpu());
  const auto data = nlohmann::json::parse(data_json(report, "2026-01-01T00:00:00Z"));
  const auto& tables = data.at("tables");
  EXPECT_EQ(tables.at("choices").at("rows").size(), report.choices.size());
  EXPECT_EQ(tables.at("crossovers").at("rows").size(), report.crossovers.size());
  const auto& points = tables.at("points");
  ASSERT_EQ(points.at("rows").size(), report.points.size());
  const auto field = [&](const char* column) {
    const auto& all = points.at("columns");
    return points.at("rows")[0].at(std::find(all.begin(), all.end(), column) - all.begin());
  };
  EXPECT_EQ(data.at("names").at(field("$variant").get<std::size_t>()), "cpu/radix/naive");
  EXPECT_EQ(field("median"), 100);
}

TEST_F(ReportTest, NoNameEndsThePagesScript) {
  const Report report =
      gather_text(outcome("cpu/radix/naive", "failed", "said </script><script>alert(1)"));
  ASSERT_THAT(data_json(report, "now"), HasSubstr("</script>"));
  try {
    EXPECT_EQ(html_page(report, "now").find("said </script>"), std::string::npos);
  } catch (const BadInput& error) {
    GTEST_SKIP() << error.what();
  }
}

}  // namespace
}  // namespace sortlab::report
