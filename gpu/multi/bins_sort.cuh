// The sort of even keys alone over several GPUs whose exchange is the first pass of the MSD sort: each GPU scatters its
// keys by their top digit to bins, each bin to the GPU that owns it, and then splits and sorts the bins that it owns.
//
//   time   count | scatter, piece 0 of others stored | levels, leaves of piece 0 | of piece 1 | ...
//                                                    | copies of piece 1 | of piece 2 | ...
//
// A piece is a stretch of a GPU's bins. Bins of the first pieces are stored straight into the memory of their owner. Those
// of later pieces are staged and copied by the copy engines, bin by bin, while earlier pieces are sorted.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "common/contract/device_parts.hpp"
#include "gpu/parts/bin_plan.hpp"
#include "gpu/parts/exchange_plan.hpp"
#include "gpu/parts/streams.cuh"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/radix/msd_hybrid/levels.cuh"

namespace sortlab::gpu::multi {

using namespace parts;  // the steps of one part
namespace levels = radix::msd_hybrid;

/// A part's workspace.
template <class Bits>
struct BinsMemory {
  levels::TopLevel<Bits> top;
  msd::Count* d_begins;  // of the bins that it owns
  std::vector<levels::BinsSort<Bits>> pieces;
  Bits* d_staged;  // what goes to other parts

  BinsMemory(Layout& layout, std::size_t n, std::size_t capacity, Cut cut)
      : top(layout, n), d_begins(layout.take<msd::Count>(levels::kTopBins + 1)) {
    for (std::size_t piece = 0; piece < cut.pieces; ++piece) {
      pieces.emplace_back(layout, most_of_piece(capacity, cut));
    }
    d_staged = layout.take<Bits>(n);
  }
  /// A piece may be larger than its share by a bin, and a bin than its own by a half.
  static std::size_t most_of_piece(std::size_t capacity, Cut cut) {
    return capacity / cut.pieces + capacity * cut.parts / levels::kTopBins * 2;
  }
};

/// One sort, of which the pieces below `stored` are stored and the others staged.
template <class Job>
class BinsExchange {
  using Bits = typename Job::Key;
  using Part = DevicePart<Bits, NoValue>;

 public:
  BinsExchange(const Job& job, KeyKind kind, Cut cut, std::size_t stored)
      : job_(job),
        key_map_(key_map_of<Bits>(kind)),
        cut_(cut),
        stored_(stored),
        arrived_(cut.pieces) {
    for (const Part& part : job.parts) {
      const OnDevice here(part.device);
      Layout layout(part.workspace.data());
      memories_.emplace_back(layout, part.n, part.capacity, cut);
    }
  }

  /// Sorts, unless the keys are too uneven: then nothing has been moved.
  std::optional<std::vector<PartResult>> sort() {
    count();
    const std::optional<BinPlan> plan = planned();
    if (!plan) return {};
    scatter(*plan);
    copy(*plan, 0);
    for (std::size_t piece = 0; piece < cut_.pieces; ++piece) {
      copy(*plan, piece + 1);
      sort_piece(*plan, piece);
    }
    std::vector<PartResult> results;
    for (const std::size_t p : parts()) {
      const Part& part = job_.parts[p];
      const OnDevice here(part.device);
      for (auto& piece : memories_[p].pieces) piece.sort_rest(buffers(p), part.stream);
      results.push_back({ResultIn::data, plan->received(p), plan->sent(p) * sizeof(Bits)});
    }
    return results;
  }

 private:
  auto parts() const { return numbers_below(cut_.parts); }
  msd::Buffers<Bits> buffers(std::size_t p) const {
    const Part& part = job_.parts[p];
    return {part.data.keys, part.alternate.keys, key_map_, part.data.keys};
  }

  void count() const {
    for (const std::size_t p : parts()) {
      const Part& part = job_.parts[p];
      const OnDevice here(part.device);
      memories_[p].top.count(buffers(p), part.stream);
    }
  }

  /// Waits for the counts of all parts. None if bins are uneven, or a part would get more than it has room for.
  std::optional<BinPlan> planned() const {
    constexpr std::size_t kBins = levels::kTopBins;
    std::vector<msd::Count> counts(cut_.parts * kBins);
    for (const std::size_t p : parts()) {
      const Part& part = job_.parts[p];
      const OnDevice here(part.device);
      copy_words(counts.data() + p * kBins, memories_[p].top.counts(), kBins, part.stream);
      check(cudaStreamSynchronize(part.stream), "cudaStreamSynchronize");
    }
    const BinPlan plan(cut_, kBins, {counts.begin(), counts.end()});
    if (plan.largest_bin() * 2 > job_.all_n() / kBins * 3) return {};
    for (const std::size_t p : parts()) {
      if (plan.received(p) > job_.parts[p].capacity) return {};
    }
    return plan;
  }

