// cub::DeviceSegmentedRadixSort: a block sorts each segment, by radix passes in global memory.
//
// Faster than cub_segmented_sort where all segments are long, and there are as many as SMs or more.
// Limits: CUB treats -0 and +0 as one key. n below 2^31.
// Source: the CUB library.
#include <cub/device/device_segmented_radix_sort.cuh>

#include "gpu/baselines/segmented_calls.cuh"

namespace sortlab {
namespace {
using namespace gpu::baselines;

struct CubSegmentedRadix : SegmentedByCub<CubSegmentedRadix> {
  static constexpr Info info{.summary = "cub::DeviceSegmentedRadixSort, DoubleBuffer",
                             .source = "CUB",
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true,
                             .total_order = false,
                             .capturable = true,
                             .lib_version = gpu::LibraryVersion<CUB_VERSION>::text};

  template <Order kOrder, class Key, class Value>
  static cudaError_t call(void* temp, std::size_t& bytes, cub::DoubleBuffer<Key>& keys,
                          cub::DoubleBuffer<Value>& values, std::size_t n, std::size_t segments,
                          SegmentNumbers begins, SegmentNumbers ends, cudaStream_t stream) {
    using Sort = cub::DeviceSegmentedRadixSort;
    const auto items = static_cast<int>(n);
    const auto count = static_cast<int>(segments);
    constexpr bool kUp = kOrder == Order::ascending;
    if constexpr (std::is_same_v<Value, NoValue>) {
      if constexpr (kUp) {
        return Sort::SortKeys(temp, bytes, keys, items, count, begins, ends, 0, 8 * sizeof(Key),
                              stream);
      } else {
        return Sort::SortKeysDescending(temp, bytes, keys, items, count, begins, ends, 0,
                                        8 * sizeof(Key), stream);
      }
    } else if constexpr (kUp) {
      return Sort::SortPairs(temp, bytes, keys, values, items, count, begins, ends, 0,
                             8 * sizeof(Key), stream);
    } else {
      return Sort::SortPairsDescending(temp, bytes, keys, values, items, count, begins, ends, 0,
                                       8 * sizeof(Key), stream);
    }
  }
};
SORTLAB_REGISTER(CubSegmentedRadix, SegmentedKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
