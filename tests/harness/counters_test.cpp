// The counters of `run --counters`: those of Linux are real here; those of a CPU take the way that a machine
// without them leaves open, since a virtual machine may have none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <functional>
#include <latch>
#include <thread>
#include <utility>
#include <vector>

#include "common/harness/record/summary.hpp"
#include "common/harness/rig/counters.hpp"
#include "common/harness/rig/perf_events.hpp"
#include "common/harness/rig/rig.hpp"

namespace sortlab {
namespace {

constexpr std::size_t kPages = 1000;
constexpr EventKind kPageFaults{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS};
constexpr EventKind kNoSuchEvent{PERF_TYPE_SOFTWARE, 1'000'000};

void touch_fresh_pages() {
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const memory =
      mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, kPages * page, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < kPages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
  munmap(memory, kPages * page);
}

class PerfEventsTest : public testing::Test {
 protected:
  void SetUp() override {
    const PerfEvents events({&kPageFaults, 1});
    if (events.error(0) == EPERM || events.error(0) == EACCES || events.error(0) == ENOSYS) {
      GTEST_SKIP() << "perf_event_open is forbidden here";
    }
  }
};

TEST_F(PerfEventsTest, CountThreadsThatLiveAlreadyAndThoseStartedLater) {
  std::latch opened(1), touched(1);
  std::thread old_one([&] {
    opened.wait();
    touch_fresh_pages();
    touched.count_down();
    opened.wait();
  });
  const PerfEvents events({&kPageFaults, 1});
  ASSERT_EQ(events.error(0), 0);
  const auto before = events.read();
  opened.count_down();
  touched.wait();
  const auto with_old = events.read();
  std::thread(touch_fresh_pages).join();
  const auto with_new = events.read();
  old_one.join();
  const auto faults = [](const auto& from, const auto& to) {
    return (to.at(0) - from.at(0)).scaled().value_or(0);
  };
  EXPECT_GE(faults(before, with_old), kPages);
  EXPECT_LT(faults(before, with_old), 2 * kPages);
  EXPECT_GE(faults(with_old, with_new), kPages);
  EXPECT_LT(faults(with_old, with_new), 2 * kPages);
}

TEST_F(PerfEventsTest, LeaveOutWhatLinuxRefuses) {
  const EventKind kinds[] = {kNoSuchEvent, kPageFaults};
  const PerfEvents events(kinds);
  EXPECT_NE(events.error(0), 0);
  EXPECT_EQ(events.error(1), 0);
  touch_fresh_pages();
  const auto readings = events.read();
  EXPECT_EQ(readings.at(0).scaled(), std::nullopt);
  EXPECT_GE(readings.at(1).scaled().value_or(0), kPages);
}

TEST_F(PerfEventsTest, RaiseTheLimitOfOpenFiles) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int lowest_free = dup(0);
  close(lowest_free);
  const rlimit tight{static_cast<rlim_t>(lowest_free), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);
  const PerfEvents events({&kPageFaults, 1});
  const int error = events.error(0);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(error, 0);
}

TEST(EventReading, IsScaledToTheTimeThatItWasEnabled) {
  EventReading sum{.count = 100, .enabled_ns = 10, .running_ns = 10};
  sum += {.count = 50, .enabled_ns = 30, .running_ns = 10};
  EXPECT_EQ(sum.scaled(), 300);
  EXPECT_EQ((EventReading{.count = 0, .enabled_ns = 30, .running_ns = 0}.scaled()), std::nullopt);
}

TEST(MissingCounters, AreToldWithTheReasonAndTheMend) {
  EXPECT_THAT(why_refused(EACCES, 3, false).why, testing::HasSubstr("perf_event_paranoid is 3"));
  EXPECT_EQ(why_refused(EACCES, 3, false).mend, "sudo sysctl kernel.perf_event_paranoid=2");
  EXPECT_THAT(why_refused(EPERM, 2, false).why, testing::HasSubstr("container"));
  EXPECT_THAT(why_refused(ENOSYS, 2, false).why, testing::HasSubstr("container"));
  EXPECT_THAT(why_refused(ENOENT, 2, true).why, testing::HasSubstr("virtual machine"));
  EXPECT_THAT(why_refused(ENOENT, 2, false).why, testing::HasSubstr("this CPU"));
  EXPECT_THAT(why_refused(EMFILE, 2, false).why, testing::HasSubstr("open files"));
}

TEST(MissingCounters, NameWhatPerfEventsRefuse) {
  const PerfEvents events(kCpuEvents);
  const std::string names = missing_counters().names;
  for (std::size_t i = 0; i < kCpuCounters; ++i) {
    EXPECT_EQ(names.find(kCounterNames[i]) != std::string::npos, events.error(i) != 0) << names;
  }
}

/// Does as told instead of sorting.
class PlantedRig : public Rig {
 public:
  explicit PlantedRig(std::function<void()> work) : work_(std::move(work)) {}
  void restore(const Input&) override {}
  void sort(Sample&) override { work_(); }
  Verdict verdict(const Input&) override { return {}; }
  std::string overrun() override { return ""; }
  void poison() override {}
  void flush_caches() override { ++flushes; }
  std::size_t provided_bytes() const override { return 0; }

