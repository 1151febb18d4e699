// The best k of arrays and rows, partial sorts: against a stable sort of the places. Nothing else is touched.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sortlab/top_k.hpp>

#include "tests/library/inputs.hpp"

namespace sortlab::tests::of_top_k {
namespace {

template <class Key>
struct TopKOf : testing::Test {};
using KeyTypes = testing::Types<std::uint32_t, std::int32_t, float, std::uint64_t, std::int64_t,
                                double, std::int8_t, std::uint16_t>;
TYPED_TEST_SUITE(TopKOf, KeyTypes);

using Places = std::vector<std::uint32_t>;

template <class Key>
bool is_nan(Key key) {
  if constexpr (std::is_floating_point_v<Key>) return std::isnan(key);
  return false;
}

/// Whether a comes before b, as the options say.
template <class Key>
bool is_better(Key a, Key b, const TopKOptions& options) {
  if (is_nan(a) != is_nan(b)) {
    if (options.nans_first) return is_nan(a);
    if (options.floats == Floats::nans_last) return is_nan(b);
  }
  return options.order == Order::ascending ? comes_before(a, b) : comes_before(b, a);
}

/// NaNs that are apart from the numbers come in any order.
template <class Key>
bool is_same(const Key& a, const Key& b, const TopKOptions& options) {
  if (std::memcmp(&a, &b, sizeof a) == 0) return true;
  return (options.nans_first || options.floats == Floats::nans_last) && is_nan(a) && is_nan(b);
}

template <class Key>
Places sorted_places(const Key* keys, std::size_t n, const TopKOptions& options) {
  Places places(n);
  std::iota(places.begin(), places.end(), 0u);
  std::stable_sort(places.begin(), places.end(), [&](std::uint32_t a, std::uint32_t b) {
    return is_better(keys[a], keys[b], options);
  });
  return places;
}

const TopKOptions kOptions[] = {
    {.threads = 1},
    {.order = Order::descending, .first = true, .threads = 1},
    {.floats = Floats::nans_last, .first = true},
    {.order = Order::descending, .floats = Floats::nans_last, .sorted = false, .threads = 1},
    {.nans_first = true, .threads = 2},
    {.order = Order::descending, .nans_first = true, .first = true}};

/// In rows; each may have a k of its own.
template <class Place, class Key>
void expect_best(const std::vector<Key>& before, std::size_t columns, std::size_t k,
                 const TopKOptions& options) {
  const std::size_t rows = before.size() / columns, room = std::min(k, columns);
  auto keys = before;
  std::vector<Key> best(rows * room), alone = best;
  std::vector<Place> places(rows * room), places_alone = places;
  sortlab::top_k_rows(keys, columns, k, best, places, options);
  sortlab::top_k_rows(keys, columns, k, alone, not_wanted, options);
  sortlab::top_k_rows(keys, columns, k, not_wanted, places_alone, options);
  ASSERT_TRUE(same_bytes(keys, before));
  for (std::size_t r = 0; r < rows; ++r) {
    const Key* const row = before.data() + r * columns;
    const Places expected = sorted_places(row, columns, options);
    const std::size_t own = options.ks.empty() ? room : std::min<std::size_t>(room, options.ks[r]);
    const std::size_t at = r * room;
    for (std::size_t i = 0; i < own; ++i) {  // of any order
      ASSERT_LT(places[at + i], columns);
      ASSERT_EQ(std::memcmp(&best[at + i], &row[places[at + i]], sizeof(Key)), 0);
    }
    if (!options.sorted) {
      const auto in_order = [&](Key a, Key b) { return is_better(a, b, options); };
      const auto from = static_cast<std::ptrdiff_t>(at), to = static_cast<std::ptrdiff_t>(at + own);
      std::sort(best.begin() + from, best.begin() + to, in_order);
      std::sort(alone.begin() + from, alone.begin() + to, in_order);
      std::sort(places.begin() + from, places.begin() + to);
      ASSERT_EQ(std::unique(places.begin() + from, places.begin() + to), places.begin() + to);
    }
    for (std::size_t i = 0; i < own; ++i) {
      const Key& wanted = row[expected[i]];
      ASSERT_TRUE(is_same(best[at + i], wanted, options)) << columns << " " << i;
      ASSERT_TRUE(is_same(alone[at + i], wanted, options)) << columns << " " << i;
      if (options.first && options.sorted && !is_nan(wanted)) {
        ASSERT_EQ(places[at + i], expected[i]) << columns << " " << i;
      }
      if (options.sorted) {
        ASSERT_EQ(places_alone[at + i], places[at + i]);
      }
    }
  }
}

/// Fewer than kSizes: each is checked with a sort.
const std::size_t kLengths[] = {1, 2, 17, 128, 1025, 5000, 20'000};

TYPED_TEST(TopKOf, Arrays) {
  for (const std::size_t n : kLengths) {
    for (const std::size_t distinct : {0, 1, 2, 5}) {
      const auto keys = keys_of<TypeParam>(n, distinct);
      for (const std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{50}, n / 2, n + 7}) {
        const TopKOptions& options = kOptions[(n + k + distinct) % std::size(kOptions)];
        expect_best<std::uint32_t>(keys, n, k, options);
      }
    }
  }
}

TYPED_TEST(TopKOf, ManyWithoutPlaces) {
  for (const std::size_t distinct : {0, 2, 5, 40}) {
    for (const std::size_t n : {2048, 3000, 40'000}) {
      const auto keys = keys_of<TypeParam>(n, distinct);
      for (const std::size_t k : {n / 30, n / 8, n / 2, n - 1}) {
        expect_best<std::uint32_t>(keys, n, k,
                                   {.order = k % 2 == 0 ? Order::ascending : Order::descending,
                                    .sorted = false,
                                    .threads = 1});
      }
    }
  }
}

TYPED_TEST(TopKOf, EachOption) {
  const auto keys = keys_of<TypeParam>(kMany);
  for (const TopKOptions& options : kOptions) {
    expect_best<std::int64_t>(keys, keys.size(), 1000, options);
    expect_best<std::uint32_t>(keys, keys.size() / 4, 77, options);
    expect_best<std::uint32_t>(keys, keys.size() / 2, keys.size() / 3, options);  // by sorts
  }
}

TYPED_TEST(TopKOf, Rows) {
  std::vector<std::uint32_t> ks(57);
  for (std::size_t r = 0; r < ks.size(); ++r) ks[r] = static_cast<std::uint32_t>(r % 13);
  for (const std::size_t columns : {1, 2, 9, 64, 300, 1000}) {
    for (const std::size_t distinct : {std::size_t{0}, std::size_t{3}}) {
      const auto keys = keys_of<TypeParam>(columns * ks.size(), distinct);
      for (TopKOptions options : kOptions) {
        expect_best<std::uint32_t>(keys, columns, 8, options);
        options.ks = ks;
        expect_best<std::uint64_t>(keys, columns, 10, options);
      }
    }
  }
}

template <class Key>
void expect_partial(const std::vector<Key>& before, std::size_t k, const TopKOptions& like) {
  const Options options{.order = like.order, .floats = like.floats, .threads = like.threads};
  const std::size_t n = before.size();
  const Places order = sorted_places(before.data(), n, like);
  auto keys = before, selected = before;
  sortlab::partial_sort(keys, k, options);
  sortlab::nth_element(selected, k, options);
  const auto same = [&](Key a, Key b) { return is_same(a, b, like); };
  const auto comes_after = [&](Key a, Key b) { return !same(a, b) && is_better(b, a, like); };
  for (std::size_t i = 0; i < std::min(k, n); ++i) {
    ASSERT_TRUE(same(keys[i], before[order[i]])) << n << " " << k << " " << i;
  }
  for (std::size_t i = 0; i < n && k < n; ++i) {
    const Key at = before[order[k]];
    ASSERT_FALSE(i == k  ? !same(selected[k], at)
                 : i < k ? comes_after(selected[i], at)
                         : comes_after(at, selected[i]));
  }
  sortlab::sort(keys, options);
  sortlab::sort(selected, options);
  for (std::size_t i = 0; i < n; ++i) {  // all are still there
    ASSERT_TRUE(same(keys[i], before[order[i]]) && same(selected[i], before[order[i]]));
  }
}

template <class Place, class Key>
void expect_argpartition(const std::vector<Key>& keys, std::size_t k, const TopKOptions& like) {
  const std::size_t n = keys.size();
  const Places order = sorted_places(keys.data(), n, like);
  std::vector<Place> found(n, static_cast<Place>(n));
  const auto before = keys;
  sortlab::argpartition(keys, k, found,
                        {.order = like.order, .floats = like.floats, .threads = like.threads});
  ASSERT_TRUE(same_bytes(keys, before));
  std::vector<bool> is_found(n);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_TRUE(found[i] < n && !is_found[found[i]]) << n << " " << k << " " << i;
    is_found[found[i]] = true;
    if (k >= n) continue;
    const Key key = keys[found[i]], at = keys[order[k]];
    const bool is_equal = is_same(key, at, like);
    ASSERT_TRUE(i == k  ? is_equal
                : i < k ? is_equal || is_better(key, at, like)
                        : is_equal || is_better(at, key, like))
        << n << " " << k << " " << i;
  }
}

TYPED_TEST(TopKOf, Argpartitions) {
  for (const std::size_t n : kLengths) {
    for (const std::size_t distinct : {0, 1, 2, 5}) {
      const auto keys = keys_of<TypeParam>(n, distinct);
      for (const std::size_t k : {std::size_t{0}, std::size_t{50}, n / 2, n - 1, n + 7}) {
        expect_argpartition<std::uint64_t>(keys, k, kOptions[(n + k + distinct) % 4]);
        expect_argpartition<std::uint32_t>(keys, k, kOptions[(n + k) % 4]);
      }
    }
  }
}

TYPED_TEST(TopKOf, PartialSorts) {
  for (const std::size_t n : kLengths) {
    for (const std::size_t distinct : {0, 1, 2, 5}) {
      const auto keys = keys_of<TypeParam>(n, distinct);
      for (const std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{50}, n / 2, n + 7}) {
        expect_partial(keys, k, kOptions[(n + k + distinct) % 4]);
      }
    }
  }
  for (const TopKOptions& options : std::span(kOptions).first(4)) {
    expect_partial(keys_of<TypeParam>(kMany), 300, options);
    expect_partial(keys_of<TypeParam>(kMany), kMany - 300, options);
  }
  for (const int threads : {1, 3}) {  // fewer and more than are sorted in a cache
    TopKOptions options = kOptions[0];
    options.threads = threads;
    for (const std::size_t k : {120'000, 140'000}) {
      expect_partial(keys_of<TypeParam>(150'000), k, options);
    }
  }
}

TYPED_TEST(TopKOf, PartialSortsOfTwoKindsOfKeysAndOneMore) {
  for (const std::size_t at : {0, 4000, 4999}) {
    auto keys = keys_of<TypeParam>(5000, 2);
    keys[at] = keys_of<TypeParam>(100)[77];
    for (const std::size_t k : {0, 1, 700, 2500, 4999}) expect_partial(keys, k, kOptions[k % 4]);
  }
  constexpr std::size_t kBeyondCache = 300'000;
  auto many = keys_of<TypeParam>(kBeyondCache, 2);
  expect_partial(many, kBeyondCache / 3, kOptions[0]);
  many[kBeyondCache - 7] = keys_of<TypeParam>(100)[77];
  expect_partial(many, kBeyondCache / 3, kOptions[1]);
}

TEST(TopK, LeavesWhatIsBetweenRows) {
  const std::vector<std::int32_t> keys{5, 3, 4, -9, 1, 2, 0, -9};
  const sortlab_rows rows{sizeof(sortlab_rows), 2, 3, 4};
  sortlab_top top{};
  top.size = sizeof top;
  top.k = 2;
  top.sorted = 1;
  std::vector<std::int32_t> best(5, 77);
  std::vector<std::uint64_t> places(5, 77);
  ASSERT_EQ(sortlab_top_k(keys.data(), SORTLAB_TYPE_I32, &rows, &top, best.data(), places.data(), 8,
                          nullptr),
            SORTLAB_SUCCESS);
  EXPECT_EQ(best, (std::vector<std::int32_t>{3, 4, 0, 1, 77}));
  EXPECT_EQ(places, (std::vector<std::uint64_t>{1, 2, 2, 0, 77}));
}

TEST(TopK, OfNothing) {
  std::vector<float> none;
  Places places;
  sortlab::top_k(none, 5, none, places);
  sortlab::top_k_rows(none, 0, 5, none, places);
  sortlab::top_k_rows(none, 8, 5, none, not_wanted);
  sortlab::nth_element(none, 3);
  sortlab::partial_sort(none, 3);
  const std::vector<float> some{1, 2};
  sortlab::top_k(some, 0, none, places);
}

template <class Key, class Place>
void expect_scratch(std::size_t rows, std::size_t columns, std::size_t k) {
  const auto keys = keys_of<Key>(rows * columns);
  const std::size_t found = rows * std::min(k, columns);
  std::vector<Key> best(found), expected(found);
  std::vector<Place> places(found), expected_places(found);
  sortlab::top_k_rows(keys, columns, k, expected, expected_places, {.first = true});
  for (const int threads : {1, 3}) {
    sortlab::TopKOptions options{.first = true, .threads = threads};
    std::vector<std::byte> scratch(
        sortlab::top_k_scratch_bytes<Key, Place>(rows, columns, k, options));
    options.scratch = scratch;
    sortlab::top_k_rows(keys, columns, k, best, places, options);
    EXPECT_TRUE(same_bytes(best, expected));
    EXPECT_EQ(places, expected_places);
    sortlab::top_k_rows(keys, columns, k, best, not_wanted, options);
    sortlab::top_k_rows(keys, columns, k, not_wanted, places, options);
    EXPECT_TRUE(same_bytes(best, expected));
    EXPECT_EQ(places, expected_places);
  }
}

TEST(TopK, ScratchMemoryIsEnoughOrRefused) {
  expect_scratch<double, std::uint32_t>(1, 20'000, 100);
  expect_scratch<float, std::uint64_t>(30, 900, 7);
  expect_scratch<std::int8_t, std::uint32_t>(30, 900, 7);
  expect_scratch<std::uint64_t, std::uint64_t>(2, 9000, 5000);
  expect_scratch<std::uint32_t, std::uint32_t>(1, 50'000, 40'000);
  const auto keys = keys_of<double>(20'000);
  std::vector<double> best(100);
  Places places(100);
  std::vector<std::byte> few(64);
  EXPECT_THROW(sortlab::top_k(keys, 100, best, places, {.threads = 1, .scratch = few}),
               std::invalid_argument);
  EXPECT_EQ(sortlab::top_k_scratch_bytes<double>(3, 100, 0), 0u);
  EXPECT_EQ(sortlab::top_k_scratch_bytes<double>(0, 100, 5), 0u);
  EXPECT_EQ(sortlab_top_k_scratch_bytes(SORTLAB_TYPE_F32, nullptr, nullptr, 4, nullptr), 0u);
}

TEST(TopK, RefusesWrongArgumentsAndChangesNothing) {
  const std::vector<std::uint32_t> before{3, 2, 1, 0, 5, 4};
  auto keys = before;
  std::vector<std::uint32_t> best(4, 9);
  Places places(4, 9);
  EXPECT_THROW(sortlab::top_k(keys, 5, best, places), std::invalid_argument);
  EXPECT_THROW(sortlab::top_k(keys, 5, best, not_wanted), std::invalid_argument);
  EXPECT_THROW(sortlab::top_k_rows(keys, 4, 1, best, places), std::invalid_argument);
  EXPECT_THROW(sortlab::top_k_rows(keys, 0, 1, best, places), std::invalid_argument);
  EXPECT_THROW(sortlab::top_k_rows(keys, 3, 3, best, places), std::invalid_argument);
  EXPECT_THROW(sortlab::top_k(keys, 2, best, places, {.threads = -1}), std::invalid_argument);
  EXPECT_THROW(sortlab::top_k(keys, 2, not_wanted, not_wanted), std::invalid_argument);
  const Places one{1};
  EXPECT_THROW(sortlab::top_k_rows(keys, 3, 1, best, places, {.ks = one}), std::invalid_argument);
  EXPECT_THROW(sortlab::nth_element(keys, 2, {.threads = -1}), std::invalid_argument);

  const sortlab_rows good{sizeof(sortlab_rows), 2, 3, 3};
  sortlab_top top{};
  top.size = sizeof top;
  top.k = 2;
  const auto call = [&](const sortlab_rows* rows, const sortlab_top* asked, void* to,
                        std::size_t place_bytes = 4, int type = SORTLAB_TYPE_U32) {
    return sortlab_top_k(keys.data(), type, rows, asked, to, places.data(), place_bytes, nullptr);
  };
  for (const sortlab_rows& bad :
       {sortlab_rows{0, 2, 3, 3}, sortlab_rows{sizeof(sortlab_rows), 2, 3, 2},
        sortlab_rows{sizeof(sortlab_rows), SIZE_MAX, 3, 3},
        sortlab_rows{sizeof(sortlab_rows), 2, 3, SIZE_MAX},
        sortlab_rows{sizeof(sortlab_rows), 1, SIZE_MAX, 1}}) {
    EXPECT_EQ(call(&bad, &top, best.data()), SORTLAB_ERROR_ARGUMENT);
  }
  EXPECT_EQ(call(nullptr, &top, best.data()), SORTLAB_ERROR_ARGUMENT);
  EXPECT_EQ(call(&good, nullptr, best.data()), SORTLAB_ERROR_ARGUMENT);
  EXPECT_EQ(call(&good, &top, reinterpret_cast<std::byte*>(best.data()) + 1),
            SORTLAB_ERROR_ARGUMENT);
  EXPECT_EQ(call(&good, &top, best.data(), 2), SORTLAB_ERROR_ARGUMENT);
  EXPECT_EQ(call(&good, &top, best.data(), 4, 99), SORTLAB_ERROR_ARGUMENT);
  for (std::int32_t sortlab_top::*flag :
       {&sortlab_top::sorted, &sortlab_top::first, &sortlab_top::nans_first}) {
    sortlab_top bad = top;
    bad.*flag = 2;
    EXPECT_EQ(call(&good, &bad, best.data()), SORTLAB_ERROR_ARGUMENT);
  }
  EXPECT_EQ(sortlab_nth_element(nullptr, 5, SORTLAB_TYPE_U32, 2, nullptr), SORTLAB_ERROR_ARGUMENT);
  EXPECT_EQ(sortlab_partial_sort(keys.data(), 5, 99, 2, nullptr), SORTLAB_ERROR_ARGUMENT);
  for (const std::size_t index_bytes : {0, 2, 16}) {
    EXPECT_EQ(sortlab_argpartition(keys.data(), places.data(), 4, SORTLAB_TYPE_U32, 2, index_bytes,
                                   nullptr),
              SORTLAB_ERROR_ARGUMENT);
  }
  EXPECT_EQ(sortlab_argpartition(keys.data(), nullptr, 4, SORTLAB_TYPE_U32, 2, 4, nullptr),
            SORTLAB_ERROR_ARGUMENT);
  EXPECT_THROW(sortlab::argpartition(keys, 2, places), std::invalid_argument);
  EXPECT_EQ(keys, before);
  EXPECT_EQ(best, (std::vector<std::uint32_t>(4, 9)));
  EXPECT_EQ(places, (Places(4, 9)));
}

/// That of a sort does for any k.
TEST(PartialSort, TheScratchOfASortIsEnough) {
  for (const std::size_t n : {1024, 4000, 100'000}) {
    std::vector<std::uint32_t> keys(n);
    for (const std::size_t k : {std::size_t{1}, std::size_t{5}, n / 2}) {
      for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>((i * 7919 + k) % n);
      sortlab_options options{};
      options.size = sizeof options;
      options.threads = 1;
      std::vector<std::byte> scratch(1 + sortlab_scratch_bytes(n, SORTLAB_TYPE_U32, 0, &options));
      options.scratch = scratch.data();
      options.scratch_bytes = scratch.size() - 1;
      ASSERT_EQ(sortlab_nth_element(keys.data(), n, SORTLAB_TYPE_U32, k, &options), SORTLAB_SUCCESS)
          << n;
      EXPECT_EQ(keys[k], k) << n;
      ASSERT_EQ(sortlab_partial_sort(keys.data(), n, SORTLAB_TYPE_U32, k, &options),
                SORTLAB_SUCCESS)
          << n;
      EXPECT_EQ(keys[k - 1], k - 1) << n;
    }
  }
}

/// Of keys that none is below, many come before the place.
TEST(PartialSort, OfManyLeastKeys) {
  for (const std::size_t n : {600, 3000, 100'000}) {
    for (const std::size_t k : {std::size_t{0}, std::size_t{5}, std::size_t{31}, n / 200}) {
      std::vector<std::uint32_t> keys(n);
      for (std::size_t i = 0; i < n; ++i) keys[i] = i % 50 == 7 ? 0 : static_cast<std::uint32_t>(i);
      std::vector<std::uint32_t> sorted = keys;
      std::sort(sorted.begin(), sorted.end());
      ASSERT_EQ(sortlab_nth_element(keys.data(), n, SORTLAB_TYPE_U32, k, nullptr), SORTLAB_SUCCESS);
      EXPECT_EQ(keys[k], sorted[k]) << n << ' ' << k;
      EXPECT_LE(*std::max_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(k + 1)),
                keys[k]);
      EXPECT_GE(*std::min_element(keys.begin() + static_cast<std::ptrdiff_t>(k), keys.end()),
                keys[k]);
      std::sort(keys.begin(), keys.end());
      EXPECT_EQ(keys, sorted) << n << ' ' << k;
    }
  }
}

/// Without places, rows may have more keys than places are counted to.
TEST(TopK, TheScratchOfLongRowsIsKnown) {
  const sortlab_rows rows{sizeof(sortlab_rows), 1, 5'000'000'000, 5'000'000'000};
  sortlab_top top{};
  top.size = sizeof top;
  top.k = 10;
  EXPECT_GT(sortlab_top_k_scratch_bytes(SORTLAB_TYPE_U32, &rows, &top, 4, nullptr), 0u);
}

/// What lies between two rows may be somebody else's, or no memory at all.
TEST(TopK, ReadsNothingBetweenRows) {
  constexpr std::size_t kPage = 4096, kGap = std::size_t{1} << 30;  // bytes
  auto* const memory = static_cast<std::byte*>(
      mmap(nullptr, kGap + kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  for (const std::size_t at : {std::size_t{0}, kGap}) {
    ASSERT_EQ(mprotect(memory + at, kPage, PROT_READ | PROT_WRITE), 0);
  }
  const auto check = [&]<class Key>(int type, Key) {
    for (const std::size_t r : {0, 1}) {
      for (std::size_t i = 0; i < 100; ++i) {
        reinterpret_cast<Key*>(memory + r * kGap)[i] = static_cast<Key>(100 * r + (i + 99) % 100);
      }
    }
    const sortlab_rows rows{sizeof(sortlab_rows), 2, 100, kGap / sizeof(Key)};
    sortlab_top top{};
    top.size = sizeof top;
    top.k = 2;
    top.sorted = 1;
    Key best[4];
    std::uint32_t places[4];
    ASSERT_EQ(sortlab_top_k(memory, type, &rows, &top, best, places, 4, nullptr), SORTLAB_SUCCESS);
    EXPECT_EQ((std::vector<int>(best, best + 4)), (std::vector<int>{0, 1, 100, 101}));
    EXPECT_EQ((Places(places, places + 4)), (Places{1, 2, 1, 2}));
  };
  check(SORTLAB_TYPE_U8, std::uint8_t{});
  check(SORTLAB_TYPE_I16, std::int16_t{});
  check(SORTLAB_TYPE_U32, std::uint32_t{});
  check(SORTLAB_TYPE_F64, double{});
  munmap(memory, kGap + kPage);
}

}  // namespace
}  // namespace sortlab::tests::of_top_k
