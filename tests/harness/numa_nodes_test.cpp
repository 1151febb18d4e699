// The NUMA nodes of made-up machines, and the CPUs that ranks get there.
#include "common/harness/machine/machine.hpp"

#include <gtest/gtest.h>

#include "tests/temporary_file.hpp"

namespace sortlab {
namespace {

class NumaNodes : public TemporaryFolder {
 protected:
  void machine(const std::string& online, const std::vector<std::string>& lists) const {
    const std::string folder = "sys/devices/system/node/";
    std::filesystem::create_directories(path(folder));
    write(folder + "online", online + "\n");
    for (std::size_t node = 0; node < lists.size(); ++node) {
      const std::string own = folder + "node" + std::to_string(node);
      std::filesystem::create_directories(path(own));
      write(own + "/cpulist", lists[node] + "\n");
    }
  }
  std::vector<Cpus> nodes(const Cpus& allowed) const { return numa_nodes(allowed, path("")); }
};

TEST_F(NumaNodes, HoldTheCpusThatMayBeUsed) {
  machine("0-1", {"0-2,6", "3-5,7"});
  EXPECT_EQ(nodes({0, 1, 2, 3, 4, 5, 6, 7}), (std::vector<Cpus>{{0, 1, 2, 6}, {3, 4, 5, 7}}));
  EXPECT_EQ(nodes({1, 3, 7}), (std::vector<Cpus>{{1}, {3, 7}}));
  EXPECT_EQ(nodes({4, 5}), (std::vector<Cpus>{{4, 5}})) << "a container on one node";
}

TEST_F(NumaNodes, WithoutCpusCountForNothing) {
  machine("0-2", {"0-1", "", "2-3"});  // memory alone
  EXPECT_EQ(nodes({0, 1, 2, 3}), (std::vector<Cpus>{{0, 1}, {2, 3}}));
}

TEST_F(NumaNodes, ThatNobodyTellsOfAreOne) {
  EXPECT_EQ(nodes({2, 5}), (std::vector<Cpus>{{2, 5}}));
  machine("what", {});
  EXPECT_EQ(nodes({2, 5}), (std::vector<Cpus>{{2, 5}}));
}

TEST(CpusOfRank, AreThoseOfItsNode) {
  const std::vector<Cpus> two = {{0, 1}, {2, 3}};
  EXPECT_EQ(cpus_of_rank(two, 0, 2), (Cpus{0, 1}));
  EXPECT_EQ(cpus_of_rank(two, 1, 2), (Cpus{2, 3}));
  EXPECT_EQ(cpus_of_rank(two, 1, 4), (Cpus{0, 1}));
  EXPECT_EQ(cpus_of_rank(two, 2, 4), (Cpus{2, 3}));
  EXPECT_EQ(cpus_of_rank(two, 0, 1), (Cpus{0, 1, 2, 3})) << "one rank has all";
  EXPECT_EQ(cpus_of_rank(two, 1, 3), Cpus{}) << "3 ranks fit no 2 nodes";
  const std::vector<Cpus> four = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};
  EXPECT_EQ(cpus_of_rank(four, 1, 2), (Cpus{2, 3, 6, 7})) << "one rank for a socket of 2 nodes";
}

}  // namespace
}  // namespace sortlab
