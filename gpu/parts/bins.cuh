// What a part needs to exchange keys alone by bins and to sort the bins that it gets.
#pragma once

#include <bit>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "gpu/parts/bin_plan.hpp"
#include "gpu/parts/choose_bins.hpp"
#include "gpu/parts/exchange_plan.hpp"
#include "gpu/parts/few_bins_kernels.cuh"
#include "gpu/parts/levels.cuh"
#include "gpu/parts/local_sort.cuh"
#include "gpu/parts/sample.cuh"
#include "gpu/parts/streams.cuh"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/radix/sorts.hpp"

namespace sortlab::gpu::parts {

// Writes runs of one value each: keys of which the number is known, and which nobody needs to send.

/// The places from begin to end of an array.
template <class Key>
struct RunOfKey {
  std::size_t begin;
  std::size_t end;
  Key key;
};

constexpr unsigned kFillBlock = 512;  // threads

template <class Key>
__global__ void __launch_bounds__(kFillBlock)
    fill_runs(Key* to, const RunOfKey<Key>* runs, unsigned count) {
  for (unsigned r = 0; r < count; ++r) {
    const RunOfKey<Key> run = runs[r];
    for (std::size_t i = run.begin + blockIdx.x * kFillBlock + threadIdx.x; i < run.end;
         i += std::size_t{gridDim.x} * kFillBlock) {
      to[i] = run.key;
    }
  }
}

/// Writes the runs to `to`; d_runs has room for them.
template <class Key>
void launch_fill(Key* to, const std::vector<RunOfKey<Key>>& runs, RunOfKey<Key>* d_runs,
                 cudaStream_t stream) {
  if (runs.empty()) return;
  copy_words(d_runs, runs.data(), runs.size(), stream);
  const std::size_t blocks = 4 * device_attribute(cudaDevAttrMultiProcessorCount);
  launch("fill_runs", fill_runs<Key>, {blocks, kFillBlock}, stream, to, d_runs, runs.size());
}

// Moves runs that arrived side by side to their bins.

template <class Key>
struct MovedRun {
  const Key* from;
  Key* to;
  std::size_t count;
};

constexpr unsigned kMoveBlocks = 16;  // of a run

template <class Key>
__global__ void __launch_bounds__(kFillBlock) move_runs(const MovedRun<Key>* runs) {
  constexpr unsigned kAtOnce = 4, kStep = kMoveBlocks * kFillBlock;
  const MovedRun<Key> run = runs[blockIdx.x / kMoveBlocks];
  std::size_t i = blockIdx.x % kMoveBlocks * kFillBlock + threadIdx.x;
  for (; i + (kAtOnce - 1) * kStep < run.count; i += kAtOnce * kStep) {
    Key keys[kAtOnce];
#pragma unroll
    for (unsigned k = 0; k < kAtOnce; ++k) keys[k] = run.from[i + k * kStep];
#pragma unroll
    for (unsigned k = 0; k < kAtOnce; ++k) run.to[i + k * kStep] = keys[k];
  }
  for (; i < run.count; i += kStep) run.to[i] = run.from[i];
}

/// No run reaches into another one; d_runs has room for them.
/// measured: gpu/ranks/partition, 2^30 u32, two H200, Gkeys/s: 104.3 (this) vs 97.3 (85 copies of 4 MiB by the driver: 0.57 ms);
/// h200/attempts/fused.4.txt
template <class Key>
void launch_move(const std::vector<MovedRun<Key>>& runs, MovedRun<Key>* d_runs,
                 cudaStream_t stream) {
  if (runs.empty()) return;
  copy_words(d_runs, runs.data(), runs.size(), stream);
  launch("move_runs", move_runs<Key>, {runs.size() * kMoveBlocks, kFillBlock}, stream, d_runs);
}

/// With fewer keys in all, kernels would be too short.
constexpr bool are_enough_for_bins(std::size_t all_n) { return all_n >= std::size_t{1} << 21; }

/// How one process cuts them: a piece of fewer than 2^25 keys is sorted slower.
inline Cut cut_into_bins(std::size_t parts, std::size_t all_n, const Params& params) {
  const auto wanted = static_cast<std::size_t>(params["pieces"]);
  const std::size_t pieces = wanted > 0 ? wanted : all_n < std::size_t{1} << 27 ? 1 : 3;
  // Of shares' bins there may be two for each.
  return {parts, std::min(pieces, kTopBins / 2 / parts)};
}

/// How it cuts keys of which a piece is sorted as if it were all keys. More pieces have more launches, and comparisons more bins.
/// The first piece is the smaller one: it is stored over the link within the time of the scatter, or it must arrive before
/// anything can be sorted.
inline Cut cut_of_any(Cut cut) {
  // measured: 2^29 u32, two GPUs, Gkeys/s, 2 and 3 pieces: zipf 124 vs 111, entropy3 100 vs 93; H200, h200/attempts/fused.3.txt
  constexpr std::size_t kPieces = 2;
  // measured: 2^29 u32, two GPUs, Gkeys/s, 32, 24 and 20 of 64: zipf 125, 130, 130, entropy4 102, 102, 103, rootdups 155, 159, 150;
  // H200, h200/attempts/fused.4.txt
  constexpr std::size_t kFirst = 24;
  return {cut.parts, std::min(cut.pieces, kPieces), kFirst};
}

/// Which of a part's bins are put into its workspace, one behind the other, and where: those of one value, and those that
/// go to others but are not stored there at once.
class StagedBins {
 public:
  template <class IsThere>
  StagedBins(const BinPlan& plan, std::size_t part, IsThere is_there)
      : places_(plan.bins(), kNowhere) {
    std::size_t place = 0;
    for (std::size_t bin = 0; bin < plan.bins(); ++bin) {
      if (!plan.has_one_value(bin) && is_there(plan.owner(bin), bin)) continue;
      places_[bin] = place;
      place += plan.count(part, bin);
    }
  }
  bool has(std::size_t bin) const { return places_[bin] != kNowhere; }
  std::size_t place(std::size_t bin) const { return places_[bin]; }

