// Sorts of any items by a comparison: comparisons with state, strings, exceptions, and comparisons
// that are not an order.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <numeric>
#include <sortlab/sort.hpp>
#include <string>

#include "tests/library/inputs.hpp"

namespace sortlab::tests {
namespace {

struct Person {
  int age;
  std::uint32_t number;
  char name[32];
};

std::vector<Person> people(std::size_t n) {
  std::vector<Person> all(n);
  std::mt19937 random(1);
  for (std::size_t i = 0; i < n; ++i) {
    all[i] = {static_cast<int>(random() % 100), static_cast<std::uint32_t>(i), "somebody"};
  }
  return all;
}

TEST(Compare, IsStableOnAnyNumberOfThreads) {
  for (const int threads : {1, 2, 3, 5, 64}) {
    for (const std::size_t n : {0, 1, 1000, 8192, 8193, 50'000}) {
      auto sorted = people(n);
      sortlab::stable_sort(sorted, [](const Person& a, const Person& b) { return a.age < b.age; },
                           {.threads = threads});
      for (std::size_t i = 1; i < n; ++i) {
        ASSERT_TRUE(sorted[i - 1].age < sorted[i].age ||
                    (sorted[i - 1].age == sorted[i].age && sorted[i - 1].number < sorted[i].number))
            << n << " on " << threads;
      }
    }
  }
}

TEST(Compare, MayHoldState) {
  std::vector<int> weight(1000);
  std::iota(weight.begin(), weight.end(), 0);
  std::shuffle(weight.begin(), weight.end(), std::mt19937(2));
  std::vector<std::size_t> items(kMany);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = i % 1000;
  std::atomic<std::size_t> calls = 0;
  sortlab::sort(items, [&](std::size_t a, std::size_t b) {
    calls.fetch_add(1, std::memory_order_relaxed);
    return weight[a] < weight[b];
  });
  EXPECT_TRUE(std::is_sorted(items.begin(), items.end(),
                             [&](std::size_t a, std::size_t b) { return weight[a] < weight[b]; }));
  EXPECT_GT(calls, kMany);
}

TEST(Compare, MovesItemsThatOwnMemory) {
  std::vector<std::string> strings(kMany);
  for (std::size_t i = 0; i < kMany; ++i)
    strings[i] = std::to_string(i * 7919 % kMany) + " is a long text";
  auto expected = strings;
  std::sort(expected.begin(), expected.end());
  sortlab::sort(strings, std::less<>(), {.threads = 4});
  EXPECT_EQ(strings, expected);

  std::vector<std::unique_ptr<int>> owners;
  for (std::size_t i = 0; i < kMany; ++i)
    owners.push_back(std::make_unique<int>(static_cast<int>(i)));
  sortlab::sort(owners, [](const auto& a, const auto& b) { return *a > *b; }, {.threads = 4});
  EXPECT_EQ(*owners.front(), static_cast<int>(kMany) - 1);
  EXPECT_EQ(*owners.back(), 0);
}

TEST(Compare, DescendsByTheReverse) {
  auto sorted = people(1000);
  sortlab::stable_sort(sorted, [](const Person& a, const Person& b) { return a.age < b.age; },
                       {.order = Order::descending});
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    ASSERT_TRUE(sorted[i - 1].age > sorted[i].age ||
                (sorted[i - 1].age == sorted[i].age && sorted[i - 1].number < sorted[i].number));
  }
}

struct Refused {};

/// Sorts strings with a comparison whose n-th call throws. Returns whether it threw.
bool throws_at(std::size_t call, std::vector<std::string>& strings) {
  std::atomic<std::size_t> calls = 0;
  try {
    sortlab::sort(strings,
                  [&](const std::string& a, const std::string& b) {
                    if (calls.fetch_add(1) == call) throw Refused();
                    return a < b;
                  },
                  {.threads = 4});
  } catch (const Refused&) {
    return true;
  }
  return false;
}

TEST(Compare, ThatThrowsLeavesValidItemsAndNoThreadBehind) {
  std::vector<std::string> strings(20'000);
  for (std::size_t i = 0; i < strings.size(); ++i) strings[i] = std::to_string(i * 7919 % 20'000);
  std::atomic<std::size_t> calls = 0;
  auto counted = strings;
  sortlab::sort(counted,
                [&](const std::string& a, const std::string& b) {
                  calls.fetch_add(1);
                  return a < b;
                },
                {.threads = 4});
  const std::size_t all = calls;
  std::size_t failures = 0;
  for (std::size_t part = 0; part < 10; ++part) {
    auto items = strings;
    failures += throws_at(all / 20 * part, items);  // fewer threads may come
    EXPECT_EQ(items.size(), strings.size());
    std::size_t bytes = 0;
    for (const auto& item : items) bytes += item.size();
    EXPECT_LE(bytes, 5 * items.size());
  }
  EXPECT_EQ(failures, 10u);
}

/// Four chunks, however many threads come.
template <class T, class Less>
void sort_chunks(std::vector<T>& items, bool stable, Less less) {
  std::allocator<T> memory;
  const std::size_t n = items.size();
  const auto give_back = [&](T* buffer) { memory.deallocate(buffer, n); };
  const std::unique_ptr<T, decltype(give_back)> buffer(memory.allocate(n), give_back);
  detail::MergeSort<T, Less>(items.data(), buffer.get(), n, 4, less).run(stable);
}

/// Whether the items are the same, in any order.
template <class T>
bool same_items(std::vector<T> items, std::vector<T> expected) {
  std::sort(items.begin(), items.end());
  std::sort(expected.begin(), expected.end());
  return items == expected;
}

/// Four sorted chunks, whose merges compare nearly all items twice. A comparison in a merge throws.
template <class T, class Make>
void expect_no_item_lost(Make make) {
  std::vector<T> input(kMany);
  for (std::size_t i = 0; i < kMany; ++i) input[i] = make(i % (kMany / 4) * 4 + i / (kMany / 4));
  std::atomic<std::size_t> calls = 0;
  auto items = input;
  sort_chunks(items, false, [&](const T& a, const T& b) {
    calls.fetch_add(1, std::memory_order_relaxed);
    return a < b;
  });
  const std::size_t all = calls;
  for (const std::size_t before_the_end :
       {std::size_t{1}, std::size_t{100}, kMany / 5, kMany, 9 * kMany / 5}) {
    calls = 0;
    items = input;
    const auto refuse = [&](const T& a, const T& b) {
      if (calls.fetch_add(1, std::memory_order_relaxed) == all - before_the_end) throw Refused();
      return a < b;
    };
    EXPECT_THROW(sort_chunks(items, false, refuse), Refused);
    EXPECT_TRUE(same_items(items, input)) << before_the_end;
  }
}

TEST(Compare, ThatThrowsInAMergeLosesNoItem) {
  expect_no_item_lost<std::uint32_t>([](std::size_t i) { return static_cast<std::uint32_t>(i); });
  expect_no_item_lost<std::string>(
      [](std::size_t i) { return std::to_string(100'000 + i) + " is a long text"; });
}

TEST(Compare, ThatIsNoOrderMovesNothingOutOfBounds) {
  std::vector<std::uint32_t> items(kMany);
  std::iota(items.begin(), items.end(), 0);
  // It must give the same answer each time: with an inconsistent comparison std::stable_sort, which
  // sorts the chunks, leaves their bounds.
  sort_chunks(items, true,
              [](std::uint32_t a, std::uint32_t b) { return (a * 2654435761u ^ b) % 3 == 0; });
  std::vector<std::uint32_t> before(kMany);
  std::iota(before.begin(), before.end(), 0);
  EXPECT_TRUE(same_items(items, before));
}

// ---- What the concept Comparison takes must compile, and order as the standard's sort does.

struct Keyed {
  int key;
  bool before(const Keyed& other) const { return key < other.key; }
  bool before_mutable(Keyed& other) { return key < other.key; }
};
bool is_before(const Keyed& a, const Keyed& b) { return a.key < b.key; }
bool is_before_by_value(Keyed a, Keyed b) { return a.key < b.key; }
struct OfMutable {
  bool operator()(Keyed& a, Keyed& b) { return a.key < b.key; }
};
/// What it returns is only convertible to bool.
struct Truth {
  bool is;
  explicit operator bool() const = delete;
  operator bool() { return is; }  // NOLINT(google-explicit-constructor)
};
struct MoveOnly {
  std::unique_ptr<int> scale = std::make_unique<int>(1);
  bool operator()(const Keyed& a, const Keyed& b) const { return a.key * *scale < b.key * *scale; }
};

template <class Less>
void expect_ordered(Less make_less) {
  for (const std::size_t n : {2u, 100u, 20'000u}) {
    for (const bool descends : {false, true}) {
      const Options options{.order = descends ? Order::descending : Order::ascending};
      std::mt19937 random(static_cast<unsigned>(n));
      std::vector<Keyed> items(n);
      for (auto& item : items) item.key = static_cast<int>(random() % n);
      auto expected = items, by_iterators = items, stable = items, by_sorter = items;
      std::sort(expected.begin(), expected.end(), is_before);
      if (descends) std::reverse(expected.begin(), expected.end());
      sortlab::sort(items, make_less(), options);
      sortlab::sort(by_iterators.begin(), by_iterators.end(), make_less(), options);
      sortlab::stable_sort(stable, make_less(), options);
      Sorter(options).sort(by_sorter, make_less());
      for (const auto* sorted : {&items, &by_iterators, &stable, &by_sorter}) {
        EXPECT_TRUE(std::equal(sorted->begin(), sorted->end(), expected.begin(),
                               [](const Keyed& a, const Keyed& b) { return a.key == b.key; }))
            << n << (descends ? " descending" : "");
      }
    }
  }
}

TEST(Compare, MayBeAnythingThatStdInvokeTakes) {
  expect_ordered([] { return &is_before; });
  expect_ordered([] { return &is_before_by_value; });
  expect_ordered([] { return &Keyed::before; });
  expect_ordered([] { return &Keyed::before_mutable; });
  expect_ordered([] { return OfMutable(); });
  expect_ordered([] { return MoveOnly(); });
  expect_ordered([] { return std::function<bool(const Keyed&, const Keyed&)>(&is_before); });
  expect_ordered([] { return [](const auto& a, const auto& b) { return Truth{a.key < b.key}; }; });
  expect_ordered(
      [] { return [](const Keyed& a, const Keyed& b) mutable { return a.key < b.key; }; });
}

// ---- Enumerations: by their numbers, unless their program orders them.

enum class Plain : std::uint8_t { a, b, c };
enum Old { kX, kY, kZ };
enum class Ordered { large, small, medium };
constexpr int rank(Ordered s) { return s == Ordered::small ? 0 : s == Ordered::medium ? 1 : 2; }
constexpr bool operator<(Ordered a, Ordered b) { return rank(a) < rank(b); }
constexpr bool operator>(Ordered a, Ordered b) { return b < a; }
enum class ThreeWay { last, first };
constexpr auto operator<=>(ThreeWay a, ThreeWay b) {
  return static_cast<int>(b) <=> static_cast<int>(a);
}

static_assert(Key<Plain> && Key<Old> && Key<const Plain>);
static_assert(!Key<Ordered> && !Key<ThreeWay>);

template <class T, class Less>
void expect_as_std_sort(std::vector<T> values, Less less) {
  for (const std::size_t n : {3u, 10'000u}) {
    std::vector<T> items(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = values[i * 7919 % values.size()];
    auto expected = items, stable = items;
    std::sort(expected.begin(), expected.end(), less);
    sortlab::sort(items, less);
    sortlab::stable_sort(stable, less);
    EXPECT_EQ(items, expected);
    EXPECT_EQ(stable, expected);
  }
}

}  // namespace
}  // namespace sortlab::tests

template <>
struct std::less<sortlab::tests::Plain> {
  bool operator()(sortlab::tests::Plain a, sortlab::tests::Plain b) const {
    return static_cast<int>(a) > static_cast<int>(b);
  }
};

namespace sortlab::tests {
namespace {

TEST(Compare, OfEnumerationsIsTheirPrograms) {
  const std::vector<Ordered> ordered = {Ordered::medium, Ordered::large, Ordered::small};
  expect_as_std_sort(ordered, std::less<>());
  expect_as_std_sort(ordered, std::less<Ordered>());
  expect_as_std_sort(ordered, std::greater<>());
  expect_as_std_sort(ordered, std::greater<Ordered>());
  expect_as_std_sort(std::vector{ThreeWay::first, ThreeWay::last}, std::less<>());
  const std::vector<Plain> plain = {Plain::c, Plain::a, Plain::b};
  expect_as_std_sort(plain, std::less<>());
  expect_as_std_sort(plain, std::less<Plain>());
  expect_as_std_sort(plain, std::ranges::less());
  expect_as_std_sort(plain, std::ranges::greater());
  expect_as_std_sort(std::vector{kZ, kX, kY}, std::less<Old>());
  expect_as_std_sort(std::vector{kZ, kX, kY}, std::greater<>());
}

}  // namespace
}  // namespace sortlab::tests
