// The map of floats to integers that are spread evenly, for radix sorts that begin with the top bits. As they are,
// floats are uneven: half of those of [0, 1) share an exponent. The map is monotone and one to one. So a sort maps
// keys when it first reads them, and maps them back when it writes the result; all kernels between sort integers.
//
//     ordered key   | prefix |  rest  |           sign, exponent, 4 bits (f32) or 3 (f64)
//                        |        |
//     line[prefix]: first block  times  blocks    a prefix of many keys gets many blocks, of 2^rest numbers each
//                        \       /
//     number        first block + rest * blocks
//
//     prefixes   0.25 | 0.5 ...      0.5 | 1 ...
//     blocks     [   16  ][           32           ]       of all floats of [0, 1) twice as many have prefix 0.5
//
// Only prefixes that the keys may have get blocks; else none would be left to share out. Prefixes close to zero, or
// far beyond a sample's keys, get none. A key with such a prefix has escaped. Its number is the first of the highest
// 256th, where no other number is. A sort sees this when it counts the keys, and then sorts without the map.
// Gain: docs/lab/gpu/radix/msd_hybrid.md, "Floats, spread".
// Source: our own.
#pragma once

#include <cuda_runtime_api.h>

#include "gpu/primitives/key_map.hpp"

namespace sortlab::gpu {

/// The map as tables, in the workspace; see grid/spread/weigh.cuh.
template <class Bits>
struct Spread {
  static constexpr unsigned kPrefixBits = sizeof(Bits) == 4 ? 13 : 15;
  static constexpr unsigned kPrefixes = 1u << kPrefixBits;  // and blocks
  static constexpr unsigned kRestBits = 8 * sizeof(Bits) - kPrefixBits;
  /// Blocks that keys of the map share; the others are for keys that escape.
  static constexpr unsigned kBlocks = kPrefixes - kPrefixes / 256;
  static constexpr Bits kEscaped = Bits{kBlocks} << kRestBits;
  /// Prefixes from one power of two to the next.
  static constexpr unsigned kOfAnExponent = kPrefixes >> (sizeof(Bits) == 4 ? 9 : 12);

  /// Of each prefix: its first block in the upper bits, as they lie in the upper word of a number, and how many it has.
  unsigned line[kPrefixes];
  /// Of each prefix: the inverse of its blocks' odd part, modulo 2^32 or 2^64.
  Bits inverse[kPrefixes];
  /// The prefix that has this block. Aligned so that eight are written at once.
  alignas(16) std::uint16_t prefix_of[kPrefixes];

  static constexpr unsigned kBlocksMask = (1u << (32 - kPrefixBits)) - 1;
  /// Assigns a prefix its blocks, at least one.
  SORTLAB_HD void set(unsigned prefix, unsigned first_block, unsigned blocks) {
    line[prefix] = first_block << (32 - kPrefixBits) | blocks;
    inverse[prefix] = inverse_of(blocks);
  }
  /// Its keys escape.
  SORTLAB_HD void set_without_numbers(unsigned prefix) {
    line[prefix] = kBlocks << (32 - kPrefixBits);
  }
  /// The first number of a prefix.
  SORTLAB_HD static Bits first_number(unsigned line) {
    return Bits{line & ~kBlocksMask} << (8 * sizeof(Bits) - 32);
  }

  /// The number of an ordered key.
  SORTLAB_HD Bits number(Bits ordered) const {
    constexpr Bits kRest = (Bits{1} << kRestBits) - 1;
    const unsigned its = line[static_cast<unsigned>(ordered >> kRestBits)];
    return first_number(its) + (ordered & kRest) * Bits{its & kBlocksMask};
  }
  /// The ordered key with this number.
  SORTLAB_HD Bits ordered(Bits number) const {
    const unsigned prefix = prefix_of[static_cast<unsigned>(number >> kRestBits)];
    const unsigned its = line[prefix];
    // A division without remainder.
    const Bits above = number - first_number(its);
    const Bits rest = (above >> twos_of(its & kBlocksMask)) * inverse[prefix];
    return (Bits{prefix} << kRestBits) + rest;
  }