 private:
  std::vector<std::size_t> places_;
};

/// The place of an address, as a number of keys from `base` on; the scatter adds it to `base`, modulo 2^64.
template <class Bits>
msd::Count place_from(const Bits* base, const Bits* to) {
  const auto bytes = reinterpret_cast<std::intptr_t>(to) - reinterpret_cast<std::intptr_t>(base);
  return static_cast<msd::Count>(bytes / static_cast<std::intptr_t>(sizeof(Bits)));
}

/// A part's workspace.
template <class Bits>
struct BinsMemory {
  TopLevel<Bits> top;
  ArrivedBin* d_bins;  // those that it owns
  RunOfKey<Bits>* d_runs;
  MovedRun<Bits>* d_moved;  // of all bins, from each part
  FewMemory few;
  std::vector<BinsSort<Bits>> pieces;
  std::byte* d_sort;  // of bins that are sorted as if they were all keys
  Bits* d_staged;     // what goes to other parts; then room for a sort

  BinsMemory(Layout& layout, std::size_t n, std::size_t capacity, Cut cut)
      : top(layout, n),
        d_bins(layout.take<ArrivedBin>(kTopBins)),
        d_runs(layout.take<RunOfKey<Bits>>(kTopBins)),
        d_moved(layout.take<MovedRun<Bits>>(kTopBins * cut.parts)),
        few(layout, few_chunks<Bits>(n).blocks) {
    for (std::size_t piece = 0; piece < cut.pieces; ++piece) {
      pieces.emplace_back(layout, most_of_piece(capacity, cut));
    }
    d_sort = layout.take<std::byte>(bytes_up_to(capacity, [](std::size_t count) {
      return radix::msd_hybrid::workspace_bytes(sizeof(Bits), count);
    }));
    d_staged = layout.take<Bits>(capacity);
  }

