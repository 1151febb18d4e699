// Segments and rows in one call of sortlab/cuda.cuh: against the host's stable sort of each.
#include <sortlab/cuda.cuh>

#include <algorithm>
#include <numeric>

#include "tests/gpu/library/inputs.cuh"

namespace sortlab::cuda {
namespace {

using Places = std::vector<std::uint32_t>;

/// Segments of all lengths up to 40,000, with empty ones between.
template <class Offset>
std::vector<Offset> offsets_of(std::size_t n) {
  std::vector<Offset> offsets{0};
  for (std::size_t length = 0, at = 0; at < n; length = length * 5 / 4 + 1) {
    if (length > 40'000) length = 0;
    at = std::min(n, at + length);
    offsets.push_back(static_cast<Offset>(at));
    if (length % 7 == 0) offsets.push_back(static_cast<Offset>(at));
  }
  return offsets;
}

template <class Key, class Offset>
Places expected_places(const std::vector<Key>& keys, const std::vector<Offset>& offsets,
                       Order order) {
  Places all;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const auto of_segment =
        expected_order(std::vector<Key>(keys.begin() + static_cast<long>(offsets[s]),
                                        keys.begin() + static_cast<long>(offsets[s + 1])),
                       order);
    all.insert(all.end(), of_segment.begin(), of_segment.end());
  }
  return all;
}

template <class T, class Offset>
std::vector<T> moved(const std::vector<T>& items, const std::vector<Offset>& offsets,
                     const Places& places) {
  std::vector<T> sorted(items.size());
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const auto begin = static_cast<std::size_t>(offsets[s]);
    for (std::size_t i = begin; i < static_cast<std::size_t>(offsets[s + 1]); ++i) {
      sorted[i] = items[begin + places[i]];
    }
  }
  return sorted;
}

/// n and the offsets are those of segments, or of rows.
template <class Key, class Offset>
void expect_sorted(std::uint64_t most, Order order, std::size_t columns = 0) {
  const std::size_t n = columns == 0 ? 300'001 : columns * (1 + 60'000 / columns);
  auto offsets = offsets_of<Offset>(n);
  if (columns != 0) {
    offsets.resize(n / columns + 1);
    for (std::size_t row = 0; row < offsets.size(); ++row) {
      offsets[row] = static_cast<Offset>(row * columns);
    }
  }
  const std::size_t count = offsets.size() - 1;
  const Options options{.order = order};
  const auto keys = random_keys<Key>(n, most);
  const Places places = expected_places(keys, offsets, order);
  Places values(n);
  std::iota(values.begin(), values.end(), 5u);
  const std::string name = std::to_string(columns) + " columns";

  const gpu::OnDevice<Key> in(keys), out(keys), in_place(keys);
  const gpu::OnDevice<std::uint32_t> values_in(values), values_out(values), order_32(values);
  const gpu::OnDevice<std::uint64_t> order_64(std::vector<std::uint64_t>(n, 7));
  const gpu::OnDevice<Offset> d_offsets(offsets);
  const auto call = [&](auto of_segments, auto of_rows) {
    in_two_calls([&](void* d_temp, std::size_t& bytes) {
      return columns == 0 ? of_segments(d_temp, bytes) : of_rows(d_temp, bytes);
    });
  };
  const std::size_t rows = count;
  call(
      [&](void* d_temp, std::size_t& bytes) {
        return segmented_sort_keys(d_temp, bytes, in.get(), out.get(), n, count, d_offsets.get(),
                                   nullptr, options);
      },
      [&](void* d_temp, std::size_t& bytes) {
        return sort_rows_keys(d_temp, bytes, in.get(), out.get(), rows, columns, nullptr, options);
      });
  expect_same(out.on_host(), moved(keys, offsets, places), "keys, " + name);
  call(
      [&](void* d_temp, std::size_t& bytes) {
        return segmented_sort_pairs(d_temp, bytes, in.get(), out.get(), values_in.get(),
                                    values_out.get(), n, count, d_offsets.get(), nullptr, options);
      },
      [&](void* d_temp, std::size_t& bytes) {
        return sort_rows_pairs(d_temp, bytes, in.get(), out.get(), values_in.get(),
                               values_out.get(), rows, columns, nullptr, options);
      });
  expect_same(out.on_host(), moved(keys, offsets, places), "keys of pairs, " + name);
  expect_same(values_out.on_host(), moved(values, offsets, places), "values, " + name);
  call(
      [&](void* d_temp, std::size_t& bytes) {
        return segmented_argsort(d_temp, bytes, in.get(), order_32.get(), n, count, d_offsets.get(),
                                 nullptr, options);
      },
      [&](void* d_temp, std::size_t& bytes) {
        return argsort_rows(d_temp, bytes, in.get(), order_32.get(), rows, columns, nullptr,
                            options);
      });
  expect_same(order_32.on_host(), places, "argsort, " + name);
  call(
      [&](void* d_temp, std::size_t& bytes) {
        return segmented_argsort(d_temp, bytes, in.get(), order_64.get(), n, count, d_offsets.get(),
                                 nullptr, options);
      },
      [&](void* d_temp, std::size_t& bytes) {
        return argsort_rows(d_temp, bytes, in.get(), order_64.get(), rows, columns, nullptr,
                            options);
      });
  expect_same(order_64.on_host(), std::vector<std::uint64_t>(places.begin(), places.end()),
              "argsort with 8 bytes, " + name);
  expect_same(in.on_host(), keys, "the input, " + name);
  expect_same(values_in.on_host(), values, "the values that came, " + name);
  if (columns != 0) return;
  const gpu::OnDevice<std::uint32_t> values_in_place(values);
  EXPECT_EQ(segmented_sort_pairs(in_place.get(), values_in_place.get(), n, count, d_offsets.get(),
                                 nullptr, options),
            cudaSuccess);
  expect_same(in_place.on_host(), moved(keys, offsets, places), "keys in place");
  expect_same(values_in_place.on_host(), moved(values, offsets, places), "values in place");
}

TEST(LibrarySegments, SortsSegments) {
  SKIP_WITHOUT_GPU();
  expect_sorted<float, std::uint32_t>(~std::uint64_t{0}, Order::ascending);
  expect_sorted<std::int32_t, std::int64_t>(50, Order::descending);
  expect_sorted<std::uint64_t, std::int32_t>(~std::uint64_t{0}, Order::ascending);
  expect_sorted<double, std::uint64_t>(9, Order::descending);
}

TEST(LibrarySegments, SortsRows) {
  SKIP_WITHOUT_GPU();
  for (const std::size_t columns : {1, 2, 9, 100, 300, 3000, 10'000, 20'000}) {
    expect_sorted<float, std::uint32_t>(1000, Order::ascending, columns);
    expect_sorted<std::int64_t, std::uint32_t>(~std::uint64_t{0}, Order::descending, columns);
  }
}

TEST(LibrarySegments, RefusesWhatItIsNotGiven) {
  std::size_t bytes = 0;
  float* const none = nullptr;
  const std::uint32_t* const offsets = nullptr;
  EXPECT_EQ(segmented_sort_keys(nullptr, bytes, none, none, 100, 1, offsets), cudaSuccess);
  EXPECT_GT(bytes, 0u);
  std::size_t few = 1;
  EXPECT_EQ(segmented_sort_keys(&bytes, few, none, none, 100, 1, offsets), cudaErrorInvalidValue);
  EXPECT_EQ(segmented_sort_keys(&bytes, bytes, none, none, 100, 1, offsets), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace sortlab::cuda
