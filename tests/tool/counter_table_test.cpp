// The table beneath a run's table: what was counted.
#include "tool/run/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace sortlab {
namespace {

using testing::HasSubstr;
using testing::Not;

SummaryRow counted(const std::string& variant, double ms, const Counters& counters) {
  Config config;
  config.variant = variant;
  config.n = 1000;
  config.dist = {"uniform", ""};
  SummaryRow row;
  for (const auto& [column, value] : config.columns()) row.config[column] = value;
  row.n_kept = 9;
  row.median_ns = ms * 1e6;
  row.counters = counters;
  return row;
}

TEST(CounterTable, TellsCountsOfTheCpuPerKeyAndOthersPerSort) {
  const std::vector<SummaryRow> rows = {
      counted("cpu/b/slow", 2, {123'456, 30'000, 200, 12.5, 0, 0.25}),
      counted("cpu/a/fast", 1, {5'000, 20'000, 0, std::nullopt, 17, 0})};
  EXPECT_EQ(
      readable_counters(rows),
      "\nu32, uniform, 1000 keys: counters\n"
      "                 cycles instructions branch miss.  cache miss.  page faults     switches\n"
      "cpu/a/fast         5.00         20.0            0                      17.0            0\n"
      "cpu/b/slow          123         30.0        0.200       0.0125            0        0.250\n"
      "\ncycles, instructions and misses per key, in user mode; page faults and context switches "
      "per sort\n");
  const std::string by_id = readable_counters(rows, {.sort_by = SortBy::id});
  EXPECT_LT(by_id.find("cpu/a/fast"), by_id.find("cpu/b/slow"));
  EXPECT_THAT(readable_counters(rows, {.top = 1}), Not(HasSubstr("cpu/b/slow")));
}

TEST(CounterTable, LeavesOutWhatWasNotCounted) {
  const Counters of_linux = {std::nullopt, std::nullopt, std::nullopt, std::nullopt, 3, 4};
  const std::string text =
      readable_counters({counted("cpu/a/fast", 1, of_linux), counted("cpu/b/slow", 2, {})});
  EXPECT_THAT(text, HasSubstr("page faults     switches\n"));
  EXPECT_THAT(text, Not(HasSubstr("cycles")));
  EXPECT_THAT(text, Not(HasSubstr("cpu/b/slow")));
  EXPECT_EQ(readable_counters({counted("cpu/b/slow", 2, {})}), "");
}

TEST(CounterTable, FitsTheWindow) {
  const std::vector<SummaryRow> rows = {
      counted("cpu/a_sort_with_a_long_name/fast", 1, {1, 2, 3, 4, 5, 6})};
  for (const std::size_t width : {30u, 60u, 80u}) {
    std::istringstream lines(readable_counters(rows, {.width = width}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << line;
  }
}

}  // namespace
}  // namespace sortlab
