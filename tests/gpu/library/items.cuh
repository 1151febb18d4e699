// Structs and comparisons as users of sortlab::cuda have them, and their sorts.
#pragma once

#include "tests/gpu/library/inputs.cuh"

namespace sortlab::cuda {

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

}  // namespace sortlab::cuda
