// Sorted parts: where each share ends in one, and the merge of the runs that a part gets, two at a time.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "common/contract/parts.hpp"
#include "gpu/parts/exchange_plan.hpp"
#include "gpu/parts/local_sort.cuh"
#include "gpu/parts/sample.cuh"
#include "gpu/parts/splitters.hpp"
#include "gpu/parts/streams.cuh"
#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/primitives/mapped_items.hpp"
#include "gpu/primitives/thread/merge_path.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::parts {

/// Where each share ends in a sorted part: a thread for each splitter.
template <class Bits>
__global__ void find_cuts(const Bits* keys, KeyMap<Bits> key_map, std::size_t n,
                          const Bits* splitter_keys, const std::size_t* places, unsigned splitters,
                          std::size_t* cuts) {
  const unsigned s = threadIdx.x;
  if (s >= splitters) return;
  // Keys below the splitter's, or equal ones before its place.
  std::size_t low = 0, high = n;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const Bits key = key_map.ordered(keys[middle]);
    const bool is_before =
        key < splitter_keys[s] || (key == splitter_keys[s] && middle < places[s]);
    if (is_before) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  cuts[s] = low;
}

constexpr unsigned kMergeThreads = 256;
constexpr unsigned kOutputs = 8;  // a thread

/// Merges a pair of neighbouring runs. As gpu/merge/coarsened: each thread searches its place, then merges
/// kOutputs items; a warp writes them in whole lines.
template <class Key, class Value>
__global__ void __launch_bounds__(kMergeThreads)
    merge_pair(MappedItems<Key, Value> from, MappedItems<Key, Value> to,
               RunPair<std::size_t> runs) {
  using Less = KeyLess<Key, Order::ascending>;
  const auto s_out = items_at<Key, Value>(dynamic_shared(), skewed_count(kMergeThreads * kOutputs));
  const std::size_t count = runs.end - runs.begin;
  const std::size_t block_first = std::size_t{blockIdx.x} * kMergeThreads * kOutputs;
  const unsigned thread_first = threadIdx.x * kOutputs;
  const std::size_t at = block_first + thread_first;
  if (at < count) {
    merge_serially<Less>(from, runs, at, count_in_tile(count, at, kOutputs),
                         [=](unsigned e, auto item) { s_out.put(skewed(thread_first + e), item); });
  }
  __syncwarp();
  const unsigned warp_first = warp_id() * kWarp * kOutputs;
  for (unsigned e = 0; e < kOutputs; ++e) {
    const unsigned place = warp_first + e * kWarp + lane_id();
    if (block_first + place < count) {
      to.put(runs.begin + block_first + place, s_out[skewed(place)]);
    }
  }
}

/// A part's workspace, but for that of its sort and merges, which is the rest.
template <class Bits>
struct CutMemory {
  Bits* d_splitter_keys;
  std::size_t* d_splitter_places;
  std::size_t* d_cuts;

  CutMemory(Layout& layout, std::size_t parts)
      : d_splitter_keys(layout.take<Bits>(parts)),
        d_splitter_places(layout.take<std::size_t>(parts)),
        d_cuts(layout.take<std::size_t>(parts)) {}
};

/// Of a part whose sort and merges take sort_bytes, and that may be one that sorts the samples of all parts.
template <class Bits>
PartNeeds merge_needs(const PartRequest& request, std::size_t sort_bytes, bool sorts_samples) {
  const std::size_t parts = count_of_parts(request.parts);
  Layout layout;
  CutMemory<Bits>(layout, parts);
  if (sorts_samples) SampleMemory<Bits>(layout, parts);
  return {.capacity = room_for(request.most_n()), .workspace_bytes = layout.bytes() + sort_bytes};
}

/// How many of a part's n sorted items are in each share. Waits for the stream.
template <class Bits>
std::vector<std::size_t> count_sorted(const Bits* d_keys, KeyMap<Bits> key_map, std::size_t n,
                                      std::size_t part,
                                      const std::vector<Splitter<Bits>>& splitters,
                                      const CutMemory<Bits>& memory, cudaStream_t stream) {
  std::vector<Bits> keys;
  std::vector<std::size_t> places, counts(splitters.size());
  for (const Splitter<Bits>& splitter : splitters) {
    keys.push_back(splitter.key);
    places.push_back(first_behind(splitter, part));
  }
  copy_words(memory.d_splitter_keys, keys.data(), keys.size(), stream);
  copy_words(memory.d_splitter_places, places.data(), places.size(), stream);
  launch("find_cuts", find_cuts<Bits>, {1, static_cast<unsigned>(kMostShares)}, stream, d_keys,
         key_map, n, memory.d_splitter_keys, memory.d_splitter_places, splitters.size(),
         memory.d_cuts);
  copy_words(counts.data(), memory.d_cuts, counts.size(), stream);
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  counts.push_back(n);
  std::size_t begin = 0;
  for (std::size_t& count : counts) count -= std::exchange(begin, count);
  return counts;
}

/// Merges the sorted runs that end at `ends` in a part's alternate buffer, two at a time: merge(from, to, pair)
/// merges a pair of neighbours.
template <class Key, class Value, class Merge>
ResultIn merge_runs(Items<Key, Value> data, Items<Key, Value> alternate,
                    std::vector<std::size_t> ends, Merge merge) {
  ResultIn in = ResultIn::alternate;
  auto from = alternate, to = data;
  while (ends.size() > 1) {
    std::vector<std::size_t> merged;
    std::size_t begin = 0;
    for (std::size_t run = 0; run < ends.size(); run += 2) {
      const std::size_t end = ends[std::min(run + 1, ends.size() - 1)];
      merge(from, to, RunPair<std::size_t>{begin, ends[run], end});
      merged.push_back(end);
      begin = end;
    }
    ends = std::move(merged);
    std::swap(from, to);
    in = in == ResultIn::data ? ResultIn::alternate : ResultIn::data;
  }
  return in;
}

/// The sort and the merge of gpu/multi/merge and gpu/ranks/merge.
struct OwnMergeSort {
  KeyKind kind;

  template <class Bits, class Value>
  void sort(Items<Bits, Value> data, Items<Bits, Value> alternate, std::size_t n,
            std::span<std::byte> workspace, cudaStream_t stream) const {
    sort_in_place(kind, data, alternate, n, workspace, stream);
  }

  template <class Bits, class Value>
  void merge(Items<Bits, Value> from, Items<Bits, Value> to, RunPair<std::size_t> runs,
             std::span<std::byte>, cudaStream_t stream) const {
    const auto map = key_map_of<Bits>(kind);
    const std::size_t outputs = std::size_t{kMergeThreads} * kOutputs;
    launch("merge_pair", merge_pair<Bits, Value>,
           {ceil_div(runs.end - runs.begin, outputs), kMergeThreads,
            bytes_of_items<Bits, Value>(skewed_count(outputs))},
           stream, mapped(from, map), mapped(to, map), runs);
  }
};

/// What a part needs for them.
inline PartNeeds own_merge_needs(const PartRequest& request, bool sorts_samples) {
  const auto needs = [&]<class Bits, class Value>(Bits, Value) {
    return merge_needs<Bits>(request, local_sort_bytes<Bits, Value>(request.n()), sorts_samples);
  };
  return visit_widths(request.key_bytes, request.value_bytes, needs);
}

}  // namespace sortlab::gpu::parts
