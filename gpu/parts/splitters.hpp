// Where the shares of the parts begin: splitters out of a sample of all parts.
//
// Items are ordered by (key, part, place in the part), so no two are equal, and a splitter can cut
// through a run of equal keys: shares are even for any keys. A part's sample holds one item of each of
// kSampleOfPart stretches of the part, or all items of a short part.
//
//   sample, sorted   . . . . | . . . . | . . . .      shares: 3
//                            ^         ^              splitters: the first item of each share but the first
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "common/contract/key_types.hpp"

namespace sortlab::gpu::parts {

/// With 2^16 items of each part a share of 1/P misses its size by 0.3 % (P = 2) to 0.5 % (P = 8): the
/// standard deviation.
constexpr std::size_t kSampleOfPart = std::size_t{1} << 16;

constexpr std::size_t sample_size(std::size_t n) { return n < kSampleOfPart ? n : kSampleOfPart; }

/// Where stretch `i` of `count` begins, in a part of n items.
SORTLAB_HD constexpr std::size_t stretch_begin(std::size_t n, std::size_t count, std::size_t i) {
  return n / count * i + n % count * i / count;
}

/// The place in a part of n items that its sample's item number `i` of `count` comes from.
SORTLAB_HD constexpr std::size_t sample_place(std::size_t n, std::size_t count, std::size_t i) {
  const std::size_t begin = stretch_begin(n, count, i);
  const std::size_t length = stretch_begin(n, count, i + 1) - begin;
  std::uint64_t any = (i + 1) * 0x9e3779b97f4a7c15u;
  any = (any ^ any >> 32) * 0xd6e8feb86659fd93u;
  return begin + (any ^ any >> 32) % length;
}

/// An item of the input, by what orders it.
template <class Bits>
struct Splitter {
  Bits key;  // as KeyMap::ordered() gives it
  std::size_t part;
  std::size_t place;
};

/// The number of the first item of a part's sample among those of all parts; part p has sizes[p] items.
inline std::size_t first_of_sample(std::span<const std::size_t> sizes, std::size_t part) {
  std::size_t first = 0;
  for (std::size_t before = 0; before < part; ++before) first += sample_size(sizes[before]);
  return first;
}

/// Which part an item of the sample comes from, and from which place: the samples of all parts in a row.
struct SampledFrom {
  std::size_t part;
  std::size_t place;
};

/// Of the item number `index` of all samples; part p has sizes[p] items.
inline SampledFrom sampled_from(std::span<const std::size_t> sizes, std::size_t index) {
  std::size_t part = 0;
  while (index >= sample_size(sizes[part])) index -= sample_size(sizes[part++]);
  return {part, sample_place(sizes[part], sample_size(sizes[part]), index)};
}

/// Which item of the sorted sample begins share s + 1 of `shares`.
constexpr std::size_t splitter_rank(std::size_t sampled, std::size_t shares, std::size_t s) {
  return sampled * (s + 1) / shares;
}

/// Equal to the splitter's key, an item of `part` belongs behind it from this place on.
constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();
template <class Bits>
constexpr std::size_t first_behind(const Splitter<Bits>& splitter, std::size_t part) {
  if (part == splitter.part) return splitter.place;
  return part > splitter.part ? 0 : kNowhere;
}

/// How the sorts over several GPUs cut: `pieces` shares for each of `parts` parts.
struct Cut {
  std::size_t parts;
  std::size_t pieces;
  std::size_t first = 0;  // 64ths of a part that its first piece has; 0: as much as each other one

  constexpr std::size_t shares() const { return parts * pieces; }
  /// Where a share begins among n items.
  constexpr std::size_t begin_of(std::size_t n, std::size_t share) const {
    if (first == 0 || share % pieces == 0) return stretch_begin(n, shares(), share);
    const std::size_t begin = stretch_begin(n, parts, share / pieces);
    const std::size_t size = stretch_begin(n, parts, share / pieces + 1) - begin;
    const std::size_t of_first = size * first / 64;
    return begin + of_first + stretch_begin(size - of_first, pieces - 1, share % pieces - 1);
  }
};

/// A share's number takes a byte.
constexpr std::size_t kMostShares = 256;

}  // namespace sortlab::gpu::parts
