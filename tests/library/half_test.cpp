// Half-precision floats, by their bits: C++ compilers that lack the type can sort them, too.
#include <gtest/gtest.h>
#include <sortlab/segments.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <sortlab/sort.hpp>
#include <sortlab/top_k.hpp>
#include <span>
#include <string_view>

#include "library/host/calls.hpp"
#include "library/host/counting.hpp"
#include "tests/library/inputs.hpp"

namespace sortlab::tests {
namespace {

using Bits = std::uint16_t;

/// A second implementation of their order: IEEE-754's totalOrder.
int number(Bits half) { return half & 0x8000 ? -1 - (half & 0x7FFF) : half; }
bool is_nan(Bits half) { return (half & 0x7FFF) > 0x7C00; }

sortlab_options options_of(int order, int floats, int threads = 1) {
  return {sizeof(sortlab_options), order, floats, threads, 0, nullptr, 0, nullptr};
}

/// Some sizes are counted. Half of the keys are zeros, infinities and NaNs of both signs.
const std::vector<std::size_t> kHalfSizes =
    kSanitized ? std::vector<std::size_t>{2, 100, 5000, 270'000}
               : std::vector<std::size_t>{2, 3, 100, 1000, 5000, 70'000, 270'000, 1'200'000};
std::vector<Bits> halves(std::size_t n) {
  auto keys = keys_of<Bits>(n);
  const Bits special[] = {0, 0x8000, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x3C00, 0xBC00};
  for (std::size_t i = 0; i < n; i += 2) keys[i] = special[keys[i] % 8];
  return keys;
}

template <class Check>
void for_each_order(Check check) {
  for (const std::size_t n : kHalfSizes) {
    for (const int order : {SORTLAB_ORDER_ASCENDING, SORTLAB_ORDER_DESCENDING}) {
      for (const int floats : {SORTLAB_FLOATS_TOTAL, SORTLAB_FLOATS_NANS_LAST}) {
        check(n, options_of(order, floats, n % 2 == 0 ? 4 : 1));
      }
    }
  }
}

/// Whether a comes before b. Equal keys: NaNs if these are last; zeros only for argsort.
bool before(Bits a, Bits b, const sortlab_options& options, bool with_ties) {
  const bool descends = options.order == SORTLAB_ORDER_DESCENDING;
  if (options.floats == SORTLAB_FLOATS_NANS_LAST) {
    if (is_nan(a) || is_nan(b)) return !is_nan(a);
    if (with_ties && ((a | b) & 0x7FFF) == 0) return false;
  }
  return descends ? number(b) < number(a) : number(a) < number(b);
}

TEST(Halves, AreSorted) {
  for_each_order([](std::size_t n, const sortlab_options& options) {
    const auto before_sort = halves(n);
    auto keys = before_sort;
    ASSERT_EQ(sortlab_sort(keys.data(), n, SORTLAB_TYPE_F16, &options), SORTLAB_SUCCESS);
    const auto comes_before = [&](Bits a, Bits b) {
      return before(a, b, options, false) && !(is_nan(a) && is_nan(b) && options.floats != 0);
    };
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end(), comes_before)) << n;
    std::vector<int> more(1 << 16);
    for (std::size_t i = 0; i < n; ++i) ++more[keys[i]], --more[before_sort[i]];
    EXPECT_EQ(std::count(more.begin(), more.end(), 0), 1 << 16) << n << ": other keys than before";
  });
}

TEST(Halves, MoveTheirValues) {
  for_each_order([](std::size_t n, const sortlab_options& options) {
    const auto before_sort = halves(n);
    auto keys = before_sort;
    std::vector<std::uint64_t> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = i;
    ASSERT_EQ(sortlab_sort_pairs(keys.data(), values.data(), n, SORTLAB_TYPE_F16, 8, &options),
              SORTLAB_SUCCESS);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(keys[i], before_sort[values[i]]);
      if (i == 0 || (is_nan(keys[i]) && options.floats == SORTLAB_FLOATS_NANS_LAST)) continue;
      ASSERT_FALSE(before(keys[i], keys[i - 1], options, false)) << n << " keys, at " << i;
      if (keys[i] != keys[i - 1]) continue;
      ASSERT_LT(values[i - 1], values[i]) << "not stable";
    }
  });
}

