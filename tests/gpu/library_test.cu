// sortlab::cuda as its users call it: types, orders, values, sizes, memory, streams, graphs, threads, and
// GPUs with less shared memory and fewer SMs than this one.
#include <gtest/gtest.h>
#include <thrust/functional.h>

#include <sortlab/cuda.cuh>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "common/harness/rig/device.hpp"
#include "library/cuda/gpu_facts.hpp"
#include "tests/on_device.cuh"

namespace sortlab::cuda {
namespace {

using gpu::OnDevice;

#define SKIP_WITHOUT_GPU() \
  if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason

/// Around the limits of the sorts that are chosen among.
const std::vector<std::size_t> kFewSizes = {0,    1,    2,    3,     1000,  1024,   1025,
                                            4096, 4097, 8193, 16385, 32769, 50'021, 100'003};
const std::vector<std::size_t> kManySizes = {(1 << 20) + 1, 1'100'003, 3'000'017, 4'300'007};

enum class Letter : std::uint16_t {};

/// Random bits: floats of all kinds, NaNs and infinities among them, and both zeros often.
template <class Key>
std::vector<Key> random_keys(std::size_t n, std::uint64_t most = ~std::uint64_t{0}) {
  std::mt19937_64 random(n + 7);
  std::vector<Key> keys(n);
  for (auto& key : keys) {
    const std::uint64_t bits = most == ~std::uint64_t{0} ? random() : random() % (most + 1);
    std::memcpy(&key, &bits, sizeof(Key));
    if constexpr (std::is_floating_point_v<Key>) {
      if (random() % 4 == 0) key = random() % 2 == 0 ? Key{0} : -Key{0};
      if (random() % 16 == 0)
        key = std::copysign(std::numeric_limits<Key>::quiet_NaN(), random() % 2 == 0 ? 1 : -1);
    }
  }
  return keys;
}

/// The bits that the library's documentation orders by.
template <class Key>
std::uint64_t rank_of(Key key) {
  if constexpr (std::is_enum_v<Key>) {
    return rank_of(static_cast<std::underlying_type_t<Key>>(key));
  } else if constexpr (std::is_floating_point_v<Key>) {
    return to_ordered_bits(key);
  } else {
    constexpr std::uint64_t kSign = std::is_signed_v<Key> ? std::uint64_t{1} << 63 : 0;
    return static_cast<std::uint64_t>(
               static_cast<std::conditional_t<std::is_signed_v<Key>, std::int64_t, std::uint64_t>>(
                   key)) ^
           kSign;
  }
}

template <class Key, class Before>
std::vector<std::uint32_t> expected_order(const std::vector<Key>& keys, Before before) {
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return before(keys[a], keys[b]); });
  return order;
}
template <class Key>
std::vector<std::uint32_t> expected_order(const std::vector<Key>& keys, Order order) {
  return order == Order::ascending
             ? expected_order(keys, [](Key a, Key b) { return rank_of(a) < rank_of(b); })
             : expected_order(keys, [](Key a, Key b) { return rank_of(a) > rank_of(b); });
}
template <class T>
std::vector<T> in_order(const std::vector<T>& items, const std::vector<std::uint32_t>& order) {
  std::vector<T> result;
  result.reserve(items.size());
  for (const std::uint32_t i : order) result.push_back(items[i]);
  return result;
}

/// The first place at which bytes differ; the size where none do.
template <class T>
std::size_t first_difference(const std::vector<T>& a, const std::vector<T>& b) {
  std::size_t i = 0;
  while (i < a.size() && std::memcmp(&a[i], &b[i], sizeof(T)) == 0) ++i;
  return i;
}
template <class T>
void expect_same(const std::vector<T>& found, const std::vector<T>& expected,
                 const std::string& call) {
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_EQ(first_difference(found, expected), expected.size())
      << call << ", n = " << expected.size();
}

void synchronize() { ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess); }

/// Asks for the memory and calls again with it, at an odd address.
template <class Call>
void in_two_calls(Call call) {
  std::size_t bytes = 0;
  ASSERT_EQ(call(nullptr, bytes), cudaSuccess);
  const OnDevice<std::byte> temp(std::vector<std::byte>(bytes + 1));
  ASSERT_EQ(call(temp.get() + 1, bytes), cudaSuccess);
  synchronize();
}

// -- Keys -----------------------------------------------------------------------------------------------

