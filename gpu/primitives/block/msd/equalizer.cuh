// Histogram equalization: a nondecreasing function of the keys whose values are spread evenly even
// if the keys are not. An MSD radix sort then uses digits of the value, a number of about 15 bits,
// instead of the key's top digits.
//
//     number                      ______/     a line for each of 2^12 prefixes of the range of a sample,
//       ^                  ______/            as steep as the prefix is heavy: of floats of [0, 1), half
//       |          /                          share an exponent, and get half of the numbers
//       |_________/
//       +-----------------------------> key
//
// It takes a read of shared memory and a multiplication per key. The function is nondecreasing, so
// bins are in order; the lines' inverse gives the keys of a leaf. Keys that are uneven within a
// prefix, such as a repeated value, stay uneven.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/contract/key_types.hpp"

namespace sortlab::gpu::msd {

using Count = unsigned long long;

constexpr unsigned kPrefixBits = 12;
constexpr unsigned kPrefixes = 1u << kPrefixBits;
constexpr unsigned kRestBits = 32 - kPrefixBits;

/// Lines are drawn in parts of a number, so that light prefixes can share a number. A prefix gets
/// at most a 64th of all 2^19 parts.
constexpr unsigned kPlaceBits = 19;
constexpr unsigned kHeightBits = 32 - kPlaceBits;
constexpr unsigned kMaxHeight = (1u << kHeightBits) - 1;

/// Keys from `low` to low + span.
struct KeyRange {
  Count low;
  Count span;
};

/// The keys from the least to the greatest of a sample.
struct SampledRange : KeyRange {
  unsigned up;  // shifts numbers up to `span` to the top of 64 bits

  /// The key's prefix and 20 bits that follow it. Keys below the range count as its first, keys above as
  /// its last.
  template <class Bits>
  SORTLAB_HD unsigned word_of(Bits key) const {
    const auto first = static_cast<Bits>(low);
    const auto most = static_cast<Bits>(span);
    Bits distance = (key > first ? key : first) - first;
    distance = distance < most ? distance : most;
    if constexpr (sizeof(Bits) == 4) {
      return distance << (up - 32);
    } else {
      return static_cast<unsigned>(distance << up >> 32);
    }
  }
};

struct Equalizer {
  SampledRange sampled;
  Count max_key;             // of all possible keys
  unsigned part_bits;        // of a part's place, below those of its number
  unsigned line[kPrefixes];  // begin and height, in parts of a number

  SORTLAB_HD unsigned begin(unsigned prefix) const { return line[prefix] >> kHeightBits; }
  SORTLAB_HD unsigned height(unsigned prefix) const { return line[prefix] & kMaxHeight; }

  /// The key's place among all parts.
  template <class Bits>
  SORTLAB_HD unsigned place_of(Bits key) const {
    const unsigned word = sampled.word_of(key);
    const unsigned drawn = line[word >> kRestBits];
    const auto above =
        static_cast<unsigned>((Count{word << kPrefixBits} * (drawn & kMaxHeight)) >> 32);
    return (drawn >> kHeightBits) + above;
  }
  template <class Bits>
  SORTLAB_HD unsigned number_of(Bits key) const {
    return place_of(key) >> part_bits;
  }

  /// The distance from the first sampled key to the first key with this number, which is not 0, or
  /// a larger one.
  SORTLAB_HD Count distance_to(unsigned number) const {
    const unsigned parts = number << part_bits;
    unsigned prefix = 0;  // the first that begins there or later
    for (unsigned end = kPrefixes; prefix < end;) {
      const unsigned middle = (prefix + end) / 2;
      if (begin(middle) < parts) {
        prefix = middle + 1;
      } else {
        end = middle;
      }
    }
    Count word = Count{prefix} << kRestBits;
    const unsigned before = prefix - 1;
    if (begin(before) + height(before) > parts) {
      const Count above = Count{parts - begin(before)} << kRestBits;
      word = (Count{before} << kRestBits) + (above + height(before) - 1) / height(before);
    }
    if (word >> 32 != 0) return sampled.span + 1;
    const Count top = word << 32;
    const unsigned up = sampled.up;
    return (top >> up) + ((top >> up << up) != top);
  }

  /// The keys whose numbers are `first` to `last`.
  SORTLAB_HD KeyRange keys_of(unsigned first, unsigned last) const {
    const Count low = first == 0 ? 0 : sampled.low + distance_to(first);
    const Count behind = distance_to(last + 1);
    const Count high = behind > sampled.span ? max_key : sampled.low + behind - 1;
    return {low, high - low};
  }
};

}  // namespace sortlab::gpu::msd
