// The definitions of radix_calls.hpp, which call CUB and Thrust.
#pragma once

#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/sort.h>

#include <cub/device/device_radix_sort.cuh>

#include <type_traits>

#include "common/cuda_check.hpp"
#include "gpu/baselines/radix_calls.hpp"

namespace sortlab::gpu::baselines {

template <class Key, class Value, Order kOrder, class Count>
ResultIn call_cub(void* temp, std::size_t& temp_bytes, Items<Key, Value> data,
                  Items<Key, Value> alternate, Count n, cudaStream_t stream) {
  using ::cub::DeviceRadixSort;
  ::cub::DoubleBuffer<Key> keys(data.keys, alternate.keys);
  ::cub::DoubleBuffer<Value> values(data.values, alternate.values);
  constexpr int kFirstBit = 0;
  constexpr int kEndBit = 8 * sizeof(Key);
  constexpr bool kPairs = Items<Key, Value>::kPairs;
  cudaError_t status{};
  if constexpr (kOrder == Order::ascending && kPairs) {
    status =
        DeviceRadixSort::SortPairs(temp, temp_bytes, keys, values, n, kFirstBit, kEndBit, stream);
  } else if constexpr (kOrder == Order::ascending) {
    status = DeviceRadixSort::SortKeys(temp, temp_bytes, keys, n, kFirstBit, kEndBit, stream);
  } else if constexpr (kPairs) {
    status = DeviceRadixSort::SortPairsDescending(temp, temp_bytes, keys, values, n, kFirstBit,
                                                  kEndBit, stream);
  } else {
    status =
        DeviceRadixSort::SortKeysDescending(temp, temp_bytes, keys, n, kFirstBit, kEndBit, stream);
  }
  check(status, "cub::DeviceRadixSort");
  return keys.Current() == data.keys ? ResultIn::data : ResultIn::alternate;
}

/// Thrust's own comparison, which it must see to choose radix sort.
template <class Key, Order kOrder>
using ThrustLess =
    std::conditional_t<kOrder == Order::ascending, thrust::less<Key>, thrust::greater<Key>>;

template <Order kOrder, class Policy, class Key, class Value>
void call_thrust_sort(const Policy& policy, Items<Key, Value> data, std::size_t n) {
  const thrust::device_ptr<Key> keys(data.keys);
  const auto count = static_cast<std::ptrdiff_t>(n);
  if constexpr (Items<Key, Value>::kPairs) {
    thrust::sort_by_key(policy, keys, keys + count, thrust::device_ptr<Value>(data.values),
                        ThrustLess<Key, kOrder>{});
  } else {
    thrust::sort(policy, keys, keys + count, ThrustLess<Key, kOrder>{});
  }
}

template <Order kOrder, class Policy, class Key, class Value>
void call_thrust_stable_sort(const Policy& policy, Items<Key, Value> data, std::size_t n) {
  const thrust::device_ptr<Key> keys(data.keys);
  const auto count = static_cast<std::ptrdiff_t>(n);
  if constexpr (Items<Key, Value>::kPairs) {
    thrust::stable_sort_by_key(policy, keys, keys + count, thrust::device_ptr<Value>(data.values),
                               ThrustLess<Key, kOrder>{});
  } else {
    thrust::stable_sort(policy, keys, keys + count, ThrustLess<Key, kOrder>{});
  }
}

template <class Key, class Value, Order kOrder>
ResultIn RadixCalls<Key, Value, kOrder>::cub(void* temp, std::size_t& temp_bytes, Items data,
                                             Items alternate, std::size_t n, Stream stream) {
  return call_cub<Key, Value, kOrder>(temp, temp_bytes, data, alternate, n, stream);
}
template <class Key, class Value, Order kOrder>
ResultIn RadixCalls<Key, Value, kOrder>::cub(void* temp, std::size_t& temp_bytes, Items data,
                                             Items alternate, int n, Stream stream) {
  return call_cub<Key, Value, kOrder>(temp, temp_bytes, data, alternate, n, stream);
}

template <class Key, class Value, Order kOrder>
void RadixCalls<Key, Value, kOrder>::thrust_sort(Items data, std::size_t n, Stream stream) {
  call_thrust_sort<kOrder>(thrust::cuda::par.on(stream), data, n);
}
template <class Key, class Value, Order kOrder>
void RadixCalls<Key, Value, kOrder>::thrust_stable_sort(Items data, std::size_t n, Stream stream) {
  call_thrust_stable_sort<kOrder>(thrust::cuda::par.on(stream), data, n);
}
template <class Key, class Value, Order kOrder>
void RadixCalls<Key, Value, kOrder>::thrust_sort(Items data, std::size_t n, Stream stream,
                                                 CachedMemory& memory) {
  call_thrust_sort<kOrder>(thrust::cuda::par(memory).on(stream), data, n);
}

}  // namespace sortlab::gpu::baselines
