// The estimated time of a run, the layout of its progress line, and conditions that would spoil it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "common/harness/machine/spoilers.hpp"
#include "common/harness/run/estimate.hpp"
#include "common/harness/run/progress.hpp"
#include "common/harness/terminal/window.hpp"

namespace sortlab {
namespace {

namespace fs = std::filesystem;

TEST(EstimateTest, GoesByTheTimesSeen) {
  Estimate estimate;
  for (const std::size_t n : {1000, 2000, 4000}) {
    estimate.expect("quick", n);
    estimate.expect("slow", n);
  }
  EXPECT_EQ(estimate.seconds_left(), std::nullopt);
  estimate.finished("quick", 1000, 1);
  EXPECT_NEAR(*estimate.seconds_left(), 5, 1e-9) << "as long as the only one that was seen";
  estimate.finished("slow", 1000, 9);
  // quick: 1 each. slow: 4 over the mean of 5, which grow with n: 5 + 8, 5 + 16.
  EXPECT_NEAR(*estimate.seconds_left(), 1 + 1 + 13 + 21, 1e-9);
  estimate.finished("slow", 4000, 30);
  EXPECT_NEAR(*estimate.seconds_left(), 1 + 1 + 19.5, 1e-9) << "between two sizes seen";
}

TEST(EstimateTest, NoiseAtSmallSizesMakesNoHours) {
  Estimate estimate;
  estimate.expect("noisy", 1 << 26);
  for (int i = 0; i < 9; ++i) estimate.finished("steady", 16, 0.04);
  estimate.finished("noisy", 16, 0.05);
  EXPECT_NEAR(*estimate.seconds_left(), 0.05, 1e-9);
  estimate.finished("noisy", 16, 0.25);
  EXPECT_LT(*estimate.seconds_left(), 10);
}

TEST(EstimateTest, WhatIsLeftOutTakesNothing) {
  Estimate estimate;
  estimate.expect("a", 1);
  estimate.expect("a", 1);
  estimate.finished("a", 1, 0);
  EXPECT_EQ(estimate.seconds_left(), std::nullopt);
  estimate.finished("a", 1, 3);
  EXPECT_EQ(estimate.seconds_left(), 0);
}

TEST(ReadableDuration, HasTwoUnits) {
  EXPECT_EQ(readable_duration(3.4), "3 s");
  EXPECT_EQ(readable_duration(125), "2:05 min");
  EXPECT_EQ(readable_duration(3720), "1:02 h");
}

TEST(Window, TextIsCutAndWrappedByColumns) {
  EXPECT_EQ(columns_of("±1%"), 3u);
  EXPECT_EQ(cut_to("abcdef", 6), "abcdef");
  EXPECT_EQ(cut_to("±±±±±±", 5), "±±...");
  EXPECT_EQ(wrapped("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrapped("one two three", 9, 2), "one two\n  three");
  EXPECT_EQ(wrapped("one two three", 9, 2, 2), "one two\n  three");
  EXPECT_EQ(wrapped("one two three", 9, 2, 3), "one\n  two\n  three");
  EXPECT_EQ(wrapped("a_word_that_is_too_long b", 5), "a_word_that_is_too_long\nb");
  EXPECT_EQ(wrapped("first\nsecond", 80, 2), "first\n  second");
  EXPECT_EQ(wrapped_command("make one two", 10, 2, 0), "make one \\\n  two");
  EXPECT_EQ(wrapped_command("make one two", SIZE_MAX, 2, 0), "make one two");
}

class Spoilers : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << '\n';
  }
  Finding finding(const std::string& name) {
    for (const auto& finding : machine_findings(root_)) {
      if (finding.name == name) return finding;
    }
    return {};
  }
  void TearDown() override { fs::remove_all(root_); }

  fs::path root_ = fs::path(testing::TempDir()) / "sortlab_spoilers";
};

TEST_F(Spoilers, AreToldWithWhatMendsThem) {
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave");
  write("sys/devices/system/cpu/intel_pstate/no_turbo", "0");
  write("sys/devices/system/cpu/smt/active", "1");
  write("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]");
  write("sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw", "65000000");
  write("sys/class/powercap/intel-rapl:0/constraint_0_max_power_uw", "125000000");
  write("proc/cpuinfo", "flags : fpu hypervisor");
  EXPECT_EQ(finding("governor").found, "powersave on 1 CPUs");
  EXPECT_EQ(finding("power cap").found, "65 W of 125 W");
  for (const char* name : {"governor", "turbo", "SMT", "huge pages", "power cap"}) {
    EXPECT_TRUE(finding(name).spoils) << name;
    EXPECT_NE(finding(name).why, "") << name;
    EXPECT_THAT(finding(name).mend, testing::HasSubstr("sudo")) << name;
  }
  EXPECT_TRUE(finding("machine").spoils);
}

TEST_F(Spoilers, AreNoneOnAMachineThatIsSetUp) {
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance");
  write("sys/devices/system/cpu/cpufreq/boost", "0");
  write("sys/devices/system/cpu/smt/active", "0");
  write("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never");
  write("sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw", "125000000");
  write("sys/class/powercap/intel-rapl:0/constraint_0_max_power_uw", "125000000");
  write("proc/cpuinfo", "flags : fpu");
  EXPECT_EQ(machine_findings(root_).size(), 5u);
  for (const auto& finding : machine_findings(root_)) EXPECT_FALSE(finding.spoils) << finding.name;
}

TEST_F(Spoilers, AreNotInventedWhereNothingIsKnown) {
  EXPECT_TRUE(machine_findings(root_).empty());
}

}  // namespace
}  // namespace sortlab
