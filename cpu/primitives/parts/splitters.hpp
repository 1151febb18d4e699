// Splitters by histogram refinement: where to cut sorted parts so that all parts receive almost
// equally many items.
//
// The k-th cut should have about t = k n / P items of all parts before it. All cuts are searched
// for at once. Each has an interval of keys that contains it. A round probes keys inside of the
// intervals, counts the items below each probe, and narrows the intervals:
//
//   items <= key   0 ........ t - tolerance .... t .... t + tolerance ........ n
//   round 1        |     *       *       *   |  *       *       *       *     |   probes
//   round 2                                  | *  *  *  * |                        here is t
//
// A cut is found when a probe is near enough, or when its interval is one key. In the second case
// the parts, the first ones first, send as many items with that key to the left as are missing
// there. So any input, even with equal keys, is cut as evenly as requested, and equal keys stay in
// the order of the parts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <vector>

#include "cpu/primitives/parts/local_sort.hpp"

namespace sortlab::cpu::parts {

/// The sorted items of one part, as unsigned integers in the order of the keys.
template <class Bits>
struct SortedPart {
  const Bits* keys;
  std::size_t n;
  KeyMap<Bits> map;

  /// How many items lie below `key`.
  std::size_t below(Bits key) const {
    return before([key](Bits other) { return other < key; });
  }
  /// How many items are equal to `key` or below it.
  std::size_t up_to(Bits key) const {
    return before([key](Bits other) { return other <= key; });
  }

 private:
  template <class Predicate>
  std::size_t before(Predicate is_before) const {
    const auto* const end =
        std::partition_point(keys, keys + n, [&](Bits key) { return is_before(map.ordered(key)); });
    return static_cast<std::size_t>(end - keys);
  }
};

/// One cut: the items below `last`, and some or all of those that are equal to it, lie before the
/// cut.
template <class Bits>
struct Cut {
  std::uint64_t target;  // items that should lie before it
  Bits first = 0;        // the interval of keys that holds `last`
  Bits last = std::numeric_limits<Bits>::max();
  bool is_near = false;  // all items up to `last` lie before it

  bool is_found() const { return is_near || first == last; }
};

/// Evenly spaced keys inside of the intervals of the cuts that are not found yet: `probes` for each
/// cut. Cuts with the same interval share their probes. Ascending, without repeats.
template <class Bits>
std::vector<Bits> keys_to_probe(const std::vector<Cut<Bits>>& cuts, std::uint64_t probes) {
  std::vector<Cut<Bits>> open;
  std::copy_if(cuts.begin(), cuts.end(), std::back_inserter(open),
               [](const auto& cut) { return !cut.is_found(); });
  std::vector<Bits> keys;
  for (std::size_t i = 0, end = 0; i < open.size(); i = end) {
    while (end < open.size() && open[end].first == open[i].first) ++end;
    const std::uint64_t width = std::uint64_t{open[i].last} - open[i].first;  // > 0
    const std::uint64_t count = std::min<std::uint64_t>(probes * (end - i), width);
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::uint64_t step = width / count * k + width % count * k / count;
      keys.push_back(static_cast<Bits>(open[i].first + step));
    }
  }
  return keys;
}

/// Narrows the cut: `counts[i]` items of all parts are equal to `keys[i]` or below it.
template <class Bits>
void narrow(Cut<Bits>& cut, const std::vector<Bits>& keys, const std::vector<std::uint64_t>& counts,
            std::uint64_t tolerance) {
  if (cut.is_found()) return;
  // The first probe with enough items, and the one before it.
  const auto enough = std::lower_bound(counts.begin(), counts.end(), cut.target) - counts.begin();
  const auto at = static_cast<std::size_t>(enough);
  if (at < keys.size() && counts[at] - cut.target <= tolerance) {
    cut.last = keys[at];
    cut.is_near = true;
  } else if (at > 0 && cut.target - counts[at - 1] <= tolerance) {
    cut.last = keys[at - 1];
    cut.is_near = true;
  } else {
    if (at < keys.size()) cut.last = std::min(cut.last, keys[at]);
    if (at > 0) cut.first = std::max(cut.first, static_cast<Bits>(keys[at - 1] + 1));
  }
}

/// A cut as one part sees it.
template <class Bits>
struct OwnCut {
  Bits key;            // the last key before the cut
  std::size_t before;  // this many of the part's sorted items lie before it
  enum class Equals : std::uint8_t {
    before,
    behind,
    both
  } equals;  // where those equal to `key` lie
};

/// The P-1 cuts of all parts' items, `all_n`, into P shares: between two of them is one share, give or take
/// 2 * tolerance. All parts must call it.
template <class Bits>
std::vector<OwnCut<Bits>> even_cuts(Communicator& communicator, const SortedPart<Bits>& own,
                                    std::uint64_t all_n, std::uint64_t tolerance,
                                    std::uint64_t probes) {
  using Equals = typename OwnCut<Bits>::Equals;
  const auto parts = static_cast<std::size_t>(communicator.parts());
  std::vector<Cut<Bits>> cuts(parts - 1);
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    cuts[i].target = all_n / parts * (i + 1) + all_n % parts * (i + 1) / parts;
  }

  for (auto keys = keys_to_probe(cuts, probes); !keys.empty(); keys = keys_to_probe(cuts, probes)) {
    std::vector<std::uint64_t> counts;
    for (const Bits key : keys) counts.push_back(own.up_to(key));
    communicator.all_sum(counts);
    for (auto& cut : cuts) narrow(cut, keys, counts, tolerance);
  }

  // The items below each cut's last key, and those equal to it, on all parts.
  struct Around {
    std::uint64_t below, equal;
  };
  std::vector<Around> around;
  for (const auto& cut : cuts) {
    const std::size_t below = own.below(cut.last);
    around.push_back({below, own.up_to(cut.last) - below});
  }
  const auto all = gathered(communicator, std::span<const Around>(around));
  std::vector<OwnCut<Bits>> result;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    std::uint64_t below = 0, equal_on_earlier_parts = 0;
    for (std::size_t part = 0; part < parts; ++part) {
      const Around& a = all[part * cuts.size() + i];
      below += a.below;
      if (part < static_cast<std::size_t>(communicator.part())) equal_on_earlier_parts += a.equal;
    }
    const std::uint64_t missing =
        cuts[i].is_near ? std::numeric_limits<std::uint64_t>::max() : cuts[i].target - below;
    const std::uint64_t for_this_part = missing - std::min(missing, equal_on_earlier_parts);
    const Equals equals = for_this_part == 0                 ? Equals::behind
                          : for_this_part >= around[i].equal ? Equals::before
                                                             : Equals::both;
    result.push_back(
        {cuts[i].last, around[i].below + std::min(around[i].equal, for_this_part), equals});
  }
  return result;
}

}  // namespace sortlab::cpu::parts
