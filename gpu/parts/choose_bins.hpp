// Bins for uneven keys, out of a sorted sample: each interval of keys is halved until it has few of the sample, so that
// bins begin at round keys and the keys of a bin are mostly even. A value that is often repeated gets a bin of its own.
//
//   sample   . . .... ........ ........ : ::          of floats, halves of the keys share an exponent
//   bins     |   |    |   |   | | | | | | |           light neighbours are put together again
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "common/utils.hpp"
#include "gpu/parts/bin_table.hpp"
#include "gpu/parts/splitters.hpp"

namespace sortlab::gpu::parts {

/// The keys from first to last, and how many of the sample are among them.
template <class Bits>
struct Interval {
  Bits first;
  Bits last;
  std::size_t sampled;
};

/// Cuts the keys of a sorted sample into intervals that have `most` of it, or one value.
template <class Bits>
class Halves {
 public:
  Halves(std::span<const Bits> sample, std::size_t most) : most_(most) {
    halve(0, static_cast<Bits>(~Bits{0}), sample);
  }
  std::vector<Interval<Bits>> intervals;

 private:
  void halve(Bits first, Bits last, std::span<const Bits> sample) {
    if (sample.size() <= most_ || first == last) return put(first, last, sample.size());
    const Bits least = sample.front();
    if (least == sample.back()) {
      if (least > first) put(first, static_cast<Bits>(least - 1), 0);
      put(least, least, sample.size());
      if (least < last) put(static_cast<Bits>(least + 1), last, 0);
      return;
    }
    const auto middle = static_cast<Bits>(first + (last - first) / 2);
    const auto above = static_cast<std::size_t>(
        std::upper_bound(sample.begin(), sample.end(), middle) - sample.begin());
    halve(first, middle, sample.first(above));
    halve(static_cast<Bits>(middle + 1), last, sample.subspan(above));
  }
  /// Light neighbours become one interval.
  void put(Bits first, Bits last, std::size_t sampled) {
    if (!intervals.empty() && intervals.back().sampled + sampled <= most_ / 2) {
      intervals.back().last = last;
      intervals.back().sampled += sampled;
    } else {
      intervals.push_back({first, last, sampled});
    }
  }

