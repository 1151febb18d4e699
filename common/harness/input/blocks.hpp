// An input in blocks: which block a key is in, and where. The blocks are as even as can be, like the shares of
// ranks (PartRequest::begin).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "common/harness/input/random.hpp"

namespace sortlab::formulas {

using u64 = std::uint64_t;

struct InBlock {
  u64 block;   // its number
  u64 place;   // of the key in it
  u64 size;    // keys in it
  u64 blocks;  // of the input

  /// Key i of n, n < 2^52.
  static InBlock of(u64 i, u64 n, u64 blocks) {
    const auto begin = [=](u64 block) { return n / blocks * block + n % blocks * block / blocks; };
    const u64 block = ((i + 1) * blocks - 1) / n;
    return {block, i - begin(block), begin(block + 1) - begin(block), blocks};
  }

  /// In which of `pieces` equal pieces of the block the key is.
  u64 piece(u64 pieces) const { return place * pieces / size; }

  /// The range of keys in as many slices as there are blocks: a word of slice s at the fraction that the
  /// word w means.
  u64 from_slice(u64 s, u64 w) const { return slice_width() * s + scale_below(w, slice_width()); }
  u64 slice_width() const { return std::numeric_limits<u64>::max() / blocks; }
};

/// The parameter of a distribution in blocks, in its one spelling. Throws BadInput unless it is a number from
/// 1 to 4096.
std::string number_of_blocks(std::string_view name, std::string_view param);

/// The number that it says.
u64 blocks_of(std::string_view param);

}  // namespace sortlab::formulas
