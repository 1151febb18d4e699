// Reads loads as users write them.
#include "common/harness/load.hpp"

#include <gtest/gtest.h>

#include <string>

#include "common/contract/errors.hpp"

namespace sortlab {
namespace {

TEST(LoadText, IsACountOrAShareOfTheCpus) {
  for (const auto& [text, load] : {std::pair<std::string, Load>{"0", {}},
                                   {"8", {8, 0, 0}},
                                   {"25%", {4, 0, 0}},
                                   {"33%", {5, 0, 0}},
                                   {"0%", {}},
                                   {"1%", {1, 0, 0}},
                                   {"200%", {32, 0, 0}},
                                   {"50%:50/20", {8, 50, 20}},
                                   {"3:1/60000", {3, 1, 60000}},
                                   {"0:50/50", {}}}) {
    EXPECT_EQ(parse_load(text, 16), load) << text;
    EXPECT_EQ(parse_load(text_of(load), 1), load) << text;
  }
  EXPECT_EQ(text_of(Load{}), "0");
  EXPECT_EQ(text_of(Load{8, 0, 0}), "8");
  EXPECT_EQ(text_of(Load{8, 50, 20}), "8:50/20");
}

TEST(LoadText, IsRefusedWhenMalformed) {
  for (const char* text :
       {"", "-1", "1.5", "all", "4097", "1001%", "%", "8t", "8:", "8:50", "8:50/", "8:/50",
        "8:0/50", "8:50/0", "8:50/50/50", "8:50/60001", "8 ", "8%%"}) {
    try {
      parse_load(text, 16);
      ADD_FAILURE() << text;
    } catch (const BadInput& error) {
      EXPECT_EQ(std::string(error.what()).find("'" + std::string(text) + "' is no load"), 0u);
    }
  }
}

}  // namespace
}  // namespace sortlab
