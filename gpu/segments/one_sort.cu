// One stable sort of all items by (segment, key): the obvious way to sort segments with a sort that knows none.
//
// The textbook's rung. An item's word is the place where its segment begins, and its key. An item of no segment has its
// own place there. So once all words are sorted, each item is where it belongs:
//
//     items       7 3 5 | x | 4 1             x belongs to no segment
//     words       0.7  0.3  0.5   3.0   4.4  4.1
//     sorted      0.3  0.5  0.7   3.0   4.1  4.4
//
// A key is compared with those of all segments, so short segments cost as much as long ones, and each item moves twice
// as many bytes. Bytes per u32 key: 36 around gpu/radix/onesweep of u64 keys.
// Keys of 4 bytes, fewer than 2^32 items. Stable. Extra memory: 16 bytes per item.
// Source: our own.
#include <algorithm>
#include <cstdint>
#include <limits>

#include "common/contract/errors.hpp"
#include "common/contract/segments.hpp"
#include "common/utils.hpp"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/primitives/warp/lanes.cuh"
#include "gpu/radix/sorts.hpp"

namespace sortlab {
namespace gpu::segments::one_sort {
namespace {

using Bits = std::uint32_t;
using Word = std::uint64_t;
constexpr unsigned kThreads = 256;
constexpr std::size_t kLong = std::size_t{1} << 14;  // items for which a warp would take long

/// Segments of more than kLong items.
struct LongOnes {
  unsigned* d_count;
  std::uint32_t* d_numbers;
  std::size_t most;
};

struct Memory {
  Word* d_words;
  Word* d_other_words;
  LongOnes long_ones;
  std::byte* d_sort;
  std::size_t bytes;

  Memory(std::byte* d_workspace, std::size_t n, std::size_t value_bytes) {
    Layout layout(d_workspace);
    d_words = layout.take<Word>(n);
    d_other_words = layout.take<Word>(n);
    long_ones.d_count = layout.take<unsigned>(1);
    long_ones.most = n / kLong;
    long_ones.d_numbers = layout.take<std::uint32_t>(long_ones.most);
    d_sort = layout.take<std::byte>(radix::onesweep::workspace_bytes(sizeof(Word), value_bytes, n));
    bytes = layout.bytes();
  }
};

__device__ __forceinline__ std::size_t global_thread() {
  return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ std::size_t global_threads() {
  return std::size_t{gridDim.x} * blockDim.x;
}

/// Words as if no item were of a segment.
__global__ void number_words(Word* words, std::size_t n, KeyMap<Bits> map, const Bits* keys) {
  for (std::size_t i = global_thread(); i < n; i += global_threads()) {
    words[i] = Word{i} << 32 | map.ordered(keys[i]);
  }
}

/// The words of a segment, by some threads of many.
__device__ __forceinline__ void take_into_segment(Word* words, const Cut& cut, std::size_t s,
                                                  std::size_t thread, std::size_t threads) {
  const std::size_t begin = cut.begin(s);
  const std::size_t end = cut.end(s);
  for (std::size_t i = begin + thread; i < end; i += threads) {
    words[i] = Word{begin} << 32 | static_cast<Bits>(words[i]);
  }
}
/// A warp for each segment.
__global__ void take_into_segments(Word* words, Cut cut, LongOnes long_ones) {
  for (std::size_t s = global_thread() / kWarp; s < cut.count; s += global_threads() / kWarp) {
    if (cut.end(s) - cut.begin(s) <= kLong) {
      take_into_segment(words, cut, s, lane_id(), kWarp);
    } else if (lane_id() == 0) {
      long_ones.d_numbers[atomicAdd(long_ones.d_count, 1u)] = static_cast<std::uint32_t>(s);
    }
  }
}
/// All threads for each of the long ones.
__global__ void take_into_long_ones(Word* words, Cut cut, LongOnes long_ones) {
  for (unsigned i = 0; i < *long_ones.d_count; ++i) {
    take_into_segment(words, cut, long_ones.d_numbers[i], global_thread(), global_threads());
  }
}

__global__ void keys_of_words(const Word* words, std::size_t n, KeyMap<Bits> map, Bits* keys) {
  for (std::size_t i = global_thread(); i < n; i += global_threads()) {
    keys[i] = map.key(static_cast<Bits>(words[i]));
  }
}

void sort(const ErasedSegmentsJob& job) {
  const std::size_t n = job.array.n;
  const std::size_t value_bytes = job.array.instance->value_bytes;
  if (n > std::numeric_limits<std::uint32_t>::max()) {
    throw BadInput("gpu/segments/one_sort takes fewer than 2^32 items");
  }
  if (n == 0) return;
  const cudaStream_t stream = job.array.stream;
  const Memory memory(job.array.workspace.data(), n, value_bytes);
  const auto map =
      key_map_of<Bits>(KeyKind{job.array.instance->key_type, job.array.instance->order});
  auto* const d_keys = static_cast<Bits*>(job.array.keys);
  const std::size_t resident = 8 * device_attribute(cudaDevAttrMultiProcessorCount);
  const Grid all{std::min(ceil_div(n, std::size_t{kThreads}), resident), kThreads};
  launch("number_words", number_words, all, stream, memory.d_words, n, map, d_keys);
  clear(memory.long_ones.d_count, sizeof(unsigned), stream);
  launch("take_into_segments", take_into_segments, all, stream, memory.d_words, job.cut,
         memory.long_ones);
  launch("take_into_long_ones", take_into_long_ones, all, stream, memory.d_words, job.cut,
         memory.long_ones);
  const radix::ErasedItems words{memory.d_words, job.array.values};
  radix::onesweep::sort({.keys = {KeyType::u64, Order::ascending},
                         .value_bytes = value_bytes,
                         .n = n,
                         .source = words,
                         .data = words,
                         .alternate = {memory.d_other_words, job.array.alternate_values},
                         .d_workspace = memory.d_sort,
                         .stream = stream});
  launch("keys_of_words", keys_of_words, all, stream, memory.d_words, n, map, d_keys);
}

}  // namespace
}  // namespace gpu::segments::one_sort

namespace {

struct SegmentsOneSort {
  using JobKind = Segments;
  static constexpr Info info{.summary = "one sort of all items by (segment, key)",
                             .source = "our own",
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true};

  static std::size_t workspace_bytes(const SegmentsRequest& request) {
    return gpu::segments::one_sort::Memory(nullptr, request.array.n, request.array.value_bytes)
        .bytes;
  }
  static ResultIn sort_erased(const ErasedSegmentsJob& job) {
    gpu::segments::one_sort::sort(job);
    return ResultIn::data;
  }
};
using FourByteKeys = TypeList<std::uint32_t, std::int32_t, float>;
SORTLAB_REGISTER(SegmentsOneSort, FourByteKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
