// Which part owns which bins, and where each part's keys of a bin go.
//
// Bins are cut into parts * pieces shares, as near to what `Cut` wants as whole bins allow. A bin holds one run from each
// part, in the order of the parts, so that it is one stretch of its owner's buffer:
//
//   buffer of part p   | bin 7: from part 0, from part 1 | bin 8: from part 0, from part 1 | ...
//
// Keys of a bin of one value need not be sent: their number is enough. So parts may share such a bin, and parts are even
// however often a value is repeated.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "gpu/parts/splitters.hpp"

namespace sortlab::gpu::parts {

/// A stretch of a part's buffer, or of the bins.
struct Placed {
  std::size_t begin;
  std::size_t end;

  std::size_t size() const { return end - begin; }
};

class BinPlan {
 public:
  /// counts[part * bins + bin]: keys of `part` in `bin`, of which has_one_value says that they are all the same.
  BinPlan(Cut cut, std::vector<std::size_t> counts, std::vector<bool> has_one_value)
      : cut_(cut),
        bins_(has_one_value.size()),
        counts_(std::move(counts)),
        has_one_value_(std::move(has_one_value)) {
    ends_.push_back(0);
    for (std::size_t bin = 0; bin < bins_; ++bin) ends_.push_back(ends_.back() + of_bin(bin));
    for (std::size_t share = 0; share <= cut.shares(); ++share) {
      bounds_.push_back(bound_near(cut.begin_of(ends_.back(), share)));
    }
    for (std::size_t share = 0; share < cut.shares(); ++share) {
      bins_of_shares_.push_back(bins_between(bounds_[share], bounds_[share + 1]));
    }
    for (std::size_t bin = 0; bin < bins_; ++bin) {
      if (!has_one_value_[bin]) largest_bin_ = std::max(largest_bin_, of_bin(bin));
    }
  }

  std::size_t bins() const { return bins_; }
  bool has_one_value(std::size_t bin) const { return has_one_value_[bin]; }
  /// The first bin of a part's piece, and the one behind its last.
  std::size_t first_of(std::size_t part, std::size_t piece) const {
    return bins_of_shares_[share(part, piece)].begin;
  }
  std::size_t end_of(std::size_t part, std::size_t piece) const {
    return bins_of_shares_[share(part, piece)].end;
  }
  /// The same of all pieces of a part.
  std::size_t first_of(std::size_t part) const { return first_of(part, 0); }
  std::size_t end_of(std::size_t part) const {
    std::size_t end = first_of(part);
    for (std::size_t piece = 0; piece < cut_.pieces; ++piece) {
      end = std::max(end, end_of(part, piece));
    }
    return end;
  }
  /// The part that owns a bin, or that owns its first keys.
  std::size_t owner(std::size_t bin) const {
    std::size_t part = 0;
    while (part + 1 < cut_.parts && bounds_[share(part + 1, 0)] <= ends_[bin]) ++part;
    return part;
  }
  /// Keys of `part` in `bin`.
  std::size_t count(std::size_t part, std::size_t bin) const { return counts_[part * bins_ + bin]; }
  /// Where a bin lies in its owner's buffer, or what of it this owner has.
  Placed in(std::size_t owner, std::size_t bin) const {
    const std::size_t first = bounds_[share(owner, 0)], end = bounds_[share(owner + 1, 0)];
    return {std::clamp(ends_[bin], first, end) - first,
            std::clamp(ends_[bin + 1], first, end) - first};
  }
  /// Where the keys that `from` has of it go there.
  std::size_t place(std::size_t from, std::size_t owner, std::size_t bin) const {
    std::size_t place = in(owner, bin).begin;
    for (std::size_t before = 0; before < from; ++before) place += count(before, bin);
    return place;
  }
  /// Of all parts.
  std::size_t of_bin(std::size_t bin) const {
    std::size_t sum = 0;
    for (std::size_t part = 0; part < cut_.parts; ++part) sum += count(part, bin);
    return sum;
  }
  /// The largest bin of keys that are sent, 0 if there is none.
  std::size_t largest_bin() const { return largest_bin_; }
  /// All keys that a part gets.
  std::size_t received(std::size_t part) const {
    return bounds_[share(part + 1, 0)] - bounds_[share(part, 0)];
  }
  /// Those that it sends to others.
  std::size_t sent(std::size_t part) const {
    std::size_t sum = 0;
    for (std::size_t bin = 0; bin < bins_; ++bin) {
      if (!has_one_value(bin) && in(part, bin).size() == 0) sum += count(part, bin);
    }
    return sum;
  }

 private:
  std::size_t share(std::size_t part, std::size_t piece) const {
    return part * cut_.pieces + piece;
  }
  /// The bins of a share: from the one that has its first key to the one that has its last.
  Placed bins_between(std::size_t first, std::size_t end) const {
    const auto from = std::upper_bound(ends_.begin(), ends_.end() - 1, first) - 1;
    const auto to = first == end ? from : std::lower_bound(ends_.begin(), ends_.end(), end);
    return {static_cast<std::size_t>(from - ends_.begin()),
            static_cast<std::size_t>(to - ends_.begin())};
  }
  /// The end of a bin that is nearest to a place among all keys, or this place itself in a bin of one value.
  std::size_t bound_near(std::size_t place) const {
    const auto above = std::lower_bound(ends_.begin(), ends_.end(), place);
    if (above == ends_.begin() ||
        has_one_value(static_cast<std::size_t>(above - ends_.begin()) - 1)) {
      return place;
    }
    return place - above[-1] < *above - place ? above[-1] : *above;
  }

  Cut cut_;
  std::size_t bins_;
  std::vector<std::size_t> counts_;
  std::vector<bool> has_one_value_;
  std::vector<std::size_t> ends_;    // of the bins, among all keys, which begin with 0
  std::vector<std::size_t> bounds_;  // of the shares
  std::vector<Placed> bins_of_shares_;
  std::size_t largest_bin_ = 0;
};

}  // namespace sortlab::gpu::parts