TEST(Halves, HaveTheOrderOfNumpysArgsort) {
  for_each_order([](std::size_t n, const sortlab_options& options) {
    const auto keys = halves(n);
    std::vector<std::uint32_t> order(n), expected(n);
    ASSERT_EQ(sortlab_argsort(keys.data(), order.data(), n, SORTLAB_TYPE_F16, 4, &options),
              SORTLAB_SUCCESS);
    for (std::size_t i = 0; i < n; ++i) expected[i] = static_cast<std::uint32_t>(i);
    std::stable_sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) {
      const bool both =
          options.floats == SORTLAB_FLOATS_NANS_LAST && is_nan(keys[a]) && is_nan(keys[b]);
      return !both && before(keys[a], keys[b], options, true);
    });
    EXPECT_EQ(order, expected) << n;
  });
}

TEST(Halves, HaveTheirBestFound) {
  for_each_order([](std::size_t n, const sortlab_options& options) {
    const auto keys = halves(n);
    for (const int nans_first : {0, 1}) {
      const auto is_better = [&](Bits a, Bits b) {
        if (nans_first != 0 && is_nan(a) != is_nan(b)) return is_nan(a);
        const bool one = (nans_first != 0 || options.floats != 0) && is_nan(a) && is_nan(b);
        return !one && before(a, b, options, false);
      };
      auto expected = keys;
      std::stable_sort(expected.begin(), expected.end(), is_better);
      const auto expect_as = [&](Bits found, Bits wanted) {
        ASSERT_FALSE(is_better(found, wanted) || is_better(wanted, found)) << n;
      };
      const std::size_t k = n / 3 + 1;
      std::vector<Bits> best(k);
      std::vector<std::uint32_t> places(k);
      const sortlab_rows rows{sizeof rows, 1, n, n};
      const sortlab_top top{sizeof top, k, nullptr, 1, 0, nans_first};
      ASSERT_EQ(sortlab_top_k(keys.data(), SORTLAB_TYPE_F16, &rows, &top, best.data(),
                              places.data(), 4, &options),
                SORTLAB_SUCCESS);
      for (std::size_t i = 0; i < k; ++i) {
        expect_as(best[i], expected[i]);
        ASSERT_EQ(keys[places[i]], best[i]);
      }
      if (nans_first != 0) continue;
      auto sorted = keys, selected = keys;
      ASSERT_EQ(sortlab_partial_sort(sorted.data(), n, SORTLAB_TYPE_F16, k, &options), 0);
      ASSERT_EQ(sortlab_nth_element(selected.data(), n, SORTLAB_TYPE_F16, k - 1, &options), 0);
      for (std::size_t i = 0; i < k; ++i) expect_as(sorted[i], expected[i]);
      expect_as(selected[k - 1], expected[k - 1]);
    }
  });
}

TEST(Halves, AreSortedInRowsAndSegments) {
  for (const std::size_t length : {2, 16, 33, 256}) {
    for (const int order : {SORTLAB_ORDER_ASCENDING, SORTLAB_ORDER_DESCENDING}) {
      for (const int floats : {SORTLAB_FLOATS_TOTAL, SORTLAB_FLOATS_NANS_LAST}) {
        SCOPED_TRACE(testing::Message() << length << " keys, order " << order << ", " << floats);
        constexpr std::size_t kRows = 41;
        const sortlab_options options = options_of(order, floats);
        const auto input = halves(kRows * length);
        auto expected = input, rows = input, segments = input;
        std::vector<std::uint32_t> begins(kRows + 1);
        for (std::size_t row = 0; row < kRows; ++row) {
          begins[row + 1] = static_cast<std::uint32_t>((row + 1) * length);
          ASSERT_EQ(sortlab_sort(&expected[row * length], length, SORTLAB_TYPE_F16, &options), 0);
        }
        sortlab_segments cut{sizeof cut, kRows, nullptr, nullptr, 0, length, length};
        ASSERT_EQ(
            sortlab_segmented_sort(rows.data(), rows.size(), SORTLAB_TYPE_F16, &cut, &options), 0);
        cut = {sizeof cut, kRows, &begins[0], &begins[1], sizeof begins[0], 0, 0};
        ASSERT_EQ(sortlab_segmented_sort(segments.data(), segments.size(), SORTLAB_TYPE_F16, &cut,
                                         &options),
                  0);
        EXPECT_TRUE(same_bytes(rows, expected));
        EXPECT_TRUE(same_bytes(segments, expected));
      }
    }
  }
}

TEST(Halves, MayBeMoreThanFourBytesCanNumber) {
  for (const bool nans_last : {false, true}) {
    for (const Order order : {Order::ascending, Order::descending}) {
      auto keys = halves(1000), alone = keys;
      std::vector<std::uint16_t> values = keys;
      library::PairsCall call{{SORTLAB_TYPE_F16},
                              {order, nans_last, 1},
                              keys.data(),
                              values.data(),
                              keys.size(),
                              2,
                              false};
      call.most_indexed = 100;
      std::vector<std::byte> scratch(call.scratch_bytes());
      call.run(scratch.data(), scratch.size());
      const library::SortCall sort{{SORTLAB_TYPE_F16}, {order, nans_last, 1}, alone.data(), 1000};
      scratch.resize(sort.scratch_bytes());
      sort.run(scratch.data(), scratch.size());
      EXPECT_EQ(keys, alone);
      EXPECT_EQ(values, keys);
    }
  }
}

