// sortlab::cuda moves values of all sizes with their keys, and gives indices.
#include "tests/gpu/library/sorts.cuh"

namespace sortlab::cuda {
namespace {

template <class V>
class Values : public testing::Test {};
using EachValue = testing::Types<Value<1>, Value<2>, Value<3>, float, double, Value<12>, Value<16>,
                                 Value<40>, Value<64>>;
TYPED_TEST_SUITE(Values, EachValue);

TYPED_TEST(Values, MoveWithTheirKeys) {
  SKIP_WITHOUT_GPU();
  expect_sorted_pairs<std::uint32_t, TypeParam>(kFewSizes);
  expect_sorted_pairs<long long, TypeParam>({1000, 4097, 100'003});
  expect_sorted_pairs<signed char, TypeParam>({1000, 100'003});
  expect_sorted_pairs<__half, TypeParam>({1000, 100'003});
}
TEST(ManyValues, MoveWithTheirKeys) {
  SKIP_WITHOUT_GPU();
  expect_sorted_pairs<std::uint32_t, float>(kManySizes);
  expect_sorted_pairs<std::uint32_t, double>(kManySizes);
  expect_sorted_pairs<unsigned long long, double>({(1 << 20) + 1, 3'000'017});
  expect_sorted_pairs<unsigned long long, std::uint32_t>(kManySizes);
  expect_sorted_pairs<std::uint32_t, Value<16>>({3'000'017});
}

/// More than the caches hold; each is compared with the sorted keys alone.
TEST(ManyValues, AndKeysOfOver16Million) {
  SKIP_WITHOUT_GPU();
  constexpr std::size_t kN = (1 << 24) + 1;
  const auto keys = random_keys<std::uint32_t>(kN);
  auto expected = keys;
  std::sort(expected.begin(), expected.end());
  const OnDevice<std::uint32_t> d_keys(keys);
  const OnDevice<std::uint32_t> d_sorted(keys);
  ASSERT_EQ(sort_keys(d_keys.get(), d_sorted.get(), kN), cudaSuccess);
  synchronize();
  expect_same(d_sorted.on_host(), expected, "sort_keys");
  const OnDevice<std::uint64_t> d_places(numbered_values<std::uint64_t>(kN));
  ASSERT_EQ(sort_pairs(d_keys.get(), d_places.get(), kN), cudaSuccess);
  synchronize();
  expect_same(d_keys.on_host(), expected, "keys of sort_pairs");
  const auto places = d_places.on_host();
  std::size_t right = 0;
  while (right < kN && keys[places[right]] == expected[right]) ++right;
  EXPECT_EQ(right, kN);
}

TEST(Argsort, GivesStableIndices) {
  SKIP_WITHOUT_GPU();
  expect_indices<std::uint32_t, std::uint32_t>(kFewSizes);
  expect_indices<std::uint32_t, std::uint32_t>({1'100'003, 3'000'017});
  expect_indices<std::uint32_t, std::int64_t>(kFewSizes);
  expect_indices<double, int>(kFewSizes);
  expect_indices<unsigned char, std::uint64_t>(kFewSizes);
  expect_indices<__half, std::int64_t>(kFewSizes);
  expect_indices<__nv_bfloat16, std::uint32_t>(kFewSizes);
}
TEST(Argsort, TakesNansAndZerosAsEqualAsNumpyDoes) {
  SKIP_WITHOUT_GPU();
  const auto keys = random_keys<double>(100'003);
  for (const Order order : {Order::ascending, Order::descending}) {
    const auto expected = expected_order(keys, [order](double a, double b) {
      if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
      return order == Order::ascending ? a < b : a > b;
    });
    const OnDevice<double> d_keys(keys);
    const OnDevice<std::uint32_t> d_order(std::vector<std::uint32_t>(keys.size(), 77));
    ASSERT_EQ(argsort(d_keys.get(), d_order.get(), keys.size(), nullptr,
                      {.order = order, .floats = sortlab::Floats::nans_last}),
              cudaSuccess);
    synchronize();
    expect_same(d_order.on_host(), expected, "argsort with nans_last");
  }
}

}  // namespace
}  // namespace sortlab::cuda
