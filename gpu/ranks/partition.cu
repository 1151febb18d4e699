// Sort over ranks with a GPU each, by one partition: items go to the rank that gets their share before anything is
// sorted, so that each of them is sorted once.
//
//   rank 0  keys ->  deal  [own, piece 0..][for rank 1, piece 0..]  -> NCCL -> rank 1, piece by piece
//   rank 1  keys ->  deal  [for rank 0, ..][own, ..]                -> NCCL -> rank 0
//           sort of piece 0 | sort of piece 1 | ...     while the later pieces are on their way
//
// Over merge: no merge passes at the end, and the later pieces are exchanged beside the sorts of the earlier ones.
//
// The first row that fits decides (Partition::sort(), BinsSort::planned_by_some_bins()):
//
//   items                                   dealt by
//   on one rank                             nothing: it sorts them
//   pairs; fewer than 2^21 keys; more       splitters, by the passes of gpu/multi/partition
//     than 8 ranks
//   integers, even in the top 9 bits by a   bins of these (gpu/parts/bins.cuh), as in gpu/multi/fused: the deal is the first
//     sample                                pass of the sort, and its levels go on from there
//   other keys                              a bin for each share: comparisons find it, and a value that is often repeated
//                                           is counted but not sent
//   bins that a GPU has no room for         splitters
//
// A message is a piece, and a copy within the GPU takes what arrives apart.
// NCCL's kernels take a few SMs from the sorts beside them, where gpu/multi has the copy engines.
// Stable: shares are dealt in order, runs arrive in the order of the ranks, and the sort is stable.
// Limits: a GPU has room for 5 % more than an even share, and a workspace for all items of its own; 256 ranks.
// Bytes per u32 key of a GPU: 12 beside the sort (4 to count, 8 to deal), 4 to send, 4 to receive, 8 to move what arrived to bins.
// Source: our own; the steps are those of sample sort: Blelloch et al. 1991.
#include <algorithm>
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

/// One sort of keys alone on one rank, by bins. Its steps are called in their order.
template <class Job>
class BinsSort {
  using Bits = typename Job::Key;

 public:
  BinsSort(const Job& job, KeyKind kind, Cut cut)
      : job_(job),
        kind_(kind),
        key_map_(gpu::key_map_of<Bits>(kind)),
        cut_(cut),
        own_(static_cast<std::size_t>(job.parts.part())),
        layout_(job.workspace.data()),
        memory_(layout_, job.n, job.capacity, cut),
        sample_(layout_, cut.parts) {}

  /// Sorts, unless there are too many bins for comparisons, or a rank would get more than it has room for: then nothing has
  /// been moved, on all ranks.
  std::optional<PartResult> sort() {
    const std::optional<BinPlan> plan = planned_by_some_bins();
    if (!plan) return {};
    const gpu::parts::StagedBins staged(
        *plan, own_, [&](std::size_t owner, std::size_t) { return owner == own_; });
    scatter(*plan, staged);
    exchange(*plan, staged);
    for (std::size_t piece = 0; piece < cut_.pieces; ++piece) sort_piece(*plan, piece);
    for (auto& piece : memory_.pieces) piece.sort_rest(buffers(), job_.stream);
    gpu::parts::launch_fill(job_.data.keys, bins_.filled(*plan, own_, key_map_), memory_.d_runs,
                            job_.stream);
    return PartResult{ResultIn::data, plan->received(own_)};
  }

 private:
  using BinPlan = gpu::parts::BinPlan;

  gpu::msd::Buffers<Bits> buffers() const {
    return {job_.data.keys, job_.alternate.keys, key_map_, job_.data.keys};
  }

  std::optional<BinPlan> planned_by_some_bins() {
    const std::vector<Bits> sample =
        gpu::ranks::sorted_sample(job_, key_map_, job_.data.keys, sample_);
    if (!is_floating(kind_.type) && gpu::parts::are_top_bits_even(std::span<const Bits>(sample))) {
      if (auto plan = planned()) return plan;
    }
    if (job_.params["pieces"] == 0) cut_ = gpu::parts::cut_of_any(cut_);
    cut_.pieces = std::min(cut_.pieces, gpu::parts::kMostFewBins / cut_.parts);
    bins_ = gpu::parts::Bins<Bits>(
        gpu::parts::bins_of_shares<Bits>(sample, cut_, gpu::parts::kMostFewBins), false);
    if (!bins_.are_few()) return {};
    return planned();
  }

