// Rows of keys, all in one call: every way of library/cuda/rows/row_sort.cpp, on this GPU and on smaller ones.
#include <sortlab/detail/cuda/radix_sort.hpp>

#include "library/cuda/gpu_facts.hpp"
#include "tests/gpu/library/inputs.cuh"

namespace sortlab::cuda {
namespace {

using detail::FloatOrder;
using detail::RadixSort;
using detail::RowSort;

struct Shape {
  std::size_t rows;
  std::size_t n;
};
/// Both ends of what each kernel takes, and of each way.
const std::vector<Shape> kShapes = {
    {0, 5},     {5, 0},      {1, 100},    {1, 256},     {1, 257},    {1, 5000},  {2, 1},
    {1000, 1},  {999, 2},    {777, 3},    {300, 9},     {129, 17},   {101, 32},  {65, 33},
    {40, 100},  {33, 129},   {33, 256},   {30, 257},    {17, 512},   {9, 513},   {7, 1024},
    {6, 1025},  {5, 4096},   {4, 4097},   {4, 8193},    {3, 14336},  {4, 14337}, {3, 16384},
    {4, 16385}, {2, 40'000}, {7, 40'001}, {70, 17'000}, {3, 170'000}};
/// Shapes of more keys are sorted with keys of all kinds only: most of the time goes into the expected order.
constexpr std::size_t kManyKeys = 300'000;

template <class Key>
RadixSort row_of(Order order, FloatOrder floats, unsigned index_bytes, bool with_keys) {
  RadixSort row{
      .kind = detail::kind_of<Key>(), .key_bytes = sizeof(Key), .order = order, .floats = floats};
  row.index_bytes = index_bytes;
  row.with_keys = with_keys;
  return row;
}

/// The order of each row's keys.
template <class Key>
std::vector<std::uint32_t> expected_order_of_rows(const std::vector<Key>& keys, Shape shape,
                                                  Order order) {
  std::vector<std::uint32_t> all;
  for (std::size_t row = 0; row < shape.rows; ++row) {
    const auto begin = keys.begin() + static_cast<long>(row * shape.n);
    const auto of_row =
        expected_order(std::vector<Key>(begin, begin + static_cast<long>(shape.n)), order);
    all.insert(all.end(), of_row.begin(), of_row.end());
  }
  return all;
}

template <class Key, class Index>
void expect_sorted_rows(Shape shape, std::uint64_t most, Order order) {
  const std::size_t items = shape.rows * shape.n;
  const auto keys = random_keys<Key>(items, most);
  const auto expected = expected_order_of_rows(keys, shape, order);
  std::vector<Key> expected_keys;
  for (std::size_t i = 0; i < items; ++i) {
    expected_keys.push_back(keys[i - i % shape.n + expected[i]]);
  }
  const std::vector<Index> expected_index(expected.begin(), expected.end());
  for (const bool with_index : {false, true}) {
    for (const bool with_keys : {false, true}) {
      for (const bool in_place : {false, true}) {
        const bool wants_keys = with_keys || !with_index;
        const OnDevice<Key> in(keys);
        const OnDevice<Key> out(keys);
        const OnDevice<Index> index(std::vector<Index>(items, Index{77}));
        in_two_calls([&](void* d_temp, std::size_t& bytes) {
          RowSort sort{
              row_of<Key>(order, FloatOrder::total, with_index ? sizeof(Index) : 0, with_keys),
              shape.rows};
          sort.row.n = shape.n;
          sort.row.keys = {in.get(), !wants_keys ? nullptr : in_place ? in.get() : out.get()};
          sort.row.values = {nullptr, with_index ? index.get() : nullptr};
          return sort(d_temp, bytes, nullptr);
        });
        const std::string call = std::to_string(shape.rows) + " x " + std::to_string(shape.n) +
                                 ", index " + std::to_string(with_index) + ", keys " +
                                 std::to_string(with_keys) + ", in place " +
                                 std::to_string(in_place);
        if (wants_keys) expect_same((in_place ? in : out).on_host(), expected_keys, call);
        if (!wants_keys || !in_place) expect_same(in.on_host(), keys, "the input, " + call);
        if (with_index) expect_same(index.on_host(), expected_index, "indices, " + call);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

template <class Key>
void expect_sorted_rows() {
  unsigned number = 0;
  for (const Shape shape : kShapes) {
    for (const std::uint64_t most : {~std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{2}}) {
      if (shape.rows * shape.n > kManyKeys && most != ~std::uint64_t{0}) continue;
      const Order order = ++number % 2 == 0 ? Order::ascending : Order::descending;
      number / 2 % 2 == 0 ? expect_sorted_rows<Key, std::uint32_t>(shape, most, order)
                          : expect_sorted_rows<Key, std::uint64_t>(shape, most, order);
      if (testing::Test::HasFailure()) return;
    }
  }
}

template <class Key>
class Rows : public testing::Test {};
using Keys = testing::Types<unsigned char, signed char, std::uint16_t, short, __half, __nv_bfloat16,
                            std::uint32_t, int, float, std::uint64_t, long long, double>;
TYPED_TEST_SUITE(Rows, Keys);
TYPED_TEST(Rows, AreSorted) {
  SKIP_WITHOUT_GPU();
  expect_sorted_rows<TypeParam>();
}

/// So many that those of narrow keys are sorted as segments.
TEST(ManyRows, OfNarrowKeysAreSorted) {
  SKIP_WITHOUT_GPU();
  constexpr Shape kShape{500, 17'000};
  expect_sorted_rows<unsigned char, std::uint64_t>(kShape, ~std::uint64_t{0}, Order::ascending);
  expect_sorted_rows<signed char, std::uint32_t>(kShape, 2, Order::descending);
  expect_sorted_rows<__half, std::uint64_t>(kShape, ~std::uint64_t{0}, Order::descending);
  expect_sorted_rows<__nv_bfloat16, std::uint32_t>(kShape, ~std::uint64_t{0}, Order::ascending);
}

/// What a GPU with less shared memory has.
class RowsOfOtherGpus : public testing::TestWithParam<detail::GpuFacts> {};
TEST_P(RowsOfOtherGpus, AreSorted) {
  SKIP_WITHOUT_GPU();
  const detail::SmallerGpu smaller(GetParam());
  expect_sorted_rows<unsigned char>();
  expect_sorted_rows<float>();
  expect_sorted_rows<long long>();
}
INSTANTIATE_TEST_SUITE_P(, RowsOfOtherGpus,
                         testing::Values(detail::GpuFacts{40, 48 * 1024, 64 * 1024, true},
                                         detail::GpuFacts{16, 64 * 1024, 64 * 1024, true},
                                         detail::GpuFacts{46, 99 * 1024, 100 * 1024, true},
                                         detail::GpuFacts{108, 163 * 1024, 164 * 1024, true}),
                         [](const auto& gpu) {
                           return std::to_string(gpu.param.shared_bytes_per_block / 1024) + "KB";
                         });

TEST(RowSort, RefusesWhatItCannotSort) {
  std::size_t bytes = 0;
  RowSort sort{row_of<float>(Order::ascending, FloatOrder::total, 0, false), 2};
  sort.row.n = 10;
  sort.row.key_bytes = 3;
  EXPECT_EQ(sort(nullptr, bytes, nullptr), cudaErrorInvalidValue);
  sort.row.key_bytes = 4;
  sort.row.value_bytes = 4;
  EXPECT_EQ(sort(nullptr, bytes, nullptr), cudaErrorInvalidValue);
  sort.row.value_bytes = 0;
  sort.row.index_bytes = 2;
  EXPECT_EQ(sort(nullptr, bytes, nullptr), cudaErrorInvalidValue);
}

/// Indices gathered in each row.
TEST(GatherRows, GathersInEachRow) {
  SKIP_WITHOUT_GPU();
  for (const Shape shape : {Shape{1, 10}, {1000, 3}, {7, 5000}}) {
    const std::size_t items = shape.rows * shape.n;
    const auto keys = random_keys<std::uint16_t>(items);
    const auto order = expected_order_of_rows(keys, shape, Order::ascending);
    std::vector<std::uint16_t> expected;
    for (std::size_t i = 0; i < items; ++i) expected.push_back(keys[i - i % shape.n + order[i]]);
    const OnDevice<std::uint16_t> in(keys);
    const OnDevice<std::uint16_t> out(keys);
    const OnDevice<std::uint32_t> index(order);
    detail::gather_rows(in.get(), out.get(), 2, index.get(), 4, shape.rows, shape.n, nullptr);
    synchronize();
    expect_same(out.on_host(), expected, "gather_rows");
  }
}

}  // namespace
}  // namespace sortlab::cuda
