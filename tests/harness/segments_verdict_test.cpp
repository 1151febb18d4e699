// The verdict on segments, and the cuts that are measured: faults are found that a verdict on the whole array misses.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "common/contract/errors.hpp"
#include "common/harness/input/lengths.hpp"
#include "common/harness/verify/verify.hpp"

namespace sortlab {
namespace {

/// Three segments of four items, and two items of none.
struct SegmentsVerdict : testing::Test {
  std::vector<std::uint32_t> before_keys{3, 1, 2, 1, 7, 5, 5, 6, 1, 1, 1, 1, 9, 8}, before_values;
  std::vector<std::uint32_t> keys{1, 1, 2, 3, 5, 5, 6, 7, 1, 1, 1, 1, 9, 8};
  std::vector<std::uint32_t> values{1, 3, 2, 0, 5, 6, 7, 4, 8, 9, 10, 11, 12, 13};
  Cut cut;

  SegmentsVerdict() : before_values(14) {
    std::iota(before_values.begin(), before_values.end(), 0u);
    cut.count = 3;
    cut.stride = cut.length = 4;
  }
  static VerifiedItems items(const std::vector<std::uint32_t>& k,
                             const std::vector<std::uint32_t>& v) {
    return {reinterpret_cast<const std::byte*>(k.data()),
            reinterpret_cast<const std::byte*>(v.data())};
  }
  Verdict verdict() const {
    const auto result = items(keys, values);
    return verify_segments(KeyType::u32, Order::ascending, result, result,
                           items(before_keys, before_values), 14, cut, true);
  }
  void exchange(std::size_t i, std::size_t j) {
    std::swap(keys[i], keys[j]);
    std::swap(values[i], values[j]);
  }
};

TEST_F(SegmentsVerdict, IsGoodForARightResult) { EXPECT_TRUE(verdict().ok()); }

TEST_F(SegmentsVerdict, FindsAnItemThatMovedToAnotherSegment) {
  exchange(0, 8);  // both keys are 1: each segment is in order, and the array holds the same items
  EXPECT_TRUE(verdict().sorted);
  EXPECT_FALSE(verdict().permutation);
}

TEST_F(SegmentsVerdict, FindsAnItemLostAndOneDoubled) {
  keys[0] = keys[1];
  values[0] = values[1];
  EXPECT_FALSE(verdict().permutation);
}

TEST_F(SegmentsVerdict, FindsDisorder) {
  exchange(2, 3);
  EXPECT_FALSE(verdict().sorted);
  EXPECT_TRUE(verdict().permutation);
}

TEST_F(SegmentsVerdict, FindsEqualKeysThatChangedPlaces) {
  exchange(4, 5);
  EXPECT_TRUE(verdict().sorted);
  EXPECT_EQ(verdict().stable, false);
}

TEST_F(SegmentsVerdict, FindsATouchedItemOfNoSegment) {
  exchange(12, 13);
  EXPECT_FALSE(verdict().permutation);
}

TEST(Lengths, MakeCutsThatDoNotOverlap) {
  for (const LengthsRule& rule : lengths_rules()) {
    for (const std::size_t n : {0, 1, 5, 64, 1000, 100'003}) {
      for (const char* width : {"", ":wide"}) {
        const Lengths lengths = parse_lengths(std::string(rule.name) + ":20" + width);
        const HostCut made = make_cut(lengths, n, 7);
        EXPECT_EQ(made.cut.count, segments_of(lengths, n)) << rule.name;
        std::vector<bool> taken(n);
        for (std::size_t s = 0; s < made.cut.count; ++s) {
          ASSERT_LE(made.cut.begin(s), made.cut.end(s)) << rule.name;
          ASSERT_LE(made.cut.end(s), n) << rule.name;
          EXPECT_LE(made.cut.end(s) - made.cut.begin(s), made.longest);
          for (std::size_t i = made.cut.begin(s); i < made.cut.end(s); ++i) {
            ASSERT_FALSE(taken[i]) << rule.name;
            taken[i] = true;
          }
        }
      }
    }
  }
}

TEST(Lengths, KeepTheirText) {
  for (const char* text : {"rows:64", "power:8:wide"})
    EXPECT_EQ(text_of(parse_lengths(text)), text);
  for (const char* text :
       {"", "rows", "rows:0", "rows:x", "some:5", "rows:5:far", "rows:5:wide:6"}) {
    EXPECT_THROW(parse_lengths(text), BadInput) << text;
  }
}

TEST(Lengths, AreMadeAnewTheSame) {
  const Lengths lengths = parse_lengths("exponential:30");
  EXPECT_EQ(make_cut(lengths, 5000, 3).narrow, make_cut(lengths, 5000, 3).narrow);
  EXPECT_NE(make_cut(lengths, 5000, 3).narrow, make_cut(lengths, 5000, 4).narrow);
}

}  // namespace
}  // namespace sortlab
