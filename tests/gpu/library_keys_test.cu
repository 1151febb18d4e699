// sortlab::cuda sorts keys of all types, alone.
#include "tests/gpu/library/sorts.cuh"

namespace sortlab::cuda {
namespace {

template <class Key>
class Keys : public testing::Test {};
using EachKey = testing::Types<char, signed char, unsigned char, char16_t, short, unsigned short,
                               Letter, int, unsigned, long, unsigned long, long long,
                               unsigned long long, float, double, __half, __nv_bfloat16>;
TYPED_TEST_SUITE(Keys, EachKey);

TYPED_TEST(Keys, AreSortedInBothOrders) {
  SKIP_WITHOUT_GPU();
  expect_sorted_keys<TypeParam>(kFewSizes);
}
TEST(ManyKeys, AreSorted) {
  SKIP_WITHOUT_GPU();
  expect_sorted_keys<std::uint32_t>(kManySizes);
  expect_sorted_keys<float>({3'000'017});
  expect_sorted_keys<unsigned long long>(kManySizes);
  expect_sorted_keys<unsigned short>({3'000'017});
  expect_sorted_keys<__half>({3'000'017});
}

template <class Key>
class Floats : public testing::Test {};
using EachFloat = testing::Types<float, double, __half, __nv_bfloat16>;
TYPED_TEST_SUITE(Floats, EachFloat);

TYPED_TEST(Floats, HaveNansLastInBothOrders) {
  SKIP_WITHOUT_GPU();
  for (const std::size_t n : {1000u, 100'003u, 3'000'017u}) {
    const auto keys = random_keys<TypeParam>(n);
    const auto numbers = static_cast<std::ptrdiff_t>(
        std::count_if(keys.begin(), keys.end(), [](TypeParam key) { return !is_nan(key); }));
    for (const Order order : {Order::ascending, Order::descending}) {
      const OnDevice<TypeParam> d_keys(keys);
      ASSERT_EQ(sort_keys(d_keys.get(), n, nullptr,
                          {.order = order, .floats = sortlab::Floats::nans_last}),
                cudaSuccess);
      synchronize();
      auto found = d_keys.on_host();
      EXPECT_TRUE(std::all_of(found.begin() + numbers, found.end(),
                              [](TypeParam key) { return is_nan(key); }));
      auto expected = keys;
      std::erase_if(expected, [](TypeParam key) { return is_nan(key); });
      expected = in_order(expected, expected_order(expected, order));
      found.resize(expected.size());
      expect_same(found, expected, "nans_last");
    }
  }
}

}  // namespace
}  // namespace sortlab::cuda
