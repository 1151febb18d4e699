// Sort over ranks with a GPU each, by merging: each rank sorts its items, sends each other rank its share, and merges
// the sorted runs that it gets.
//
//   rank 0  sort | cut  [share 0][share 1]  -> NCCL -> rank 0: [from 0][from 1]  -> merge
//   rank 1  sort | cut  [share 0][share 1]  -> NCCL -> rank 1: [from 0][from 1]  -> merge
//
// As gpu/multi/merge, but each GPU has a process of its own, so GPUs of several hosts sort together. NCCL carries
// the samples and the items; MPI carries the counts. Every rank sorts the samples of all.
// Stable: runs are merged in the order of the ranks, and of equal keys the left run's come first.
// Limits: a GPU has room for 5 % more than an even share; 256 ranks.
// Bytes per u32 key of a GPU: 8 per merge pass beside the sort, 4 to send, 4 to receive.
// Source: Shi and Schaeffer 1992 (sample sort that merges); Odeh et al. 2012 (Merge Path).
#include "common/contract/parts.hpp"
#include "gpu/parts/merge_runs.cuh"
#include "gpu/ranks/choose_splitters.cuh"
#include "gpu/ranks/exchange.hpp"

namespace sortlab {
namespace {

using gpu::parts::Cut;
using gpu::parts::ExchangePlan;

template <class Job>
PartResult merge_sort(const Job& job, KeyKind kind) {
  using Bits = typename Job::Key;
  const gpu::parts::OwnMergeSort steps{kind};
  const auto key_map = gpu::key_map_of<Bits>(kind);
  const Cut cut{static_cast<std::size_t>(job.parts.parts()), 1};
  const auto own = static_cast<std::size_t>(job.parts.part());
  gpu::Layout layout(job.workspace.data());
  const gpu::parts::CutMemory<Bits> memory(layout, cut.parts);
  const gpu::parts::SampleMemory<Bits> sample(layout, cut.parts);
  const auto d_rest = job.workspace.subspan(layout.bytes());

  steps.sort(job.data, job.alternate, job.n, d_rest, job.stream);
  const Bits* const d_keys = job.data.keys;
  const auto splitters = gpu::ranks::choose_splitters(job, key_map, d_keys, cut.shares(), sample);
  const auto counts =
      gpu::parts::count_sorted(d_keys, key_map, job.n, own, splitters, memory, job.stream);
  const ExchangePlan plan = gpu::ranks::agreed_plan(job, cut, counts);
  const auto run = [&](std::size_t share) {
    std::size_t begin = 0;
    for (std::size_t before = 0; before < share; ++before) begin += counts[before];
    return job.data.from(begin);
  };
  gpu::ranks::round_of(plan, cut, own, 0, gpu::ranks::OwnItems::sent, run, job.alternate)
      .exchange(*job.on_device, job.stream);
  const ResultIn in =
      gpu::parts::merge_runs(job.data, job.alternate, plan.run_ends(own),
                             [&](auto from, auto to, gpu::RunPair<std::size_t> runs) {
                               steps.merge(from, to, runs, d_rest, job.stream);
                             });
  return {in, plan.received(own)};
}

struct Merge {
  using JobKind = RankParts;
  static constexpr Info info{
      .summary = "a GPU per rank: each sorts, NCCL exchanges shares, sorted runs are merged",
      .source = "Shi and Schaeffer 1992",
      .after = "gpu/multi/merge",
      .memory = Memory::device,
      .stable = true,
      .capturable = false};

  static PartNeeds needs(const PartRequest& request) {
    return gpu::parts::own_merge_needs(request, true);
  }

  template <class Job>
  static PartResult sort(const Job& typed) {
    const auto job = gpu::ranks::with_bits(typed);
    const KeyKind kind = kind_of(typed);
    if (job.parts.parts() == 1) return gpu::parts::sort_lone_part(kind, job);
    if (job.all_n == 0) return {ResultIn::data, 0};
    return merge_sort(job, kind);
  }
};
SORTLAB_REGISTER(Merge, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
