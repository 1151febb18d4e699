// sortlab::cuda sorts by comparisons: those that it knows as orders of bits, and a user's own.
#include <thrust/functional.h>

#include <functional>

#include "tests/gpu/library/items.cuh"

namespace sortlab::cuda {

enum class Ordered { large, small };
__host__ __device__ constexpr bool operator<(Ordered a, Ordered b) {
  return static_cast<int>(a) > static_cast<int>(b);
}

namespace {

// Which comparisons are sorts of bits.
template <class Less, class Key, Order kOrder>
constexpr bool kSortsBits =
    detail::kIsKnownOrder<Less, Key>&& detail::kOrderOf<Less, Key> == kOrder;
static_assert(kSortsBits<std::less<>, unsigned long long, Order::ascending>);
static_assert(kSortsBits<std::less<float>, float, Order::ascending>);
static_assert(kSortsBits<std::greater<>, long, Order::descending>);
static_assert(kSortsBits<std::greater<double>, double, Order::descending>);
static_assert(kSortsBits<thrust::less<int>, int, Order::ascending>);
static_assert(kSortsBits<thrust::greater<>, char, Order::descending>);
static_assert(kSortsBits<::cuda::std::less<>, float, Order::ascending>);
static_assert(kSortsBits<::cuda::std::greater<short>, short, Order::descending>);
static_assert(kSortsBits<std::greater<>, __half, Order::descending>);
static_assert(kSortsBits<std::less<__nv_bfloat16>, __nv_bfloat16, Order::ascending>);
static_assert(!detail::kIsKnownOrder<std::less<double>, float>);  // as doubles
static_assert(!detail::kIsKnownOrder<std::less_equal<>, int>);
static_assert(!detail::kIsKnownOrder<std::less<>, Value<4>>);

// An enumeration is sorted by its number, unless its program may have ordered it in another way.
enum class Plain : unsigned char { a, b };
static_assert(detail::kIsKey<Plain> && !detail::kIsKey<Ordered>);
static_assert(kSortsBits<std::less<>, Plain, Order::ascending>);
static_assert(!detail::kIsKnownOrder<std::less<Plain>, Plain>);
static_assert(!detail::kIsKnownOrder<std::less<>, Ordered>);
static_assert(!detail::kIsKnownOrder<std::less<Ordered>, Ordered>);

TEST(KnownOrders, KeepEqualZerosInOrderIfStable) {
  SKIP_WITHOUT_GPU();
  for (const std::size_t n : kFewSizes) {
    auto keys = random_keys<float>(n);
    for (auto& key : keys) key = std::isnan(key) ? 1.0f : key;
    const auto order = expected_order(keys, std::less<>{});
    const auto values = numbered_values<Value<16>>(n);
    const OnDevice<float> d_keys(keys);
    ASSERT_EQ(stable_sort(d_keys.get(), n, std::less<float>{}), cudaSuccess);
    synchronize();
    expect_same(d_keys.on_host(), in_order(keys, order), "stable_sort");

    const OnDevice<float> d_keys_again(keys);
    const OnDevice<Value<16>> d_values(values);
    ASSERT_EQ(sort_pairs(d_keys_again.get(), d_values.get(), n, thrust::less<float>{}),
              cudaSuccess);
    synchronize();
    expect_same(d_keys_again.on_host(), in_order(keys, order), "keys of sort_pairs");
    expect_same(d_values.on_host(), in_order(values, order), "values of sort_pairs");

    const OnDevice<float> d_unstable(keys);
    ASSERT_EQ(sort(d_unstable.get(), n, std::less<>{}), cudaSuccess);
    synchronize();
    expect_same(d_unstable.on_host(), in_order(keys, expected_order(keys, Order::ascending)),
                "sort");
  }
}

template <class T>
class Structs : public testing::Test {};
using EachStruct = testing::Types<Item<2>, Item<3>, Item<4>, Item<10>, Item<25>, Item<50>>;
TYPED_TEST_SUITE(Structs, EachStruct);

TYPED_TEST(Structs, AreSortedByComparisonsWithAndWithoutState) {
  SKIP_WITHOUT_GPU();
  expect_sorted_items<TypeParam>(ByNumber{}, kFewSizes);
  expect_sorted_items<TypeParam>(ByNumber{}, {1'100'003});
  expect_sorted_items<TypeParam>(ByDistance{100}, {1000, 4097, 100'003});
}

/// A lambda for the device can't stand in a test's own function, which is private.
cudaError_t sort_by_distance_from(float from, Item<3>* d_items, std::size_t n) {
  return sort(d_items, n, [from] __device__(const Item<3>& a, const Item<3>& b) {
    return fabsf(a.number - from) < fabsf(b.number - from);
  });
}

TEST(Lambdas, MayCapture) {
  SKIP_WITHOUT_GPU();
  const auto items = random_items<Item<3>>(100'003);
  const float from = 5000;
  const OnDevice<Item<3>> d_items(items);
  ASSERT_EQ(sort_by_distance_from(from, d_items.get(), items.size()), cudaSuccess);
  synchronize();
  expect_same(d_items.on_host(), in_order(items, expected_order(items, ByDistance{from})),
              "a lambda");
}

/// Looks up what it compares: an item that does not exist would lead anywhere.
struct ByTable {
  const float* d_table;
  __device__ bool operator()(const Item<3>& a, const Item<3>& b) const {
    return d_table[a.place[0]] < d_table[b.place[0]];
  }
};
TEST(Comparisons, MayFollowPointers) {
  SKIP_WITHOUT_GPU();
  for (const std::size_t n : kFewSizes) {
    const auto items = random_items<Item<3>>(n);
    std::vector<float> table(n);
    for (std::size_t i = 0; i < n; ++i) table[i] = items[i].number;
    const OnDevice<float> d_table(table);
    const OnDevice<Item<3>> d_items(items);
    ASSERT_EQ(sort(d_items.get(), n, ByTable{d_table.get()}), cudaSuccess);
    synchronize();
    expect_same(d_items.on_host(), in_order(items, expected_order(items, ByNumber{})),
                "by a table");
  }
}

TEST(Comparisons, MoveValuesAndGiveIndices) {
  SKIP_WITHOUT_GPU();
  for (const std::size_t n : {0u, 1u, 1000u, 100'003u}) {
    const auto items = random_items<Item<3>>(n);
    const auto order = expected_order(items, ByNumber{});
    const auto values = numbered_values<Value<16>>(n);
    const OnDevice<Item<3>> d_items(items);
    const OnDevice<std::uint64_t> d_order(std::vector<std::uint64_t>(n, 77));
    ASSERT_EQ(argsort(d_items.get(), d_order.get(), n, ByNumber{}), cudaSuccess);
    synchronize();
    expect_same(d_order.on_host(), std::vector<std::uint64_t>(order.begin(), order.end()),
                "argsort");
    expect_same(d_items.on_host(), items, "the input of argsort");
    const OnDevice<Value<16>> d_values(values);
    ASSERT_EQ(sort_pairs(d_items.get(), d_values.get(), n, ByNumber{}), cudaSuccess);
    synchronize();
    expect_same(d_items.on_host(), in_order(items, order), "items of sort_pairs");
    expect_same(d_values.on_host(), in_order(values, order), "values of sort_pairs");
    const auto numbers = numbered_values<std::uint32_t>(n);
    const OnDevice<Item<3>> d_items_again(items);
    const OnDevice<std::uint32_t> d_numbers(numbers);
    ASSERT_EQ(sort_pairs(d_items_again.get(), d_numbers.get(), n, ByNumber{}), cudaSuccess);
    synchronize();
    expect_same(d_numbers.on_host(), in_order(numbers, order), "4-byte values of sort_pairs");
  }
}

}  // namespace
}  // namespace sortlab::cuda
