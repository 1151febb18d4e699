// Inputs that are too large to be kept: regenerated, they are the same as those that are kept.
#include "common/harness/input/input.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace sortlab {
namespace {

TEST(RegeneratedInput, IsTheSameInput) {
  for (const KeyType type : {KeyType::u32, KeyType::f64}) {
    for (const std::size_t value_bytes : {0, 4}) {
      for (const char* const dist : {"uniform", "zipf", "organpipe"}) {
        Config config;
        config.key_type = type;
        config.value_bytes = value_bytes;
        config.dist = parse_distribution(dist);
        config.n = 10'007;
        const Input kept = make_input(config, 3), made = make_regenerated_input(config, 3, 1000);
        EXPECT_EQ(made.fingerprint, kept.fingerprint) << dist;
        std::vector<std::byte> keys(kept.keys.size()), values(kept.values.size());
        made.copy_to(keys.data(), values.data());
        EXPECT_TRUE(std::ranges::equal(keys, kept.keys.span())) << dist;
        EXPECT_TRUE(std::ranges::equal(values, kept.values.span())) << dist;
      }
    }
  }
}

TEST(RegeneratedInput, IsLargeAndInHostMemory) {
  Config config;
  config.dist = parse_distribution("uniform");
  config.n = (std::size_t{1} << 31) + 1;
  EXPECT_TRUE(is_regenerated(config));
  EXPECT_LT(InputPool::bytes_needed(config), std::size_t{1} << 30);
  config.threads = 0;
  EXPECT_FALSE(is_regenerated(config)) << "the device keeps a copy";
  config.host_mem = HostMem::pinned;
  EXPECT_TRUE(is_regenerated(config));
  config.dist.name = "file";
  EXPECT_FALSE(is_regenerated(config));
  config.dist.name = "uniform";
  config.n = std::size_t{1} << 31;
  EXPECT_FALSE(is_regenerated(config));
}

}  // namespace
}  // namespace sortlab
