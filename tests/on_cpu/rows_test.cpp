// The kernels that sort short rows (library/cuda/rows) on the CPU: all types of keys, with and without indices, rows of
// all lengths, in place and not, in both orders of the threads.
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>

#include "tests/on_cpu/device_on_cpu.hpp"
// The words of CUDA come first.
#include "library/cuda/rows/by_block.cuh"
#include "library/cuda/rows/by_warp.cuh"
#include "library/cuda/rows/counted_rows.cuh"
#include "library/cuda/rows/long_rows.cuh"

namespace sortlab::cuda::detail {
namespace {

using tests::Block;
using tests::Turns;

struct RowType {
  const char* name;
  KeyKind kind;
  unsigned bytes;
};
constexpr RowType kRowTypes[] = {
    {"u8", KeyKind::unsigned_integer, 1},     {"i8", KeyKind::signed_integer, 1},
    {"i16", KeyKind::signed_integer, 2},      {"half", KeyKind::floating, 2},
    {"bfloat16", KeyKind::brain_floating, 2}, {"u32", KeyKind::unsigned_integer, 4},
    {"i32", KeyKind::signed_integer, 4},      {"float", KeyKind::floating, 4},
    {"u64", KeyKind::unsigned_integer, 8},    {"i64", KeyKind::signed_integer, 8},
    {"double", KeyKind::floating, 8}};

/// What is asked of a row.
enum class Wanted { keys, index, both };
constexpr Wanted kAllWanted[] = {Wanted::keys, Wanted::index, Wanted::both};

RadixSort call_of(const RowType& type, Order order, Wanted wanted, unsigned index_bytes) {
  return {.kind = type.kind,
          .key_bytes = type.bytes,
          .order = order,
          .floats = FloatOrder::nans_last,
          .index_bytes = wanted == Wanted::keys ? 0 : index_bytes,
          .with_keys = wanted == Wanted::both};
}

/// Patterns of the bits of keys: random ones, few values, one value, zeros and NaNs of all types of floats, words of ones.
constexpr const char* kPatterns[] = {"random", "few", "equal", "special", "ones", "falling"};

/// The patterns for a case of a number: by turns, all of them at full effort.
std::vector<const char*> patterns_of(unsigned number) {
  if (kEffort == Effort::full) return {std::begin(kPatterns), std::end(kPatterns)};
  constexpr unsigned kCount = std::size(kPatterns);
  return {kPatterns[number % kCount], kPatterns[(number + 2) % kCount]};
}

std::vector<std::uint64_t> bits_of(const std::string& pattern, const RowType& type, std::size_t n) {
  std::mt19937_64 random(n + type.bytes);
  const unsigned width = 8 * type.bytes;
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - width);
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  const bool is_float = is_floating(type.kind);
  const std::uint64_t infinity =
      is_float ? infinity_of<std::uint64_t>(type.kind, type.bytes) >> (64 - width) : all / 3;
  const std::uint64_t special[] = {0,
                                   sign,
                                   infinity,
                                   infinity | sign,
                                   infinity + 1,
                                   all,
                                   infinity / 2,
                                   sign - 1,
                                   1,
                                   sign | 1,
                                   (infinity + 1) | sign,
                                   2};
  std::vector<std::uint64_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t word = random();
    keys[i] = pattern == "few"       ? word % 3 * (all / 3)
              : pattern == "equal"   ? 77
              : pattern == "special" ? special[word % std::size(special)]
              : pattern == "ones"    ? all - (word % 8 == 0)
              : pattern == "falling" ? n - i
                                     : word;
    keys[i] &= all;
  }
  return keys;
}

/// Bytes of an array that begins at an address that a vector would not have, between guards.
struct Array {
  static constexpr std::size_t kGuard = 64;
  std::size_t item_bytes;
  std::size_t begin;
  std::vector<std::byte> bytes;

  Array(std::size_t n, std::size_t each)
      : item_bytes(each), begin(kGuard + each), bytes(n * each + 3 * kGuard, std::byte{0x5a}) {}
  std::byte* data() { return bytes.data() + begin; }
  std::uint64_t operator[](std::size_t i) const {
    std::uint64_t item = 0;
    std::memcpy(&item, bytes.data() + begin + i * item_bytes, item_bytes);
    return item;
  }
  void set(std::size_t i, std::uint64_t item) {
    std::memcpy(data() + i * item_bytes, &item, item_bytes);
  }
  bool has_whole_guards(std::size_t n) const {
    const auto is_guard = [](std::byte byte) { return byte == std::byte{0x5a}; };
    const auto end = begin + n * item_bytes;
    return std::all_of(bytes.begin(), bytes.begin() + static_cast<long>(begin), is_guard) &&
           std::all_of(bytes.begin() + static_cast<long>(end), bytes.end(), is_guard);
  }
};

