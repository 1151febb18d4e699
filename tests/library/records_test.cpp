// Sorts of records by a projection, against std::stable_sort; and of items that have an order of their own.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <sortlab/execution.hpp>
#include <string>
#include <tuple>

#include "tests/library/inputs.hpp"

namespace sortlab::tests {
namespace {

/// Below and above the counts from which records are moved by an index, and by several threads.
const std::vector<std::size_t> kRecordCounts = {
    0, 1, 2, 9, 31, 32, 33, 500, kSanitized ? 12'500 : 20'000};

template <class K>
struct Record {
  K key;
  std::uint32_t place;
  K get() const { return key; }
};

template <class R>
std::vector<std::uint32_t> places(const std::vector<R>& records) {
  std::vector<std::uint32_t> all;
  for (const auto& record : records) all.push_back(record.place);
  return all;
}

template <class K>
std::vector<Record<K>> records_of(std::size_t n) {
  const auto keys = keys_of<K>(n, 50, n);
  std::vector<Record<K>> records(n);
  for (std::size_t i = 0; i < n; ++i) records[i] = {keys[i], static_cast<std::uint32_t>(i)};
  return records;
}

template <class K>
struct RecordsTest : testing::Test {};
enum class Shade : std::int16_t {};
using RecordKeys =
    testing::Types<std::uint8_t, std::int8_t, Shade, std::uint32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(RecordsTest, RecordKeys);

TYPED_TEST(RecordsTest, AreSortedByTheirKeys) {
  using R = Record<TypeParam>;
  for (const std::size_t n : kRecordCounts) {
    for (const Order order : {Order::ascending, Order::descending}) {
      const auto before = records_of<TypeParam>(n);
      auto expected = before;
      std::stable_sort(expected.begin(), expected.end(), [&](const R& a, const R& b) {
        return order == Order::ascending ? comes_before(a.key, b.key) : comes_before(b.key, a.key);
      });
      const auto check = [&](bool is_stable, auto sort) {
        auto records = before;
        sort(records);
        if (is_stable) {
          EXPECT_EQ(places(records), places(expected)) << n;
          return;
        }
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(std::memcmp(&records[i].key, &expected[i].key, sizeof(TypeParam)), 0) << n;
        }
      };
      const Options options{.order = order, .threads = n % 2 == 0 ? 4 : 1};
      check(false, [&](auto& records) { sortlab::sort(records, &R::key, options); });
      check(true, [&](auto& records) { sortlab::stable_sort(records, &R::get, options); });
      check(true, [&](auto& records) {
        sortlab::stable_sort(records.begin(), records.end(), &R::key, options);
      });
      check(true, [&](auto& records) {
        sortlab::stable_sort(std::execution::par, records, &R::key, options);
      });
      Options stable = options;
      stable.stable = true;
      Sorter sorter(stable);
      check(true, [&](auto& records) { sorter.sort(records, &R::key); });
    }
  }
}

/// Records by the standard's comparisons of their projections: what std::stable_sort does with `<`.
template <class R, class Projection, class Less>
void expect_as_ranges(const std::vector<R>& before, Less less, Projection projection) {
  auto expected = before;
  std::ranges::stable_sort(expected, less, projection);
  const auto check = [&](auto sort) {
    auto records = before;
    sort(records);
    EXPECT_EQ(places(records), places(expected)) << before.size();
  };
  check([&](auto& records) { sortlab::stable_sort(records, less, projection); });
  check([&](auto& records) { sortlab::sort(records, less, projection, {.stable = true}); });
  check([&](auto& records) {
    sortlab::stable_sort(records.begin(), records.end(), less, projection, {.threads = 1});
  });
  check([&](auto& records) {
    sortlab::stable_sort(std::execution::seq, records.begin(), records.end(), less, projection);
  });
  check([&](auto& records) { Sorter({.stable = true}).sort(records, less, projection); });
}

template <class R, class Projection>
void expect_as_ranges(const std::vector<R>& before, Projection projection) {
  expect_as_ranges(before, std::ranges::less(), projection);
  expect_as_ranges(before, std::greater<>(), projection);
}

TEST(Records, TakeAComparisonAndAProjectionAsStdRangesDoes) {
  for (const std::size_t n : kRecordCounts) {
    auto before = records_of<double>(n);
    for (auto& record : before) {
      if (std::isnan(record.key)) record.key = -0.0;
    }
    expect_as_ranges(before, &Record<double>::key);
    expect_as_ranges(
        before, [](double a, double b) { return std::abs(a) < std::abs(b); }, &Record<double>::key);
  }
  auto records = records_of<int>(100), expected = records;
  sortlab::sort(records, [](Record<int>& record) -> int& { return record.key; });
  EXPECT_TRUE(std::ranges::is_sorted(records, {}, &Record<int>::key));
  records = expected;
  sortlab::stable_sort(records, {}, &Record<int>::key);
  std::ranges::stable_sort(expected, {}, &Record<int>::key);
  EXPECT_EQ(places(records), places(expected));
}

struct Flight {
  std::uint8_t gate;
  std::int16_t delay;
  float price;
  std::int64_t departure;
  std::uint32_t place;
  std::string name;
};

std::vector<Flight> flights(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  const float prices[] = {0.0f, -0.0f, 99.5f, -3.0f};
  std::vector<Flight> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    all[i] = {static_cast<std::uint8_t>(random() % 4),
              static_cast<std::int16_t>(static_cast<int>(random() % 9) - 4),
              prices[random() % 4],
              static_cast<std::int64_t>(random() % 7) - 3,
              static_cast<std::uint32_t>(i),
              "flight of a long name " + std::to_string(random() % 5)};
  }
  return all;
}