template <class Key>
void expect_sorted_keys(const std::vector<std::size_t>& sizes) {
  for (const std::size_t n : sizes) {
    const auto keys = random_keys<Key>(n);
    for (const Order order : {Order::ascending, Order::descending}) {
      const Options options{.order = order};
      const auto expected = in_order(keys, expected_order(keys, order));
      const OnDevice<Key> in(keys);
      const OnDevice<Key> out(keys);
      in_two_calls([&](void* d_temp, std::size_t& bytes) {
        return sort_keys(d_temp, bytes, in.get(), out.get(), n, nullptr, options);
      });
      expect_same(out.on_host(), expected, "sort_keys to another array");
      expect_same(in.on_host(), keys, "the input of sort_keys");

      DoubleBuffer<Key> buffer;
      in_two_calls([&](void* d_temp, std::size_t& bytes) {
        buffer = {in.get(), out.get()};
        return sort_keys(d_temp, bytes, buffer, n, nullptr, options);
      });
      expect_same((buffer.current == in.get() ? in : out).on_host(), expected,
                  "sort_keys of a double buffer");

      const OnDevice<Key> place(keys);
      ASSERT_EQ(sort_keys(place.get(), n, nullptr, options), cudaSuccess);
      synchronize();
      expect_same(place.on_host(), expected, "sort_keys in place");
    }
  }
}

template <class Key>
class Keys : public testing::Test {};
using EachKey =
    testing::Types<char, signed char, unsigned char, char16_t, short, unsigned short, Letter, int,
                   unsigned, long, unsigned long, long long, unsigned long long, float, double>;
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
}

TEST(Floats, HaveNansLastInBothOrders) {
  SKIP_WITHOUT_GPU();
  for (const std::size_t n : {1000u, 100'003u, 3'000'017u}) {
    const auto keys = random_keys<float>(n);
    const auto numbers = static_cast<std::ptrdiff_t>(
        std::count_if(keys.begin(), keys.end(), [](float key) { return !std::isnan(key); }));
    for (const Order order : {Order::ascending, Order::descending}) {
      const OnDevice<float> d_keys(keys);
      ASSERT_EQ(sort_keys(d_keys.get(), n, nullptr,
                          {.order = order, .floats = sortlab::Floats::nans_last}),
                cudaSuccess);
      synchronize();
      auto found = d_keys.on_host();
      EXPECT_TRUE(std::all_of(found.begin() + numbers, found.end(),
                              [](float key) { return std::isnan(key); }));
      auto expected = keys;
      std::erase_if(expected, [](float key) { return std::isnan(key); });
      expected = in_order(expected, expected_order(expected, order));
      found.resize(expected.size());
      expect_same(found, expected, "nans_last");
    }
  }
}

// -- Values ---------------------------------------------------------------------------------------------

template <std::size_t kBytes>
struct Value {
  unsigned char bytes[kBytes];
};
template <class V>
std::vector<V> numbered_values(std::size_t n) {
  std::vector<V> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::memset(&values[i], static_cast<int>(i * 7 % 251), sizeof(V));
    std::memcpy(&values[i], &i, std::min(sizeof(V), sizeof(i)));
  }
  return values;
}

template <class Key, class V>
void expect_sorted_pairs(const std::vector<std::size_t>& sizes) {
  for (const std::size_t n : sizes) {
    const auto keys = random_keys<Key>(n, n / 3);  // many are equal
    const auto values = numbered_values<V>(n);
    const auto order = expected_order(keys, Order::descending);
    const Options options{.order = Order::descending};
    const auto expected_keys = in_order(keys, order);
    const auto expected_values = in_order(values, order);
    const OnDevice<Key> keys_in(keys);
    const OnDevice<Key> keys_out(keys);
    const OnDevice<V> values_in(values);
    const OnDevice<V> values_out(values);
    in_two_calls([&](void* d_temp, std::size_t& bytes) {
      return sort_pairs(d_temp, bytes, keys_in.get(), keys_out.get(), values_in.get(),
                        values_out.get(), n, nullptr, options);
    });
    const std::string types =
        std::to_string(sizeof(Key)) + " + " + std::to_string(sizeof(V)) + " bytes, ";
    expect_same(keys_out.on_host(), expected_keys, types + "keys");
    expect_same(values_out.on_host(), expected_values, types + "values");
    expect_same(keys_in.on_host(), keys, types + "keys of the input");
    expect_same(values_in.on_host(), values, types + "values of the input");

    DoubleBuffer<Key> key_buffer;
    DoubleBuffer<V> value_buffer;
    in_two_calls([&](void* d_temp, std::size_t& bytes) {
      key_buffer = {keys_in.get(), keys_out.get()};
      value_buffer = {values_in.get(), values_out.get()};
      return sort_pairs(d_temp, bytes, key_buffer, value_buffer, n, nullptr, options);
    });
    expect_same((key_buffer.current == keys_in.get() ? keys_in : keys_out).on_host(), expected_keys,
                types + "keys of a double buffer");
    expect_same((value_buffer.current == values_in.get() ? values_in : values_out).on_host(),
                expected_values, types + "values of a double buffer");

    const OnDevice<Key> key_place(keys);
    const OnDevice<V> value_place(values);
    ASSERT_EQ(sort_pairs(key_place.get(), value_place.get(), n, nullptr, options), cudaSuccess);
    synchronize();
    expect_same(key_place.on_host(), expected_keys, types + "keys in place");
    expect_same(value_place.on_host(), expected_values, types + "values in place");
  }
}

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

