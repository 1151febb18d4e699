// Conversions of numbers from text and to narrower types, and complete reading of files.
#include "common/contract/numbers.hpp"

#include <gtest/gtest.h>

#include <climits>

#include "common/contract/errors.hpp"
#include "common/contract/read_file.hpp"
#include "tests/temporary_file.hpp"

namespace sortlab {
namespace {

TEST(ParseWhole, TakesDecimalDigitsAlone) {
  EXPECT_EQ(parse_whole("0"), 0u);
  EXPECT_EQ(parse_whole("010"), 10u);
  EXPECT_EQ(parse_whole("18446744073709551615"), UINT64_MAX);
  for (const char* text :
       {"", "-1", "+1", " 1", "1 ", "1e5", "1.", ".5", "0x10", "inf", "18446744073709551616"}) {
    EXPECT_FALSE(parse_whole(text)) << text;
  }
}

TEST(ParseNumber, TakesTheWholeTextAndOnlyFiniteNumbers) {
  EXPECT_EQ(parse_number("0.25"), 0.25);
  EXPECT_EQ(parse_number("-1e3"), -1000);
  EXPECT_EQ(parse_number("1e-320"), 1e-320);
  for (const char* text : {"", "inf", "nan", "-inf", "1e400", "1x", " 1", "1 "}) {
    EXPECT_FALSE(parse_number(text)) << text;
  }
}

TEST(Clamped, StaysWithinTheType) {
  EXPECT_EQ(clamped<int>(3.9), 3);
  EXPECT_EQ(clamped<int>(-3.9), -3);
  EXPECT_EQ(clamped<int>(1e24), INT_MAX);
  EXPECT_EQ(clamped<int>(-1e24), INT_MIN);
  EXPECT_EQ(clamped<int>(2147483646.5), INT_MAX - 1);
  EXPECT_EQ(clamped<std::uint64_t>(-0.5), 0u);
  EXPECT_EQ(clamped<std::uint64_t>(18446744073709551616.0), UINT64_MAX);
  EXPECT_EQ(clamped<std::int64_t>(9223372036854775808.0), INT64_MAX);
  EXPECT_EQ(clamped<std::int64_t>(INFINITY), INT64_MAX);
  EXPECT_EQ(clamped<int>(NAN), 0);
}

class ReadFile : public TemporaryFolder {
 protected:
  static std::string complaint(const std::string& file) {
    try {
      read_file(file);
      return "";
    } catch (const BadInput& error) {
      return error.what();
    }
  }
};

TEST_F(ReadFile, ReadsToTheEnd) {
  const std::string text = std::string(200'000, 'x') + '\0' + "end";
  EXPECT_EQ(read_file(write("long", text)), text);
  EXPECT_EQ(read_file(write("empty", "")), "");
}

TEST_F(ReadFile, RefusesWhatIsNoFile) {
  EXPECT_EQ(complaint("/dev/zero"), "/dev/zero: neither a regular file nor a pipe");
  EXPECT_EQ(complaint(path("")), path("") + ": is a folder");
  EXPECT_EQ(complaint(path("none")), path("none") + ": No such file or directory");
}

}  // namespace
}  // namespace sortlab