TEST(Records, AreSortedByTuplesOfKeys) {
  for (const std::size_t n : kRecordCounts) {
    const auto before = flights(n);
    expect_as_ranges(before, [](const Flight& f) { return std::tuple(f.gate, f.delay); });
    expect_as_ranges(before, [](const Flight& f) { return std::tie(f.price, f.gate); });
    expect_as_ranges(before, [](const Flight& f) { return std::pair(f.gate, f.departure); });
    expect_as_ranges(before, [](const Flight& f) { return std::tie(f.departure, f.price); });
    expect_as_ranges(before, [](const Flight& f) { return std::array{f.departure, -f.departure}; });
    // More than 16 bytes, and no keys.
    expect_as_ranges(before, [](const Flight& f) {
      return std::tuple(f.gate, f.departure, std::int64_t{f.delay}, f.price);
    });
    expect_as_ranges(before, [](const Flight& f) { return std::tie(f.gate, f.name); });
    expect_as_ranges(before, &Flight::name);
    // By floats in total order, where no comparison is given.
    auto records = before, expected = before;
    sortlab::stable_sort(records, [](const Flight& f) { return std::tie(f.price, f.gate); });
    std::ranges::stable_sort(expected, {}, [](const Flight& f) {
      return std::tuple(f.price, std::signbit(f.price) ? 0 : 1, f.gate);
    });
    EXPECT_EQ(places(records), places(expected)) << n;
  }
}

TEST(Records, PutNansLastIfAsked) {
  for (const std::size_t n : kRecordCounts) {
    for (const Order order : {Order::ascending, Order::descending}) {
      const Options options{.order = order, .floats = Floats::nans_last};
      auto records = records_of<float>(n);
      std::vector<float> keys;
      for (const auto& record : records) keys.push_back(record.key);
      sortlab::sort(records, &Record<float>::key, options);
      sortlab::sort(keys, options);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(std::memcmp(&records[i].key, &keys[i], sizeof(float)), 0) << n;
      }
    }
  }
}

TEST(Records, MayBeMoveOnly) {
  using Owner = std::unique_ptr<Record<int>>;
  for (const std::size_t n : kRecordCounts) {
    std::vector<Owner> owners;
    for (const auto& record : records_of<int>(n)) {
      owners.push_back(std::make_unique<Record<int>>(record));
    }
    sortlab::sort(owners, &Record<int>::key, {.threads = 4});
    EXPECT_TRUE(std::ranges::is_sorted(owners, {}, [](const Owner& o) { return o->key; }));
  }
}

/// Its move may throw, so it is sorted where it lies.
struct Careful {
  std::uint32_t key = 0, place = 0;
  Careful() = default;
  Careful(std::uint32_t k, std::uint32_t p) : key(k), place(p) {}
  Careful(const Careful& other) : key(other.key), place(other.place) {}
  Careful& operator=(const Careful& other) {
    key = other.key;
    place = other.place;
    return *this;
  }
};
struct alignas(128) Wide {
  std::uint32_t key, place;
};

