// cub::DeviceSegmentedSort: NVIDIA's sort of segments, in three groups by their length.
//
// Short segments are merged by lanes of a warp, longer ones sorted by a block each, by radix passes in shared memory or,
// for the longest ones, in global memory: a giant keeps one SM. The host waits for the sizes of the groups, so it can't
// be captured.
// Limits: CUB treats -0 and +0 as one key.
// Source: the CUB library.
#include <cub/device/device_segmented_sort.cuh>

#include "gpu/baselines/segmented_calls.cuh"

namespace sortlab {
namespace {
using namespace gpu::baselines;

struct CubSegmentedSort : SegmentedByCub<CubSegmentedSort> {
  static constexpr Info info{.summary = "cub::DeviceSegmentedSort, stable, DoubleBuffer",
                             .source = "CUB",
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true,
                             .total_order = false,
                             .capturable = false,
                             .lib_version = gpu::LibraryVersion<CUB_VERSION>::text};

  template <Order kOrder, class Key, class Value>
  static cudaError_t call(void* temp, std::size_t& bytes, cub::DoubleBuffer<Key>& keys,
                          cub::DoubleBuffer<Value>& values, std::size_t n, std::size_t segments,
                          SegmentNumbers begins, SegmentNumbers ends, cudaStream_t stream) {
    using Sort = cub::DeviceSegmentedSort;
    const auto items = static_cast<std::int64_t>(n);
    const auto count = static_cast<std::int64_t>(segments);
    constexpr bool kUp = kOrder == Order::ascending;
    if constexpr (std::is_same_v<Value, NoValue>) {
      if constexpr (kUp) {
        return Sort::StableSortKeys(temp, bytes, keys, items, count, begins, ends, stream);
      } else {
        return Sort::StableSortKeysDescending(temp, bytes, keys, items, count, begins, ends,
                                              stream);
      }
    } else if constexpr (kUp) {
      return Sort::StableSortPairs(temp, bytes, keys, values, items, count, begins, ends, stream);
    } else {
      return Sort::StableSortPairsDescending(temp, bytes, keys, values, items, count, begins, ends,
                                             stream);
    }
  }
};
SORTLAB_REGISTER(CubSegmentedSort, SegmentedKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
