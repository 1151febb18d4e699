// The partition sorts over several GPUs: splitters, counts, one pass that deals each part's items to shares, and
// a sort of each share by the GPU that gets it.
//
// A part gets several shares, its pieces: the sort of a piece waits for this piece alone, and pieces of 2^27
// keys are sorted faster than one of 2^30. Items reach their GPU in one of two ways, each piece in one:
//
//   stored   dealt straight into the memory of the GPU that gets them: the first pieces, as many as the rung says
//   staged   dealt into the own workspace, then copied by the copy engines
//
//   time     count | deal, and store piece 0 | sort of piece 0 | sort of piece 1 | ...
//                                            | copy of piece 1 | copy of piece 2 | ...
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/contract/device_parts.hpp"
#include "common/utils.hpp"
#include "gpu/multi/choose_splitters.cuh"
#include "gpu/parts/exchange_plan.hpp"
#include "gpu/parts/local_sort.cuh"
#include "gpu/parts/partition.cuh"
#include "gpu/parts/splitters.hpp"

namespace sortlab::gpu::parts {

// What the sample shows of shares, and how they are sorted.
//
// Shares of pairs whose keys are spread evenly, but over a short range, are stretched (stretch_map.hpp). Otherwise the top
// digits of a share would differ little, and its sort would need all passes. A share of one value arrives in order.
//
//   picks    . . . | . . . | . . . | . . .     of the sorted sample, many to a share
//   shares   even  | even  | one value | uneven

/// The shares of a sort, by what the sample shows of them.
template <class Bits>
class PickedShares {
 public:
  /// `picks` of the sorted sample are equally far from each other, and one less than the distances to both ends.
  PickedShares(std::vector<Splitter<Bits>> picks, std::size_t shares)
      : picks_(std::move(picks)), shares_(shares) {}

  std::vector<Splitter<Bits>> splitters() const {
    std::vector<Splitter<Bits>> splitters;
    for (std::size_t s = 1; s < shares_; ++s) splitters.push_back(picks_[behind(s) - 1]);
    return splitters;
  }
  /// Whether all keys of a share are the same.
  bool has_one_value(std::size_t share) const { return first(share) == last(share); }
  /// How to stretch a share: not at all, if its keys are uneven.
  Stretch<Bits> stretch(std::size_t share) const {
    if (has_one_value(share)) return {};
    const auto stretch = Stretch<Bits>::of(first(share), last(share));
    return fills(stretch.number(last(share))) && is_even(share) ? stretch : Stretch<Bits>{};
  }

 private:
  /// Picks before the end of the shares before. Rounded up, so that shares of a few items are even, too.
  std::size_t behind(std::size_t share) const {
    return ceil_div((picks_.size() + 1) * share, shares_);
  }
  /// Its least and its greatest key, at most.
  Bits first(std::size_t share) const { return share == 0 ? 0 : picks_[behind(share) - 1].key; }
  Bits last(std::size_t share) const {
    return share + 1 == shares_ ? std::numeric_limits<Bits>::max()
                                : picks_[behind(share + 1) - 1].key;
  }
  /// Numbers that fill less make top digits that look uneven.
  static bool fills(Bits greatest) {
    return greatest / 16 * 16 >= std::numeric_limits<Bits>::max() / 16 * 14;
  }
  /// Whether quarters of the range have a quarter of the picks, or a little more.
  bool is_even(std::size_t share) const {
    constexpr std::size_t kQuarters = 4;
    const auto length = static_cast<Bits>((last(share) - first(share)) / kQuarters + 1);
    std::size_t counts[kQuarters] = {};
    for (std::size_t i = behind(share); i + 1 < behind(share + 1); ++i) {
      ++counts[static_cast<std::size_t>((picks_[i].key - first(share)) / length)];
    }
    const std::size_t all = behind(share + 1) - behind(share);
    return *std::max_element(counts, counts + kQuarters) * kQuarters * 100 <= all * 108;
  }