/// Sorts rows by `run(keys)` and compares with a stable sort of each.
template <class Bits, class Run>
void expect_sorted(const RadixSort& call, const std::vector<std::uint64_t>& given, std::size_t rows,
                   unsigned n, bool in_place, Run run) {
  const bool with_keys = call.index_bytes == 0 || call.with_keys;
  Array in(rows * n, call.key_bytes), out(rows * n, call.key_bytes);
  Array index(rows * n, std::max(call.index_bytes, 1u));
  for (std::size_t i = 0; i < rows * n; ++i) in.set(i, given[i]);
  Array& result = in_place ? in : out;
  const auto form = key_form_of<Bits>(call);
  std::memset(gpu::s_dynamic, 0xa5, sizeof(gpu::s_dynamic));
  run(RowKeys<Bits>{.in = in.data(),
                    .out = with_keys ? result.data() : nullptr,
                    .index = call.index_bytes != 0 ? index.data() : nullptr,
                    .rows = rows,
                    .n = n,
                    .key_bytes = call.key_bytes,
                    .index_bytes = call.index_bytes,
                    .form = form});
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t begin = row * n;
    std::vector<unsigned> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
      return form.ordered(static_cast<Bits>(given[begin + a])) <
             form.ordered(static_cast<Bits>(given[begin + b]));
    });
    for (unsigned i = 0; i < n; ++i) {
      if (with_keys) {
        ASSERT_EQ(result[begin + i], given[begin + order[i]]) << "row " << row << " key " << i;
      }
      if (call.index_bytes != 0) {
        ASSERT_EQ(index[begin + i], order[i]) << "row " << row << " index " << i;
      }
    }
  }
  EXPECT_TRUE(in.has_whole_guards(rows * n) && out.has_whole_guards(rows * n));
  EXPECT_TRUE(index.has_whole_guards(rows * n));
}

/// As the library launches it (short_rows.cuh).
template <class Word, unsigned kEach, class Bits>
void run_warps(const RowKeys<Bits>& keys, Turns turns) {
  const unsigned lanes = kEach == 1 ? lanes_of_row(keys.n) : gpu::kWarp;
  const auto rows_a_block = std::size_t{kRowWarps} * (gpu::kWarp / lanes);
  const bool is_narrow = keys.key_bytes < sizeof(Bits);
  const unsigned place_bits = keys.index != nullptr && is_narrow ? std::bit_width(keys.n - 1) : 0;
  static_assert(WarpWords<Word, kEach>::kBytes <= sizeof(gpu::s_dynamic));
  Block::run_grid(
      static_cast<unsigned>((keys.rows + rows_a_block - 1) / rows_a_block), kWarpRowThreads, turns,
      [&] { sort_rows_by_warp<Word, kEach, Bits>(keys, WordForm<Bits, Word>{place_bits}); });
}

template <class RowBlock>
void run_blocks(const RowKeys<typename RowBlock::Bits>& keys, Turns turns) {
  using Bits = typename RowBlock::Bits;
  const bool is_narrow = keys.key_bytes < sizeof(Bits);
  const unsigned place_bits = keys.index != nullptr && is_narrow ? std::bit_width(keys.n - 1) : 0;
  static_assert(sizeof(typename RowBlock::Shared) <= sizeof(gpu::s_dynamic));
  Block::run_grid(static_cast<unsigned>(keys.rows), RowBlock::kThreads, turns,
                  [&] { sort_rows_by_block<RowBlock>(keys, WordForm<Bits, Bits>{place_bits}); });
}

/// Calls use(Bits{}) with the bits of a type.
template <class Use>
void with_bits(const RowType& type, Use use) {
  type.bytes == 8 ? use(std::uint64_t{}) : use(std::uint32_t{});
}

template <unsigned kEach>
void sort_by_warps(const RowType& type, const RadixSort& call, std::size_t rows, unsigned n,
                   const std::string& pattern, Turns turns) {
  SCOPED_TRACE(std::string(type.name) + " " + pattern + " " + std::to_string(rows) + " x " +
               std::to_string(n) + ", order " + std::to_string(static_cast<int>(call.order)) +
               ", index " + std::to_string(call.index_bytes) + " keys " +
               std::to_string(call.with_keys));
  const auto given = bits_of(pattern, type, rows * n);
  const bool in_place = turns == Turns::downwards;
  with_bits(type, [&]<class Bits>(Bits) {
    using Wide = std::conditional_t<sizeof(Bits) == 8, PlacedKey, std::uint64_t>;
    expect_sorted<Bits>(call, given, rows, n, in_place, [&](const RowKeys<Bits>& keys) {
      if (keys.index != nullptr && type.bytes == sizeof(Bits)) {
        run_warps<Wide, kEach>(keys, turns);
      } else {
        run_warps<Bits, kEach>(keys, turns);
      }
    });
  });
}