  /// Keeps what the bins will be that the part gets.
  void keep(const std::vector<ArrivedBin>& arriving, cudaStream_t stream) const {
    copy_words(d_bins, arriving.data(), arriving.size(), stream);
  }
  /// Scatters a part's keys to `places`, one for each bin. A table's bins have so many keys as `of_bins` says, those that may be
  /// left out none.
  void scatter(const std::vector<msd::Count>& places, const std::vector<std::size_t>& of_bins,
               const msd::Buffers<Bits>& buffers, cudaStream_t stream) const {
    const TileSlots tile = top.tile_slots();
    const auto slots = tile.slots > 0 ? share_slots(of_bins, tile) : std::vector<SlotsOfBin>();
    top.scatter(buffers, places, slots, stream);
  }
  void sort_piece(const BinPlan& plan, std::size_t part, std::size_t piece,
                  const msd::Buffers<Bits>& buffers, cudaStream_t stream) {
    const std::size_t first = plan.first_of(part, piece), end = plan.end_of(part, piece);
    pieces[piece].sort(buffers, d_bins + first, static_cast<unsigned>(end - first),
                       plan.largest_bin(), stream);
  }
  /// Sorts stretches of a piece, each as if it were all keys, from the alternate array to the same places of the data. Room behind
  /// the piece is free until the next one is sorted; behind the last piece, nothing is staged any more.
  void sort_stretches(KeyKind kind, const std::vector<Placed>& stretches,
                      const msd::Buffers<Bits>& buffers, std::size_t capacity, bool is_last,
                      cudaStream_t stream) const {
    const auto sort = [&](std::size_t count, Bits* from, Bits* to, Bits* other) {
      radix::msd_hybrid::sort({.keys = kind,
                               .n = count,
                               .source = {from},
                               .data = {to},
                               .alternate = {other},
                               .d_workspace = d_sort,
                               .stream = stream});
    };
    for (const Placed& stretch : stretches) {
      const std::size_t behind = stretches.back().end, n = stretch.size();
      Bits* const from = buffers.alternate + stretch.begin;
      Bits* const to = buffers.data + stretch.begin;
      if (is_last || capacity - behind >= n) {
        sort(n, from, to, is_last ? d_staged : buffers.data + behind);
      } else {
        sort(n, from, from, to);
        copy_items(Items<Bits, NoValue>{to, {}}, Items<Bits, NoValue>{from, {}}, n, stream);
      }
    }
  }
  /// A piece may be larger than its share by a bin, and a bin than the mean by kMostOfMean.
  static std::size_t most_of_piece(std::size_t capacity, Cut cut) {
    return capacity / cut.pieces + capacity * cut.parts / kTopBins * 3;
  }
};

/// The workspace of a part with room for `capacity` keys, which may be one that sorts the samples of all parts.
template <class Bits>
std::size_t bins_bytes(const PartRequest& request, std::size_t capacity, Cut cut,
                       bool sorts_samples) {
  Layout layout;
  BinsMemory<Bits>(layout, request.n(), capacity, cut);
  if (sorts_samples) SampleMemory<Bits>(layout, cut.parts);
  return layout.bytes();
}

/// How a key's bin is found, and which keys a bin may have.
///
///   the top bits      many bins, equally long, for even keys: the first level of a sort
///   levels' table     many bins of about equally many keys: the same for keys that are even within such a bin
///   shares' bins      one or some for each share, for any keys: what lies between bins of one value is sorted as if it were
///                     all keys. Up to kMostFewBins are found by comparisons (few_bins.cuh)
template <class Bits>
class Bins {
 public:
  static constexpr unsigned kShift = 8 * sizeof(Bits) - kTopBits;

  Bins() = default;
  Bins(const BinTable<Bits>& table, bool has_levels) : table_(table), has_levels_(has_levels) {}

