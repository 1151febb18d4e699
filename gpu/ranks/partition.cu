// Sort over ranks with a GPU each, by one partition: items go to the rank that gets their share before anything is
// sorted, so that each of them is sorted once.
//
//   rank 0  keys ->  deal  [own, piece 0..][for rank 1, piece 0..]  -> NCCL -> rank 1, piece by piece
//   rank 1  keys ->  deal  [for rank 0, ..][own, ..]                -> NCCL -> rank 0
//           sort of piece 0 | sort of piece 1 | ...     while the later pieces are on their way
//
// Over merge: no merge passes at the end, and the exchange of all pieces but the first is hidden behind the sorts.
// The passes are those of gpu/multi/partition: one counts each rank's shares, one deals them, both in gpu/parts.
// NCCL's kernels take a few SMs from the sorts beside them, where gpu/multi has the copy engines.
// Stable: shares are dealt in order, runs arrive in the order of the ranks, and the sort is stable.
// Limits: a GPU has room for 5 % more than an even share, and a workspace for all items of its own; 256 ranks.
// Bytes per u32 key of a GPU: 12 beside the sort (4 to count, 8 to deal), 4 to send, 4 to receive.
// Source: our own; the steps are those of sample sort: Blelloch et al. 1991.
#include <vector>

#include "common/contract/parts.hpp"
#include "gpu/parts/partition.cuh"
#include "gpu/ranks/choose_splitters.cuh"
#include "gpu/ranks/exchange.hpp"

namespace sortlab {
namespace {

using gpu::parts::Cut;
using gpu::parts::ExchangePlan;
using gpu::parts::Reached;

constexpr ParamSpec kParams[] = {gpu::parts::kPieces};

/// One sort on one rank. Its steps are called in their order.
template <class Job>
class PartitionSort {
  using Bits = typename Job::Key;
  using Value = typename Job::Value;

 public:
  PartitionSort(const Job& job, KeyKind kind, Cut cut)
      : job_(job),
        kind_(kind),
        key_map_(gpu::key_map_of<Bits>(kind)),
        cut_(cut),
        own_(static_cast<std::size_t>(job.parts.part())),
        layout_(job.workspace.data()),
        memory_(layout_, job.n, job.capacity, cut, 1),
        sample_(layout_, cut.parts) {}

  PartResult sort() {
    const ExchangePlan plan = planned();
    deal(plan);
    exchange(plan);
    sort_pieces(plan);
    return {ResultIn::alternate, plan.received(own_)};
  }

 private:
  Items<Bits, Value> data() const { return job_.data; }
  Items<Bits, Value> received() const { return job_.alternate; }

  /// Counts the shares. Waits for the counts of all ranks.
  ExchangePlan planned() const {
    const auto splitters =
        gpu::ranks::choose_splitters(job_, key_map_, data().keys, cut_.shares(), sample_);
    gpu::parts::launch_count(data().keys, key_map_, job_.n, own_, splitters, memory_.deal,
                             job_.stream);
    std::vector<std::size_t> counts(cut_.shares());
    gpu::parts::copy_words(counts.data(), memory_.deal.d_totals, counts.size(), job_.stream);
    check(cudaStreamSynchronize(job_.stream), "cudaStreamSynchronize");
    return gpu::ranks::agreed_plan(job_, cut_, counts);
  }

  /// Own items go to their last place, those of others to the workspace.
  void deal(const ExchangePlan& plan) const {
    std::vector<gpu::parts::Target<Bits, Value>> targets;
    for (std::size_t share = 0; share < cut_.shares(); ++share) {
      const auto items = plan.owner(share) == own_ ? received().from(plan.place(own_, share))
                                                   : staged(plan, share);
      targets.push_back({items.keys, items.values, {}});
    }
    gpu::parts::launch_deal(data(), key_map_, job_.n, targets, memory_.deal, job_.stream);
  }

  Items<Bits, Value> staged(const ExchangePlan& plan, std::size_t share) const {
    return memory_.d_staged.from(plan.staged_place(own_, share));
  }

  void exchange(const ExchangePlan& plan) {
    Reached(job_.stream).hold_back(job_.copy_stream);
    for (std::size_t piece = 0; piece < cut_.pieces; ++piece) {
      const auto from = [&](std::size_t share) { return staged(plan, share); };
      gpu::ranks::round_of(plan, cut_, own_, piece, gpu::ranks::OwnItems::in_place, from,
                           received())
          .exchange(*job_.on_device, job_.copy_stream);
      arrived_.emplace_back(job_.copy_stream);
    }
  }

  /// Sorts each piece where it arrived. The rank's items as they were before are no longer needed.
  void sort_pieces(const ExchangePlan& plan) const {
    for (std::size_t piece = 0; piece < cut_.pieces; ++piece) {
      arrived_[piece].hold_back(job_.stream);
      const std::size_t share = own_ * cut_.pieces + piece, begin = plan.begin_of(share);
      gpu::parts::sort_in_place(kind_, job_.alternate.from(begin), job_.data.from(begin),
                                plan.end_of(share) - begin, memory_.d_sorts.front(), job_.stream);
    }
  }

  const Job& job_;
  KeyKind kind_;
  gpu::KeyMap<Bits> key_map_;
  Cut cut_;
  std::size_t own_;
  gpu::Layout layout_;
  gpu::parts::PartitionMemory<Bits, Value> memory_;
  gpu::parts::SampleMemory<Bits> sample_;
  std::vector<Reached> arrived_;  // of each piece
};

struct Partition {
  using JobKind = RankParts;
  static constexpr Info info{.summary =
                                 "a GPU per rank: each deals its items to shares; NCCL exchanges "
                                 "them while others are sorted",
                             .source = "our own",
                             .after = "gpu/ranks/merge",
                             .memory = Memory::device,
                             .stable = true,
                             .capturable = false,
                             .params = kParams};

  static PartNeeds needs(const PartRequest& request) {
    return gpu::parts::partition_needs(request, 1, true);
  }

  template <class Job>
  static PartResult sort(const Job& typed) {
    const auto job = gpu::ranks::with_bits(typed);
    const KeyKind kind = kind_of(typed);
    const auto parts = static_cast<std::size_t>(job.parts.parts());
    if (parts == 1) return gpu::parts::sort_lone_part(kind, job);
    if (job.all_n == 0) return {ResultIn::data, 0};
    const Cut cut = gpu::parts::cut_for(parts, ceil_div(job.all_n, parts), Job::kPairs, job.params);
    return PartitionSort(job, kind, cut).sort();
  }
};
SORTLAB_REGISTER(Partition, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