template <unsigned kEach>
void expect_all_by_warps(std::initializer_list<unsigned> lengths) {
  unsigned number = 0;  // spreads what is told apart over the types and lengths
  for (const RowType& type : kRowTypes) {
    for (const Wanted wanted : kAllWanted) {
      for (const unsigned n : lengths) {
        for (const char* const pattern : patterns_of(number + number / 6)) {
          const Order order = ++number % 2 == 0 ? Order::ascending : Order::descending;
          const Turns turns = number / 2 % 2 == 0 ? Turns::upwards : Turns::downwards;
          const unsigned index_bytes = number / 4 % 2 == 0 ? 4 : 8;
          const std::size_t rows = n <= 4 ? 67 : n <= 32 ? 13 : 5;
          sort_by_warps<kEach>(type, call_of(type, order, wanted, index_bytes), rows, n, pattern,
                               turns);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(RowsByWarp, OfUpToAWarp) { expect_all_by_warps<1>({1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 32}); }
TEST(RowsByWarp, OfTwoAThread) { expect_all_by_warps<2>({33, 50, 64}); }
TEST(RowsByWarp, OfFourAThread) { expect_all_by_warps<4>({65, 100, 128}); }
TEST(RowsByWarp, OfEightAThread) { expect_all_by_warps<8>({129, 256}); }
TEST(RowsByWarp, OfSixteenAThread) { expect_all_by_warps<16>({257, 500, 512}); }

template <unsigned kThreads, unsigned kItems>
void expect_all_by_blocks(std::initializer_list<unsigned> lengths) {
  unsigned number = 0;
  for (const RowType& type : kRowTypes) {
    for (const Wanted wanted : kAllWanted) {
      for (const unsigned n : lengths) {
        for (const char* const pattern : patterns_of(number + number / 6)) {
          const Order order = ++number % 2 == 0 ? Order::ascending : Order::descending;
          const Turns turns = number / 2 % 2 == 0 ? Turns::upwards : Turns::downwards;
          const RadixSort call = call_of(type, order, wanted, number / 4 % 2 == 0 ? 4 : 8);
          SCOPED_TRACE(std::string(type.name) + " " + pattern + " " + std::to_string(n));
          constexpr std::size_t kRows = 3;
          const auto given = bits_of(pattern, type, kRows * n);
          with_bits(type, [&]<class Bits>(Bits) {
            expect_sorted<Bits>(
                call, given, kRows, n, turns == Turns::downwards, [&](const RowKeys<Bits>& keys) {
                  if (keys.index != nullptr && type.bytes == sizeof(Bits)) {
                    run_blocks<RowBlock<Bits, std::uint32_t, kThreads, kItems, 1>>(keys, turns);
                  } else {
                    run_blocks<RowBlock<Bits, NoValue, kThreads, kItems, 1>>(keys, turns);
                  }
                });
          });
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(RowsByBlock, OfFourAThread) { expect_all_by_blocks<256, 4>({1, 2, 100, 513, 1023, 1024}); }
TEST(RowsByBlock, OfEightAThread) { expect_all_by_blocks<128, 8>({1000, 1024}); }

/// Calls kernel(stretches) on the threads of a grid, as the library launches it (long_rows.cu).
template <class Kernel>
void run_stretches(std::size_t rows, std::size_t n, Turns turns, Kernel kernel) {
  const RowStretches stretches(n);
  Block::run_grid(static_cast<unsigned>(stretches.blocks(rows)), kStretchThreads, turns,
                  [&] { kernel(stretches); });
}

/// One sort of words, as rows/row_sort.cpp does it with a radix sort.
template <class Word>
void sort_by_words(const RowKeys<std::uint32_t>& keys, Turns turns) {
  const std::size_t items = keys.rows * keys.n;
  std::vector<Word> words(items);
  run_stretches(keys.rows, keys.n, turns,
                [&](const RowStretches& stretches) { make_words(keys, stretches, words.data()); });
  std::vector<std::uint32_t> places(items);
  std::iota(places.begin(), places.end(), 0u);
  std::stable_sort(places.begin(), places.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return words[a] < words[b]; });
  std::sort(words.begin(), words.end());
  run_stretches(keys.rows, keys.n, turns, [&](const RowStretches& stretches) {
    take_words<Word>(keys, stretches, words.data(),
                     keys.index == nullptr ? nullptr : places.data());
  });
}

/// Two sorts of places, likewise.
void sort_twice(const RowKeys<std::uint64_t>& keys, Turns turns) {
  const std::size_t items = keys.rows * keys.n;
  std::vector<std::uint64_t> ordered(items);
  run_stretches(keys.rows, keys.n, turns,
                [&](const RowStretches& stretches) { order_all(keys, stretches, ordered.data()); });
  std::vector<std::uint32_t> places(items), row(items), by_row(items), sorted(items);
  std::iota(places.begin(), places.end(), 0u);
  std::stable_sort(places.begin(), places.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return ordered[a] < ordered[b]; });
  run_stretches(1, items, turns, [&](const RowStretches& all) {
    divide_places(places.data(), row.data(), all, keys.n);
  });
  std::iota(by_row.begin(), by_row.end(), 0u);
  std::stable_sort(by_row.begin(), by_row.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return row[a] < row[b]; });
  for (std::size_t i = 0; i < items; ++i) sorted[i] = places[by_row[i]];
  run_stretches(keys.rows, keys.n, turns, [&](const RowStretches& stretches) {
    gather_places(keys, stretches, sorted.data(), keys.out == nullptr ? nullptr : ordered.data());
  });
  if (keys.out != nullptr) std::memcpy(keys.out, ordered.data(), items * sizeof(ordered[0]));
}

TEST(LongRows, OfBytesAreCounted) {
  unsigned number = 0;
  for (const RowType& type : kRowTypes) {
    if (type.bytes != 1) continue;
    for (const Wanted wanted : kAllWanted) {
      for (const unsigned n : {1u, 8192u, 8193u, 70'001u}) {
        for (const char* const pattern : patterns_of(number + number / 6)) {
          const Order order = ++number % 2 == 0 ? Order::ascending : Order::descending;
          const Turns turns = number / 2 % 2 == 0 ? Turns::upwards : Turns::downwards;
          const RadixSort call = call_of(type, order, wanted, number / 4 % 2 == 0 ? 4 : 8);
          SCOPED_TRACE(std::string(type.name) + " " + pattern + " " + std::to_string(n));
          constexpr std::size_t kRows = 2;
          expect_sorted<std::uint32_t>(
              call, bits_of(pattern, type, kRows * n), kRows, n, turns == Turns::downwards,
              [&](const RowKeys<std::uint32_t>& keys) {
                const RowChunks chunks(n);
                std::vector<std::uint32_t> counts(kRows * chunks.in_row * kByteValues, 9);
                const auto run = [&](auto kernel) {
                  Block::run_grid(kRows * chunks.in_row, kByteThreads, turns, kernel);
                };
                run([&] { count_bytes(keys, chunks, counts.data()); });
                Block::run_grid(kRows, kScanThreads, turns,
                                [&] { scan_bytes(chunks, counts.data()); });
                if (keys.index != nullptr) run([&] { place_bytes(keys, chunks, counts.data()); });
                if (keys.out != nullptr) run([&] { fill_bytes(keys, chunks, counts.data()); });
              });
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(LongRows, AreSorted) {
  unsigned number = 0;
  for (const RowType& type : kRowTypes) {
    for (const Wanted wanted : kAllWanted) {
      for (const unsigned n : {1u, 1000u, 1024u, 1025u, 3001u}) {
        for (const char* const pattern : patterns_of(number + number / 6)) {
          const Order order = ++number % 2 == 0 ? Order::ascending : Order::descending;
          const Turns turns = number / 2 % 2 == 0 ? Turns::upwards : Turns::downwards;
          const RadixSort call = call_of(type, order, wanted, number / 4 % 2 == 0 ? 4 : 8);
          SCOPED_TRACE(std::string(type.name) + " " + pattern + " " + std::to_string(n));
          constexpr std::size_t kRows = 3;
          const auto given = bits_of(pattern, type, kRows * n);
          const bool in_place = turns == Turns::downwards;
          if (type.bytes == 8) {
            expect_sorted<std::uint64_t>(
                call, given, kRows, n, in_place,
                [&](const RowKeys<std::uint64_t>& keys) { sort_twice(keys, turns); });
          } else {
            expect_sorted<std::uint32_t>(
                call, given, kRows, n, in_place, [&](const RowKeys<std::uint32_t>& keys) {
                  type.bytes < 4 ? sort_by_words<std::uint32_t>(keys, turns)
                                 : sort_by_words<std::uint64_t>(keys, turns);
                });
          }
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(WordForm, HoldsKeysOfTwoBytesAndAnyPlaceOfABlock) {
  constexpr unsigned kMost = 1 << 14;
  const WordForm<std::uint32_t, std::uint32_t> form{14};
  for (const std::uint32_t key : {0u, 1u, 0xfffeu, 0xffffu}) {
    for (const unsigned place : {0u, 1u, kMost - 1}) {
      const std::uint32_t word = form.word(key, place);
      EXPECT_EQ(form.ordered(word), key);
      EXPECT_EQ(form.place(word), place);
      EXPECT_LT(word, form.last());
    }
  }
}

}  // namespace
}  // namespace sortlab::cuda::detail