// -- Indices --------------------------------------------------------------------------------------------

template <class Key, class Index>
void expect_indices(const std::vector<std::size_t>& sizes) {
  for (const std::size_t n : sizes) {
    const auto keys =
        random_keys<Key>(n, std::is_floating_point_v<Key> ? ~std::uint64_t{0} : n / 3);
    const auto order = expected_order(keys, Order::ascending);
    const OnDevice<Key> d_keys(keys);
    const OnDevice<Index> d_order(std::vector<Index>(n, 77));
    in_two_calls([&](void* d_temp, std::size_t& bytes) {
      return argsort(d_temp, bytes, d_keys.get(), d_order.get(), n);
    });
    expect_same(d_order.on_host(), std::vector<Index>(order.begin(), order.end()), "argsort");
    expect_same(d_keys.on_host(), keys, "the input of argsort");
    ASSERT_EQ(argsort(d_keys.get(), d_order.get(), n), cudaSuccess);
    synchronize();
    expect_same(d_order.on_host(), std::vector<Index>(order.begin(), order.end()),
                "argsort in one call");
  }
}
TEST(Argsort, GivesStableIndices) {
  SKIP_WITHOUT_GPU();
  expect_indices<std::uint32_t, std::uint32_t>(kFewSizes);
  expect_indices<std::uint32_t, std::uint32_t>({1'100'003, 3'000'017});
  expect_indices<std::uint32_t, std::int64_t>(kFewSizes);
  expect_indices<double, int>(kFewSizes);
  expect_indices<unsigned char, std::uint64_t>(kFewSizes);
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

// -- Comparisons ------------------------------------------------------------------------------------------

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
static_assert(!detail::kIsKnownOrder<std::less<double>, float>);  // as doubles
static_assert(!detail::kIsKnownOrder<std::less_equal<>, int>);
static_assert(!detail::kIsKnownOrder<std::less<>, Value<4>>);

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

/// Items of several sizes, of which many are equal.
template <std::size_t kWords>
struct Item {
  float number;
  std::uint32_t place[kWords - 1];
};
struct ByNumber {
  template <class T>
  __host__ __device__ bool operator()(const T& a, const T& b) const {
    return a.number < b.number;
  }
};
/// With state.
struct ByDistance {
  float from;
  template <class T>
  __host__ __device__ bool operator()(const T& a, const T& b) const {
    return fabsf(a.number - from) < fabsf(b.number - from);
  }
};

template <class T>
std::vector<T> random_items(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n) + 3);
  std::vector<T> items(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (auto& word : items[i].place) word = static_cast<std::uint32_t>(i);
    items[i].number = static_cast<float>(random() % (n / 3 + 1));
  }
  return items;
}

