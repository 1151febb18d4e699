// What the sample tells of shares, and how they are sorted.
//
// Shares of pairs whose keys are spread evenly, but over a short range, are stretched (stretch_map.hpp). Otherwise the top
// digits of a share would tell little, and its sort would need all passes. A share of one value arrives in order.
//
//   picks    . . . | . . . | . . . | . . .     of the sorted sample, many to a share
//   shares   even  | even  | one value | uneven
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "common/utils.hpp"
#include "gpu/parts/exchange_plan.hpp"
#include "gpu/parts/local_sort.cuh"
#include "gpu/parts/splitters.hpp"

namespace sortlab::gpu::parts {

/// The shares of a sort, by what the sample tells of them.
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