TEST(Records, MayBeAwkward) {
  for (const std::size_t n : {std::size_t{20}, std::size_t{500}}) {
    std::vector<Careful> careful;
    std::vector<Wide> wide;
    for (const auto& record : records_of<std::uint32_t>(n)) {
      careful.emplace_back(record.key, record.place);
      wide.push_back({record.key, record.place});
    }
    expect_as_ranges(careful, &Careful::key);
    expect_as_ranges(wide, &Wide::key);
  }
}

TEST(Records, StayWhereTheyAreIfTheProjectionOfAKeyThrows) {
  for (const int threads : {1, 4}) {
    auto records = records_of<int>(20'000);
    const auto before = places(records);
    const auto refuse = [](const Record<int>& record) {
      return record.place == 15'000 ? throw std::runtime_error("no key") : record.key;
    };
    EXPECT_THROW(sortlab::sort(records, refuse, {.threads = threads}), std::runtime_error);
    EXPECT_EQ(places(records), before);
  }
}

template <class Key, class Projection>
void expect_scratch_enough(Projection projection) {
  for (const std::size_t n : {std::size_t{500}, std::size_t{20'000}}) {
    auto records = flights(n);
    Options options{.threads = 2};
    std::vector<std::byte> memory(items_scratch_bytes<Flight, Key>(n, options) + 1);
    options.scratch = std::span(memory).subspan(1);
    sortlab::sort(records, projection, options);
    EXPECT_TRUE(std::ranges::is_sorted(records, {}, projection));
    options.scratch = options.scratch.first(n * sizeof(Flight));
    EXPECT_THROW(sortlab::sort(records, projection, options), std::invalid_argument);
  }
}

TEST(Records, TakeTheMemoryThatIsGiven) {
  expect_scratch_enough<std::uint8_t>(&Flight::gate);
  expect_scratch_enough<std::tuple<std::int64_t, float>>(
      [](const Flight& f) { return std::tie(f.departure, f.price); });
}

TEST(Records, RefuseLessThanNoThreads) {
  auto records = records_of<int>(100);
  EXPECT_THROW(sortlab::sort(records, &Record<int>::key, {.threads = -1}), std::invalid_argument);
  records.resize(3);
  EXPECT_THROW(sortlab::sort(records, &Record<int>::key, {.threads = -1}), std::invalid_argument);
  const auto less = [](const auto& a, const auto& b) { return a.key < b.key; };
  EXPECT_THROW(sortlab::sort(records, less, {.threads = -1}), std::invalid_argument);
}

enum class Rank { high, low };
constexpr bool operator<(Rank a, Rank b) { return static_cast<int>(b) < static_cast<int>(a); }

template <class T>
void expect_own_order(std::vector<T> items) {
  auto expected = items, by_iterators = items, stable = items, descending = items;
  std::sort(expected.begin(), expected.end());
  sortlab::sort(items);
  EXPECT_EQ(items, expected);
  sortlab::sort(by_iterators.begin(), by_iterators.end());
  EXPECT_EQ(by_iterators, expected);
  sortlab::stable_sort(std::execution::par, stable);
  EXPECT_EQ(stable, expected);
  Sorter({.order = Order::descending}).sort(descending);
  std::reverse(expected.begin(), expected.end());
  EXPECT_EQ(descending, expected);
}

TEST(Items, WithAnOrderOfTheirOwnNeedNoComparison) {
  expect_own_order<std::string>({"pear", "fig", "plum"});
  expect_own_order<std::pair<int, std::string>>({{2, "b"}, {2, "a"}, {1, "c"}});
  expect_own_order<std::chrono::seconds>({std::chrono::seconds(3), std::chrono::seconds(1)});
  expect_own_order<Rank>({Rank::high, Rank::low});
  const int numbers[2] = {};
  expect_own_order<const int*>({numbers + 1, numbers});
}

template <class... Arguments>
concept Accepted = requires(Arguments... arguments) {
  sortlab::sort(arguments...);
};
struct NoOrder {
  int key;
  int two(int) const;
  void none() const;
};
using Items = std::vector<NoOrder>;
static_assert(Accepted<Items, int NoOrder::*>);
static_assert(!Accepted<Items>);
static_assert(!Accepted<Items, std::identity>, "what it returns has no order");
static_assert(!Accepted<Items, std::less<>, std::identity>);
static_assert(!Accepted<Items, int (NoOrder::*)(int) const>);
static_assert(!Accepted<Items, void (NoOrder::*)() const>);
static_assert(!Accepted<std::vector<Record<long double>>, long double Record<long double>::*>,
              "`<` does not order NaNs");

}  // namespace
}  // namespace sortlab::tests
