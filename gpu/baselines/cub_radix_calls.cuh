// The calls of cub::DeviceRadixSort that its variants share. They differ in the type of the count alone.
#pragma once

#include <cub/device/device_radix_sort.cuh>
#include <cub/version.cuh>

#include <algorithm>

#include "common/contract/variant.hpp"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/library_version.cuh"

namespace sortlab::gpu::baselines {

/// One call of CUB. Without `temp` it only writes the bytes that it needs to `temp_bytes`.
template <class Key, class Value, Order kOrder, class Count>
void cub_radix_sort(void* temp, std::size_t& temp_bytes, cub::DoubleBuffer<Key>& keys,
                    cub::DoubleBuffer<Value>& values, Count n, cudaStream_t stream) {
  using cub::DeviceRadixSort;
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
}

template <class Key, class Value, class Count>
std::size_t temp_bytes_of(Count n) {
  cub::DoubleBuffer<Key> keys;
  cub::DoubleBuffer<Value> values;
  std::size_t bytes = 0;
  cub_radix_sort<Key, Value, Order::ascending>(nullptr, bytes, keys, values, n, nullptr);
  return bytes;
}

/// The larger workspace of the two, because CUB tunes integers and floats of one size separately.
template <class Integer, class Float, class Count>
std::size_t temp_bytes_of_width(Count n, bool pairs) {
  return pairs ? std::max(temp_bytes_of<Integer, std::uint32_t>(n),
                          temp_bytes_of<Float, std::uint32_t>(n))
               : std::max(temp_bytes_of<Integer, NoValue>(n), temp_bytes_of<Float, NoValue>(n));
}

template <class Count>
std::size_t cub_radix_bytes(const WorkspaceRequest& request) {
  const auto n = static_cast<Count>(request.n);
  const bool pairs = request.value_bytes > 0;
  return request.key_bytes == 4 ? temp_bytes_of_width<std::uint32_t, float>(n, pairs)
                                : temp_bytes_of_width<std::uint64_t, double>(n, pairs);
}

template <class Count, class Job>
ResultIn cub_radix_sort(const Job& job) {
  using Key = typename Job::Key;
  using Value = typename Job::Value;
  cub::DoubleBuffer<Key> keys(job.data.keys, job.alternate.keys);
  cub::DoubleBuffer<Value> values(job.data.values, job.alternate.values);
  std::size_t temp_bytes = job.workspace.size();
  cub_radix_sort<Key, Value, Job::kOrder>(job.workspace.data(), temp_bytes, keys, values,
                                          static_cast<Count>(job.n), job.stream);
  return keys.Current() == job.data.keys ? ResultIn::data : ResultIn::alternate;
}

}  // namespace sortlab::gpu::baselines
