// What a part of a partition sort needs: how its items are cut, and its workspace.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "common/contract/parts.hpp"
#include "gpu/parts/deal_kernels.cuh"
#include "gpu/parts/exchange_plan.hpp"
#include "gpu/parts/local_sort.cuh"
#include "gpu/parts/sample.cuh"

namespace sortlab::gpu::parts {

constexpr ParamSpec kPieces = {"pieces", 0, 0, 64,
                               "shares of each GPU, sorted one after the other; 0: by their size"};
/// The largest pieces: gpu/auto is the fastest there.
/// measured: u32 keys per ns at 2^27 and 2^30: 89 and 83; u64: 46 and 35; results/h200/radix.summary.csv
constexpr std::size_t kMostOfPiece = std::size_t{1} << 27;

/// Pairs of 4 + 4 bytes: buckets of two digits then fit the smaller leaves of gpu/radix/top_sweep.
constexpr std::size_t kMostOfPairsPiece = kMostOfPiece / 2;

/// How the items are cut where an even share has most_n.
inline Cut cut_for(std::size_t parts, std::size_t most_n, bool are_pairs, const Params& params) {
  // Below this size sorts become slow, and the exchange of the first piece, which nothing overlaps, is short.
  constexpr std::size_t kLeastOfPiece = std::size_t{1} << 24, kEnough = 4;
  auto pieces = static_cast<std::size_t>(params["pieces"]);
  if (pieces == 0) {
    pieces = std::max(ceil_div(most_n, are_pairs ? kMostOfPairsPiece : kMostOfPiece),
                      std::min(kEnough, most_n / kLeastOfPiece));
  }
  return {parts, std::clamp<std::size_t>(pieces, 1, kMostShares / parts)};
}

/// A part's workspace.
template <class Bits, class Value>
struct PartitionMemory {
  DealMemory<Bits, Value> deal;
  Items<Bits, Value> d_staged;                // what goes to other parts
  std::vector<std::span<std::byte>> d_sorts;  // one for each piece that is sorted at the same time

  PartitionMemory(Layout& layout, std::size_t n, std::size_t capacity, Cut cut, std::size_t at_once)
      : deal(layout, cut.shares(), deal_blocks<Bits>(n)) {
    d_staged.keys = layout.take<Bits>(n);
    if constexpr (Items<Bits, Value>::kPairs) d_staged.values = layout.take<Value>(n);
    const std::size_t bytes = std::max(local_sort_bytes<Bits, Value>(capacity),
                                       stretched_sort_bytes<Bits, Value>(capacity));
    for (std::size_t i = 0; i < at_once; ++i) {
      d_sorts.emplace_back(layout.take<std::byte>(bytes), bytes);
    }
  }
};

template <class Bits, class Value>
std::size_t partition_bytes(const PartRequest& request, Cut cut, std::size_t at_once,
                            bool sorts_samples) {
  Layout layout;
  PartitionMemory<Bits, Value>(layout, request.n(), room_for(request.most_n()), cut, at_once);
  if (sorts_samples) SampleMemory<Bits>(layout, cut.parts);
  return layout.bytes();
}

/// Of a part that sorts so many pieces at the same time, and may be one that sorts the samples of all parts.
inline PartNeeds partition_needs(const PartRequest& request, std::size_t at_once,
                                 bool sorts_samples) {
  const Cut cut = cut_for(count_of_parts(request.parts), request.most_n(), request.value_bytes > 0,
                          request.params);
  const auto bytes = [&]<class Bits, class Value>(Bits, Value) {
    return partition_bytes<Bits, Value>(request, cut, at_once, sorts_samples);
  };
  return {.capacity = room_for(request.most_n()),
          .workspace_bytes = visit_widths(request.key_bytes, request.value_bytes, bytes)};
}

}  // namespace sortlab::gpu::parts
