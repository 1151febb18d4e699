// The verdicts on top-k and on partial sorts: planted faults are found, and every right result is taken.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <vector>

#include "common/contract/errors.hpp"
#include "common/harness/input/wanted.hpp"
#include "common/harness/verify/verify.hpp"

namespace sortlab {
namespace {

template <class T>
const std::byte* bytes(const std::vector<T>& of) {
  return reinterpret_cast<const std::byte*>(of.data());
}

/// The best three of two rows of five, with a key of no row behind each.
struct TopKVerdict : testing::Test {
  std::vector<std::uint32_t> keys{7, 2, 9, 2, 2, 0, 5, 5, 5, 1, 5, 0};
  std::vector<std::uint32_t> kept = keys;
  std::vector<std::uint32_t> best{2, 2, 2, 1, 5, 5}, places{1, 3, 4, 3, 0, 1};
  Top top{.k = 3, .ks = nullptr, .is_sorted = true, .is_first = true};

  Verdict verdict(bool with_places = true) const {
    const VerifiedItems found{bytes(best), with_places ? bytes(places) : nullptr};
    return verify_top_k(KeyType::u32, Order::ascending, found, bytes(kept), {bytes(keys), nullptr},
                        keys.size(), {.count = 2, .length = 5, .stride = 6}, top);
  }
};

TEST_F(TopKVerdict, TakesARightResult) {
  EXPECT_TRUE(verdict().ok());
  EXPECT_TRUE(verdict(false).ok());
}

TEST_F(TopKVerdict, TakesAnyOrderWhereNoneIsAskedFor) {
  top.is_sorted = false;
  std::swap(best[3], best[5]);
  std::swap(places[3], places[5]);
  EXPECT_TRUE(verdict().ok());
  std::swap(best[4], best[5]);
  std::swap(places[4], places[5]);
  EXPECT_TRUE(verdict().ok());
}

TEST_F(TopKVerdict, TakesAnyOfEqualKeysWhereTheFirstAreNotAskedFor) {
  top.is_first = false;
  places[5] = 4;
  EXPECT_TRUE(verdict().ok());
  std::swap(places[4], places[5]);
  EXPECT_TRUE(verdict().ok());
}

TEST_F(TopKVerdict, FindsAKeyThatIsNotAmongTheBest) {
  best[2] = 7;
  places[2] = 0;
  EXPECT_FALSE(verdict().permutation);
  EXPECT_FALSE(verdict(false).permutation);
}

TEST_F(TopKVerdict, FindsAPlaceTwice) {
  places[1] = 1;
  EXPECT_FALSE(verdict().permutation);
}

TEST_F(TopKVerdict, FindsAPlaceOfAnotherKey) {
  places[0] = 0;
  EXPECT_FALSE(verdict().permutation);
}

TEST_F(TopKVerdict, FindsAPlaceBeyondTheRow) {
  places[0] = 5;
  EXPECT_FALSE(verdict().permutation);
}

TEST_F(TopKVerdict, FindsABestKeyOfTheOtherRow) {
  best[3] = 2;
  EXPECT_FALSE(verdict().permutation);
}

TEST_F(TopKVerdict, FindsDisorder) {
  std::swap(best[3], best[4]);
  std::swap(places[3], places[4]);
  EXPECT_FALSE(verdict().sorted);
  EXPECT_TRUE(verdict().permutation);
}

TEST_F(TopKVerdict, FindsEqualKeysNotInTheOrderOfTheirPlaces) {
  std::swap(places[0], places[1]);
  EXPECT_EQ(verdict().stable, false);
  EXPECT_TRUE(verdict().permutation);
}

TEST_F(TopKVerdict, FindsALaterPlaceInsteadOfAnEarlierOne) {
  places[5] = 2;
  EXPECT_EQ(verdict().stable, false);
  top.is_sorted = false;
  EXPECT_EQ(verdict().stable, false);
  EXPECT_TRUE(verdict().permutation);
}

TEST_F(TopKVerdict, FindsAChangedInput) {
  kept[11] = 1;
  EXPECT_FALSE(verdict().permutation);
}

TEST_F(TopKVerdict, EachRowMayHaveAKOfItsOwn) {
  const std::vector<std::uint32_t> ks{1, 3};
  top.ks = ks.data();
  best[1] = best[2] = 99;  // nobody asked for these
  EXPECT_TRUE(verdict().ok());
  best[0] = 7;
  EXPECT_FALSE(verdict().permutation);
}

TEST(TopKVerdictOfFloats, TellsZerosAndNaNsApart) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> keys{0.0F, -0.0F, nan, 1};
  const auto verdict = [&](std::vector<float> best, std::vector<std::uint32_t> places) {
    return verify_top_k(KeyType::f32, Order::ascending, {bytes(best), bytes(places)}, bytes(keys),
                        {bytes(keys), nullptr}, 4, {.count = 1, .length = 4, .stride = 4},
                        {.k = best.size(), .is_sorted = true});
  };
  EXPECT_TRUE(verdict({-0.0F, 0.0F}, {1, 0}).ok());
  EXPECT_FALSE(verdict({0.0F, -0.0F}, {0, 1}).sorted);
  EXPECT_FALSE(verdict({0.0F}, {0}).permutation);
  EXPECT_TRUE(verdict({-0.0F, 0.0F, 1, nan}, {1, 0, 3, 2}).ok());
}

struct PartialVerdict : testing::Test {
  std::vector<std::uint32_t> before{4, 1, 3, 3, 9, 0, 5};
  std::vector<std::uint32_t> keys{1, 0, 3, 3, 4, 9, 5};
  std::size_t k = 2;
  bool is_sorted = false;

