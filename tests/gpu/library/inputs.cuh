// What the tests of sortlab::cuda share: keys, values, the orders that the documentation promises, and calls.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <sortlab/cuda.cuh>
#include <string>
#include <type_traits>
#include <vector>

#include "common/harness/rig/device.hpp"
#include "tests/on_device.cuh"

namespace sortlab::cuda {

using gpu::OnDevice;

#define SKIP_WITHOUT_GPU() \
  if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason

/// Around the limits of the sorts that are chosen among.
const std::vector<std::size_t> kFewSizes = {0,    1,    2,    3,     1000,  1024,   1025,
                                            4096, 4097, 8193, 16385, 32769, 50'021, 100'003};
const std::vector<std::size_t> kManySizes = {(1 << 20) + 1, 1'100'003, 3'000'017, 4'300'007};

enum class Letter : std::uint16_t {};

/// Of cuda_fp16.h and cuda_bf16.h.
template <class Key>
constexpr bool kIsHalf = std::is_same_v<Key, __half> || std::is_same_v<Key, __nv_bfloat16>;

template <class Key>
std::uint16_t half_bits(Key key) {
  std::uint16_t bits;
  static_assert(kIsHalf<Key>);
  std::memcpy(&bits, &key, sizeof(bits));
  return bits;
}

template <class Key>
bool is_nan(Key key) {
  if constexpr (kIsHalf<Key>) {
    constexpr unsigned kInfinity = std::is_same_v<Key, __half> ? 0x7c00 : 0x7f80;
    return (half_bits(key) & 0x7fffu) > kInfinity;
  } else {
    return std::isnan(key);
  }
}

/// Random bits: floats of all kinds, NaNs and infinities among them, and both zeros often.
template <class Key>
std::vector<Key> random_keys(std::size_t n, std::uint64_t most = ~std::uint64_t{0}) {
  std::mt19937_64 random(n + 7);
  std::vector<Key> keys(n);
  for (auto& key : keys) {
    const std::uint64_t bits = most == ~std::uint64_t{0} ? random() : random() % (most + 1);
    std::memcpy(static_cast<void*>(&key), &bits, sizeof(Key));
    if constexpr (std::is_floating_point_v<Key>) {
      if (random() % 4 == 0) key = random() % 2 == 0 ? Key{0} : -Key{0};
      if (random() % 16 == 0)
        key = std::copysign(std::numeric_limits<Key>::quiet_NaN(), random() % 2 == 0 ? 1 : -1);
    }
  }
  return keys;
}

/// The bits that the library's documentation orders by.
template <class Key>
std::uint64_t rank_of(Key key) {
  if constexpr (std::is_enum_v<Key>) {
    return rank_of(static_cast<std::underlying_type_t<Key>>(key));
  } else if constexpr (std::is_floating_point_v<Key>) {
    return to_ordered_bits(key);
  } else if constexpr (kIsHalf<Key>) {
    const std::uint16_t bits = half_bits(key);
    return bits >> 15 == 0 ? bits | 0x8000u : ~bits & 0xffffu;
  } else {
    constexpr std::uint64_t kSign = std::is_signed_v<Key> ? std::uint64_t{1} << 63 : 0;
    return static_cast<std::uint64_t>(
               static_cast<std::conditional_t<std::is_signed_v<Key>, std::int64_t, std::uint64_t>>(
                   key)) ^
           kSign;
  }
}

template <class Key, class Before>
std::vector<std::uint32_t> expected_order(const std::vector<Key>& keys, Before before) {
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return before(keys[a], keys[b]); });
  return order;
}
template <class Key>
std::vector<std::uint32_t> expected_order(const std::vector<Key>& keys, Order order) {
  return order == Order::ascending
             ? expected_order(keys, [](Key a, Key b) { return rank_of(a) < rank_of(b); })
             : expected_order(keys, [](Key a, Key b) { return rank_of(a) > rank_of(b); });
}
template <class T>
std::vector<T> in_order(const std::vector<T>& items, const std::vector<std::uint32_t>& order) {
  std::vector<T> result;
  result.reserve(items.size());
  for (const std::uint32_t i : order) result.push_back(items[i]);
  return result;
}

/// The first place at which bytes differ; the size where none do.
template <class T>
std::size_t first_difference(const std::vector<T>& a, const std::vector<T>& b) {
  std::size_t i = 0;
  while (i < a.size() && std::memcmp(&a[i], &b[i], sizeof(T)) == 0) ++i;
  return i;
}
template <class T>
void expect_same(const std::vector<T>& found, const std::vector<T>& expected,
                 const std::string& call) {
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_EQ(first_difference(found, expected), expected.size())
      << call << ", n = " << expected.size();
}

inline void synchronize() { ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess); }

/// Asks for the memory and calls again with it, at an odd address.
template <class Call>
void in_two_calls(Call call) {
  std::size_t bytes = 0;
  ASSERT_EQ(call(nullptr, bytes), cudaSuccess);
  const OnDevice<std::byte> temp(std::vector<std::byte>(bytes + 1));
  ASSERT_EQ(call(temp.get() + 1, bytes), cudaSuccess);
  synchronize();
}

template <std::size_t kBytes>
struct Value {
  unsigned char bytes[kBytes];
};
template <class V>
std::vector<V> numbered_values(std::size_t n) {
  std::vector<V> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::memset(&values[i], static_cast<int>(i * 7 % 251), sizeof(V));
    std::memcpy(&values[i], &i, std::min(sizeof(V), sizeof(i)));
  }
  return values;
}

}  // namespace sortlab::cuda
