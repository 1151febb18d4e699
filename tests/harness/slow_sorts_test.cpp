// A sort that is slow at small n is not measured at larger ones.
#include "common/harness/run/slow_sorts.hpp"

#include <gtest/gtest.h>

#include "common/harness/record/record.hpp"
#include "tests/temporary_file.hpp"

namespace sortlab {
namespace {

const std::string kSlowBefore = "slow: more than 0.2 s per sort at a smaller n";
const std::string kSlowByGrowth = "slow: more than 0.2 s per sort, by its growth at smaller n";

Config config_of(std::size_t n, const std::string& dist = "uniform") {
  Config config;
  config.variant = "cpu/a/x";
  config.n = n;
  config.dist = {dist, ""};
  return config;
}

void add_sort(Recorder& recorder, const Config& config, double seconds) {
  Sample sample;
  sample.total_ns = static_cast<std::int64_t>(seconds * 1e9);
  sample.verdict = {true, true, true};
  recorder.add_sample(config, sample);
  sample.total_ns *= 50;  // it lost its CPU
  sample.stop_reason = "time limit";
  recorder.add_sample(config, sample);
}

TEST(SlowSorts, AreThoseThatWereSlowAtASmallerN) {
  Recorder recorder("", "run");
  SlowSorts slow(0.2, recorder.table());
  EXPECT_EQ(slow.reason(config_of(1000)), "");
  add_sort(recorder, config_of(1000), 0.19);
  EXPECT_EQ(slow.reason(config_of(8000)), "") << "one time has no growth";
  add_sort(recorder, config_of(1000, "sorted"), 0.21);
  EXPECT_EQ(slow.reason(config_of(8000, "sorted")), kSlowBefore);
  EXPECT_EQ(slow.reason(config_of(500, "sorted")), "");
  EXPECT_EQ(slow.reason(config_of(1000, "sorted")), "");
  EXPECT_EQ(slow.reason(config_of(8000)), "") << "another input";
}

TEST(SlowSorts, AreThoseThatGrowTooFast) {
  Recorder recorder("", "run");
  SlowSorts slow(0.2, recorder.table());
  add_sort(recorder, config_of(1000), 0.001);
  add_sort(recorder, config_of(2000), 0.004);  // quadratic: 0.1 s at 10000
  EXPECT_EQ(slow.reason(config_of(10000)), "");
  EXPECT_EQ(slow.reason(config_of(14000)), "");
  EXPECT_EQ(slow.reason(config_of(14500)), kSlowByGrowth);
  add_sort(recorder, config_of(10000), 0.02);  // linear from here on
  EXPECT_EQ(slow.reason(config_of(90000)), "") << "the last two sizes count";
  EXPECT_EQ(slow.reason(config_of(110000)), kSlowByGrowth);
}

TEST(SlowSorts, AreThoseThatNeverEnded) {
  Recorder recorder("", "run");
  SlowSorts slow(0.2, recorder.table());
  recorder.add_outcome(config_of(1000), {Status::timeout, "more than 120 s"});
  EXPECT_EQ(slow.reason(config_of(8000)), kSlowBefore);
}

TEST(SlowSorts, AreMeasuredWithoutALimit) {
  Recorder recorder("", "run");
  SlowSorts slow(0, recorder.table());
  add_sort(recorder, config_of(1000), 100);
  EXPECT_EQ(slow.reason(config_of(8000)), "");
}

using SlowSortsOfFile = TemporaryFolder;

TEST_F(SlowSortsOfFile, AreTheSameInARunThatResumes) {
  {
    Recorder recorder(path("a.csv"), "first");
    add_sort(recorder, config_of(1000), 0.001);
    add_sort(recorder, config_of(2000), 0.004);
  }
  Recorder recorder(path("a.csv"), "second");
  EXPECT_EQ(SlowSorts(0.2, recorder.table()).reason(config_of(14500)), kSlowByGrowth);
}

}  // namespace
}  // namespace sortlab
