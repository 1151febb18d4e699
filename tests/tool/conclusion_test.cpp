// The table of a run and its last lines.
#include "tool/run/conclusion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "tool/run/table.hpp"

namespace sortlab {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A configuration whose samples lie within `spread` of `ms`.
SummaryRow result_of(const std::string& variant, std::size_t n, double ms, int threads = 1,
                     double spread = 0.01) {
  Config config;
  config.variant = variant;
  config.n = n;
  config.dist = {"uniform", ""};
  config.threads = threads;
  SummaryRow row;
  for (const auto& [column, value] : config.columns()) row.config[column] = value;
  row.config["config_id"] = config.id();
  row.status = "ok";
  row.n_kept = 9;
  row.median_ns = ms * 1e6;
  row.interval = {row.median_ns * (1 - spread), row.median_ns * (1 + spread)};
  row.p90_ns = row.median_ns * (1 + spread);
  row.relative_iqr = 2 * spread;
  row.keys_per_s = static_cast<double>(n) / ms * 1e3;
  return row;
}

std::string concluded(const std::vector<SummaryRow>& rows) {
  return readable_conclusion(contests_of(rows), SIZE_MAX);
}

TEST(Conclusion, NamesTheFastestAndItsLeadOverTheBestLibrary) {
  const std::vector<SummaryRow> rows = {
      result_of("cpu/radix/naive", 1024, 2), result_of("cpu/radix/simd", 1024, 1),
      result_of("cpu/baselines/qsort", 1024, 8), result_of("cpu/baselines/vqsort", 1024, 4)};
  const auto contests = contests_of(rows);
  ASSERT_EQ(contests.size(), 1u);
  EXPECT_EQ(contests[0].winner().config.at("variant"), "cpu/radix/simd");
  EXPECT_EQ(contests[0].library()->config.at("variant"), "cpu/baselines/vqsort");
  EXPECT_DOUBLE_EQ(contests[0].gain(), 4);
  EXPECT_EQ(
      concluded(rows),
      "\nFastest:\nu32, uniform\n  1K: cpu/radix/simd, 1.02 million keys per second ±1%: 4.0x "
      "faster than the best library, cpu/baselines/vqsort\n");
}

TEST(Conclusion, JoinsNeighbouringSizesOfOneWinner) {
  std::vector<SummaryRow> rows;
  for (const std::size_t n : {1024, 2048, 4096}) {
    rows.push_back(result_of("cpu/a/x", n, n < 4096 ? 1 : 9));
    rows.push_back(result_of("cpu/b/y", n, 3));
  }
  const std::string text = concluded(rows);
  EXPECT_THAT(text, HasSubstr("\n  1K .. 2K: cpu/a/x, "));
  EXPECT_THAT(text, HasSubstr("3.0x faster than cpu/b/y\n"));
  EXPECT_THAT(text, HasSubstr("\n  4K: cpu/b/y, "));
}

TEST(Conclusion, OverlappingIntervalsAreATie) {
  EXPECT_THAT(concluded({result_of("cpu/a/x", 1024, 1), result_of("cpu/b/y", 1024, 1.01)}),
              HasSubstr("a tie with cpu/b/y (1.01x)"));
  EXPECT_THAT(concluded({result_of("cpu/a/x", 1024, 1), result_of("cpu/b/y", 1024, 1.01),
                         result_of("cpu/baselines/z", 1024, 3)}),
              HasSubstr("3.0x faster than the best library, cpu/baselines/z; a tie with the next"));
}

TEST(Conclusion, NumbersOfThreadsAreContestsOfTheirOwnWhereTheyWereSwept) {
  const std::vector<SummaryRow> rows = {result_of("cpu/a/x", 1024, 4, 1),
                                        result_of("cpu/a/x", 1024, 1, 4),
                                        result_of("cpu/b/serial", 1024, 2, 1)};
  const std::string text = concluded(rows);
  EXPECT_THAT(text, HasSubstr("u32, uniform, 1 thread\n  1K: cpu/b/serial"));
  EXPECT_THAT(text, HasSubstr("u32, uniform, up to 4 threads\n  1K: cpu/a/x x4"));
}

SummaryRow gpu_result_of(const std::string& variant, std::size_t n, double ms,
                         const std::string& host_mem = "none") {
  SummaryRow row = result_of(variant, n, ms, 0);
  row.config["host_mem"] = host_mem;
  return row;
}

TEST(Conclusion, EachSideHasItsWinner) {
  const std::string text =
      concluded({result_of("cpu/a/x", 1024, 4), result_of("cpu/b/y", 1024, 8),
                 gpu_result_of("gpu/a/x", 1024, 1), gpu_result_of("gpu/baselines/y", 1024, 3),
                 gpu_result_of("gpu/a/x", 1024, 2, "pinned")});
  EXPECT_THAT(text, HasSubstr("u32, uniform, CPU\n  1K: cpu/a/x"));
  EXPECT_THAT(text, HasSubstr("u32, uniform, GPU\n  1K: gpu/a/x, "));
  EXPECT_THAT(text, HasSubstr("3.0x faster than the best library, gpu/baselines/y"));
  EXPECT_THAT(text, HasSubstr("u32, uniform, GPU with copies\n  1K: gpu/a/x pinned, "));
}

TEST(Crossings, SayFromWhichNTheGpuWins) {
  std::vector<SummaryRow> rows;
  for (const std::size_t n : {std::size_t{1} << 10, std::size_t{1} << 14, std::size_t{1} << 18}) {
    const double ms = static_cast<double>(n) / 4096;  // 0.25, 4, 64
    rows.push_back(result_of("cpu/a/slower", n, 2 * ms));
    rows.push_back(result_of("cpu/a/x", n, ms));
    rows.push_back(gpu_result_of("gpu/a/x", n, 1));
    rows.push_back(gpu_result_of("gpu/a/x", n, 100, "pinned"));
    rows.push_back(gpu_result_of("gpu/a/x", n, 0.1, "staged"));
  }
  rows.push_back(gpu_result_of("gpu/a/x", 1, 1));
  rows.back().config["dist"] = "sorted";  // of one side alone
  EXPECT_EQ(readable_crossings(rows, SIZE_MAX),
            "\nGPU against CPU:\n"
            "  u32, uniform: the GPU wins from about 4.0K keys on\n"
            "  u32, uniform, with copies (pinned): the CPU wins at 256K, the largest n\n"
            "  u32, uniform, with copies (staged): the GPU wins at all n, 1K .. 256K\n");
  rows = {result_of("cpu/a/x", 1024, 1), gpu_result_of("gpu/a/x", 2048, 1)};
  EXPECT_THAT(readable_crossings(rows, SIZE_MAX), HasSubstr(": no n was measured on both sides\n"));
  EXPECT_EQ(readable_crossings({result_of("cpu/a/x", 1024, 1)}, SIZE_MAX), "");
}

TEST(Conclusion, SaysNothingOfNothing) {
  SummaryRow skipped = result_of("cpu/a/x", 1024, 1);
  skipped.n_kept = 0;
  EXPECT_EQ(concluded({skipped}), "");
  EXPECT_THAT(concluded({result_of("cpu/a/x", 1024, 1)}), HasSubstr("alone"));
}

TEST(Table, MarksTheFastestAndTheNoisy) {
  const std::vector<SummaryRow> rows = {result_of("cpu/a/x", 1024, 1),
                                        result_of("cpu/b/noisy", 1024, 2, 1, 0.3)};
  const std::string text = readable_table(rows);
  EXPECT_THAT(text, HasSubstr("cpu/a/x       1.02*    ±1%\ncpu/b/noisy   0.51!   ±30%\n"));
  TableLayout top;
  top.top = 1;
  EXPECT_THAT(readable_table(rows, top), HasSubstr("... and 1 slower ones\n"));
  EXPECT_THAT(readable_table(rows, top), Not(HasSubstr("cpu/b/noisy")));
}

TEST(Table, ComesInPartsWhereTheWindowIsNarrow) {
  std::vector<SummaryRow> rows;
  for (std::size_t n = 1024; n <= 65536; n *= 2) rows.push_back(result_of("cpu/a/long_name", n, 1));
  TableLayout narrow;
  narrow.width = 50;
  const std::string text = readable_table(rows, narrow);
  EXPECT_EQ(std::count(text.begin(), text.end(), 'x'), 0);
  std::size_t parts = 0;
  for (auto at = text.find("cpu/a/long_name"); at != std::string::npos; ++parts) {
    at = text.find("cpu/a/long_name", at + 1);
  }
  EXPECT_EQ(parts, 4u) << text;  // seven sizes, two beside the name
}

TEST(Titles, HaveThreeDigits) {
  EXPECT_EQ(speed_title(0.42), "0.42");
  EXPECT_EQ(speed_title(13.14), "13.1");
  EXPECT_EQ(speed_title(36127.89), "36128");
  EXPECT_EQ(factor_title(8), "8.0x");
  EXPECT_EQ(factor_title(1.04), "1.04x");
  EXPECT_EQ(percent_title(0.004), "0.4%");
  EXPECT_EQ(percent_title(0.5), "50%");
}

}  // namespace
}  // namespace sortlab