  /// Whether the keys of a bin are sorted by further levels.
  bool has_levels() const { return has_levels_; }
  /// Whether comparisons find the bin of a key, without a table.
  bool are_few() const { return table_ && count() <= kMostFewBins; }
  FewBins<Bits> few() const {
    FewBins<Bits> few{.count = static_cast<unsigned>(count()), .last = {}};
    for (unsigned bin = 0; bin + 1 < kMostFewBins; ++bin) {
      few.last[bin] = bin < count() ? table_->last_of(bin) : static_cast<Bits>(~Bits{0});
    }
    return few;
  }

  std::size_t count() const { return table_ ? table_->bins : kTopBins; }
  const std::optional<BinTable<Bits>>& table() const { return table_; }
  Bits low(std::size_t bin) const {
    return table_ ? table_->begins[bin] : static_cast<Bits>(Bits(bin) << kShift);
  }
  unsigned range_bits(std::size_t bin) const {
    if (!table_) return kShift;
    const auto span = static_cast<Bits>(table_->last_of(static_cast<unsigned>(bin)) - low(bin));
    return static_cast<unsigned>(std::bit_width(span));
  }
  /// What a part's bins will be when they have arrived, those of one value as if they were empty.
  std::vector<ArrivedBin> arriving(const BinPlan& plan, std::size_t part) const {
    std::vector<ArrivedBin> bins(plan.bins());
    for (std::size_t bin = plan.first_of(part), end = plan.end_of(part); bin < end; ++bin) {
      if (plan.has_one_value(bin)) continue;
      const Placed placed = plan.in(part, bin);
      bins[bin] = {placed.begin, placed.end, low(bin), range_bits(bin)};
    }
    return bins;
  }
  /// What a part has of the bins of one value.
  std::vector<RunOfKey<Bits>> filled(const BinPlan& plan, std::size_t part,
                                     KeyMap<Bits> key_map) const {
    std::vector<RunOfKey<Bits>> runs;
    for (std::size_t bin = plan.first_of(part), end = plan.end_of(part); bin < end; ++bin) {
      const Placed placed = plan.in(part, bin);
      if (!plan.has_one_value(bin) || placed.size() == 0) continue;
      runs.push_back({placed.begin, placed.end, key_map.key(low(bin))});
    }
    return runs;
  }
  std::vector<bool> have_one_value() const {
    std::vector<bool> flags;
    for (std::size_t bin = 0; bin < count(); ++bin) flags.push_back(range_bits(bin) == 0);
    return flags;
  }
  /// The stretches of a piece that are sorted as if they were all keys.
  std::vector<Placed> stretches(const BinPlan& plan, std::size_t part, std::size_t piece) const {
    std::vector<Placed> stretches;
    for (std::size_t bin = plan.first_of(part, piece); bin < plan.end_of(part, piece); ++bin) {
      if (plan.has_one_value(bin)) continue;
      const Placed placed = plan.in(part, bin);
      if (!stretches.empty() && stretches.back().end == placed.begin) {
        stretches.back().end = placed.end;
      } else {
        stretches.push_back(placed);
      }
    }
    return stretches;
  }
  /// Whether no bin is so large that the levels, or the room for a piece, are made for less.
  bool are_even(const BinPlan& plan, std::size_t all_n) const {
    if (!has_levels_) return true;
    return plan.largest_bin() * 4 <= all_n / kTopBins * (table_ ? 11 : 6);
  }

 private:
  std::optional<BinTable<Bits>> table_;
  bool has_levels_ = true;
};

/// Appends how many keys of a part are in each bin, once they are counted. Waits for the stream.
template <class Bits>
void append_counts(std::vector<std::size_t>& counts, const Bins<Bits>& bins,
                   const BinsMemory<Bits>& memory, cudaStream_t stream) {
  const auto append = [&](const auto* d_counts) {
    std::vector<std::decay_t<decltype(*d_counts)>> own(bins.count());
    copy_words(own.data(), d_counts, own.size(), stream);
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    counts.insert(counts.end(), own.begin(), own.end());
  };
  bins.are_few() ? append(memory.few.d_totals) : append(memory.top.counts());
}

}  // namespace sortlab::gpu::parts
