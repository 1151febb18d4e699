// The calls of cub::DeviceMergeSort that its variants share.
#pragma once

#include <cub/device/device_merge_sort.cuh>
#include <cub/version.cuh>

#include "common/contract/variant.hpp"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/library_version.cuh"

namespace sortlab::gpu::baselines {

/// One call of CUB. Without `temp` it only writes the bytes that it needs to `temp_bytes`.
template <class Less, class Key, class Value>
void cub_merge_sort(void* temp, std::size_t& temp_bytes, Items<Key, Value> data, std::size_t n,
                    cudaStream_t stream) {
  using cub::DeviceMergeSort;
  cudaError_t status{};
  if constexpr (Items<Key, Value>::kPairs) {
    status = DeviceMergeSort::StableSortPairs(temp, temp_bytes, data.keys, data.values, n, Less{},
                                              stream);
  } else {
    status = DeviceMergeSort::StableSortKeys(temp, temp_bytes, data.keys, n, Less{}, stream);
  }
  check(status, "cub::DeviceMergeSort");
}

template <class Less, class Key, class Value>
std::size_t cub_merge_bytes(std::size_t n) {
  std::size_t bytes = 0;
  cub_merge_sort<Less>(nullptr, bytes, Items<Key, Value>{}, n, nullptr);
  return bytes;
}

}  // namespace sortlab::gpu::baselines
