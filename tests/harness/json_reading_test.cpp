// JSON from other sources: the depth of its nesting, and the range of its numbers.
#include "common/choose/json_reading.hpp"

#include <gtest/gtest.h>

#include "common/harness/json_value.hpp"
#include "tests/temporary_file.hpp"

namespace sortlab {
namespace {

using nlohmann::json;

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

TEST(ParseJson, RefusesWhatIsNestedTooDeeplyToBeCopied) {
  EXPECT_EQ(parse_json<json>(nested(100)).dump(), nested(100));
  EXPECT_THROW(parse_json<json>(nested(200'000)), BadInput);
  EXPECT_THROW(parse_json<nlohmann::ordered_json>(nested(200'000)), BadInput);
}

TEST(ParseJson, SaysWhereTheTextGoesWrong) {
  try {
    parse_json<json>("{\"a\": 1");
    ADD_FAILURE();
  } catch (const BadInput& error) {
    EXPECT_EQ(std::string(error.what()).find("not JSON: parse error at line 1"), 0u)
        << error.what();
  }
}

class JsonFile : public TemporaryFolder {};

TEST_F(JsonFile, NestedTooDeeplyIsNamed) {
  const std::string file = write("m.json", "{\"runs\": " + nested(200'000) + "}");
  try {
    JsonValue::of_file(file);
    ADD_FAILURE();
  } catch (const BadInput& error) {
    EXPECT_EQ(std::string(error.what()).find(file), 0u) << error.what();
  }
}

TEST(WholeOf, TakesWhatFits) {
  EXPECT_EQ(whole_of<int>(json(-7)), -7);
  EXPECT_EQ(whole_of<std::int64_t>(json(INT64_MIN)), INT64_MIN);
  EXPECT_EQ(whole_of<std::uint64_t>(json(UINT64_MAX)), UINT64_MAX);
  EXPECT_EQ(whole_of<int>(json(5), 5, 5), 5);
}

TEST(WholeOf, RefusesWhatDoesNot) {
  const json words[] = {json("7"), json(nullptr), json(true),
                        json(7.0), json(1e300),   json::array()};
  for (const auto& word : words) EXPECT_THROW(whole_of<int>(word), json::exception) << word;
  EXPECT_THROW(whole_of<int>(json(std::int64_t{1} << 32)), json::exception);
  EXPECT_THROW(whole_of<std::int64_t>(json(UINT64_MAX)), json::exception);
  EXPECT_THROW(whole_of<std::uint32_t>(json(-1)), json::exception);
  EXPECT_THROW(whole_of<int>(json(6), 0, 5), json::exception);
}

}  // namespace
}  // namespace sortlab