  std::vector<Splitter<Bits>> picks_;
  std::size_t shares_;
};

/// How each share is sorted where it has arrived.
template <class Bits, class Value>
class SharesToSort {
 public:
  SharesToSort(const PickedShares<Bits>& picked, const ExchangePlan& plan, std::size_t shares) {
    for (std::size_t share = 0; share < shares; ++share) {
      const std::size_t n = plan.end_of(share) - plan.begin_of(share);
      are_sorted_.push_back(picked.has_one_value(share));
      const bool may_stretch = Items<Bits, Value>::kPairs && is_worth_stretching<Bits>(n);
      stretches_.push_back(may_stretch ? picked.stretch(share) : Stretch<Bits>{});
    }
  }
  /// How its keys are changed on the way.
  Stretch<Bits> stretch(std::size_t share) const { return stretches_[share]; }
  /// Sorts its n items, which are in `data` again at the end, with their keys as they were.
  void sort(std::size_t share, KeyKind kind, Items<Bits, Value> data, Items<Bits, Value> alternate,
            std::size_t n, std::span<std::byte> workspace, cudaStream_t stream) const {
    if (are_sorted_[share]) return;
    if (stretches_[share].changes()) {
      sort_stretched(kind, stretches_[share], data, alternate, n, workspace, stream);
    } else {
      sort_in_place(kind, data, alternate, n, workspace, stream);
    }
  }

 private:
  std::vector<bool> are_sorted_;
  std::vector<Stretch<Bits>> stretches_;
};

}  // namespace sortlab::gpu::parts

namespace sortlab::gpu::multi {

using namespace parts;  // the steps of one part

constexpr ParamSpec kAtOnce = {"at_once", 1, 1, 2, "pieces that a GPU sorts at the same time"};

inline std::size_t sorts_at_once(const Params& params) {
  return static_cast<std::size_t>(params["at_once"]);
}

/// One sort, of which the pieces below `stored` are stored and the others staged. Its steps are called in their
/// order.
template <class Job>
class PartitionSort {
  using Bits = typename Job::Key;
  using Value = typename Job::Value;
  using Part = DevicePart<Bits, Value>;
  using Memory = PartitionMemory<Bits, Value>;

 public:
  PartitionSort(const Job& job, KeyKind kind, Cut cut, std::size_t stored)
      : job_(job), kind_(kind), key_map_(key_map_of<Bits>(kind)), cut_(cut), stored_(stored) {
    for (const Part& part : job.parts) {
      const OnDevice here(part.device);
      Layout layout(part.workspace.data());
      memories_.emplace_back(layout, part.n, part.capacity, cut, sorts_at_once(job.params));
      if (memories_.size() == 1) sample_.emplace(layout, cut.parts);
    }
  }

  std::vector<PartResult> sort() {
    const PickedShares<Bits> picked = choose();
    count(picked.splitters());
    const ExchangePlan plan = planned();
    const SharesToSort<Bits, Value> shares(picked, plan, cut_.shares());
    deal(plan, shares);
    copy(plan);
    sort_pieces(plan, shares);
    std::vector<PartResult> results;
    for (const std::size_t p : parts()) {
      results.push_back({.in = ResultIn::alternate,
                         .n = plan.received(p),
                         .written_bytes = plan.sent(p) * (sizeof(Bits) + kValueBytes<Value>)});
    }
    return results;
  }

 private:
  auto parts() const { return numbers_below(cut_.parts); }
  Items<Bits, Value> data(std::size_t p) const { return job_.parts[p].data; }
  Items<Bits, Value> received(std::size_t p) const { return job_.parts[p].alternate; }

  PickedShares<Bits> choose() const {
    std::vector<const Bits*> keys;
    for (const std::size_t p : parts()) keys.push_back(data(p).keys);
    return {choose_splitters(job_, key_map_, keys, kMostPicked, *sample_), cut_.shares()};
  }

  void count(const std::vector<Splitter<Bits>>& splitters) const {
    for (const std::size_t p : parts()) {
      const Part& part = job_.parts[p];
      const OnDevice here(part.device);
      launch_count(data(p).keys, key_map_, part.n, p, splitters, memories_[p].deal, part.stream);
    }
  }

  bool is_stored(std::size_t share) const { return share % cut_.pieces < stored_; }

  /// Waits for the counts of all parts.
  ExchangePlan planned() const {
    std::vector<std::size_t> counts(cut_.parts * cut_.shares()), capacities;
    for (const std::size_t p : parts()) {
      const Part& part = job_.parts[p];
      const OnDevice here(part.device);
      copy_words(counts.data() + p * cut_.shares(), memories_[p].deal.d_totals, cut_.shares(),
                 part.stream);
      check(cudaStreamSynchronize(part.stream), "cudaStreamSynchronize");
      capacities.push_back(part.capacity);
    }
    ExchangePlan plan(cut_, std::move(counts));
    plan.require_room(capacities);
    return plan;
  }

