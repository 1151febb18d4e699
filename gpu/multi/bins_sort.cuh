// The sort of keys alone over several GPUs whose exchange is the first pass of the MSD sort: each GPU scatters its keys to
// bins, each bin to the GPU that owns it, and then splits and sorts the bins that it owns.
//
//   time   count | scatter, piece 0 of others stored | levels, leaves of piece 0 | of piece 1 | ...
//                                                    | copies of piece 1 | of piece 2 | ...
//
// A piece is a stretch of a GPU's bins. Bins of the first pieces are stored straight into the memory of their owner. Those
// of later pieces are staged and copied by the copy engines, bin by bin, while earlier pieces are sorted.
//
// Bins are those of the top digit if it is even, else those of a table made from a sample (choose_bins.hpp). A bin of one
// value is not sent: its owner writes the value as often as all GPUs together have counted it.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "common/contract/device_parts.hpp"
#include "gpu/multi/choose_splitters.cuh"
#include "gpu/parts/bin_plan.hpp"
#include "gpu/parts/choose_bins.hpp"
#include "gpu/parts/exchange_plan.hpp"
#include "gpu/parts/fill_runs.cuh"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/radix/msd_hybrid/levels.cuh"

namespace sortlab::gpu::multi {

using namespace parts;  // the steps of one part
namespace levels = radix::msd_hybrid;

/// A part's workspace.
template <class Bits>
struct BinsMemory {
  levels::TopLevel<Bits> top;
  levels::ArrivedBin* d_bins;  // those that it owns
  RunOfKey<Bits>* d_runs;
  std::vector<levels::BinsSort<Bits>> pieces;
  Bits* d_staged;  // what goes to other parts

  BinsMemory(Layout& layout, std::size_t n, std::size_t capacity, Cut cut)
      : top(layout, n),
        d_bins(layout.take<levels::ArrivedBin>(levels::kTopBins)),
        d_runs(layout.take<RunOfKey<Bits>>(levels::kTopBins)) {
    for (std::size_t piece = 0; piece < cut.pieces; ++piece) {
      pieces.emplace_back(layout, most_of_piece(capacity, cut));
    }
    d_staged = layout.take<Bits>(n);
  }
  /// A piece may be larger than its share by a bin, and a bin than the mean by kMostOfMean.
  static std::size_t most_of_piece(std::size_t capacity, Cut cut) {
    return capacity / cut.pieces + capacity * cut.parts / levels::kTopBins * 3;
  }
};

/// How a key's bin is found, and which keys a bin may have.
template <class Bits>
class Bins {
 public:
  static constexpr unsigned kShift = 8 * sizeof(Bits) - levels::kTopBits;

  Bins() = default;
  explicit Bins(const levels::BinTable<Bits>& table) : table_(table) {}

  std::size_t count() const { return table_ ? table_->bins : levels::kTopBins; }
  const std::optional<levels::BinTable<Bits>>& table() const { return table_; }
  Bits low(std::size_t bin) const {
    return table_ ? table_->begins[bin] : static_cast<Bits>(Bits(bin) << kShift);
  }
  unsigned range_bits(std::size_t bin) const {
    if (!table_) return kShift;
    const auto span = static_cast<Bits>(table_->last_of(static_cast<unsigned>(bin)) - low(bin));
    return static_cast<unsigned>(std::bit_width(span));
  }
  std::vector<bool> have_one_value() const {
    std::vector<bool> flags;
    for (std::size_t bin = 0; bin < count(); ++bin) flags.push_back(range_bits(bin) == 0);
    return flags;
  }
  /// Whether no bin is so large that the levels, or the room for a piece, are made for less.
  bool are_even(const BinPlan& plan, std::size_t all_n) const {
    return plan.largest_bin() * 4 <= all_n / levels::kTopBins * (table_ ? 11 : 6);
  }

