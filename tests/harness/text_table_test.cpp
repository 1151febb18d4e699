// The layouts of tables: as wide as their texts, and as the window.
#include "common/harness/terminal/text_table.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace sortlab {
namespace {

TEST(TextTable, ItsColumnsAreAsWideAsTheirTexts) {
  TextTable table({"rung", "gain", "empty", "remark"});
  table.add({"├─ v1", "12.5x", "", "noisy"});
  table.add({"v2", "2x", "", ""});
  EXPECT_EQ(table.text(),
            "rung    gain  remark\n"
            "├─ v1  12.5x  noisy\n"
            "v2        2x\n");
}

TEST(TextTable, HasNoTitlesIfThereAreNone) {
  TextTable table({}, 2, 1, 2);
  EXPECT_EQ(table.text(), "");
  table.add({"a", "bb", "3", "keys"});
  table.add({"aaa", "b", "10", "ms"});
  EXPECT_EQ(table.text(),
            "  a   bb  3 keys\n"
            "  aaa b  10 ms\n");
}

TEST(TitledLines, ArePrintedInPartsThatFitTheWindow) {
  const std::vector<TitledLine> lines = {{"a long title", {"  1", "  2", "  3"}}};
  EXPECT_EQ(titled_lines({" 1K", " 2K", " 4K"}, lines, 3, SIZE_MAX),
            "             1K 2K 4K\n"
            "a long title  1  2  3\n");
  EXPECT_EQ(titled_lines({" 1K", " 2K", " 4K"}, lines, 3, 12),
            "         1K\n"
            "a lon...  1\n"
            "         2K\n"
            "a lon...  2\n"
            "         4K\n"
            "a lon...  3\n");
}

}  // namespace
}  // namespace sortlab
