// Load, CPU quota and CPUs: as Linux tells them, on machines with either kind of control groups.
#include "common/harness/machine/surroundings.hpp"

#include <gtest/gtest.h>

#include "tests/temporary_file.hpp"

namespace sortlab {
namespace {

class CpuQuota : public TemporaryFolder {
 protected:
  void group(const std::string& folder, const std::string& file, const std::string& text) const {
    std::filesystem::create_directories(path(folder));
    write(folder + "/" + file, text);
  }
  std::optional<double> quota(const std::string& groups) const {
    return cpu_quota(write("cgroup", groups), path("fs"));
  }
};

TEST_F(CpuQuota, OfVersion2IsTheSmallestOnTheWayUp) {
  group("fs/a/b", "cpu.max", "400000 100000\n");
  EXPECT_EQ(quota("0::/a/b\n"), 4);
  group("fs/a", "cpu.max", "150000 100000\n");
  EXPECT_EQ(quota("0::/a/b\n"), 1.5);
  EXPECT_EQ(quota("0::/\n"), std::nullopt);
  group("fs", "cpu.max", "50000 100000\n");
  EXPECT_EQ(quota("0::/on/the/host\n"), 0.5) << "a container sees its own group at the root";
}

TEST_F(CpuQuota, OfVersion1) {
  group("fs/cpu,cpuacct/a", "cpu.cfs_quota_us", "250000\n");
  group("fs/cpu,cpuacct/a", "cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota("9:memory:/x\n4:cpu,cpuacct:/a\n0::/\n"), 2.5);
  EXPECT_EQ(quota("4:cpuset:/a\n"), std::nullopt);
}

TEST_F(CpuQuota, IsNoneWhereThereIsNoLimit) {
  group("fs/a", "cpu.max", "max 100000\n");
  group("fs/cpu", "cpu.cfs_quota_us", "-1\n");
  group("fs/cpu", "cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota("1:cpu:/\n0::/a\n"), std::nullopt);
  EXPECT_EQ(quota("no colon\n"), std::nullopt);
  EXPECT_EQ(cpu_quota(path("absent"), path("fs")), std::nullopt);
}

TEST(SurroundingsOfThisThread, AreThoseOfTheKernel) {
  const Surroundings now = surroundings();
  ASSERT_TRUE(now.load_1min);
  EXPECT_GE(*now.load_1min, 0);
  // The kernel writes the same list.
  std::ifstream status("/proc/thread-self/status");
  std::string line;
  while (std::getline(status, line) && !line.starts_with("Cpus_allowed_list:")) {
  }
  EXPECT_EQ("Cpus_allowed_list:\t" + now.cpu_list, line);
}

}  // namespace
}  // namespace sortlab