 private:
  std::optional<levels::BinTable<Bits>> table_;
};

/// One sort, of which the pieces below `stored` are stored and the others staged.
template <class Job>
class BinsExchange {
  using Bits = typename Job::Key;
  using Part = DevicePart<Bits, NoValue>;

 public:
  BinsExchange(const Job& job, KeyKind kind, Cut cut, std::size_t stored)
      : job_(job),
        are_floats_(is_floating(kind.type)),
        key_map_(key_map_of<Bits>(kind)),
        cut_(cut),
        stored_(stored),
        arrived_(cut.pieces) {
    for (const Part& part : job.parts) {
      const OnDevice here(part.device);
      Layout layout(part.workspace.data());
      memories_.emplace_back(layout, part.n, part.capacity, cut);
      if (memories_.size() == 1) sample_.emplace(layout, cut.parts);
    }
  }

  /// Sorts, unless the keys are too uneven: then nothing has been moved.
  std::optional<std::vector<PartResult>> sort() {
    std::optional<BinPlan> plan;
    if (!are_floats_) plan = planned();
    if (!plan) {
      choose();
      plan = planned();
    }
    if (!plan) return {};
    scatter(*plan);
    fill(*plan);
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
  /// The bins that a part owns.
  auto bins_of(const BinPlan& plan, std::size_t p) const {
    return std::views::iota(plan.first_of(p, 0), plan.end_of(p, cut_.pieces - 1));
  }
  msd::Buffers<Bits> buffers(std::size_t p) const {
    const Part& part = job_.parts[p];
    return {part.data.keys, part.alternate.keys, key_map_, part.data.keys};
  }

  /// Makes the table of bins.
  void choose() {
    std::vector<const Bits*> keys;
    for (const Part& part : job_.parts) keys.push_back(part.data.keys);
    std::vector<Bits> sample;
    for (const auto& each : choose_splitters(job_, key_map_, keys, kMostPicked, *sample_)) {
      sample.push_back(each.key);
    }
    bins_ = Bins<Bits>(choose_bins<Bits>(sample));
    for (const std::size_t p : parts()) {
      const OnDevice here(job_.parts[p].device);
      memories_[p].top.use(*bins_.table(), job_.parts[p].stream);
    }
  }

  /// Counts the bins, and waits for the counts of all parts. None if bins are uneven, or a part would get more than it has
  /// room for.
  std::optional<BinPlan> planned() const {
    for (const std::size_t p : parts()) {
      const OnDevice here(job_.parts[p].device);
      memories_[p].top.count(buffers(p), job_.parts[p].stream);
    }
    std::vector<std::size_t> counts;
    for (const std::size_t p : parts()) {
      const Part& part = job_.parts[p];
      const OnDevice here(part.device);
      std::vector<msd::Count> own(bins_.count());
      copy_words(own.data(), memories_[p].top.counts(), own.size(), part.stream);
      check(cudaStreamSynchronize(part.stream), "cudaStreamSynchronize");
      counts.insert(counts.end(), own.begin(), own.end());
    }
    const BinPlan plan(cut_, std::move(counts), bins_.have_one_value());
    if (!bins_.are_even(plan, job_.all_n())) return {};
    for (const std::size_t p : parts()) {
      if (plan.received(p) > job_.parts[p].capacity) return {};
    }
    return plan;
  }

  bool is_stored(const BinPlan& plan, std::size_t owner, std::size_t bin) const {
    return stored_ >= cut_.pieces || bin < plan.first_of(owner, stored_);
  }

  /// Tells each part its bins, and scatters. Keys of a bin of one value end in the workspace, for nobody.
  void scatter(const BinPlan& plan) {
    staged_places_.assign(cut_.parts, std::vector<std::size_t>(plan.bins()));
    for (const std::size_t p : parts()) {
      const Part& part = job_.parts[p];
      const OnDevice here(part.device);
      std::vector<msd::Count> places(plan.bins());
      std::size_t staged = 0;
      for (const std::size_t owner : parts()) {
        const Bits* const received = job_.parts[owner].alternate.keys;
        for (const std::size_t bin : bins_of(plan, owner)) {
          const bool is_sent = !plan.has_one_value(bin);
          if (is_sent && (owner == p || is_stored(plan, owner, bin))) {
            places[bin] = place_from(part.alternate.keys, received + plan.place(p, owner, bin));
          } else if (is_sent || places[bin] == 0) {
            staged_places_[p][bin] = staged;
            places[bin] = place_from(part.alternate.keys, memories_[p].d_staged + staged);
            staged += plan.count(p, bin);
          }
        }
      }
      if (plan.largest_bin() > 0) {
        const auto arriving = bins_arriving(plan, p);
        copy_words(memories_[p].d_bins, arriving.data(), arriving.size(), part.stream);
        copy_words(memories_[p].top.counts(), places.data(), places.size(), part.stream);
        memories_[p].top.scatter(buffers(p), part.stream);
      }
      scattered_.emplace_back(part.stream);
    }
  }

  /// What a part's bins are, those of one value as if they were empty.
  std::vector<levels::ArrivedBin> bins_arriving(const BinPlan& plan, std::size_t p) const {
    std::vector<levels::ArrivedBin> bins(plan.bins());
    for (const std::size_t bin : bins_of(plan, p)) {
      if (plan.has_one_value(bin)) continue;
      const Placed placed = plan.in(p, bin);
      bins[bin] = {placed.begin, placed.end, bins_.low(bin), bins_.range_bits(bin)};
    }
    return bins;
  }

  /// Writes the bins of one value.
  void fill(const BinPlan& plan) const {
    for (const std::size_t p : parts()) {
      const Part& part = job_.parts[p];
      const OnDevice here(part.device);
      std::vector<RunOfKey<Bits>> runs;
      for (const std::size_t bin : bins_of(plan, p)) {
        const Placed placed = plan.in(p, bin);
        if (!plan.has_one_value(bin) || placed.size() == 0) continue;
        runs.push_back({placed.begin, placed.end, key_map_.key(bins_.low(bin))});
      }
      launch_fill(part.data.keys, runs, memories_[p].d_runs, part.stream);
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
        for (std::size_t bin = plan.first_of(to, piece); bin < plan.end_of(to, piece); ++bin) {
          if (plan.has_one_value(bin)) continue;
          copy_items_between(part, staged.from(staged_places_[from][bin]), job_.parts[to],
                             job_.parts[to].alternate.from(plan.place(from, to, bin)),
                             plan.count(from, bin), stream);
        }
        arrived_[piece].emplace_back(stream);
      }
    }
  }