  /// Where part p's items of a share go.
  Items<Bits, Value> target(const ExchangePlan& plan, std::size_t p, std::size_t share) const {
    const std::size_t owner = plan.owner(share);
    if (owner == p || is_stored(share)) {
      return received(owner).from(plan.place(p, share));
    }
    return memories_[p].d_staged.from(plan.staged_place(p, share));
  }

  void deal(const ExchangePlan& plan, const SharesToSort<Bits, Value>& shares) {
    for (const std::size_t p : parts()) {
      const Part& part = job_.parts[p];
      const OnDevice here(part.device);
      std::vector<Target<Bits, Value>> targets;
      for (std::size_t share = 0; share < cut_.shares(); ++share) {
        const auto items = target(plan, p, share);
        targets.push_back({items.keys, items.values, shares.stretch(share)});
      }
      launch_deal(data(p), key_map_, part.n, targets, memories_[p].deal, part.stream);
      dealt_.emplace_back(part.stream);
    }
  }

  /// Copies the staged items, all parts at the same time, in the order of the pieces.
  void copy(const ExchangePlan& plan) {
    arrived_.resize(cut_.shares());
    for (const std::size_t from : parts()) {
      const Part& part = job_.parts[from];
      const OnDevice here(part.device);
      for (std::size_t share = 0; share < cut_.shares(); ++share) {
        const std::size_t to = plan.owner(share);
        if (to == from || is_stored(share)) continue;
        const cudaStream_t stream = part.copy_streams[to];
        dealt_[from].hold_back(stream);
        copy_items_between(part, target(plan, from, share), job_.parts[to],
                           received(to).from(plan.place(from, share)), plan.count(from, share),
                           stream);
        arrived_[share].emplace_back(stream);
      }
    }
  }

  /// Holds the stream of a share's owner back until all items of the share have arrived.
  void await(std::size_t share, cudaStream_t stream) const {
    const std::vector<Reached>& all = is_stored(share) ? dealt_ : arrived_[share];
    for (const Reached& arrived : all) arrived.hold_back(stream);
  }

  /// Sorts the pieces where they arrived, by turns on the part's own stream and on the one that is for copies
  /// within the part. The part's own items are no longer needed.
  void sort_pieces(const ExchangePlan& plan, const SharesToSort<Bits, Value>& shares) const {
    const std::size_t at_once = sorts_at_once(job_.params);
    for (std::size_t piece = 0; piece < cut_.pieces; ++piece) {
      for (const std::size_t p : parts()) {
        const Part& part = job_.parts[p];
        const OnDevice here(part.device);
        const std::size_t share = p * cut_.pieces + piece, turn = piece % at_once;
        const cudaStream_t stream = turn == 0 ? part.stream : part.copy_streams[p];
        await(share, stream);
        dealt_[p].hold_back(stream);
        const std::size_t begin = plan.begin_of(share);
        shares.sort(share, kind_, part.alternate.from(begin), part.data.from(begin),
                    plan.end_of(share) - begin, memories_[p].d_sorts[turn], stream);
      }
    }
    for (const std::size_t p : parts()) {
      const Part& part = job_.parts[p];
      const OnDevice here(part.device);
      Reached(part.copy_streams[p]).hold_back(part.stream);
    }
  }

  const Job& job_;
  KeyKind kind_;
  KeyMap<Bits> key_map_;
  Cut cut_;
  std::size_t stored_;
  std::vector<Memory> memories_;
  std::optional<SampleMemory<Bits>> sample_;
  std::vector<Reached> dealt_;
  std::vector<std::vector<Reached>> arrived_;  // of each staged share: from each other part
};

/// stored(pieces) is how many pieces are stored.
template <class TypedJob, class Stored>
std::vector<PartResult> sort_by_partition(const TypedJob& typed, Stored stored) {
  const auto job = with_bits(typed);
  const KeyKind kind = kind_of(typed);
  const std::size_t parts = job.parts.size(), n = job.all_n();
  if (parts == 1) {
    const OnDevice here(job.parts.front().device);
    return {sort_lone_part(kind, job.parts.front())};
  }
  if (n == 0) return std::vector<PartResult>(parts, {ResultIn::data, 0});
  const Cut cut =
      cut_for(parts, ceil_div(n, parts), std::decay_t<decltype(job)>::kPairs, job.params);
  return PartitionSort(job, kind, cut, stored(cut.pieces)).sort();
}

}  // namespace sortlab::gpu::multi