  /// Counts the bins. Waits for the counts of all ranks.
  std::optional<BinPlan> planned() const {
    if (bins_.are_few()) {
      gpu::parts::launch_count_few(job_.data.keys, key_map_, job_.n, bins_.few(), memory_.few,
                                   job_.stream);
    } else {
      memory_.top.count(buffers(), job_.stream);
    }
    std::vector<std::size_t> counts;
    gpu::parts::append_counts(counts, bins_, memory_, job_.stream);
    BinPlan plan(cut_, gathered(job_.parts, std::span<const std::size_t>(counts)),
                 bins_.have_one_value());
    if (!bins_.are_even(plan, job_.all_n)) return {};
    const std::vector<std::size_t> capacities = gathered(job_.parts, job_.capacity);
    for (std::size_t part = 0; part < cut_.parts; ++part) {
      if (plan.received(part) > capacities[part]) return {};
    }
    return plan;
  }

  /// Own keys go to their last place, those of others to the workspace.
  void scatter(const BinPlan& plan, const gpu::parts::StagedBins& staged) const {
    const auto target = [&](std::size_t bin) {
      return staged.has(bin) ? memory_.d_staged + staged.place(bin)
                             : job_.alternate.keys + plan.place(own_, own_, bin);
    };
    memory_.keep(bins_.arriving(plan, own_), job_.stream);
    if (!bins_.are_few()) {
      std::vector<gpu::msd::Count> places(plan.bins());
      for (std::size_t bin = 0; bin < plan.bins(); ++bin) {
        places[bin] = gpu::parts::place_from(job_.alternate.keys, target(bin));
      }
      return memory_.top.scatter(buffers(), places, {}, job_.stream);
    }
    gpu::parts::FewTargets<Bits> targets{};
    for (std::size_t bin = 0; bin < plan.bins(); ++bin) {
      if (!plan.has_one_value(bin)) targets.to[bin] = target(bin);
    }
    gpu::parts::launch_scatter_few(job_.data.keys, key_map_, job_.n, bins_.few(), targets,
                                   memory_.few, job_.stream);
  }

