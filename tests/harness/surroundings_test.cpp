// Load and CPUs, as Linux reports them.
#include "common/harness/machine/cpu_share.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace sortlab {
namespace {

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
