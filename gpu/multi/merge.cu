// Sort over several GPUs by merging: each GPU sorts its items, sends each other GPU its share, and merges the
// sorted runs that it gets.
//
//   GPU 0  sort | cut  [share 0][share 1]  -> GPU 0: [from 0][from 1]  -> merge
//   GPU 1  sort | cut  [share 0][share 1]  -> GPU 1: [from 0][from 1]  -> merge
//
// Over gather: all GPUs sort at the same time, each holds no more than its share, and each item crosses a
// link once at most. It costs log2(GPUs) merge passes of two runs each, and no step overlaps another.
// Splitters come from a sample of the sorted runs (splitters.hpp); a binary search in each run finds the cut.
// Stable: runs are merged in the order of the GPUs, and of equal keys the left run's come first.
// Limits: a GPU has room for 5 % more than an even share.
// Bytes per u32 key of a GPU: 8 per merge pass beside the sort, 4 to send, 4 to receive.
// Source: Shi and Schaeffer 1992 (sample sort that merges); Odeh et al. 2012 (Merge Path).
#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/contract/device_parts.hpp"
#include "gpu/multi/exchange_plan.hpp"
#include "gpu/multi/sample.cuh"
#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/thread/merge_path.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab {
namespace {

using gpu::multi::ExchangePlan;
using gpu::multi::Reached;
using gpu::multi::Splitter;

/// Where each share ends in a sorted part: a thread for each splitter.
template <class Bits>
__global__ void find_cuts(const Bits* keys, gpu::KeyMap<Bits> key_map, std::size_t n,
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
template <class Less, class Key, class Value>
__global__ void __launch_bounds__(kMergeThreads)
    merge_pair(Items<Key, Value> from, Items<Key, Value> to, gpu::RunPair<std::size_t> runs) {
  const auto s_out =
      gpu::items_at<Key, Value>(gpu::dynamic_shared(), gpu::skewed_count(kMergeThreads * kOutputs));
  const std::size_t count = runs.end - runs.begin;
  const std::size_t block_first = std::size_t{blockIdx.x} * kMergeThreads * kOutputs;
  const unsigned thread_first = threadIdx.x * kOutputs;
  const std::size_t at = block_first + thread_first;
  if (at < count) {
    gpu::merge_serially<Less>(
        from, runs, at, gpu::count_in_tile(count, at, kOutputs),
        [=](unsigned e, auto item) { s_out.put(gpu::skewed(thread_first + e), item); });
  }
  __syncwarp();
  const unsigned warp_first = gpu::warp_id() * gpu::kWarp * kOutputs;
  for (unsigned e = 0; e < kOutputs; ++e) {
    const unsigned place = warp_first + e * gpu::kWarp + gpu::lane_id();
    if (block_first + place < count) {
      to.put(runs.begin + block_first + place, s_out[gpu::skewed(place)]);
    }
  }
}

/// A part's workspace.
template <class Bits, class Value>
struct MergeMemory {
  Bits* d_splitter_keys;
  std::size_t* d_splitter_places;
  std::size_t* d_cuts;
  std::span<std::byte> d_sort;

  MergeMemory(gpu::Layout& layout, std::size_t n, std::size_t parts)
      : d_splitter_keys(layout.take<Bits>(parts)),
        d_splitter_places(layout.take<std::size_t>(parts)),
        d_cuts(layout.take<std::size_t>(parts)) {
    const std::size_t bytes = gpu::multi::local_sort_bytes<Bits, Value>(n);
    d_sort = {layout.take<std::byte>(bytes), bytes};
  }
};

template <class Bits, class Value>
std::size_t merge_bytes(const PartRequest& request) {
  const auto parts = static_cast<std::size_t>(request.parts);
  gpu::Layout layout;
  MergeMemory<Bits, Value>(layout, request.n(), parts);
  if (request.part == 0) gpu::multi::SampleMemory<Bits>(layout, parts);
  return layout.bytes();
}

/// One sort. Its steps are called in their order.
template <class Job>
class MergeSort {
  using Key = typename Job::Key;
  using Value = typename Job::Value;
  using Bits = BitsOf<Key>;
  using Part = DevicePart<Key, Value>;

 public:
  explicit MergeSort(const Job& job) : job_(job) {
    for (const Part& part : job.parts) {
      const OnDevice here(part.device);
      gpu::Layout layout(part.workspace.data());
      memories_.emplace_back(layout, part.n, count());
      if (memories_.size() == 1) sample_.emplace(layout, count());
    }
  }

  std::vector<PartResult> sort() {
    for (const std::size_t p : parts()) {
      const Part& part = job_.parts[p];
      const OnDevice here(part.device);
      gpu::multi::sort_in_place<typename Job::Less>(part.data, part.alternate, part.n,
                                                    memories_[p].d_sort, part.stream);
    }
    const ExchangePlan plan = planned(choose());
    exchange(plan);
    std::vector<PartResult> results;
    for (const std::size_t p : parts()) {
      results.push_back({.in = merge(plan, p),
                         .n = plan.received(p),
                         .written_bytes = plan.sent(p) * (sizeof(Key) + kValueBytes<Value>)});
    }
    return results;
  }

 private:
  std::size_t count() const { return job_.parts.size(); }
  auto parts() const { return gpu::multi::numbers_below(count()); }

  std::vector<Splitter<Bits>> choose() const {
    std::vector<const Bits*> keys;
    for (const Part& part : job_.parts) keys.push_back(gpu::as_bits(part.data).keys);
    return gpu::multi::choose_splitters(job_, kKeyMap, keys, count(), *sample_);
  }

  /// Cuts the sorted parts. Waits for them.
  ExchangePlan planned(const std::vector<Splitter<Bits>>& splitters) const {
    std::vector<std::size_t> counts, capacities;
    for (const std::size_t p : parts()) {
      const Part& part = job_.parts[p];
      const OnDevice here(part.device);
      std::vector<Bits> keys;
      std::vector<std::size_t> places, ends(splitters.size());
      for (const Splitter<Bits>& splitter : splitters) {
        keys.push_back(splitter.key);
        places.push_back(gpu::multi::first_behind(splitter, p));
      }
      const auto& memory = memories_[p];
      gpu::multi::copy_words(memory.d_splitter_keys, keys.data(), keys.size(), part.stream);
      gpu::multi::copy_words(memory.d_splitter_places, places.data(), places.size(), part.stream);
      gpu::launch("find_cuts", find_cuts<Bits>, {1, static_cast<unsigned>(gpu::multi::kMostShares)},
                  part.stream, gpu::as_bits(part.data).keys, kKeyMap, part.n,
                  memory.d_splitter_keys, memory.d_splitter_places, splitters.size(),
                  memory.d_cuts);
      gpu::multi::copy_words(ends.data(), memory.d_cuts, ends.size(), part.stream);
      check(cudaStreamSynchronize(part.stream), "cudaStreamSynchronize");
      ends.push_back(part.n);
      std::size_t begin = 0;
      for (const std::size_t end : ends) counts.push_back(end - std::exchange(begin, end));
      capacities.push_back(part.capacity);
    }
    ExchangePlan plan({count(), 1}, std::move(counts));
    plan.require_room(capacities);
    return plan;
  }

  /// Sends all runs, and lets each part wait for what it gets and for what it sends.
  void exchange(const ExchangePlan& plan) const {
    for (const std::size_t from : parts()) {
      const Part& part = job_.parts[from];
      const OnDevice here(part.device);
      std::size_t begin = 0;
      for (const std::size_t to : parts()) {
        const Part& target = job_.parts[to];
        const cudaStream_t stream = part.copy_streams[to];
        gpu::multi::copy_items_between(part, part.data.from(begin), target,
                                       target.alternate.from(plan.place(from, to)),
                                       plan.count(from, to), stream);
        const Reached copied(stream);
        copied.hold_back(part.stream);
        copied.hold_back(target.stream);
        begin += plan.count(from, to);
      }
    }
  }

  /// Merges the runs that part p got, two at a time.
  ResultIn merge(const ExchangePlan& plan, std::size_t p) const {
    const Part& part = job_.parts[p];
    const OnDevice here(part.device);
    std::vector<std::size_t> ends;  // of the runs
    for (const std::size_t from : parts())
      ends.push_back(plan.place(from, p) + plan.count(from, p));
    ResultIn in = ResultIn::alternate;
    auto from = part.alternate, to = part.data;
    while (ends.size() > 1) {
      std::vector<std::size_t> merged;
      std::size_t begin = 0;
      for (std::size_t run = 0; run < ends.size(); run += 2) {
        const std::size_t end = ends[std::min(run + 1, ends.size() - 1)];
        const gpu::RunPair<std::size_t> runs{begin, ends[run], end};
        const std::size_t outputs = std::size_t{kMergeThreads} * kOutputs;
        gpu::launch("merge_pair", merge_pair<typename Job::Less, Key, Value>,
                    {ceil_div(end - begin, outputs), kMergeThreads,
                     gpu::bytes_of_items<Key, Value>(gpu::skewed_count(outputs))},
                    part.stream, from, to, runs);
        merged.push_back(end);
        begin = end;
      }
      ends = std::move(merged);
      std::swap(from, to);
      in = in == ResultIn::data ? ResultIn::alternate : ResultIn::data;
    }
    return in;
  }

  static constexpr gpu::KeyMap<Bits> kKeyMap = gpu::key_map_of<Key, Job::kOrder>();

  const Job& job_;
  std::vector<MergeMemory<Bits, Value>> memories_;
  std::optional<gpu::multi::SampleMemory<Bits>> sample_;
};

struct Merge {
  static constexpr Info info{
      .summary = "each GPU sorts, shares are exchanged, sorted runs are merged two at a time",
      .source = "Shi and Schaeffer 1992",
      .after = "gpu/multi/gather",
      .memory = Memory::device,
      .stable = true,
      .capturable = false,
      .parts = Parts::devices};

  static PartNeeds needs(const PartRequest& request) {
    const auto bytes = [&]<class Bits>(Bits) {
      return request.value_bytes == 0 ? merge_bytes<Bits, NoValue>(request)
                                      : merge_bytes<Bits, std::uint32_t>(request);
    };
    return {.capacity = gpu::multi::room_for(request.most_n()),
            .workspace_bytes =
                request.key_bytes == 4 ? bytes(std::uint32_t{}) : bytes(std::uint64_t{})};
  }

  template <class Job>
  static std::vector<PartResult> sort(const Job& job) {
    if (job.parts.size() == 1) return gpu::multi::sort_one_part(job);
    if (job.all_n() == 0) return std::vector<PartResult>(job.parts.size(), {ResultIn::data, 0});
    return MergeSort<Job>(job).sort();
  }
};
SORTLAB_REGISTER_DEVICES(Merge, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
