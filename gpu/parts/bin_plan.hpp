// Which part owns which bins of the top digit, and where each part's keys of a bin go.
//
// Bins are cut into parts * pieces shares, as even as whole bins allow. A bin holds one run from each part, in the order
// of the parts, so that it is one stretch of its owner's buffer:
//
//   buffer of part p   | bin 7: from part 0, from part 1 | bin 8: from part 0, from part 1 | ...
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "gpu/parts/splitters.hpp"

namespace sortlab::gpu::parts {

class BinPlan {
 public:
  /// counts[part * bins + bin]: keys of `part` in `bin`.
  BinPlan(Cut cut, std::size_t bins, std::vector<std::size_t> counts)
      : cut_(cut), bins_(bins), counts_(std::move(counts)), places_(counts_.size()) {
    std::vector<std::size_t> ends{0};  // of the bins, among all keys
    for (std::size_t bin = 0; bin < bins; ++bin) ends.push_back(ends.back() + of_bin(bin));
    for (std::size_t share = 0; share <= cut.shares(); ++share) {
      const std::size_t wanted = stretch_begin(ends.back(), cut.shares(), share);
      const auto above = std::lower_bound(ends.begin(), ends.end(), wanted);
      const bool is_below_nearer = above != ends.begin() && wanted - above[-1] < *above - wanted;
      firsts_.push_back(static_cast<std::size_t>(above - ends.begin()) - is_below_nearer);
    }
    for (std::size_t part = 0; part < cut.parts; ++part) {
      std::size_t place = 0;
      for (std::size_t bin = first_of(part, 0); bin < first_of(part + 1, 0); ++bin) {
        for (std::size_t from = 0; from < cut.parts; ++from) {
          places_[at(from, bin)] = place;
          place += count(from, bin);
        }
      }
      received_.push_back(place);
    }
  }

  std::size_t bins() const { return bins_; }
  /// The first bin of a part's piece. The bins of one piece end where those of the next begin.
  std::size_t first_of(std::size_t part, std::size_t piece) const {
    return firsts_[part * cut_.pieces + piece];
  }
  /// Keys of `part` in `bin`.
  std::size_t count(std::size_t part, std::size_t bin) const { return counts_[at(part, bin)]; }
  /// Where they go in the owner's buffer.
  std::size_t place(std::size_t part, std::size_t bin) const { return places_[at(part, bin)]; }
  /// Of all parts.
  std::size_t of_bin(std::size_t bin) const {
    std::size_t sum = 0;
    for (std::size_t part = 0; part < cut_.parts; ++part) sum += count(part, bin);
    return sum;
  }
  std::size_t largest_bin() const {
    std::size_t largest = 0;
    for (std::size_t bin = 0; bin < bins_; ++bin) largest = std::max(largest, of_bin(bin));
    return largest;
  }
  /// All keys that a part gets.
  std::size_t received(std::size_t part) const { return received_[part]; }
  /// Those that it sends to others.
  std::size_t sent(std::size_t part) const {
    std::size_t sum = 0;
    for (std::size_t bin = 0; bin < bins_; ++bin) {
      if (bin < first_of(part, 0) || bin >= first_of(part + 1, 0)) sum += count(part, bin);
    }
    return sum;
  }

 private:
  std::size_t at(std::size_t part, std::size_t bin) const { return part * bins_ + bin; }

  Cut cut_;
  std::size_t bins_;
  std::vector<std::size_t> counts_, places_, firsts_, received_;
};

}  // namespace sortlab::gpu::parts
