// The parent's checks of a worker's messages, because a sort may write to the connection.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/harness/config.hpp"
#include "common/harness/measure/sample.hpp"

namespace sortlab {
namespace {

using nlohmann::json;

TEST(Sample, ComesBackAsItWasSent) {
  Sample sample;
  sample.rep = 3;
  sample.kernel_ns = 5;
  sample.gpu_joules = 0.5;
  const json sent = sample;
  EXPECT_EQ(json(sent.get<Sample>()), sent);
  EXPECT_TRUE(is_possible(sent.get<Sample>()));
}

TEST(Sample, BelowZeroIsNotPossible) {
  for (const char* name :
       {"rep", "total_ns", "alloc_ns", "peak_temp_bytes", "cpu_J", "load_1min"}) {
    json sent = Sample{};
    sent[name] = -1;
    EXPECT_FALSE(is_possible(sent.get<Sample>())) << name;
  }
}

TEST(Sample, WithANumberThatDoesNotFitIsNone) {
  for (const auto& [name, value] : {std::pair<const char*, json>{"rep", json(1e300)},
                                    {"rep", json(std::int64_t{1} << 32)},
                                    {"total_ns", json(UINT64_MAX)},
                                    {"launches", json(0.5)},
                                    {"sm_mhz", json(1e300)}}) {
    json sent = Sample{};
    sent[name] = value;
    EXPECT_THROW(sent.get<Sample>(), json::exception) << name;
  }
}

TEST(Config, WithAnUnknownKindIsNone) {
  for (const char* name :
       {"key_type", "order", "host_mem", "temp_policy", "cache", "launch", "input_format"}) {
    json sent = Config{};
    sent[name] = 200;
    EXPECT_THROW(sent.get<Config>(), json::exception) << name;
  }
}

}  // namespace
}  // namespace sortlab