  void exchange(const BinPlan& plan, const gpu::parts::StagedBins& staged) {
    Reached(job_.stream).hold_back(job_.copy_stream);
    for (std::size_t piece = 0; piece < cut_.pieces; ++piece) {
      bins_.are_few() ? exchange_few(plan, staged, piece) : exchange_many(plan, staged, piece);
      arrived_.emplace_back(job_.copy_stream);
    }
  }
  Items<Bits, NoValue> staged_from(std::size_t place) const {
    return Items<Bits, NoValue>{memory_.d_staged, {}}.from(place);
  }
  /// A message is a bin.
  void exchange_few(const BinPlan& plan, const gpu::parts::StagedBins& staged,
                    std::size_t piece) const {
    gpu::ranks::Round round;
    const auto for_bins_of = [&](std::size_t owner, auto use) {
      for (std::size_t bin = plan.first_of(owner, piece); bin < plan.end_of(owner, piece); ++bin) {
        if (!plan.has_one_value(bin)) use(bin);
      }
    };
    for (std::size_t other = 0; other < cut_.parts; ++other) {
      if (other == own_) continue;
      for_bins_of(other, [&](std::size_t bin) {
        round.send(other, staged_from(staged.place(bin)), plan.count(own_, bin));
      });
      for_bins_of(own_, [&](std::size_t bin) {
        round.receive(other, job_.alternate.from(plan.place(other, own_, bin)),
                      plan.count(other, bin));
      });
    }
    round.exchange(*job_.on_device, job_.copy_stream);
  }
  /// A message is a piece, as small messages are slow. It arrives where the piece will be sorted to, and each of its bins is then
  /// copied to its place.
  void exchange_many(const BinPlan& plan, const gpu::parts::StagedBins& staged,
                     std::size_t piece) const {
    gpu::ranks::Round round;
    const std::size_t first = plan.first_of(own_, piece), end = plan.end_of(own_, piece);
    std::size_t arriving = first < end ? plan.in(own_, first).begin : 0;
    const auto sum = [&](std::size_t from, std::size_t owner) {
      std::size_t keys = 0;
      for (std::size_t bin = plan.first_of(owner, piece); bin < plan.end_of(owner, piece); ++bin) {
        keys += plan.count(from, bin);
      }
      return keys;
    };
    std::vector<std::size_t> arrive_at(cut_.parts);
    for (std::size_t other = 0; other < cut_.parts; ++other) {
      if (other == own_) continue;
      if (const std::size_t keys = sum(own_, other); keys > 0) {
        round.send(other, staged_from(staged.place(plan.first_of(other, piece))), keys);
      }
      arrive_at[other] = arriving;
      round.receive(other, job_.data.from(arriving), sum(other, own_));
      arriving += sum(other, own_);
    }
    round.exchange(*job_.on_device, job_.copy_stream);
    std::vector<gpu::parts::MovedRun<Bits>> runs;
    for (std::size_t other = 0; other < cut_.parts; ++other) {
      if (other == own_) continue;
      for (std::size_t bin = first; bin < end; ++bin) {
        const std::size_t keys = plan.count(other, bin);
        if (keys == 0) continue;
        runs.push_back({job_.data.keys + arrive_at[other],
                        job_.alternate.keys + plan.place(other, own_, bin), keys});
        arrive_at[other] += keys;
      }
    }
    gpu::parts::launch_move(runs, memory_.d_moved + cut_.parts * first, job_.copy_stream);
  }

  void sort_piece(const BinPlan& plan, std::size_t piece) {
    arrived_[piece].hold_back(job_.stream);
    if (bins_.has_levels()) {
      memory_.sort_piece(plan, own_, piece, buffers(), job_.stream);
    } else {
      memory_.sort_stretches(kind_, bins_.stretches(plan, own_, piece), buffers(), job_.capacity,
                             piece + 1 == cut_.pieces, job_.stream);
    }
  }

  const Job& job_;
  KeyKind kind_;
  gpu::KeyMap<Bits> key_map_;
  Cut cut_;
  std::size_t own_;
  gpu::Layout layout_;
  gpu::parts::BinsMemory<Bits> memory_;
  gpu::parts::SampleMemory<Bits> sample_;
  gpu::parts::Bins<Bits> bins_;
  std::vector<Reached> arrived_;  // of each piece
};

/// How keys alone are cut into bins, if they are.
std::optional<Cut> cut_into_bins(std::size_t parts, std::size_t all_n, const Params& params) {
  if (parts > gpu::parts::kMostFewBins || !gpu::parts::are_enough_for_bins(all_n)) return {};
  return gpu::parts::cut_into_bins(parts, all_n, params);
}

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
    const std::size_t parts = gpu::parts::count_of_parts(request.parts);
    const auto cut = cut_into_bins(parts, request.all_n, request.params);
    if (request.value_bytes == 0 && cut) {
      const auto bytes = [&]<class Bits, class Value>(Bits, Value) {
        return gpu::parts::bins_bytes<Bits>(request, needs.capacity, *cut, true);
      };
      needs.workspace_bytes =
          std::max(needs.workspace_bytes, visit_widths(request.key_bytes, std::size_t{0}, bytes));
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
    if constexpr (!Job::kPairs) {
      if (const auto bins = cut_into_bins(parts, job.all_n, job.params)) {
        if (const auto result = BinsSort(job, kind, *bins).sort()) return *result;
      }
    }
    const Cut cut = gpu::parts::cut_for(parts, ceil_div(job.all_n, parts), Job::kPairs, job.params);
    return PartitionSort(job, kind, cut).sort();
  }
};
SORTLAB_REGISTER(Partition, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
