// Bins for uneven keys, out of a sorted sample: each stretch of all keys is halved until it has few of the sample, so that
// bins begin at round keys and the keys of a bin are mostly even. A value that is often repeated gets a bin of its own.
//
//   sample   . . .... ........ ........ : ::          of floats, halves of the keys share an exponent
//   bins     |   |    |   |   | | | | | | |           light neighbours are put together again
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <vector>

#include "gpu/radix/msd_hybrid/bin_table.hpp"

namespace sortlab::gpu::parts {

/// The keys from first to last, and how many of the sample are among them.
template <class Bits>
struct Stretch {
  Bits first;
  Bits last;
  std::size_t sampled;
};

/// Cuts the keys of a sorted sample into stretches that have `most` of it, or one value.
template <class Bits>
class Halves {
 public:
  Halves(std::span<const Bits> sample, std::size_t most) : most_(most) {
    halve(0, static_cast<Bits>(~Bits{0}), sample);
  }
  std::vector<Stretch<Bits>> stretches;

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
  /// Light neighbours become one stretch.
  void put(Bits first, Bits last, std::size_t sampled) {
    if (!stretches.empty() && stretches.back().sampled + sampled <= most_ / 2) {
      stretches.back().last = last;
      stretches.back().sampled += sampled;
    } else {
      stretches.push_back({first, last, sampled});
    }
  }

  std::size_t most_;
};

/// Puts the lightest of neighbours that are halves of a stretch together until `most` stretches are left, or no such halves.
template <class Bits>
void join_halves(std::vector<Stretch<Bits>>& stretches, std::size_t most) {
  const auto are_halves = [](const Stretch<Bits>& a, const Stretch<Bits>& b) {
    const auto size = static_cast<Bits>(a.last - a.first + 1);
    return a.last > a.first && b.last - b.first == a.last - a.first && std::has_single_bit(size) &&
           a.first % size == 0 && (a.first & size) == 0;
  };
  while (stretches.size() > most) {
    std::size_t lightest = 0;
    for (std::size_t i = 1; i < stretches.size(); ++i) {
      if (!are_halves(stretches[i - 1], stretches[i])) continue;
      const auto weight = [&](std::size_t k) {
        return stretches[k - 1].sampled + stretches[k].sampled;
      };
      if (lightest == 0 || weight(i) < weight(lightest)) lightest = i;
    }
    if (lightest == 0) return;
    stretches[lightest - 1].last = stretches[lightest].last;
    stretches[lightest - 1].sampled += stretches[lightest].sampled;
    stretches.erase(stretches.begin() + static_cast<std::ptrdiff_t>(lightest));
  }
}

/// At most kTopBins bins, out of a sorted sample.
template <class Bits>
radix::msd_hybrid::BinTable<Bits> choose_bins(std::span<const Bits> sample) {
  using Table = radix::msd_hybrid::BinTable<Bits>;
  constexpr std::size_t kBins = radix::msd_hybrid::kTopBins;
  // Of floats of [0, 1), a few bins too many would all have one size otherwise.
  constexpr std::size_t kTooMany = kBins / 8;
  std::vector<Stretch<Bits>> stretches;
  for (std::size_t most = std::max<std::size_t>(1, sample.size() * 3 / 2 / kBins);
       stretches.empty() || stretches.size() > kBins; most += ceil_div(most, std::size_t{8})) {
    stretches = std::move(Halves<Bits>(sample, most).stretches);
    if (stretches.size() <= kBins + kTooMany) join_halves(stretches, kBins);
  }
  Table table{};
  table.bins = static_cast<unsigned>(stretches.size());
  for (unsigned bin = 0; bin < table.bins; ++bin) table.begins[bin] = stretches[bin].first;
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

}  // namespace sortlab::gpu::parts