template <class T, class Less>
void expect_sorted_items(Less less, const std::vector<std::size_t>& sizes) {
  for (const std::size_t n : sizes) {
    const auto items = random_items<T>(n);
    const auto expected = in_order(items, expected_order(items, less));
    const OnDevice<T> in(items);
    const OnDevice<T> out(items);
    in_two_calls([&](void* d_temp, std::size_t& bytes) {
      return stable_sort(d_temp, bytes, in.get(), out.get(), n, less);
    });
    expect_same(out.on_host(), expected, "items of " + std::to_string(sizeof(T)) + " bytes");
    expect_same(in.on_host(), items, "the input of stable_sort");
    DoubleBuffer<T> buffer;
    in_two_calls([&](void* d_temp, std::size_t& bytes) {
      buffer = {in.get(), out.get()};
      return sort(d_temp, bytes, buffer, n, less);
    });
    expect_same((buffer.current == in.get() ? in : out).on_host(), expected,
                "items of a double buffer");
    const OnDevice<T> place(items);
    ASSERT_EQ(sort(place.get(), n, less), cudaSuccess);
    synchronize();
    expect_same(place.on_host(), expected, "items in place");
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

// -- Memory, streams, graphs, threads -----------------------------------------------------------------------

TEST(Memory, IsToldWithoutAGpu) {
  const std::uint32_t* const none = nullptr;
  std::uint32_t* const nowhere = nullptr;
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1000}, std::size_t{1} << 24, std::size_t{1} << 33}) {
    std::size_t bytes = 0;
    EXPECT_EQ(sort_keys(nullptr, bytes, none, nowhere, n), cudaSuccess);
    EXPECT_GT(bytes, n * sizeof(std::uint32_t));
    EXPECT_LT(bytes, n * sizeof(std::uint32_t) * 5 / 4 + (8u << 20));
    std::size_t bytes_with_values = 0;
    EXPECT_EQ(sort_pairs(nullptr, bytes_with_values, none, nowhere, none, nowhere, n), cudaSuccess);
    EXPECT_GT(bytes_with_values, n * 2 * sizeof(std::uint32_t));
    DoubleBuffer<std::uint32_t> buffer;
    std::size_t bytes_of_buffer = 0;
    EXPECT_EQ(sort_keys(nullptr, bytes_of_buffer, buffer, n), cudaSuccess);
    EXPECT_LT(bytes_of_buffer, n / 2 + (8u << 20));
  }
  std::size_t bytes = 0;
  EXPECT_EQ(sort(nullptr, bytes, static_cast<const Item<3>*>(nullptr),
                 static_cast<Item<3>*>(nullptr), 1000, ByNumber{}),
            cudaSuccess);
  EXPECT_GT(bytes, 1000 * sizeof(Item<3>));
}

TEST(Memory, ThatIsTooLittleIsAnError) {
  std::size_t bytes = 0;
  DoubleBuffer<std::uint32_t> buffer;
  ASSERT_EQ(sort_keys(nullptr, bytes, buffer, 1000), cudaSuccess);
  std::byte somewhere;
  --bytes;
  EXPECT_EQ(sort_keys(&somewhere, bytes, buffer, 1000), cudaErrorInvalidValue);
  std::size_t item_bytes = 0;
  Item<3>* const nowhere = nullptr;
  ASSERT_EQ(sort(nullptr, item_bytes, nowhere, nowhere, 1000, ByNumber{}), cudaSuccess);
  --item_bytes;
  EXPECT_EQ(sort(&somewhere, item_bytes, nowhere, nowhere, 1000, ByNumber{}),
            cudaErrorInvalidValue);
}

/// Counts, and gives what is asked for, or nothing.
struct CountingMemory {
  std::size_t most;
  int allocations = 0;
  int deallocations = 0;

  void* allocate(std::size_t bytes, cudaStream_t) {
    void* d_memory = nullptr;
    if (bytes <= most && cudaMalloc(&d_memory, bytes) == cudaSuccess) ++allocations;
    return d_memory;
  }
  void deallocate(void* d_memory, std::size_t, cudaStream_t stream) {
    ++deallocations;
    (void)cudaStreamSynchronize(stream);
    (void)cudaFree(d_memory);
  }
};

