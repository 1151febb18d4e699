// Bins of uneven keys: a table has the bin of a key, whose bins are made to hold about equally many.
//
//     begins     [ 0 | 0.25 | 0.5 | 0.625 | 0.75 ... ]     the least key of each bin
//     prefixes   [ . . . . . . . . ]                       stretches of equally many keys: the bin that each begins in
//
// A search among the bins that begin in the key's prefix finds its own. The scatter's tiles lie in shared memory by bin: bins
// of more keys have more slots there.
#pragma once

#include <cstdint>

#include "gpu/primitives/key_map.hpp"

namespace sortlab::gpu::parts {

constexpr unsigned kTopBits = 9;
constexpr unsigned kTopBins = 1u << kTopBits;

/// The first slot of a bin in shared memory, and how many there are: none if its keys are left out.
struct alignas(4) SlotsOfBin {
  std::uint16_t begin;
  std::uint16_t count;
};

/// Of the scatter: the keys of a tile, and the slots for them, if there are any.
struct TileSlots {
  unsigned keys;
  unsigned slots;
};

template <class Bits>
struct BinSearch;

template <class Bits>
struct BinTable {
  static constexpr unsigned kPrefixes = 1u << 13;

  Bits
      low;  // the first prefix begins here, and has all keys below, too; the last one has all above
  unsigned shift;  // a prefix is 2^shift keys
  unsigned steps;  // of the search: fewer than 2^steps bins begin within a prefix
  unsigned bins;
  Bits begins[kTopBins];
  std::uint16_t first_bin[kPrefixes];
  SlotsOfBin slots[kTopBins];  // in a tile of the scatter

  unsigned prefix_of(Bits ordered) const { return BinSearch<Bits>(*this).prefix_of(ordered); }
  /// The bin of an ordered key.
  unsigned operator()(Bits ordered) const { return BinSearch<Bits>(*this)(ordered); }
  /// The greatest key of a bin.
  Bits last_of(unsigned bin) const {
    return bin + 1 < bins ? static_cast<Bits>(begins[bin + 1] - 1) : static_cast<Bits>(~Bits{0});
  }
};

/// The search in a table, with what it needs of it for each key.
template <class Bits>
struct BinSearch {
  static constexpr unsigned kAtOnce = 8;  // keys of a thread whose bins are under way

  const Bits* begins;
  const std::uint16_t* first_bin;
  const SlotsOfBin* slots;
  Bits low;
  unsigned shift;
  unsigned first_step;
  unsigned last;  // bin

  SORTLAB_HD explicit BinSearch(const BinTable<Bits>& table)
      : begins(table.begins),
        first_bin(table.first_bin),
        slots(table.slots),
        low(table.low),
        shift(table.shift),
        first_step(1u << table.steps >> 1),
        last(table.bins - 1) {}

  SORTLAB_HD unsigned prefix_of(Bits ordered) const {
    constexpr unsigned kLast = BinTable<Bits>::kPrefixes - 1;
    const Bits above = static_cast<Bits>((ordered > low ? ordered : low) - low) >> shift;
    return above < kLast ? static_cast<unsigned>(above) : kLast;
  }
  /// The bins of some keys, which take each step together: loads of one do not wait for those of another.
  template <unsigned kKeys>
  SORTLAB_HD void find(const Bits* ordered, unsigned (&bin)[kKeys]) const {
    for (unsigned k = 0; k < kKeys; ++k) bin[k] = first_bin[prefix_of(ordered[k])];
    for (unsigned step = first_step; step > 0; step >>= 1) {
      for (unsigned k = 0; k < kKeys; ++k) {
        const unsigned probe = bin[k] + step < last ? bin[k] + step : last;
        bin[k] = begins[probe] <= ordered[k] ? probe : bin[k];
      }
    }
  }
  /// From the least key of a bin to its greatest.
  SORTLAB_HD Bits span(unsigned bin) const {
    const Bits end =
        bin < last ? static_cast<Bits>(begins[bin + 1] - 1) : static_cast<Bits>(~Bits{0});
    return end - begins[bin];
  }
  SORTLAB_HD unsigned operator()(Bits ordered) const {
    unsigned bin[1];
    find(&ordered, bin);
    return bin[0];
  }
};

}  // namespace sortlab::gpu::parts