#if defined(SORTLAB_HAVE_FLOAT16)
TEST(Halves, AreATypeOfSomeCompilers) {
  std::vector<_Float16> keys = {2, -1, 1};
  sortlab::sort(keys);
  EXPECT_EQ(keys, (std::vector<_Float16>{-1, 1, 2}));
}
#endif

TEST(NarrowKeys, AreCountedByAllThreads) {
  const std::size_t n = kSanitized ? 600'000 : 2'000'000;
  const auto check = [&](auto key) {
    const auto before_sort = keys_of<decltype(key)>(n);
    for (const Order order : {Order::ascending, Order::descending}) {
      auto alone = before_sort, shared = before_sort;
      sortlab::sort(alone, {.order = order, .threads = 1});
      sortlab::sort(shared, {.order = order, .threads = 4});
      EXPECT_TRUE(std::is_sorted(alone.begin(), alone.end(), [&](auto a, auto b) {
        return order == Order::ascending ? a < b : b < a;
      }));
      EXPECT_EQ(alone, shared);
    }
  };
  check(std::uint8_t{});
  check(std::int8_t{});
  check(std::uint16_t{});
  check(std::int16_t{});
}

TEST(NarrowKeys, MayBeMoreThanFourBytesCanCount) {
  for (const int type :
       {SORTLAB_TYPE_U8, SORTLAB_TYPE_I8, SORTLAB_TYPE_U16, SORTLAB_TYPE_I16, SORTLAB_TYPE_F16}) {
    for (const int threads : {1, 2}) {
      for (const Order order : {Order::ascending, Order::descending}) {
        const library::Keys keys{type};
        const std::size_t n = 600'000;
        auto small = keys_of<std::uint16_t>(n), large = small;
        const library::Settings settings{order, false, threads};
        const auto count = [&](std::vector<std::uint16_t>& counted, std::size_t most_small_counts) {
          const library::SortCall call{keys, settings, counted.data(), n};
          std::vector<std::uint64_t> scratch(counting_bytes(call, most_small_counts) / 8);
          count_and_write(call, reinterpret_cast<std::byte*>(scratch.data()), most_small_counts);
        };
        count(small, n);
        count(large, n - 1);
        EXPECT_TRUE(large == small) << type;
      }
    }
  }
}

/// Many places in the address space that are the same memory.
class Repeated {
 public:
  Repeated(std::size_t bytes, std::size_t times)
      : bytes_(bytes * times), file_(memfd_create("keys", 0)) {
    const bool is_large = ftruncate(file_, static_cast<off_t>(bytes)) == 0;
    void* const all =
        mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    data_ = static_cast<std::uint8_t*>(all);
    for (std::size_t i = 0; is_large && i < times; ++i) {
      mmap(data_ + i * bytes, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_, 0);
    }
  }
  ~Repeated() {
    munmap(data_, bytes_);
    close(file_);
  }
  Repeated(const Repeated&) = delete;
  Repeated& operator=(const Repeated&) = delete;

  std::span<std::uint8_t> keys() const { return {data_, bytes_}; }

 private:
  std::size_t bytes_;
  int file_;
  std::uint8_t* data_;
};

TEST(NarrowKeys, OfOneValueMayBeMoreThan2To32) {
  const char* const matrix = std::getenv("SORTLAB_MATRIX");
  if (matrix == nullptr || std::string_view(matrix) != "full") GTEST_SKIP() << "only with --full";
  const std::size_t kPart = std::size_t{32} << 20, kParts = 133;
  const Repeated memory(kPart, kParts);
  std::fill_n(memory.keys().begin(), kPart, std::uint8_t{5});
  for (std::size_t i = 0; i < kPart; i += kPart / 2) memory.keys()[i] = 9;
  sortlab::sort(memory.keys(), {.threads = 1});
  // What is written last stays: with one thread the last keys, of which 2 x 133 are 9.
  const auto last = memory.keys().last(kPart);
  EXPECT_EQ(std::count(last.begin(), last.end(), 9), 2 * 133);
  EXPECT_EQ(std::count(last.begin(), last.end(), 5), static_cast<std::ptrdiff_t>(kPart) - 2 * 133);
}

}  // namespace
}  // namespace sortlab::tests
