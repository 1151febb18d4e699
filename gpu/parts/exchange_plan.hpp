// Who sends how many items where, once each part's shares are counted.
//
// Part p gets the shares p * pieces .. p * pieces + pieces - 1, in this order. A share holds one run from
// each part, in the order of the parts, so equal keys stay in order.
//
//   buffer of part p   | piece 0: from part 0, from part 1 | piece 1: from part 0, from part 1 | ...
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/contract/errors.hpp"
#include "gpu/parts/splitters.hpp"

namespace sortlab::gpu::parts {

class ExchangePlan {
 public:
  /// counts[part * shares + share]: items of `part` in `share`.
  ExchangePlan(Cut cut, std::vector<std::size_t> counts)
      : cut_(cut), counts_(std::move(counts)), places_(counts_.size()), staged_(counts_.size()) {
    for (std::size_t share = 0; share < cut.shares(); ++share) {
      std::size_t place = share % cut.pieces == 0 ? 0 : end_of(share - 1);
      for (std::size_t part = 0; part < cut.parts; ++part) {
        places_[at(part, share)] = place;
        place += count(part, share);
      }
    }
    for (std::size_t part = 0; part < cut.parts; ++part) {
      std::size_t place = 0;
      for (std::size_t share = 0; share < cut.shares(); ++share) {
        staged_[at(part, share)] = place;
        if (owner(share) != part) place += count(part, share);
      }
    }
  }

  /// The part that a share goes to.
  std::size_t owner(std::size_t share) const { return share / cut_.pieces; }
  /// Items of `part` in `share`.
  std::size_t count(std::size_t part, std::size_t share) const { return counts_[at(part, share)]; }
  /// Where they go in the owner's buffer.
  std::size_t place(std::size_t part, std::size_t share) const { return places_[at(part, share)]; }
  /// Where they go if the part's items for others are put in a row, in the order of the shares.
  std::size_t staged_place(std::size_t part, std::size_t share) const {
    return staged_[at(part, share)];
  }

  /// Where a share begins and ends in its owner's buffer.
  std::size_t begin_of(std::size_t share) const { return place(0, share); }
  std::size_t end_of(std::size_t share) const {
    return place(cut_.parts - 1, share) + count(cut_.parts - 1, share);
  }
  /// Where the runs of a share end there, in the order of the parts that they come from.
  std::vector<std::size_t> run_ends(std::size_t share) const {
    std::vector<std::size_t> ends;
    for (std::size_t part = 0; part < cut_.parts; ++part) {
      ends.push_back(place(part, share) + count(part, share));
    }
    return ends;
  }
  /// All items that a part gets, and those that it sends to others.
  std::size_t received(std::size_t part) const { return end_of((part + 1) * cut_.pieces - 1); }
  std::size_t sent(std::size_t part) const {
    std::size_t sum = 0;
    for (std::size_t share = 0; share < cut_.shares(); ++share) {
      if (owner(share) != part) sum += count(part, share);
    }
    return sum;
  }

  /// Throws std::runtime_error if a part would get more items than its buffers hold.
  void require_room(std::span<const std::size_t> capacities) const {
    for (std::size_t part = 0; part < cut_.parts; ++part) {
      if (received(part) <= capacities[part]) continue;
      throw std::runtime_error("part " + std::to_string(part) + " would receive " +
                               std::to_string(received(part)) + " items, its buffers hold " +
                               std::to_string(capacities[part]));
    }
  }

 private:
  std::size_t at(std::size_t part, std::size_t share) const { return part * cut_.shares() + share; }

  Cut cut_;
  std::vector<std::size_t> counts_, places_, staged_;
};

/// The items that a part must have room for, where an even share has `most_n`: 5 % more.
constexpr std::size_t room_for(std::size_t most_n) { return most_n + most_n / 20; }

/// As many parts as there can be. Throws BadInput for more.
inline std::size_t count_of_parts(int parts) {
  const auto count = static_cast<std::size_t>(parts);
  if (count <= kMostShares) return count;
  throw BadInput("sorts over at most " + std::to_string(kMostShares) + " GPUs");
}

}  // namespace sortlab::gpu::parts
