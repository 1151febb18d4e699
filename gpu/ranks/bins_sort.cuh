// The sort of keys alone over ranks by bins, as gpu/multi/bins_sort.cuh: the exchange is the first pass of the MSD sort.
//
//   time   count | scatter | NCCL: piece 0 | levels, leaves of piece 0 | of piece 1 | ...
//                                          | NCCL: piece 1             | piece 2    | ...
//
// Each rank counts its bins and hears the counts of all, from which all make the same plan. Own bins are scattered to their
// place, those of others to the workspace. A message is a rank's keys of a bin.
#pragma once

#include <optional>
#include <vector>

#include "common/contract/parts.hpp"
#include "gpu/parts/bins.cuh"
#include "gpu/ranks/choose_splitters.cuh"
#include "gpu/ranks/exchange.hpp"

namespace sortlab::gpu::ranks {

/// One sort on one rank. Its steps are called in their order.
template <class Job>
class BinsSort {
  using Bits = typename Job::Key;

 public:
  BinsSort(const Job& job, KeyKind kind, parts::Cut cut)
      : job_(job),
        are_floats_(is_floating(kind.type)),
        key_map_(key_map_of<Bits>(kind)),
        cut_(cut),
        own_(static_cast<std::size_t>(job.parts.part())),
        layout_(job.workspace.data()),
        memory_(layout_, job.n, job.capacity, cut),
        sample_(layout_, cut.parts) {}

  /// Sorts, unless the keys are too uneven: then nothing has been moved, on any rank.
  std::optional<PartResult> sort() {
    std::optional<parts::BinPlan> plan;
    if (!are_floats_) plan = planned();
    if (!plan) {
      choose();
      plan = planned();
    }
    if (!plan) return {};
    const parts::StagedBins staged(*plan, own_,
                                   [&](std::size_t owner, std::size_t) { return owner == own_; });
    scatter(*plan, staged);
    exchange(*plan, staged);
    parts::launch_fill(job_.data.keys, bins_.filled(*plan, own_, key_map_), memory_.d_runs,
                       job_.stream);
    for (std::size_t piece = 0; piece < cut_.pieces; ++piece) {
      arrived_[piece].hold_back(job_.stream);
      if (plan->largest_bin() > 0) {
        memory_.sort_piece(*plan, own_, piece, buffers(), job_.stream);
      }
    }
    for (auto& piece : memory_.pieces) piece.sort_rest(buffers(), job_.stream);
    return PartResult{ResultIn::data, plan->received(own_)};
  }

 private:
  msd::Buffers<Bits> buffers() const {
    return {job_.data.keys, job_.alternate.keys, key_map_, job_.data.keys};
  }

  /// Makes the table of bins, the same on all ranks.
  void choose() {
    std::vector<Bits> sample;
    for (const auto& each :
         choose_splitters(job_, key_map_, job_.data.keys, parts::kMostPicked, sample_)) {
      sample.push_back(each.key);
    }
    bins_ = parts::Bins<Bits>(parts::choose_bins<Bits>(sample));
    memory_.top.use(*bins_.table(), job_.stream);
  }

  /// Counts the bins, and waits for the counts of all ranks. None, on all ranks, if bins are uneven, or a rank would get more
  /// than it has room for.
  std::optional<parts::BinPlan> planned() const {
    memory_.top.count(buffers(), job_.stream);
    std::vector<msd::Count> own(bins_.count());
    parts::copy_words(own.data(), memory_.top.counts(), own.size(), job_.stream);
    check(cudaStreamSynchronize(job_.stream), "cudaStreamSynchronize");
    const std::vector<std::size_t> counts(own.begin(), own.end());
    const parts::BinPlan plan(cut_, gathered(job_.parts, std::span<const std::size_t>(counts)),
                              bins_.have_one_value());
    const auto capacities = gathered(job_.parts, job_.capacity);
    bool is_possible = bins_.are_even(plan, job_.all_n);
    for (std::size_t p = 0; p < cut_.parts; ++p) is_possible &= plan.received(p) <= capacities[p];
    if (!is_possible) return {};
    return plan;
  }

  void scatter(const parts::BinPlan& plan, const parts::StagedBins& staged) const {
    if (plan.largest_bin() == 0) return;
    std::vector<msd::Count> places(plan.bins());
    for (std::size_t bin = 0; bin < plan.bins(); ++bin) {
      const Bits* const to = staged.has(bin) ? memory_.d_staged + staged.place(bin)
                                             : job_.alternate.keys + plan.place(own_, own_, bin);
      places[bin] = parts::place_from(job_.alternate.keys, to);
    }
    memory_.scatter(bins_.arriving(plan, own_), places, buffers(), job_.stream);
  }

  void exchange(const parts::BinPlan& plan, const parts::StagedBins& staged) {
    const Items<Bits, NoValue> d_staged{memory_.d_staged, {}};
    parts::Reached(job_.stream).hold_back(job_.copy_stream);
    for (std::size_t piece = 0; piece < cut_.pieces; ++piece) {
      Round round;
      for (std::size_t other = 0; other < cut_.parts; ++other) {
        if (other == own_) continue;
        for_bins(plan, other, piece, [&](std::size_t bin) {
          round.send(other, d_staged.from(staged.place(bin)), plan.count(own_, bin));
        });
        for_bins(plan, own_, piece, [&](std::size_t bin) {
          round.receive(other, job_.alternate.from(plan.place(other, own_, bin)),
                        plan.count(other, bin));
        });
      }
      round.exchange(*job_.on_device, job_.copy_stream);
      arrived_.emplace_back(job_.copy_stream);
    }
  }
  /// Calls f(bin) for the bins of a piece that are sent.
  template <class F>
  static void for_bins(const parts::BinPlan& plan, std::size_t part, std::size_t piece, F f) {
    for (std::size_t bin = plan.first_of(part, piece); bin < plan.end_of(part, piece); ++bin) {
      if (!plan.has_one_value(bin)) f(bin);
    }
  }

  const Job& job_;
  bool are_floats_;
  KeyMap<Bits> key_map_;
  parts::Cut cut_;
  std::size_t own_;
  parts::Bins<Bits> bins_;
  Layout layout_;
  parts::BinsMemory<Bits> memory_;
  parts::SampleMemory<Bits> sample_;
  std::vector<parts::Reached> arrived_;  // of each piece
};

}  // namespace sortlab::gpu::ranks