TEST(Memory, MayComeFromTheUser) {
  SKIP_WITHOUT_GPU();
  const auto keys = random_keys<int>(10'007);
  const OnDevice<int> d_keys(keys);
  CountingMemory memory{1 << 30};
  ASSERT_EQ(sort_keys(d_keys.get(), keys.size(), nullptr, {}, memory), cudaSuccess);
  EXPECT_EQ(memory.allocations, 1);
  EXPECT_EQ(memory.deallocations, 1);
  expect_same(d_keys.on_host(), in_order(keys, expected_order(keys, Order::ascending)),
              "own memory");
  CountingMemory none{0};
  EXPECT_EQ(sort_keys(d_keys.get(), keys.size(), nullptr, {}, none), cudaErrorMemoryAllocation);
}

/// Captures what `enqueue(stream)` does, and runs the graph.
template <class Enqueue>
void run_as_graph(Enqueue enqueue) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t runnable = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_EQ(enqueue(stream), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&runnable, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(runnable, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  (void)cudaGraphExecDestroy(runnable);
  (void)cudaGraphDestroy(graph);
  (void)cudaStreamDestroy(stream);
}

TEST(Graphs, HoldSorts) {
  SKIP_WITHOUT_GPU();
  for (const std::size_t n : {1000u, 10'007u, 100'003u, 1'100'003u, 4'300'007u}) {
    const auto keys = random_keys<std::uint32_t>(n);
    const auto items = random_items<Item<3>>(n);
    const auto values = numbered_values<Value<16>>(n);
    const auto order = expected_order(keys, Order::ascending);
    const OnDevice<std::uint32_t> keys_in(keys);
    const OnDevice<std::uint32_t> keys_out(keys);
    const OnDevice<Value<16>> values_in(values);
    const OnDevice<Value<16>> values_out(values);
    std::size_t bytes = 0;
    const auto sort_them = [&](void* d_temp, cudaStream_t stream) {
      return sort_pairs(d_temp, bytes, keys_in.get(), keys_out.get(), values_in.get(),
                        values_out.get(), n, stream);
    };
    ASSERT_EQ(sort_them(nullptr, nullptr), cudaSuccess);
    const OnDevice<std::byte> temp(std::vector<std::byte>(bytes + 1));
    run_as_graph([&](cudaStream_t stream) { return sort_them(temp.get(), stream); });
    expect_same(keys_out.on_host(), in_order(keys, order), "keys of a graph");
    expect_same(values_out.on_host(), in_order(values, order), "values of a graph");

    const OnDevice<Item<3>> d_items(items);
    run_as_graph(
        [&](cudaStream_t stream) { return sort(d_items.get(), n, ByDistance{10}, stream); });
    expect_same(d_items.on_host(), in_order(items, expected_order(items, ByDistance{10})),
                "items of a graph");
  }
}

TEST(Threads, SortOnTheirOwnStreamsAtOnce) {
  SKIP_WITHOUT_GPU();
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t] {
      cudaStream_t stream = nullptr;
      ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
      for (const std::size_t n : {1000u, 50'000u, 300'007u, 3'000'017u}) {
        const auto keys = random_keys<std::uint32_t>(n + static_cast<std::size_t>(t));
        const auto items = random_items<Item<3>>(n + static_cast<std::size_t>(t));
        const OnDevice<std::uint32_t> d_keys(keys);
        const OnDevice<Item<3>> d_items(items);
        const ByDistance by{static_cast<float>(100 * t)};
        ASSERT_EQ(sort_keys(d_keys.get(), keys.size(), stream), cudaSuccess);
        ASSERT_EQ(sort(d_items.get(), items.size(), by, stream), cudaSuccess);
        ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        expect_same(d_keys.on_host(), in_order(keys, expected_order(keys, Order::ascending)),
                    "keys of a thread");
        expect_same(d_items.on_host(), in_order(items, expected_order(items, by)),
                    "items of a thread");
      }
      (void)cudaStreamDestroy(stream);
    });
  }
  for (auto& thread : threads) thread.join();
}

// -- GPUs that are not here ---------------------------------------------------------------------------------

struct Smaller {
  const char* name;
  detail::GpuFacts facts;
};
const Smaller kSmallerGpus[] = {
    {"48 KB", {40, 48 * 1024, 64 * 1024, true}},
    {"64 KB, 16 SMs", {16, 64 * 1024, 64 * 1024, true}},
    {"99 KB", {46, 99 * 1024, 100 * 1024, true}},
    {"99 KB, 8 SMs", {8, 99 * 1024, 100 * 1024, true}},
    {"163 KB", {108, 163 * 1024, 164 * 1024, true}},
    {"no cooperative launches", {132, 227 * 1024, 228 * 1024, false}},
};

class OtherGpus : public testing::TestWithParam<Smaller> {};
TEST_P(OtherGpus, SortAllTypes) {
  SKIP_WITHOUT_GPU();
  const detail::SmallerGpu smaller(GetParam().facts);
  expect_sorted_keys<std::uint32_t>({1000, 8193, 100'003, 1'100'003});
  expect_sorted_keys<double>({1000, 8193, 600'011});
  expect_sorted_pairs<std::uint32_t, float>({1000, 8193, 100'003, 600'011});
  expect_sorted_pairs<long long, std::uint32_t>({1000, 8193, 600'011});
  expect_sorted_pairs<std::uint32_t, double>({1000, 1'100'003});
  expect_sorted_pairs<long long, double>({1000, 1'100'003});
  expect_sorted_pairs<std::uint32_t, Value<16>>({1000, 100'003});
}
INSTANTIATE_TEST_SUITE_P(All, OtherGpus, testing::ValuesIn(kSmallerGpus), [](const auto& info) {
  std::string name = info.param.name;
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace sortlab::cuda
