// Sort over ranks with a GPU each, by one partition: items go to the rank that gets their share before anything is
// sorted, so that each of them is sorted once.
//
//   rank 0  keys ->  deal  [own, piece 0..][for rank 1, piece 0..]  -> NCCL -> rank 1, piece by piece
//   rank 1  keys ->  deal  [for rank 0, ..][own, ..]                -> NCCL -> rank 0
//           sort of piece 0 | sort of piece 1 | ...     while the later pieces are on their way
//
// Over merge: no merge passes at the end, and the exchange of all pieces but the first is hidden behind the sorts.
// The passes are those of gpu/multi/partition: one counts each rank's shares, one deals them, both in gpu/parts. Keys alone, of
// which the sample has no value repeated, are counted and dealt by bins instead, some for each share, as gpu/multi/fused does:
// nobody needs their order, and atomics take half the time of ranks.
// NCCL's kernels take a few SMs from the sorts beside them, where gpu/multi has the copy engines.
// Stable: shares are dealt in order, runs arrive in the order of the ranks, and the sort is stable.
// Limits: a GPU has room for 5 % more than an even share, and a workspace for all items of its own; 256 ranks.
// Bytes per u32 key of a GPU: 12 beside the sort (4 to count, 8 to deal), 4 to send, 4 to receive.
// Source: our own; the steps are those of sample sort: Blelloch et al. 1991.
#include <optional>
#include <vector>

#include "common/contract/parts.hpp"
#include "gpu/parts/bins.cuh"
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
    const auto picked =
        gpu::ranks::choose_splitters(job_, key_map_, data().keys, gpu::parts::kMostPicked, sample_);
    const bool has_bins = takes_bins(picked);
    const ExchangePlan plan = gpu::ranks::agreed_plan(
        job_, cut_, has_bins ? counts_of_bins() : counts_by_splitters(picked));
    has_bins ? scatter(plan) : deal(plan);
    exchange(plan);
    sort_pieces(plan);
    return {ResultIn::alternate, plan.received(own_)};
  }

 private:
  Items<Bits, Value> data() const { return job_.data; }
  Items<Bits, Value> received() const { return job_.alternate; }

  using Splitters = std::vector<gpu::parts::Splitter<Bits>>;

  /// The bins of keys alone, if no value is repeated in the sample: then shares of whole bins are even. All ranks have the same
  /// sample.
  bool takes_bins([[maybe_unused]] const Splitters& picked) {
    if constexpr (!Job::kPairs) {
      if (!gpu::parts::are_enough_for_bins(job_.all_n)) return false;
      std::vector<Bits> sample;
      for (const auto& each : picked) sample.push_back(each.key);
      const auto table = gpu::parts::bins_of_shares<Bits>(sample, cut_.shares());
      for (unsigned bin = 0; bin < table.bins; ++bin) {
        if (table.begins[bin] == table.last_of(bin)) return false;
      }
      of_bins_.resize(table.bins);
      top_.emplace(layout_, job_.n);
      top_->use(table, key_map_, job_.stream);
      return true;
    }
    return false;
  }

  gpu::msd::Buffers<Bits> buffers() const {
    return {data().keys, received().keys, key_map_, data().keys};
  }
  std::size_t share_of(std::size_t bin) const { return bin * cut_.shares() / of_bins_.size(); }

  std::vector<std::size_t> counts_of_bins() {
    top_->count(buffers(), job_.stream);
    std::vector<gpu::msd::Count> own(of_bins_.size());
    gpu::parts::copy_words(own.data(), top_->counts(), own.size(), job_.stream);
    check(cudaStreamSynchronize(job_.stream), "cudaStreamSynchronize");
    std::vector<std::size_t> counts(cut_.shares());
    for (std::size_t bin = 0; bin < own.size(); ++bin) {
      of_bins_[bin] = own[bin];
      counts[share_of(bin)] += own[bin];
    }
    return counts;
  }

  void scatter(const ExchangePlan& plan) const {
    std::vector<gpu::msd::Count> places;
    std::size_t before = 0;  // in the share
    for (std::size_t bin = 0; bin < of_bins_.size(); ++bin) {
      const std::size_t share = share_of(bin);
      if (bin > 0 && share_of(bin - 1) != share) before = 0;
      places.push_back(
          gpu::parts::place_from(received().keys, target(plan, share).from(before).keys));
      before += of_bins_[bin];
    }
    top_->scatter(buffers(), places, gpu::parts::share_slots(of_bins_, top_->tile_slots()),
                  job_.stream);
  }

  std::vector<std::size_t> counts_by_splitters(const Splitters& picked) const {
    Splitters splitters;
    for (std::size_t s = 1; s < cut_.shares(); ++s) {
      splitters.push_back(picked[ceil_div((picked.size() + 1) * s, cut_.shares()) - 1]);
    }
    gpu::parts::launch_count(data().keys, key_map_, job_.n, own_, splitters, memory_.deal,
                             job_.stream);
    std::vector<std::size_t> counts(cut_.shares());
    gpu::parts::copy_words(counts.data(), memory_.deal.d_totals, counts.size(), job_.stream);
    check(cudaStreamSynchronize(job_.stream), "cudaStreamSynchronize");
    return counts;
  }

  void deal(const ExchangePlan& plan) const {
    std::vector<gpu::parts::Target<Bits, Value>> targets;
    for (std::size_t share = 0; share < cut_.shares(); ++share) {
      const auto items = target(plan, share);
      targets.push_back({items.keys, items.values, {}});
    }
    gpu::parts::launch_deal(data(), key_map_, job_.n, targets, memory_.deal, job_.stream);
  }

  /// Own items go to their last place, those of others to the workspace.
  Items<Bits, Value> target(const ExchangePlan& plan, std::size_t share) const {
    return plan.owner(share) == own_ ? received().from(plan.place(own_, share))
                                     : staged(plan, share);
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
  std::optional<gpu::parts::levels::TopLevel<Bits>> top_;
  std::vector<std::size_t> of_bins_;  // keys of this rank
  std::vector<Reached> arrived_;      // of each piece
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
    PartNeeds needs = gpu::parts::partition_needs(request, 1, true);
    if (request.value_bytes == 0) {
      gpu::Layout layout;
      const auto take_top = [&]<class Bits, class Value>(Bits, Value) {
        gpu::parts::levels::TopLevel<Bits>(layout, request.n());
        return layout.bytes();
      };
      needs.workspace_bytes += visit_widths(request.key_bytes, std::size_t{0}, take_top);
    }
    return needs;
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
