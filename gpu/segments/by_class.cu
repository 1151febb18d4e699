// Segments in classes by their lengths, which the GPU makes itself: a kernel for each class.
//
// One kernel reads the offsets, lists the segments of each class, and sorts those of up to 4 items (by_class/lists.cuh).
// Then
//
//   up to 256 items    some lanes of a warp sort a segment in registers         by_class/warps.cuh
//         8 K          some threads of a block in shared memory, by ranks       by_class/slots.cuh
//         16 K         a block, by bins and networks; pairs of few keys by digits   by_class/blocks.cuh
//         more         all blocks partition all such segments into pieces       by_class/large.cuh
//
// A key is compared with those of its segment alone, and keys of a short segment move once. Grids have
// the size of the GPU and take the segments that the lists hold, so the host waits for nothing, and kernels without
// segments end at once. Rows of one length need no lists.
//
// Bytes per u32 key: 8 up to 16 K items, 24 and more for large segments. Stable. Extra memory: a byte or less per item,
// and 4 bytes per segment.
// Limits: segments of up to 2^32 - 1 items; GPUs with 206 KB of shared memory for a block.
// Source: our own; Batcher 1968 for the networks.
#include <cstdint>
#include <limits>

#include "common/contract/errors.hpp"
#include "gpu/segments/by_class/lists.cuh"
#include "gpu/segments/sorts.hpp"

namespace sortlab {
namespace gpu::segments {

/// Defined in by_class/launches.cuh.
template <class Bits, class Value>
void sort(const Members<Bits, Value>& members, cudaStream_t stream);

namespace by_class {

std::size_t most_of_block(std::size_t key_bytes, std::size_t value_bytes) {
  return visit_widths(key_bytes, value_bytes, []<class Bits, class Value>(Bits, Value) {
    return std::size_t{kMostOfBlock<Bits, Value>};
  });
}

std::size_t workspace_bytes(std::size_t key_bytes, std::size_t value_bytes, std::size_t n,
                            std::size_t count, std::size_t longest, bool is_rows) {
  return visit_widths(key_bytes, value_bytes, [&]<class Bits, class Value>(Bits, Value) {
    return Lists<Bits, Value>(nullptr, n, count, std::min(longest, n), is_rows).bytes;
  });
}

void sort(const Call& call) {
  if (call.n == 0 || call.cut.count == 0) return;
  visit_widths(
      bytes_of(call.keys.type), call.value_bytes, [&]<class Bits, class Value>(Bits, Value) {
        const std::size_t longest = std::min(call.longest, call.n);
        const bool is_rows = call.cut.is_rows();
        const Items<Bits, Value> data = items_at<Bits, Value>(call.data_keys, call.data_values);
        const Items<Bits, Value> alternate =
            items_at<Bits, Value>(call.alternate_keys, call.alternate_values);
        const Value* const source_values = call.are_numbered ? nullptr
                                           : call.source_values == nullptr
                                               ? data.values
                                               : static_cast<const Value*>(call.source_values);
        const RankMap<Bits> map =
            rank_map_of<Bits>(call.keys, call.nans_last, call.nans_first, call.are_ranks);
        Members<Bits, Value> members{
            .arrays = {call.source == nullptr ? data.keys : static_cast<const Bits*>(call.source),
                       source_values, data, alternate, call.n, map,
                       KeyScale<Bits>::of(call.keys, map), call.wide_places},
            .cut = call.cut,
            .lists = Lists<Bits, Value>(call.d_workspace, call.n, call.cut.count, longest, is_rows),
            .row_class = kNoClass};
        if (is_rows) {
          const unsigned c = class_of<Bits, Value>(longest);
          if (c != kLarge) members.row_class = c;
        }
        sort(members, call.stream);
      });
}

}  // namespace by_class
}  // namespace gpu::segments

namespace {

struct SegmentsByClass {
  using JobKind = Segments;
  static constexpr Info info{.summary = "classes by length: lanes, blocks, the whole GPU",
                             .source = "our own; Batcher 1968",
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true};

  static std::size_t workspace_bytes(const SegmentsRequest& request) {
    return gpu::segments::by_class::workspace_bytes(
        request.array.key_bytes, request.array.value_bytes, request.array.n, request.count,
        request.longest, request.is_rows);
  }
  template <class Job>
  static ResultIn sort(const Job& job) {
    if (job.longest > std::numeric_limits<std::uint32_t>::max()) {
      throw BadInput("gpu/segments/by_class takes segments of fewer than 2^32 items");
    }
    gpu::segments::by_class::sort({.keys = kind_of(job),
                                   .value_bytes = kValueBytes<typename Job::Value>,
                                   .n = job.n,
                                   .cut = job.cut,
                                   .longest = job.longest,
                                   .data_keys = job.data.keys,
                                   .data_values = job.data.values,
                                   .alternate_keys = job.alternate.keys,
                                   .alternate_values = job.alternate.values,
                                   .d_workspace = job.workspace.data(),
                                   .stream = job.stream});
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(SegmentsByClass, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