  /// Sorts the bins of a piece on each part, once they have arrived.
  void sort_piece(const BinPlan& plan, std::size_t piece) {
    if (plan.largest_bin() == 0) return;
    for (const std::size_t p : parts()) {
      const Part& part = job_.parts[p];
      const OnDevice here(part.device);
      for (const Reached& scattered : scattered_) scattered.hold_back(part.stream);
      for (const Reached& arrived : arrived_[piece]) arrived.hold_back(part.stream);
      const std::size_t first = plan.first_of(p, piece), end = plan.end_of(p, piece);
      memories_[p].pieces[piece].sort(buffers(p), memories_[p].d_bins + first,
                                      static_cast<unsigned>(end - first), plan.largest_bin(),
                                      part.stream);
    }
  }

  const Job& job_;
  bool are_floats_;
  KeyMap<Bits> key_map_;
  Cut cut_;
  std::size_t stored_;
  Bins<Bits> bins_;
  std::vector<BinsMemory<Bits>> memories_;
  std::optional<SampleMemory<Bits>> sample_;
  std::vector<std::vector<std::size_t>> staged_places_;  // of each part, of each bin
  std::vector<Reached> scattered_;
  std::vector<std::vector<Reached>> arrived_;  // of each piece, what is copied
};

}  // namespace sortlab::gpu::multi
