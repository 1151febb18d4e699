// cub::DeviceRadixSort: NVIDIA's onesweep LSD radix sort, which every rung here is held against.
//
// Keys alone and pairs, through a DoubleBuffer (no copy back: CUB says which buffer holds the
// result), with all temporary memory handed in from outside.
// A pass over a digit of 8 bits reads and writes each key once: 4 passes and one histogram read are
// 36 bytes per key for 32-bit keys, 8 passes 136 bytes for 64-bit keys.
// The count is passed as 32 bits where it fits, as most users pass it: CUB then keeps its offsets in 32
// bits, which makes it faster.
// Limits: CUB takes -0 and +0 as one key, so floats that hold -0 may come out in another order than
// totalOrder's; the sort is stable with respect to CUB's own order.
// Source: Adinets and Merrill, Onesweep, arXiv 2206.01784; the CUB library.
#include <cub/device/device_radix_sort.cuh>
#include <cub/version.cuh>

#include <algorithm>

#include "common/contract/variant.hpp"
#include "gpu/baselines/cub_count.cuh"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/library_version.cuh"

namespace sortlab {
namespace {
using gpu::baselines::with_count;

/// One call of CUB. Without `temp` it only writes the bytes that it needs to `temp_bytes`.
template <class Key, class Value, Order kOrder, class Count>
void cub_sort(void* temp, std::size_t& temp_bytes, cub::DoubleBuffer<Key>& keys,
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

template <class Key, class Value>
std::size_t temp_bytes_of(std::size_t n) {
  cub::DoubleBuffer<Key> keys;
  cub::DoubleBuffer<Value> values;
  std::size_t bytes = 0;
  with_count(n, [&](auto count) {
    cub_sort<Key, Value, Order::ascending>(nullptr, bytes, keys, values, count, nullptr);
  });
  return bytes;
}

/// CUB tunes integers and floats of one size apart, so the larger of the two needs.
template <class Integer, class Float>
std::size_t temp_bytes_of_width(std::size_t n, bool pairs) {
  return pairs ? std::max(temp_bytes_of<Integer, std::uint32_t>(n),
                          temp_bytes_of<Float, std::uint32_t>(n))
               : std::max(temp_bytes_of<Integer, NoValue>(n), temp_bytes_of<Float, NoValue>(n));
}

struct CubRadix {
  static constexpr Info info{.summary = "cub::DeviceRadixSort, DoubleBuffer",
                             .source = "CUB",
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true,
                             .total_order = false,
                             .lib_version = gpu::LibraryVersion<CUB_VERSION>::text};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    const bool pairs = request.value_bytes > 0;
    return request.key_bytes == 4 ? temp_bytes_of_width<std::uint32_t, float>(request.n, pairs)
                                  : temp_bytes_of_width<std::uint64_t, double>(request.n, pairs);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Key = typename Job::Key;
    using Value = typename Job::Value;
    cub::DoubleBuffer<Key> keys(job.data.keys, job.alternate.keys);
    cub::DoubleBuffer<Value> values(job.data.values, job.alternate.values);
    std::size_t temp_bytes = job.workspace.size();
    with_count(job.n, [&](auto count) {
      cub_sort<Key, Value, Job::kOrder>(job.workspace.data(), temp_bytes, keys, values, count,
                                        job.stream);
    });
    return keys.Current() == job.data.keys ? ResultIn::data : ResultIn::alternate;
  }
};
SORTLAB_REGISTER(CubRadix, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
