// gpu/multi/merge with the sorts and merges of CUB: the baseline of the sorts over several GPUs.
//
//   GPU 0  DeviceRadixSort | cut  [share 0][share 1]  -> GPU 0: [from 0][from 1]  -> DeviceMerge
//   GPU 1  DeviceRadixSort | cut  [share 0][share 1]  -> GPU 1: [from 0][from 1]  -> DeviceMerge
//
// So do libraries whose arrays lie on several GPUs, cuPyNumeric's sort among them. The splitters are those of the
// suite, in the baseline's favour: regular samples may send a GPU twice an even share.
// Stable: runs are merged in the order of the GPUs, and of equal keys the left run's come first.
// Limits: as gpu/multi/merge. CUB treats -0 and +0 as one key, so floats with -0 may end in another order than
// totalOrder.
// Bytes per u32 key of a GPU: 36 to sort, 8 per merge pass, 4 to send, 4 to receive.
// Source: cuPyNumeric's sort.cu (NVIDIA) for the shape; the CUB library.
#include <cub/device/device_merge.cuh>
#include <cub/version.cuh>

#include <algorithm>
#include <span>
#include <vector>

#include "gpu/baselines/radix_calls.hpp"
#include "gpu/multi/merge_sort.cuh"
#include "gpu/primitives/library_version.cuh"

namespace sortlab {
namespace {

/// One call of CUB. Without `temp` it only writes the bytes that it needs to `temp_bytes`.
template <class Less, class Key, class Value>
void cub_merge(void* temp, std::size_t& temp_bytes, Items<Key, Value> from, Items<Key, Value> to,
               gpu::RunPair<std::size_t> runs, cudaStream_t stream) {
  const auto count = [](std::size_t begin, std::size_t end) {
    return static_cast<std::int64_t>(end - begin);
  };
  const std::int64_t left = count(runs.begin, runs.middle), right = count(runs.middle, runs.end);
  const auto a = from.from(runs.begin), b = from.from(runs.middle), out = to.from(runs.begin);
  cudaError_t status{};
  if constexpr (Items<Key, Value>::kPairs) {
    status = cub::DeviceMerge::MergePairs(temp, temp_bytes, a.keys, a.values, left, b.keys,
                                          b.values, right, out.keys, out.values, Less{}, stream);
  } else {
    status = cub::DeviceMerge::MergeKeys(temp, temp_bytes, a.keys, left, b.keys, right, out.keys,
                                         Less{}, stream);
  }
  check(status, "cub::DeviceMerge");
}

template <class Key, Order kOrder>
struct CubSteps {
  template <class Bits, class Value>
  static Items<Key, Value> typed(Items<Bits, Value> items) {
    return {reinterpret_cast<Key*>(items.keys), items.values};
  }

  template <class Bits, class Value>
  static void sort(Items<Bits, Value> data, Items<Bits, Value> alternate, std::size_t n,
                   std::span<std::byte> workspace, cudaStream_t stream) {
    std::size_t temp_bytes = workspace.size();
    const ResultIn result = gpu::baselines::RadixCalls<Key, Value, kOrder>::cub(
        workspace.data(), temp_bytes, typed(data), typed(alternate), n, stream);
    if (result == ResultIn::data) return;
    gpu::parts::copy_items(data, alternate, n, stream);
  }

  template <class Bits, class Value>
  static void merge(Items<Bits, Value> from, Items<Bits, Value> to, gpu::RunPair<std::size_t> runs,
                    std::span<std::byte> workspace, cudaStream_t stream) {
    if (runs.begin == runs.end) return;
    std::size_t temp_bytes = workspace.size();
    cub_merge<KeyLess<Key, kOrder>>(workspace.data(), temp_bytes, typed(from), typed(to), runs,
                                    stream);
  }
};

/// What CUB needs to sort n items, and to merge those that a GPU may get.
template <class Key, class Value>
std::size_t cub_bytes(std::size_t n) {
  using Less = KeyLess<Key, Order::ascending>;
  std::size_t to_merge = 0;
  const std::size_t most = gpu::parts::room_for(n + 1);
  cub_merge<Less>(nullptr, to_merge, Items<Key, Value>{}, Items<Key, Value>{}, {0, most / 2, most},
                  nullptr);
  return std::max(gpu::baselines::cub_radix_bytes<Key, Value>(n), to_merge);
}

/// The larger needs of integers and floats of one size, because CUB tunes them separately.
template <class Integer, class Float, class Value>
PartNeeds needs_of_width(const PartRequest& request) {
  const std::size_t n = request.n();
  const std::size_t bytes = std::max(cub_bytes<Integer, Value>(n), cub_bytes<Float, Value>(n));
  return gpu::parts::merge_needs<Integer>(request, bytes, request.part == 0);
}

struct MergeCub {
  using JobKind = DeviceParts;
  static constexpr Info info{
      .summary = "baseline: CUB sorts each GPU's items and merges the runs that it gets",
      .source = "CUB",
      .after = "gpu/multi/gather",
      .memory = Memory::device,
      .stable = true,
      .total_order = false,
      .capturable = false,
      .lib_version = gpu::LibraryVersion<CUB_VERSION>::text};

  static PartNeeds needs(const PartRequest& request) {
    const auto needs = [&]<class Bits, class Value>(Bits, Value) {
      using Float = std::conditional_t<sizeof(Bits) == 4, float, double>;
      return needs_of_width<Bits, Float, Value>(request);
    };
    return visit_widths(request.key_bytes, request.value_bytes, needs);
  }

  template <class Job>
  static std::vector<PartResult> sort(const Job& job) {
    return gpu::multi::merge_sort(job, CubSteps<typename Job::Key, Job::kOrder>{});
  }
};
SORTLAB_REGISTER(MergeCub, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
