// The CPUs and the memory that a container leaves, as Linux reports them, with both versions of
// control groups.
#include <gtest/gtest.h>

#include <system_error>
#include <vector>

#include "common/contract/usable_cpus.hpp"
#include "common/harness/machine/cpu_share.hpp"
#include "common/harness/measure/measure.hpp"
#include "tests/temporary_file.hpp"

namespace sortlab {
namespace {

constexpr std::size_t kMib = std::size_t{1} << 20;

/// A made-up root folder, with proc/ and sys/.
class Limits : public TemporaryFolder {
 protected:
  void file(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    write(name, text);
  }
  void own_groups(const std::string& text) const { file("proc/self/cgroup", text); }
  void group(const std::string& name, const std::string& text) const {
    file("sys/fs/cgroup/" + name, text);
  }
  std::optional<double> quota(const std::string& groups) const {
    own_groups(groups);
    return cpu_quota(path(""));
  }
  AvailableMemory memory() const { return available_memory(path("")); }
};

using CpuQuota = Limits;

TEST_F(CpuQuota, OfVersion2IsTheSmallestOnTheWayUp) {
  group("a/b/cpu.max", "400000 100000\n");
  EXPECT_EQ(quota("0::/a/b\n"), 4);
  group("a/cpu.max", "150000 100000\n");
  EXPECT_EQ(quota("0::/a/b\n"), 1.5);
  EXPECT_EQ(quota("0::/\n"), std::nullopt);
  group("cpu.max", "50000 100000\n");
  EXPECT_EQ(quota("0::/on/the/host\n"), 0.5) << "a container sees its own group at the root";
}

TEST_F(CpuQuota, OfVersion1) {
  group("cpu,cpuacct/a/cpu.cfs_quota_us", "250000\n");
  group("cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota("9:memory:/x\n4:cpu,cpuacct:/a\n0::/\n"), 2.5);
  EXPECT_EQ(quota("4:cpuset:/a\n"), std::nullopt);
}

TEST_F(CpuQuota, OfVersion1MountedUnderOneName) {
  group("cpu/a/cpu.cfs_quota_us", "50000\n");
  group("cpu/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota("4:cpuacct,cpu:/a/b\n"), 0.5);
}

TEST_F(CpuQuota, IsNoneWhereThereIsNoLimit) {
  group("a/cpu.max", "max 100000\n");
  group("cpu/cpu.cfs_quota_us", "-1\n");
  group("cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota("1:cpu:/\n0::/a\n"), std::nullopt);
  EXPECT_EQ(quota("no colon\n"), std::nullopt);
  EXPECT_EQ(cpu_quota(path("absent")), std::nullopt);
}

TEST(UsableCpus, AreAtLeastOneAndNoMoreThanTheMaskHas) {
  EXPECT_GE(usable_cpus(), 1);
  EXPECT_LE(usable_cpus(), static_cast<int>(allowed_cpus().size()));
}

using AvailableMemoryOf = Limits;

TEST_F(AvailableMemoryOf, AMachineWithoutLimits) {
  file("proc/meminfo", "MemTotal: 4096 kB\nMemAvailable: 2048 kB\n");
  own_groups("0::/a\n");
  group("a/memory.max", "max\n");
  EXPECT_EQ(memory().bytes, 2 * kMib);
  EXPECT_EQ(memory().limited_by, "");
}

TEST_F(AvailableMemoryOf, AGroupOfVersion2) {
  file("proc/meminfo", "MemAvailable: 2097152 kB\n");
  own_groups("0::/a/b\n");
  group("a/memory.max", std::to_string(640 * kMib));
  group("a/memory.current", std::to_string(200 * kMib));
  group("a/memory.stat", "anon 1\nfile 2\ninactive_file " + std::to_string(60 * kMib) +
                             "\nactive_file " + std::to_string(40 * kMib) + "\n");
  group("a/b/memory.max", "max\n");
  EXPECT_EQ(memory().bytes, (640 - 10 - (200 - 100)) * kMib) << "less 1/64 for the kernel";
  EXPECT_EQ(memory().limited_by, "limit of the control group");
  group("a/b/memory.high", std::to_string(64 * kMib));
  EXPECT_EQ(memory().bytes, 63 * kMib) << "the smallest counts, whatever its level";
}

TEST_F(AvailableMemoryOf, AGroupOfVersion1) {
  file("proc/meminfo", "MemAvailable: 2097152 kB\n");
  own_groups("5:cpu:/\n4:memory:/docker/x\n0::/\n");
  group("memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(memory().limited_by, "");
  group("memory/docker/x/memory.limit_in_bytes", std::to_string(640 * kMib));
  group("memory/docker/x/memory.usage_in_bytes", std::to_string(100 * kMib));
  group("memory/docker/x/memory.stat",
        "inactive_file 7\ntotal_inactive_file " + std::to_string(50 * kMib) + "\n");
  EXPECT_EQ(memory().bytes, (640 - 10 - 50) * kMib);
  group("memory/docker/x/memory.usage_in_bytes", std::to_string(900 * kMib));
  EXPECT_EQ(memory().bytes, 0u);
}

TEST_F(AvailableMemoryOf, AMachineThatTellsNothing) { EXPECT_EQ(memory().bytes, SIZE_MAX); }

TEST(AvailableMemoryOfThisMachine, IsPlausible) {
  EXPECT_GT(available_memory().bytes, kMib);
  EXPECT_LT(available_memory().bytes, std::size_t{1} << 50);
}

using Busy = Limits;

TEST_F(Busy, CpusBetweenTwoReadings) {
  file("proc/stat", "cpu  9 9 9 9\ncpu0 10 0 10 100 5 0 0 0 0 0\ncpu2 0 0 0 0\nintr 1\n");
  const auto before = cpu_times(path(""));
  ASSERT_EQ(before.size(), 3u);
  EXPECT_EQ(before[0].busy, 20);
  EXPECT_EQ(before[0].idle, 105);
  file("proc/stat", "cpu0 11 1 10 102 5 0 0 0 0 0\ncpu2 1 1 1 0 0 1 1 1\n");
  const auto after = cpu_times(path(""));
  EXPECT_EQ(busy_cpus(std::vector{0, 2}, before, after), 1.5);
  EXPECT_EQ(busy_cpus(std::vector{0}, before, after), 0.5);
  EXPECT_EQ(busy_cpus(std::vector{1, 7}, before, after), std::nullopt);
  EXPECT_TRUE(cpu_times(path("absent")).empty());
}

TEST(Remark, OnTheCpus) {
  CpuShare share{.of_machine = 4, .usable = 4, .allowed = {0, 1, 2, 3}, .quota = {}, .others = 0.2};
  EXPECT_EQ(remark_on(share), "");
  share.others = 1.25;
  EXPECT_EQ(remark_on(share),
            "4 of 4 CPUs may be used; other processes keep 1.2 of CPUs 0-3 busy now: expect noise");
  share.usable = 2;
  share.quota = 1.5;
  share.others = 0;
  EXPECT_EQ(
      remark_on(share),
      "2 of 4 CPUs may be used (quota of the control group: 1.5); other processes keep 0.0 of "
      "CPUs 0-3 busy now");
  share.allowed = {0, 2};
  share.others = {};
  EXPECT_EQ(remark_on(share),
            "2 of 4 CPUs may be used (affinity mask: 0,2, quota of the control group: 1.5)");
}

TEST(OutcomeOf, AThreadThatCouldNotBeStartedNamesTheLimits) {
  const auto throws = [](std::errc code) {
    return [=]() -> Outcome { throw std::system_error(std::make_error_code(code)); };
  };
  const Outcome outcome = outcome_of(throws(std::errc::resource_unavailable_try_again));
  EXPECT_EQ(outcome.status, Status::oom);
  EXPECT_EQ(outcome.reason, "no thread could be started: ulimit -v or -u, or a limit on processes");
  EXPECT_EQ(outcome_of(throws(std::errc::no_such_device)).status, Status::failed);
}

TEST(CpuList, IsAsLinuxWritesIt) {
  EXPECT_EQ(cpu_list(std::vector{0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(cpu_list(std::vector<int>{}), "");
}

}  // namespace
}  // namespace sortlab
