// The merge sorts over several GPUs: each GPU sorts its items, sends each other GPU its share, and merges the runs that
// it gets.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/contract/device_parts.hpp"
#include "gpu/multi/choose_splitters.cuh"
#include "gpu/parts/exchange_plan.hpp"
#include "gpu/parts/merge_runs.cuh"

namespace sortlab::gpu::multi {

using namespace parts;  // the steps of one part

/// One sort. Its steps are called in their order. `Steps` sorts a part and merges two runs: OwnMergeSort, or a library.
template <class Job, class Steps>
class MergeSort {
  using Bits = typename Job::Key;
  using Value = typename Job::Value;
  using Part = DevicePart<Bits, Value>;

 public:
  MergeSort(const Job& job, KeyKind kind, const Steps& steps)
      : job_(job), key_map_(key_map_of<Bits>(kind)), steps_(steps) {
    for (const Part& part : job.parts) {
      const OnDevice here(part.device);
      Layout layout(part.workspace.data());
      memories_.emplace_back(layout, count());
      if (memories_.size() == 1) sample_.emplace(layout, count());
      d_rests_.push_back(part.workspace.subspan(layout.bytes()));
    }
  }

  std::vector<PartResult> sort() {
    for (const std::size_t p : parts()) {
      const Part& part = job_.parts[p];
      const OnDevice here(part.device);
      steps_.sort(part.data, part.alternate, part.n, d_rests_[p], part.stream);
    }
    const ExchangePlan plan = planned(choose());
    exchange(plan);
    std::vector<PartResult> results;
    for (const std::size_t p : parts()) {
      results.push_back({.in = merge(plan, p),
                         .n = plan.received(p),
                         .written_bytes = plan.sent(p) * (sizeof(Bits) + kValueBytes<Value>)});
    }
    return results;
  }

 private:
  std::size_t count() const { return job_.parts.size(); }
  auto parts() const { return numbers_below(count()); }

  std::vector<Splitter<Bits>> choose() const {
    std::vector<const Bits*> keys;
    for (const Part& part : job_.parts) keys.push_back(part.data.keys);
    return choose_splitters(job_, key_map_, keys, count(), *sample_);
  }

  /// Cuts the sorted parts. Waits for them.
  ExchangePlan planned(const std::vector<Splitter<Bits>>& splitters) const {
    std::vector<std::size_t> counts, capacities;
    for (const std::size_t p : parts()) {
      const Part& part = job_.parts[p];
      const OnDevice here(part.device);
      const auto own =
          count_sorted(part.data.keys, key_map_, part.n, p, splitters, memories_[p], part.stream);
      counts.insert(counts.end(), own.begin(), own.end());
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
        copy_items_between(part, part.data.from(begin), target,
                           target.alternate.from(plan.place(from, to)), plan.count(from, to),
                           stream);
        const Reached copied(stream);
        copied.hold_back(part.stream);
        copied.hold_back(target.stream);
        begin += plan.count(from, to);
      }
    }
  }

  /// Merges the runs that part p got.
  ResultIn merge(const ExchangePlan& plan, std::size_t p) const {
    const Part& part = job_.parts[p];
    const OnDevice here(part.device);
    return merge_runs(part.data, part.alternate, plan.run_ends(p),
                      [&](auto from, auto to, RunPair<std::size_t> runs) {
                        steps_.merge(from, to, runs, d_rests_[p], part.stream);
                      });
  }

  const Job& job_;
  KeyMap<Bits> key_map_;
  const Steps& steps_;
  std::vector<CutMemory<Bits>> memories_;
  std::vector<std::span<std::byte>> d_rests_;  // for the sort and the merges of each part
  std::optional<SampleMemory<Bits>> sample_;
};

template <class Steps, class TypedJob>
std::vector<PartResult> merge_sort(const TypedJob& typed, const Steps& steps) {
  const auto job = with_bits(typed);
  if (job.parts.size() == 1) {
    const auto& part = job.parts.front();
    const OnDevice here(part.device);
    steps.sort(part.data, part.alternate, part.n, part.workspace, part.stream);
    return {{ResultIn::data, part.n}};
  }
  if (job.all_n() == 0) return std::vector<PartResult>(job.parts.size(), {ResultIn::data, 0});
  return MergeSort(job, kind_of(typed), steps).sort();
}

}  // namespace sortlab::gpu::multi
