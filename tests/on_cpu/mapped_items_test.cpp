// Keys of all types, read and written as unsigned integers in ascending order (gpu/primitives/mapped_items.hpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/harness/input/distributions.hpp"
#include "gpu/primitives/mapped_items.hpp"

namespace sortlab {
namespace {

/// An insertion sort as a kernel would have it: comparisons of integers, swaps and puts of items.
template <class Key, Order kOrder>
void expect_sorted() {
  using Bits = BitsOf<Key>;
  for (const char* const dist : {"uniform", "reverse", "special", "equal"}) {
    SCOPED_TRACE(dist);
    std::vector<Key> keys(200);
    generate(std::span(keys), parse_distribution(dist), 7);
    std::vector<Key> expected = keys;
    std::stable_sort(expected.begin(), expected.end(), KeyLess<Key, kOrder>());
    const std::vector<Key> before = keys;
    std::vector<std::uint32_t> values(keys.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint32_t>(i);

    const gpu::MappedItems<Bits, std::uint32_t> items{{keys.data(), gpu::key_map_of<Key, kOrder>()},
                                                      values.data()};
    for (std::size_t i = 1; i < keys.size(); ++i) {
      for (std::size_t j = i; j > 0 && items.keys[j] < items.keys[j - 1]; --j) {
        if (j % 2 == 0) {
          items.swap(j, j - 1);
        } else {
          const auto item = items[j];
          items.put(j, items.from(j - 1)[0]);
          items.from(j - 1).put(0, item);
        }
      }
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(to_ordered_bits(keys[i]), to_ordered_bits(expected[i])) << i;
      ASSERT_EQ(to_ordered_bits(before[values[i]]), to_ordered_bits(keys[i])) << i;
    }
  }
}

template <class Key>
void expect_sorted_both_ways() {
  expect_sorted<Key, Order::ascending>();
  expect_sorted<Key, Order::descending>();
}

TEST(MappedItems, SortAllTypesAsIntegers) {
  expect_sorted_both_ways<std::uint32_t>();
  expect_sorted_both_ways<std::int32_t>();
  expect_sorted_both_ways<float>();
  expect_sorted_both_ways<std::uint64_t>();
  expect_sorted_both_ways<std::int64_t>();
  expect_sorted_both_ways<double>();
}

}  // namespace
}  // namespace sortlab
