// Sorts of rows and segments: each as the library's sort of one array sorts it, and nothing else is touched.
#include <gtest/gtest.h>

#include <numeric>
#include <sortlab/segments.hpp>

#include "tests/library/inputs.hpp"

namespace sortlab::tests::of_segments {
namespace {

template <class Key>
struct SegmentsOf : testing::Test {};
using KeyTypes = testing::Types<std::uint32_t, std::int32_t, float, std::uint64_t, std::int64_t,
                                double, std::int8_t, std::int16_t, std::uint16_t>;
TYPED_TEST_SUITE(SegmentsOf, KeyTypes);

using Offsets = std::vector<std::int64_t>;

/// Empty segments, tiny ones, those around the limits of networks, and a giant; the first begins behind the first key.
Offsets offsets_of_all_lengths() {
  Offsets offsets{3};
  for (std::int64_t n : {0,  1,  2,  3,  4,  5,  7,  8,  9,   12,  13,  15,  16,
                         17, 31, 32, 33, 48, 63, 64, 65, 100, 256, 257, 1000}) {
    for (int times = 0; times < 11; ++times) offsets.push_back(offsets.back() + n);
  }
  offsets.push_back(offsets.back() + (kSanitized ? 3000 : 70'000));
  return offsets;
}

const Options kOptions[] = {
    {.threads = 1},
    {.order = Order::descending, .threads = 1},
    {.floats = Floats::nans_last, .threads = 1},
    {.order = Order::descending, .floats = Floats::nans_last, .threads = 3}};

template <class T>
std::span<T> part(std::vector<T>& all, const Offsets& offsets, std::size_t s) {
  return std::span(all).subspan(static_cast<std::size_t>(offsets[s]),
                                static_cast<std::size_t>(offsets[s + 1] - offsets[s]));
}

TYPED_TEST(SegmentsOf, SortsEach) {
  const Offsets offsets = offsets_of_all_lengths();
  for (const std::size_t distinct : {std::size_t{0}, std::size_t{1}, std::size_t{5}}) {
    const auto before = keys_of<TypeParam>(static_cast<std::size_t>(offsets.back()) + 5, distinct);
    for (const Options& options : kOptions) {
      auto keys = before, expected = before;
      sortlab::segmented_sort(keys, offsets, options);
      for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
        sortlab::sort(part(expected, offsets, s), options);
      }
      EXPECT_TRUE(same_bytes(keys, expected)) << distinct;
    }
  }
}

template <class Value, class Key>
void expect_values(const std::vector<Key>& before, const Offsets& offsets, const Options& options) {
  auto keys = before, expected_keys = before;
  std::vector<Value> values(before.size());
  std::iota(values.begin(), values.end(), Value{0});
  auto expected = values;
  sortlab::segmented_sort_by_key(keys, values, offsets, options);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    sortlab::sort_by_key(part(expected_keys, offsets, s), part(expected, offsets, s), options);
  }
  EXPECT_TRUE(same_bytes(keys, expected_keys));
  EXPECT_TRUE(same_bytes(values, expected));
}

TYPED_TEST(SegmentsOf, MovesValues) {
  const Offsets offsets = offsets_of_all_lengths();
  for (const std::size_t distinct : {std::size_t{0}, std::size_t{5}}) {
    const auto before = keys_of<TypeParam>(static_cast<std::size_t>(offsets.back()) + 5, distinct);
    for (const Options& options : kOptions) {
      expect_values<std::uint32_t>(before, offsets, options);
      expect_values<std::uint64_t>(before, offsets, options);
    }
  }
}

template <class Index, class Key>
void expect_order(const std::vector<Key>& keys, const Offsets& offsets, const Options& options) {
  std::vector<Index> order(keys.size(), Index{77}), expected = order;
  sortlab::segmented_argsort(keys, order, offsets, options);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const auto begin = keys.begin() + offsets[s], end = keys.begin() + offsets[s + 1];
    sortlab::argsort(std::span(begin, end), part(expected, offsets, s), options);
  }
  EXPECT_TRUE(same_bytes(order, expected));
}

TYPED_TEST(SegmentsOf, FindsTheOrder) {
  const Offsets offsets = offsets_of_all_lengths();
  for (const std::size_t distinct : {std::size_t{0}, std::size_t{5}}) {
    const auto keys = keys_of<TypeParam>(static_cast<std::size_t>(offsets.back()) + 5, distinct);
    for (const Options& options : kOptions) {
      expect_order<std::uint32_t>(keys, offsets, options);
      expect_order<std::int64_t>(keys, offsets, options);
    }
  }
}

/// Keys of 8 bytes with their places have no room in 8 bytes where the keys lie far apart.
TEST(Segments, FindTheOrderOfKeysFarApart) {
  const Offsets offsets = offsets_of_all_lengths();
  for (const std::uint64_t distance :
       {std::uint64_t{0}, std::uint64_t{1} << 54, ~std::uint64_t{0}}) {
    auto keys = keys_of<std::uint64_t>(static_cast<std::size_t>(offsets.back()) + 5, 0);
    for (auto& key : keys) key = key % 64 == 0 ? distance : key >> 32 & 63;
    for (const Options& options : kOptions) {
      expect_order<std::uint32_t>(keys, offsets, options);
      expect_order<std::int64_t>(keys, offsets, options);
    }
  }
}

TYPED_TEST(SegmentsOf, SortsRows) {
  for (const std::size_t columns : {1, 2, 6, 8, 16, 20, 33, 40, 64, 96, 120, 300}) {
    for (const Options& options : kOptions) {
      const auto before = keys_of<TypeParam>(columns * 37);
      auto keys = before, expected = before;
      std::vector<std::uint32_t> order(keys.size()), expected_order(keys.size());
      sortlab::argsort_rows(keys, order, columns, options);
      sortlab::sort_rows(keys, columns, options);
      for (std::size_t row = 0; row < 37; ++row) {
        const std::span in(before.data() + row * columns, columns);
        sortlab::argsort(in, std::span(expected_order).subspan(row * columns, columns), options);
        sortlab::sort(std::span(expected).subspan(row * columns, columns), options);
      }
      EXPECT_TRUE(same_bytes(keys, expected)) << columns;
      EXPECT_TRUE(same_bytes(order, expected_order)) << columns;
    }
  }
}

sortlab_segments rows_apart(std::size_t count, std::size_t stride, std::size_t length) {
  sortlab_segments cut{};
  cut.size = sizeof cut;
  cut.count = count;
  cut.stride = stride;
  cut.length = length;
  return cut;
}

TYPED_TEST(SegmentsOf, CopiesSortedRows) {
  using Key = TypeParam;
  for (const std::size_t columns : {1, 2, 5, 8, 16, 20, 33, 64, 96, 120, 300, 5000}) {
    const std::size_t rows = columns > 1000 ? 3 : 37;
    const auto before = keys_of<Key>(columns * rows);
    for (const Options& options : kOptions) {
      auto keys = before, expected = before;
      std::vector<Key> sorted(keys.size());
      sortlab::sort_rows(expected, columns, options);
      const sortlab_options c = sortlab::detail::options_of(options, nullptr);
      const auto call = [&](const Key* from, Key* to) {
        return sortlab_sort_rows_to(from, to, rows, columns, sortlab::detail::type_of<Key>(), &c);
      };
      ASSERT_EQ(call(keys.data(), sorted.data()), SORTLAB_SUCCESS);
      EXPECT_TRUE(same_bytes(sorted, expected)) << columns;
      EXPECT_TRUE(same_bytes(keys, before)) << columns;
      ASSERT_EQ(call(keys.data(), keys.data()), SORTLAB_SUCCESS);
      EXPECT_TRUE(same_bytes(keys, expected)) << columns;
    }
  }
}

TEST(Segments, AreNotCopiedToWhereTheyOverlap) {
  std::vector<int> keys{3, 2, 1, 0, 5, 4};
  const auto before = keys;
  const auto call = [&](const void* from, void* to, std::size_t rows, std::size_t columns) {
    return sortlab_sort_rows_to(from, to, rows, columns, SORTLAB_TYPE_I32, nullptr);
  };
  EXPECT_EQ(call(keys.data(), keys.data() + 1, 2, 2), SORTLAB_ERROR_ARGUMENT);
  EXPECT_EQ(call(keys.data() + 1, keys.data(), 1, 2), SORTLAB_ERROR_ARGUMENT);
  EXPECT_EQ(call(keys.data(), nullptr, 1, 2), SORTLAB_ERROR_ARGUMENT);
  EXPECT_EQ(call(nullptr, keys.data(), 1, 2), SORTLAB_ERROR_ARGUMENT);
  EXPECT_EQ(call(keys.data(), keys.data(), SIZE_MAX / 2, 3), SORTLAB_ERROR_ARGUMENT);
  EXPECT_EQ(keys, before);
  EXPECT_EQ(call(nullptr, nullptr, 0, 5), SORTLAB_SUCCESS);
  EXPECT_EQ(call(keys.data(), keys.data() + 4, 1, 2), SORTLAB_SUCCESS);  // side by side
  EXPECT_EQ(keys, (std::vector<int>{3, 2, 1, 0, 2, 3}));
}

TEST(Segments, LeavesWhatIsBetweenRows) {
  std::vector<int> keys(100);
  std::iota(keys.rbegin(), keys.rend(), 0);
  auto expected = keys;
  const sortlab_segments cut = rows_apart(10, 10, 7);
  ASSERT_EQ(sortlab_segmented_sort(keys.data(), 100, SORTLAB_TYPE_I32, &cut, nullptr), 0);
  for (int row = 0; row < 100; row += 10) std::sort(&expected[row], &expected[row] + 7);
  EXPECT_EQ(keys, expected);
}

TEST(Segments, TakesOffsetsOf32BitsAndSegmentsInAnyOrder) {
  std::vector<float> keys{5, 4, 3, 2, 1, 0};
  const std::uint32_t begins[] = {4, 0}, ends[] = {6, 3};
  sortlab_segments cut{};
  cut.size = sizeof cut;
  cut.count = 2;
  cut.begins = begins;
  cut.ends = ends;
  cut.offset_bytes = 4;
  ASSERT_EQ(sortlab_segmented_sort(keys.data(), 6, SORTLAB_TYPE_F32, &cut, nullptr), 0);
  EXPECT_EQ(keys, (std::vector<float>{3, 4, 5, 2, 0, 1}));
}

TEST(Segments, OfNothing) {
  std::vector<std::uint32_t> none;
  sortlab::sort_rows(none, 5);
  sortlab::sort_rows(none, 0);
  sortlab::segmented_sort(none, Offsets{0});
  sortlab::segmented_sort(none, Offsets{0, 0, 0});
}

TEST(Segments, RefusesWrongOnesAndChangesNothing) {
  std::vector<std::uint32_t> keys{3, 2, 1, 0};
  std::vector<std::uint32_t> values{0, 1, 2, 3};
  const auto before = keys;
  for (const Offsets& wrong :
       {Offsets{}, Offsets{0, 3, 2}, Offsets{0, 2, 5}, Offsets{-1, 2}, Offsets{5, 5}}) {
    EXPECT_THROW(sortlab::segmented_sort(keys, wrong), std::invalid_argument);
    EXPECT_THROW(sortlab::segmented_sort_by_key(keys, values, wrong), std::invalid_argument);
    EXPECT_THROW(sortlab::segmented_argsort(keys, values, wrong), std::invalid_argument);
  }
  EXPECT_THROW(sortlab::sort_rows(keys, 3), std::invalid_argument);
  EXPECT_THROW(sortlab::sort_rows(keys, 0), std::invalid_argument);
  for (const sortlab_segments& cut : {rows_apart(3, 2, 2), rows_apart(2, 1, 2), rows_apart(1, 0, 5),
                                      rows_apart(SIZE_MAX, 1, 1), rows_apart(2, SIZE_MAX, 1)}) {
    EXPECT_EQ(sortlab_segmented_sort(keys.data(), 4, SORTLAB_TYPE_U32, &cut, nullptr),
              SORTLAB_ERROR_ARGUMENT);
  }
  const std::int64_t begins[] = {0, 1}, ends[] = {2, 3};  // they overlap
  sortlab_segments cut = rows_apart(2, 0, 0);
  cut.begins = begins;
  cut.ends = ends;
  cut.offset_bytes = 8;
  EXPECT_EQ(sortlab_segmented_sort(keys.data(), 4, SORTLAB_TYPE_U32, &cut, nullptr),
            SORTLAB_ERROR_ARGUMENT);
  const std::int64_t with_empty[] = {0, 1, 1},
                     their_ends[] = {2, 1, 3};  // and one of no keys between
  cut.count = 3;
  cut.begins = with_empty;
  cut.ends = their_ends;
  EXPECT_EQ(sortlab_segmented_sort(keys.data(), 4, SORTLAB_TYPE_U32, &cut, nullptr),
            SORTLAB_ERROR_ARGUMENT);
  cut.offset_bytes = 2;
  EXPECT_EQ(sortlab_segmented_sort(keys.data(), 4, SORTLAB_TYPE_U32, &cut, nullptr),
            SORTLAB_ERROR_ARGUMENT);
  EXPECT_EQ(sortlab_segmented_sort(keys.data(), 4, SORTLAB_TYPE_U32, nullptr, nullptr),
            SORTLAB_ERROR_ARGUMENT);
  EXPECT_EQ(keys, before);
  EXPECT_EQ(values, (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(Segments, OfNoKeysTakeNoTime) {
  std::vector<std::uint32_t> keys{4, 3, 2, 1};
  const auto before = keys;
  const sortlab_segments cut = rows_apart(SIZE_MAX / 2, 0, 0);
  EXPECT_EQ(sortlab_segmented_sort(keys.data(), 4, SORTLAB_TYPE_U32, &cut, nullptr),
            SORTLAB_SUCCESS);
  EXPECT_EQ(keys, before);
}

}  // namespace
}  // namespace sortlab::tests::of_segments