  bool is_stored(const BinPlan& plan, std::size_t owner, std::size_t bin) const {
    return stored_ >= cut_.pieces || bin < plan.first_of(owner, stored_);
  }

  void scatter(const BinPlan& plan) {
    staged_places_.assign(cut_.parts, std::vector<std::size_t>(plan.bins()));
    for (const std::size_t p : parts()) {
      const Part& part = job_.parts[p];
      const OnDevice here(part.device);
      std::vector<msd::Count> places, begins(plan.bins() + 1);
      std::size_t staged = 0;
      for (const std::size_t owner : parts()) {
        const Bits* const received = job_.parts[owner].alternate.keys;
        for (std::size_t bin = plan.first_of(owner, 0); bin < plan.first_of(owner + 1, 0); ++bin) {
          if (owner == p) begins[bin] = plan.place(0, bin);
          if (owner == p || is_stored(plan, owner, bin)) {
            places.push_back(place_from(part.alternate.keys, received + plan.place(p, bin)));
          } else {
            staged_places_[p][bin] = staged;
            places.push_back(place_from(part.alternate.keys, memories_[p].d_staged + staged));
            staged += plan.count(p, bin);
          }
        }
      }
      begins[plan.first_of(p + 1, 0)] = plan.received(p);
      copy_words(memories_[p].d_begins, begins.data(), begins.size(), part.stream);
      copy_words(memories_[p].top.counts(), places.data(), places.size(), part.stream);
      memories_[p].top.scatter(buffers(p), part.stream);
      scattered_.emplace_back(part.stream);
    }
  }

  /// The place of an address, as a number of keys from `base` on; the scatter adds it to `base`, modulo 2^64.
  static msd::Count place_from(const Bits* base, const Bits* to) {
    const auto bytes = reinterpret_cast<std::intptr_t>(to) - reinterpret_cast<std::intptr_t>(base);
    return static_cast<msd::Count>(bytes / static_cast<std::intptr_t>(sizeof(Bits)));
  }

  /// Copies the staged bins of a piece, all parts at the same time.
  void copy(const BinPlan& plan, std::size_t piece) {
    if (piece < stored_ || piece >= cut_.pieces) return;
    for (const std::size_t from : parts()) {
      const Part& part = job_.parts[from];
      const OnDevice here(part.device);
      for (const std::size_t to : parts()) {
        if (to == from) continue;
        const cudaStream_t stream = part.copy_streams[to];
        scattered_[from].hold_back(stream);
        const Items<Bits, NoValue> staged{memories_[from].d_staged, {}};
        for (std::size_t bin = plan.first_of(to, piece); bin < plan.first_of(to, piece + 1);
             ++bin) {
          copy_items_between(part, staged.from(staged_places_[from][bin]), job_.parts[to],
                             job_.parts[to].alternate.from(plan.place(from, bin)),
                             plan.count(from, bin), stream);
        }
        arrived_[piece].emplace_back(stream);
      }
    }
  }

  /// Sorts the bins of a piece on each part, once they have arrived.
  void sort_piece(const BinPlan& plan, std::size_t piece) {
    for (const std::size_t p : parts()) {
      const Part& part = job_.parts[p];
      const OnDevice here(part.device);
      for (const Reached& scattered : scattered_) scattered.hold_back(part.stream);
      for (const Reached& arrived : arrived_[piece]) arrived.hold_back(part.stream);
      memories_[p].pieces[piece].sort(
          buffers(p), memories_[p].d_begins, static_cast<unsigned>(plan.first_of(p, piece)),
          static_cast<unsigned>(plan.first_of(p, piece + 1)), plan.largest_bin(), part.stream);
    }
  }

  const Job& job_;
  KeyMap<Bits> key_map_;
  Cut cut_;
  std::size_t stored_;
  std::vector<BinsMemory<Bits>> memories_;
  std::vector<std::vector<std::size_t>> staged_places_;  // of each part, of each bin
  std::vector<Reached> scattered_;
  std::vector<std::vector<Reached>> arrived_;  // of each piece, what is copied
};

}  // namespace sortlab::gpu::multi