  /// How often a number of blocks, which is not 0, can be halved.
  SORTLAB_HD static unsigned twos_of(unsigned blocks) {
#ifdef __CUDA_ARCH__
    return __ffs(static_cast<int>(blocks)) - 1;
#else
    return static_cast<unsigned>(std::countr_zero(blocks));
#endif
  }
  /// The inverse of a number of blocks, see `inverse`: by Newton's method, which doubles the right bits each time.
  SORTLAB_HD static Bits inverse_of(unsigned blocks) {
    const Bits odd = blocks >> twos_of(blocks);
    Bits x = odd;  // 3 bits are right
    for (unsigned right = 3; right < 8 * sizeof(Bits); right *= 2) x *= 2 - odd * x;
    return x;
  }
};

/// SpreadMap's way back, for numbers that mostly have the same prefix: what it has of this one is read once.
template <class Bits>
class NumbersNearby {
 public:
  SORTLAB_HD NumbersNearby(KeyMap<Bits> key_map, const Spread<Bits>& spread, Bits first, Bits last)
      : key_map_(key_map), d_spread_(&spread) {
    constexpr unsigned kRestBits = Spread<Bits>::kRestBits;
    const unsigned prefix = spread.prefix_of[static_cast<unsigned>(first >> kRestBits)];
    have_one_ = spread.prefix_of[static_cast<unsigned>(last >> kRestBits)] == prefix;
    const unsigned line = spread.line[prefix];
    const unsigned blocks = line & Spread<Bits>::kBlocksMask;
    twos_ = blocks == 0 ? 0 : Spread<Bits>::twos_of(blocks);
    first_number_ = Spread<Bits>::first_number(line);
    inverse_ = spread.inverse[prefix];
    first_ordered_ = Bits{prefix} << kRestBits;
  }
  SORTLAB_HD Bits ordered(Bits number) const {
    return have_one_ ? first_ordered_ + ((number - first_number_) >> twos_) * inverse_
                     : d_spread_->ordered(number);
  }
  SORTLAB_HD Bits key(Bits number) const { return key_map_.key(ordered(number)); }
  SORTLAB_HD bool changes_nothing() const { return false; }

 private:
  KeyMap<Bits> key_map_;
  const Spread<Bits>* d_spread_;
  bool have_one_;  // prefix, so that the following are its
  unsigned twos_;
  Bits first_number_;
  Bits first_ordered_;
  Bits inverse_;
};

/// The numbers of keys: KeyMap's, spread. Without a table it changes nothing, as for keys that are mapped already.
template <class Bits>
struct SpreadMap {
  KeyMap<Bits> key_map{};
  const Spread<Bits>* d_spread = nullptr;

  SORTLAB_HD Bits ordered(Bits key) const {
    return d_spread == nullptr ? key : d_spread->number(key_map.ordered(key));
  }
  SORTLAB_HD Bits key(Bits number) const {
    return d_spread == nullptr ? number : key_map.key(d_spread->ordered(number));
  }
  SORTLAB_HD bool changes_nothing() const { return d_spread == nullptr; }
  /// The way back for numbers from `first` to `last`. Needs the table.
  SORTLAB_HD NumbersNearby<Bits> between(Bits first, Bits last) const {
    return {key_map, *d_spread, first, last};
  }
};

/// Whether some keys may have no number of their own.
template <class Map>
constexpr bool kMayEscape = false;
template <class Bits>
constexpr bool kMayEscape<SpreadMap<Bits>> = true;

}  // namespace sortlab::gpu

namespace sortlab::gpu::spread {

/// How far from zero's prefix the sampled keys are, in prefixes. Greater numbers are further, so that they can be raised
/// from zero on.
struct Reach {
  unsigned nearest;  // counted from the farthest possible one, but for those near zero
  unsigned above;
  unsigned below;
};

/// The sample's counts, which begin as zeros, and the table made from them.
template <class Bits>
struct Weighing {
  unsigned blocks_done;
  unsigned repeats;  // sampled keys that are the same as their neighbour in the sample
  Reach reach;
  unsigned weight[2 * Spread<Bits>::kPrefixes];  // of the halves of each prefix
  Spread<Bits> table;

  static constexpr std::size_t kClearedWords = 5 + 2 * Spread<Bits>::kPrefixes;
};

/// Makes the table of a map for n keys, from a sample of them: its numbers have at least `least_evenness` of the mean's room.
/// Sets *d_wont_do if there is no such map, or if the keys are still uneven with it. d_to's words to clear are zeros.
/// In grid/spread/weigh.cu.
template <class Bits>
void launch_weigh(const Bits* keys, KeyMap<Bits> key_map, std::size_t n, float least_evenness,
                  Weighing<Bits>* d_to, unsigned* d_wont_do, cudaStream_t stream);

}  // namespace sortlab::gpu::spread
