// The verifier must find intended faults in results, and accept right results.
#include "common/harness/verify/verify.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "common/harness/input/random.hpp"
#include "common/harness/verify/item_hash.hpp"
#include "tests/all_key_types.hpp"

namespace sortlab {
namespace {

using Values = std::vector<std::uint32_t>;

template <class Key>
Fingerprint fingerprint_of(const std::vector<Key>& keys, const Values& values = {}) {
  return fingerprint(key_type_of<Key>(), keys.data(), values.empty() ? nullptr : values.data(),
                     keys.size());
}

template <class Key>
Verdict verdict_on(const std::vector<Key>& keys, const Fingerprint& expected,
                   Order order = Order::ascending) {
  return verify(key_type_of<Key>(), order, keys.data(), nullptr, keys.size(), expected, false);
}

Verdict verdict_on_pairs(const std::vector<std::uint32_t>& keys, const Values& values,
                         const Fingerprint& expected, bool claims_stable) {
  return verify(KeyType::u32, Order::ascending, keys.data(), values.data(), keys.size(), expected,
                claims_stable);
}

template <class Key>
class VerifyKeys : public testing::Test {
 protected:
  // More keys than the verifier handles in one thread, and a few duplicates.
  static constexpr std::size_t kCount = 40'000;

  VerifyKeys() {
    for (std::uint64_t i = 0; i < kCount; ++i) {
      input_.push_back(static_cast<Key>(random_word(12345, 0, i) % 30'000));
    }
    expected_ = fingerprint_of(input_);
    sorted_ = input_;
    std::sort(sorted_.begin(), sorted_.end());
  }

  std::vector<Key> input_, sorted_;
  Fingerprint expected_;
};
TYPED_TEST_SUITE(VerifyKeys, AllKeyTypes);

TYPED_TEST(VerifyKeys, RightResultsPass) {
  EXPECT_TRUE(verdict_on(this->sorted_, this->expected_).ok());
  std::reverse(this->sorted_.begin(), this->sorted_.end());
  EXPECT_TRUE(verdict_on(this->sorted_, this->expected_, Order::descending).ok());
}

TYPED_TEST(VerifyKeys, UnsortedInputIsAPermutationButNotSorted) {
  const Verdict verdict = verdict_on(this->input_, this->expected_);
  EXPECT_FALSE(verdict.sorted);
  EXPECT_TRUE(verdict.permutation);
}

TYPED_TEST(VerifyKeys, TheOtherOrderIsNotSorted) {
  EXPECT_FALSE(verdict_on(this->sorted_, this->expected_, Order::descending).sorted);
}

TYPED_TEST(VerifyKeys, OneSwapAnywhereIsCaught) {
  const std::size_t last = this->sorted_.size() - 1;
  for (const std::size_t i : {std::size_t{0}, last / 2, last - 1}) {
    auto wrong = this->sorted_;
    const auto other = std::upper_bound(wrong.begin(), wrong.end(), wrong[i]);
    if (other == wrong.end()) continue;
    std::swap(wrong[i], *other);
    const Verdict verdict = verdict_on(wrong, this->expected_);
    EXPECT_FALSE(verdict.sorted) << "swap at " << i;
    EXPECT_TRUE(verdict.permutation) << "swap at " << i;
  }
}

TYPED_TEST(VerifyKeys, ALostKeyIsCaught) {
  auto wrong = this->sorted_;
  wrong.erase(wrong.begin() + 1234);
  EXPECT_TRUE(verdict_on(wrong, this->expected_).sorted);
  EXPECT_FALSE(verdict_on(wrong, this->expected_).permutation);
}

TYPED_TEST(VerifyKeys, ADuplicatedKeyIsCaught) {
  auto wrong = this->sorted_;
  const auto place = std::adjacent_find(wrong.begin() + 1234, wrong.end(), std::less<>{});
  *place = *(place + 1);
  EXPECT_TRUE(verdict_on(wrong, this->expected_).sorted);
  EXPECT_FALSE(verdict_on(wrong, this->expected_).permutation);
}

TYPED_TEST(VerifyKeys, AllZerosAreCaught) {
  const std::vector<TypeParam> wrong(this->sorted_.size(), TypeParam{0});
  EXPECT_FALSE(verdict_on(wrong, this->expected_).ok());
}

TYPED_TEST(VerifyKeys, EqualSumsAreNotEnough) {
  const auto expected = fingerprint_of(std::vector<TypeParam>{1, 3});
  EXPECT_FALSE(verdict_on(std::vector<TypeParam>{2, 2}, expected).permutation);
}

TYPED_TEST(VerifyKeys, EqualXorsAreNotEnough) {
  const auto expected = fingerprint_of(std::vector<TypeParam>{1, 1});
  EXPECT_FALSE(verdict_on(std::vector<TypeParam>{2, 2}, expected).permutation);
}

TYPED_TEST(VerifyKeys, NoKeysAndOneKeyPass) {
  for (const auto& keys : {std::vector<TypeParam>{}, std::vector<TypeParam>{7}}) {
    EXPECT_TRUE(verdict_on(keys, fingerprint_of(keys)).ok());
    EXPECT_TRUE(verdict_on(keys, fingerprint_of(keys), Order::descending).ok());
  }
}

TEST(VerifyMany, DoesNotDependOnTheThreads) {
  constexpr std::size_t kShared = (std::size_t{1} << 24) + 5;
  std::vector<std::uint32_t> keys(kShared);
  std::iota(keys.begin(), keys.end(), 0u);
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const Fingerprint expected = fingerprint_of(keys);
  for (const int threads : {1, 2, 3, 7}) {
    omp_set_num_threads(threads);
    EXPECT_TRUE(verdict_on(keys, expected).ok()) << threads << " threads";
    std::swap(keys[kShared / 2], keys[kShared / 2 + 1]);
    EXPECT_FALSE(verdict_on(keys, expected).sorted) << threads << " threads";
    std::swap(keys[kShared / 2], keys[kShared / 2 + 1]);
  }
  omp_set_num_threads(before);
}

template <class Key>
class VerifyFloats : public testing::Test {};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(VerifyFloats, FloatTypes);

TYPED_TEST(VerifyFloats, TotalOrder) {
  using Limits = std::numeric_limits<TypeParam>;
  const std::vector<TypeParam> right = {-Limits::quiet_NaN(), -Limits::infinity(), -TypeParam{1},
                                        -TypeParam{0},        TypeParam{0},        TypeParam{1},
                                        Limits::infinity(),   Limits::quiet_NaN()};
  const auto expected = fingerprint_of(right);
  EXPECT_TRUE(verdict_on(right, expected).ok());
  // Each neighbour exchanged is out of order, -0 and +0 and the NaNs included.
  for (std::size_t i = 1; i < right.size(); ++i) {
    auto wrong = right;
    std::swap(wrong[i - 1], wrong[i]);
    EXPECT_FALSE(verdict_on(wrong, expected).sorted) << "at " << i;
    EXPECT_TRUE(verdict_on(wrong, expected).permutation) << "at " << i;
  }
}

TYPED_TEST(VerifyFloats, ALostSignOfZeroIsCaught) {
  const auto expected = fingerprint_of(std::vector<TypeParam>{-TypeParam{0}, TypeParam{0}});
  EXPECT_FALSE(verdict_on(std::vector<TypeParam>{0, 0}, expected).permutation);
}

TEST(VerifyPairs, StabilityIsJudgedWhereItIsClaimed) {
  const auto expected = fingerprint_of<std::uint32_t>({5, 3, 5, 3}, {0, 1, 2, 3});
  const std::vector<std::uint32_t> keys = {3, 3, 5, 5};
  const Values stable = {1, 3, 0, 2}, unstable = {1, 3, 2, 0};

  EXPECT_EQ(verdict_on_pairs(keys, stable, expected, true).stable, true);
  EXPECT_TRUE(verdict_on_pairs(keys, stable, expected, true).ok());

  EXPECT_EQ(verdict_on_pairs(keys, unstable, expected, true).stable, false);
  EXPECT_FALSE(verdict_on_pairs(keys, unstable, expected, true).ok());

  EXPECT_EQ(verdict_on_pairs(keys, unstable, expected, false).stable, std::nullopt);
  EXPECT_TRUE(verdict_on_pairs(keys, unstable, expected, false).ok());
}

TEST(VerifyPairs, KeysAloneHaveNoStability) {
  const std::vector<std::uint32_t> keys = {1, 1};
  EXPECT_EQ(verify(KeyType::u32, Order::ascending, keys.data(), nullptr, keys.size(),
                   fingerprint_of(keys), true)
                .stable,
            std::nullopt);
}

TEST(VerifyPairs, ValuesThatChangePlacesBetweenKeysAreCaught) {
  const auto expected = fingerprint_of<std::uint32_t>({9, 4}, {0, 1});
  EXPECT_TRUE(verdict_on_pairs({4, 9}, {1, 0}, expected, false).ok());
  EXPECT_FALSE(verdict_on_pairs({4, 9}, {0, 1}, expected, false).permutation);
}

TEST(VerifyPairs, ALostValueIsCaught) {
  const auto expected = fingerprint_of<std::uint32_t>({4, 4, 9}, {0, 1, 2});
  EXPECT_FALSE(verdict_on_pairs({4, 4, 9}, {0, 0, 2}, expected, false).permutation);
}

TEST(VerifyPairs, UnstableOrderIsCaughtFarInsideALongResult) {
  constexpr std::uint32_t kCount = 100'000;
  std::vector<std::uint32_t> keys(kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) keys[i] = i / 10;
  Values values(kCount);
  std::iota(values.begin(), values.end(), 0u);
  const auto expected = fingerprint_of(keys, values);
  EXPECT_TRUE(verdict_on_pairs(keys, values, expected, true).ok());
  std::swap(values[70'001], values[70'002]);
  EXPECT_EQ(verdict_on_pairs(keys, values, expected, true).stable, false);
}

TEST(VerifyPairs, PairsAndKeysAloneHaveDifferentFingerprints) {
  EXPECT_NE(fingerprint_of<std::uint32_t>({1, 2}), fingerprint_of<std::uint32_t>({1, 2}, {0, 1}));
}

TEST(ItemHash, CountsAllBytesOfAWideValue) {
  EXPECT_EQ(item_hash(7u, 9u), item_hash(7u, std::uint64_t{9}));
  EXPECT_NE(item_hash(7u, std::uint64_t{9}),
            item_hash(7u, std::uint64_t{9} | std::uint64_t{1} << 32));
}

}  // namespace
}  // namespace sortlab