  Verdict verdict(Order order = Order::ascending) const {
    return verify_partial(KeyType::u32, order, keys.data(), nullptr, keys.size(), k, is_sorted,
                          fingerprint(KeyType::u32, before.data(), nullptr, before.size()));
  }
};

TEST_F(PartialVerdict, TakesARightResult) {
  EXPECT_TRUE(verdict().ok());
  for (const std::size_t place : {2, 3, 4}) {
    k = place;
    EXPECT_TRUE(verdict().ok()) << place;
  }
  k = keys.size();
  EXPECT_TRUE(verdict().ok());
  EXPECT_FALSE(verdict(Order::descending).sorted && k < keys.size());
}

TEST_F(PartialVerdict, FindsAnItemOnTheWrongSide) {
  std::swap(keys[1], keys[4]);
  EXPECT_FALSE(verdict().sorted);
}

TEST_F(PartialVerdict, FindsAnotherItemAtThePlace) {
  k = 5;  // 9 stands where 5 belongs
  EXPECT_FALSE(verdict().sorted);
}

TEST_F(PartialVerdict, FindsDisorderBeforeThePlace) {
  is_sorted = true;
  EXPECT_FALSE(verdict().sorted);
  std::swap(keys[0], keys[1]);
  EXPECT_TRUE(verdict().ok());
  std::swap(keys[4], keys[5]);  // behind the place: any order
  EXPECT_TRUE(verdict().ok());
}

TEST_F(PartialVerdict, FindsAnItemLostAndOneDoubled) {
  keys[6] = 9;
  EXPECT_FALSE(verdict().permutation);
}

TEST(Wanted, KeepsItsText) {
  for (const char* text : {"0", "50", "1-50", "7:sorted", "7:first", "1-9:sorted:first"}) {
    EXPECT_EQ(text_of(parse_wanted(text)), text);
  }
  EXPECT_EQ(text_of(parse_wanted("2K:first:sorted")), "2048:sorted:first");
  EXPECT_EQ(text_of(Wanted{}), "");
  for (const char* text :
       {"", "x", "5-", "-5", "9-1", "1-2-3", "5:last", "5:sorted:sorted", ":sorted", "1-8G"}) {
    EXPECT_THROW(parse_wanted(text), BadInput) << text;
  }
}

TEST(Wanted, GivesEachRowItsK) {
  EXPECT_TRUE(ks_of(parse_wanted("50"), 100, 1).empty());
  const auto ks = ks_of(parse_wanted("3-6"), 1000, 1);
  ASSERT_EQ(ks.size(), 1000);
  EXPECT_EQ(*std::min_element(ks.begin(), ks.end()), 3);
  EXPECT_EQ(*std::max_element(ks.begin(), ks.end()), 6);
  EXPECT_EQ(ks, ks_of(parse_wanted("3-6"), 1000, 1));
  EXPECT_NE(ks, ks_of(parse_wanted("3-6"), 1000, 2));
}

}  // namespace
}  // namespace sortlab