  int flushes = 0;

 private:
  std::function<void()> work_;
};

class CountersOfASort : public testing::Test {
 protected:
  CountersOfASort() {
    Config config;
    config.n = 1;
    config.dist = {"uniform", ""};
    inputs_.prepare(config);
  }
  static double page_faults(const Counters& counters) { return counters[kCpuCounters].value(); }
  static double switches(const Counters& counters) { return counters[kCpuCounters + 1].value(); }

  InputPool inputs_;
};

TEST_F(CountersOfASort, HoldThePagesItTouchesFirst) {
  PlantedRig idle([] {}), touching(touch_fresh_pages);
  EXPECT_LT(page_faults(counters_of_a_sort(idle, inputs_, CacheState::hot)), 1);
  const double faults = page_faults(counters_of_a_sort(touching, inputs_, CacheState::hot));
  EXPECT_GE(faults, kPages);
  EXPECT_LT(faults, 2 * kPages);
  EXPECT_EQ(touching.flushes, 0);
}

TEST_F(CountersOfASort, HoldItsSleeps) {
  PlantedRig sleeping([] {
    for (int i = 0; i < 5; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  const double count = switches(counters_of_a_sort(sleeping, inputs_, CacheState::hot));
  EXPECT_GE(count, 5);
  EXPECT_LT(count, 15)
      << "on a busy machine others may take the CPU, but not after each sleep twice";
}

TEST_F(CountersOfASort, BeginWithColdCachesWhereAsked) {
  int sorts = 0;
  PlantedRig rig([&] { ++sorts; });
  counters_of_a_sort(rig, inputs_, CacheState::cold);
  EXPECT_EQ(rig.flushes, sorts);
}

TEST_F(CountersOfASort, AreTheOnesThatTheCpuHas) {
  // The sum is volatile, so that each step takes instructions, a load and a store among them.
  constexpr int kSteps = 1'000'000;
  PlantedRig rig([] {
    volatile long sum = 0;
    for (int i = 0; i < kSteps; ++i) sum = sum + i;
  });
  const Counters counters = counters_of_a_sort(rig, inputs_, CacheState::hot);
  const PerfEvents events(kCpuEvents);
  for (std::size_t i = 0; i < kCpuCounters; ++i) {
    EXPECT_EQ(counters[i].has_value(), events.error(i) == 0) << kCounterNames[i];
  }
  if (!counters[1]) GTEST_SKIP() << "no performance counters: a virtual machine";
  EXPECT_GT(*counters[1], 2.0 * kSteps);
  EXPECT_LT(*counters[1], 20.0 * kSteps);
}

}  // namespace
}  // namespace sortlab