  std::size_t most_;
};

/// Puts the lightest of neighbours that are halves of an interval together until `most` intervals are left, or no such halves.
template <class Bits>
void join_halves(std::vector<Interval<Bits>>& intervals, std::size_t most) {
  const auto are_halves = [](const Interval<Bits>& a, const Interval<Bits>& b) {
    const auto size = static_cast<Bits>(a.last - a.first + 1);
    return a.last > a.first && b.last - b.first == a.last - a.first && std::has_single_bit(size) &&
           a.first % size == 0 && (a.first & size) == 0;
  };
  while (intervals.size() > most) {
    std::size_t lightest = 0;
    for (std::size_t i = 1; i < intervals.size(); ++i) {
      if (!are_halves(intervals[i - 1], intervals[i])) continue;
      const auto weight = [&](std::size_t k) {
        return intervals[k - 1].sampled + intervals[k].sampled;
      };
      if (lightest == 0 || weight(i) < weight(lightest)) lightest = i;
    }
    if (lightest == 0) return;
    intervals[lightest - 1].last = intervals[lightest].last;
    intervals[lightest - 1].sampled += intervals[lightest].sampled;
    intervals.erase(intervals.begin() + static_cast<std::ptrdiff_t>(lightest));
  }
}

/// At most kTopBins bins, out of a sorted sample.
template <class Bits>
BinTable<Bits> choose_bins(std::span<const Bits> sample) {
  using Table = BinTable<Bits>;
  constexpr std::size_t kBins = kTopBins;
  // Of floats of [0, 1), a few bins too many would all have one size otherwise.
  constexpr std::size_t kTooMany = kBins / 8;
  std::vector<Interval<Bits>> intervals;
  for (std::size_t most = std::max<std::size_t>(1, sample.size() * 3 / 2 / kBins);
       intervals.empty() || intervals.size() > kBins; most += ceil_div(most, std::size_t{8})) {
    intervals = std::move(Halves<Bits>(sample, most).intervals);
    if (intervals.size() <= kBins + kTooMany) join_halves(intervals, kBins);
  }
  Table table{};
  table.bins = static_cast<unsigned>(intervals.size());
  for (unsigned bin = 0; bin < table.bins; ++bin) table.begins[bin] = intervals[bin].first;
  table.low = table.bins > 1 ? static_cast<Bits>(table.begins[1] - 1) : 0;
  const auto reach = static_cast<Bits>(table.begins[table.bins - 1] -
                                       std::min(table.low, table.begins[table.bins - 1]));
  constexpr unsigned kPrefixBits = std::bit_width(Table::kPrefixes) - 1;
  const auto width = static_cast<unsigned>(std::bit_width(reach));
  table.shift = width > kPrefixBits ? width - kPrefixBits : 0;
  unsigned bin = 0, most_behind = 0;
  for (unsigned prefix = 0; prefix < Table::kPrefixes; ++prefix) {
    table.first_bin[prefix] = static_cast<std::uint16_t>(bin);
    const unsigned first = bin;
    while (bin + 1 < table.bins && table.prefix_of(table.begins[bin + 1]) == prefix) ++bin;
    most_behind = std::max(most_behind, bin - first);
  }
  table.steps = static_cast<unsigned>(std::bit_width(most_behind));
  return table;
}

/// A bin for each share of a sorted sample of any keys. A value that a bin would begin with has a bin of its own if it is
/// repeated.
template <class Bits>
BinTable<Bits> share_bins(std::span<const Bits> sample, Cut cut) {
  BinTable<Bits> table{};
  const auto begin_at = [&](Bits key) {
    if (key > table.begins[table.bins - 1]) table.begins[table.bins++] = key;
  };
  table.bins = 1;
  for (std::size_t share = 1; share < cut.shares(); ++share) {
    const auto at =
        sample.begin() + static_cast<std::ptrdiff_t>(cut.begin_of(sample.size(), share));
    begin_at(*at);
    const bool is_repeated =
        (at > sample.begin() && at[-1] == *at) || (at + 1 < sample.end() && at[1] == *at);
    if (is_repeated && *at < static_cast<Bits>(~Bits{0})) begin_at(static_cast<Bits>(*at + 1));
  }
  table.low = static_cast<Bits>(~Bits{0});  // one prefix has all keys
  table.steps = static_cast<unsigned>(std::bit_width(table.bins - 1));
  return table;
}

/// How many of a sorted sample are in bins of one value.
template <class Bits>
std::size_t count_in_bins_of_one(const BinTable<Bits>& table, std::span<const Bits> sample) {
  std::size_t count = 0;
  for (unsigned bin = 0; bin < table.bins; ++bin) {
    const Bits value = table.begins[bin];
    if (value != table.last_of(bin)) continue;
    const auto [first, end] = std::equal_range(sample.begin(), sample.end(), value);
    count += static_cast<std::size_t>(end - first);
  }
  return count;
}

/// Bins for the shares of a cut, out of a sorted sample of any keys: one for each share if these are few, as their keys are
/// found the fastest; or many more, if half of the keys then are in bins of one value that would not be else: those are not sent.
/// measured: 2^29 u32, two GPUs, Gkeys/s, entropy4 and entropy5 with many from an eighth on 78 and 86, one GPU 76 and 79; H200,
/// h200/attempts/fused.3.txt
template <class Bits>
BinTable<Bits> bins_of_shares(std::span<const Bits> sample, Cut cut, std::size_t most_few,
                              std::size_t enough = 64) {
  const auto few = share_bins(sample, cut);
  const std::size_t for_each = std::max<std::size_t>(1, enough / cut.shares());
  const auto many = share_bins<Bits>(sample, {cut.parts, cut.pieces * for_each});
  const std::size_t of_few = count_in_bins_of_one(few, sample);
  const bool pays = count_in_bins_of_one(many, sample) >= of_few + sample.size() / 2;
  return many.bins <= most_few || few.bins > most_few || pays ? many : few;
}

/// Whether the bins of the top bits have about equally many of a sorted sample.
template <class Bits>
bool are_top_bits_even(std::span<const Bits> sample) {
  constexpr unsigned kShift = 8 * sizeof(Bits) - kTopBits;
  std::size_t counts[kTopBins] = {};
  for (const Bits key : sample) ++counts[static_cast<std::size_t>(key >> kShift)];
  return *std::max_element(std::begin(counts), std::end(counts)) * kTopBins <=
         sample.size() * 7 / 4;
}

/// Shares the slots of a tile out to bins that have of_bins[bin] keys: for those of a tile of keys in any order, and for most
/// tiles enough more. A bin without keys gets none.
inline std::vector<SlotsOfBin> share_slots(std::span<const std::size_t> of_bins, TileSlots tile) {
  constexpr double kDeviations = 6;
  double all = 0, wanted = 0;
  for (const std::size_t keys : of_bins) all += static_cast<double>(keys);
  const auto wish = [&](std::size_t keys) {
    const double mean = static_cast<double>(keys) * tile.keys / std::max(1.0, all);
    return mean + kDeviations * std::sqrt(mean);
  };
  for (const std::size_t keys : of_bins) wanted += wish(keys);
  const double factor = static_cast<double>(tile.slots - of_bins.size()) / std::max(1.0, wanted);
  std::vector<SlotsOfBin> slots;
  std::uint16_t begin = 0;
  for (const std::size_t keys : of_bins) {
    const auto count = static_cast<std::uint16_t>(keys == 0 ? 0 : 1 + wish(keys) * factor);
    slots.push_back({begin, count});
    begin = static_cast<std::uint16_t>(begin + count);
  }
  return slots;
}

}  // namespace sortlab::gpu::parts
