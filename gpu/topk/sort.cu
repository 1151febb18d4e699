// Sort and cut: all rows are sorted in one call (gpu/segments/by_class), with the places of their keys, and the first k of
// each are the result.
//
// The first rung, and what a program does that has a sort of rows alone. Its time does not depend on k.
//
// Any k, stable. Extra memory: two copies of the keys, two places for each, and what the sort takes.
// Source: textbook.
#include "common/contract/errors.hpp"
#include "common/utils.hpp"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/segments/sorts.hpp"
#include "gpu/topk/calls.hpp"

namespace sortlab {
namespace gpu::topk::sort {
namespace {

using Place = std::uint32_t;

struct Memory {
  std::byte *d_keys, *d_other_keys;
  Place *d_places, *d_other_places;
  std::byte* d_sort;
  std::size_t bytes;

  Memory(std::byte* d_workspace, std::size_t key_bytes, const Rows& rows) {
    Layout layout(d_workspace);
    const std::size_t n = span_of(rows);
    d_keys = layout.take<std::byte>(n * key_bytes);
    d_other_keys = layout.take<std::byte>(n * key_bytes);
    d_places = layout.take<Place>(n);
    d_other_places = layout.take<Place>(n);
    d_sort = layout.take<std::byte>(segments::by_class::workspace_bytes(
        key_bytes, sizeof(Place), n, rows.count, rows.length, true));
    bytes = layout.bytes();
  }
  /// From the first row's place to the last one's end.
  static std::size_t span_of(const Rows& rows) {
    return rows.count == 0 ? 0 : (rows.count - 1) * rows.stride + rows.length;
  }
};

/// The sorted rows, and where their first items go.
template <class Bits>
struct CutRows {
  const Bits* sorted;
  const Place* places;
  Rows rows;
  const std::uint32_t* ks;
  std::size_t room;
  Bits* best;
  Place* to_places;
  std::uint64_t* wide_places;
};

template <class Bits>
__global__ void cut_rows(CutRows<Bits> cut) {
  const std::size_t all = cut.rows.count * cut.room;
  for (std::size_t at = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; at < all;
       at += std::size_t{gridDim.x} * blockDim.x) {
    const std::size_t row = at / cut.room, i = at - row * cut.room;
    if (cut.ks != nullptr && i >= cut.ks[row]) continue;
    const std::size_t from = row * cut.rows.stride + i;
    const Place place = cut.places[from];
    if (cut.best != nullptr) cut.best[at] = cut.sorted[from];
    if (cut.to_places != nullptr) cut.to_places[at] = place;
    if (cut.wide_places != nullptr) cut.wide_places[at] = place;
  }
}

}  // namespace

std::size_t workspace_bytes(std::size_t key_bytes, const Rows& rows) {
  return Memory(nullptr, key_bytes, rows).bytes;
}

void find(const Call& call) {
  if (call.rows.count == 0 || call.room() == 0) return;
  const std::size_t key_bytes = bytes_of(call.keys.type);
  const Memory memory(call.d_workspace, key_bytes, call.rows);
  segments::by_class::sort(
      {.keys = call.keys,
       .value_bytes = sizeof(Place),
       .n = Memory::span_of(call.rows),
       .cut = {.count = call.rows.count, .stride = call.rows.stride, .length = call.rows.length},
       .longest = call.rows.length,
       .source = call.d_keys,
       .data_keys = memory.d_keys,
       .data_values = memory.d_places,
       .alternate_keys = memory.d_other_keys,
       .alternate_values = memory.d_other_places,
       .are_numbered = true,
       .nans_last = call.nans_last,
       .nans_first = call.nans_first,
       .are_ranks = call.are_ranks,
       .d_workspace = memory.d_sort,
       .stream = call.stream});
  const auto cut = [&]<class Bits>(Bits) {
    const CutRows<Bits> rows{.sorted = reinterpret_cast<const Bits*>(memory.d_keys),
                             .places = memory.d_places,
                             .rows = call.rows,
                             .ks = call.top.ks,
                             .room = call.room(),
                             .best = static_cast<Bits*>(call.d_best),
                             .to_places = call.d_places,
                             .wide_places = call.d_wide_places};
    constexpr unsigned kThreads = 256;
    const std::size_t most = 8 * device_attribute(cudaDevAttrMultiProcessorCount);
    launch(
        "cut_rows", cut_rows<Bits>,
        {std::min(ceil_div(call.rows.count * call.room(), std::size_t{kThreads}), most), kThreads},
        call.stream, rows);
  };
  key_bytes == 4 ? cut(std::uint32_t{}) : cut(std::uint64_t{});
}

}  // namespace gpu::topk::sort

namespace {

struct TopKSort {
  using JobKind = TopK;
  static constexpr Info info{.summary = "all rows sorted in one call, then the first k of each",
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true};

  static std::size_t workspace_bytes(const TopKRequest& request) {
    return gpu::topk::sort::workspace_bytes(request.array.key_bytes, request.rows);
  }
  template <class Job>
  static ResultIn sort(const Job& job) {
    if (job.n > std::numeric_limits<std::uint32_t>::max()) {
      throw BadInput("gpu/topk/sort takes fewer than 2^32 keys");
    }
    gpu::topk::sort::find(gpu::topk::call_of(job));
    return ResultIn::alternate;
  }
};
SORTLAB_REGISTER(TopKSort, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
