// Sorts of a few segments at a time, side by side in the lanes of vectors. The code is in cpu/segments/columns.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/contract/isa.hpp"

namespace sortlab::cpu::segments::columns {

/// The most items of a segment that is sorted so, and the most segments of a call.
inline constexpr std::size_t kMostItems = 256, kMostLanes = 16;

/// The user's keys as signed integers in ascending order: floats by their magnitude, then `flip` (SignedKeys), then less
/// `shift`, which wraps the NaNs of one sign around behind those of the other. For ranks, keys that count as equal get one
/// number: -0 and +0, and all NaNs.
template <class Int>
struct Form {
  Int flip = 0;
  Int shift = 0;
  Int first_nan = 0;  // of all numbers of NaNs; for ranks
  bool is_rank = false;
};

/// A key in that form.
template <class Int, bool kFloat>
[[gnu::always_inline]] inline Int rank_of(Int key, const Form<Int>& form) {
  if constexpr (!kFloat) {
    return key ^ form.flip;
  } else {
    using Bits = std::make_unsigned_t<Int>;
    key ^= key >> (8 * sizeof(Int) - 1) & std::numeric_limits<Int>::max();
    if (form.is_rank && key == -1) key = 0;
    key = static_cast<Int>(static_cast<Bits>(key ^ form.flip) - static_cast<Bits>(form.shift));
    return form.is_rank && key > form.first_nan ? form.first_nan : key;
  }
}

/// Up to Calls::lanes segments.
struct Batch {
  std::size_t count = 0;
  std::size_t longest = 0, shortest = 0;
  bool is_even = false;  // all lanes have a segment, and all of these one length
  std::size_t begins[kMostLanes];
  std::size_t lengths[kMostLanes];
};

/// The kernels of one instruction set, for the keys of one kind.
template <class Int>
struct Calls {
  std::size_t lanes;        // the most segments of a batch of keys alone
  std::size_t place_lanes;  // and of one with places
  void (*sort)(Int* keys, const Batch& batch, const Form<Int>& form);
  /// Rows of up to kMostItems keys, one behind the other.
  void (*sort_rows)(Int* keys, std::size_t rows, std::size_t columns, const Form<Int>& form);
  /// Writes where the i-th key of segment s in sorted order was to to[s][i]; equal keys keep their order. The keys stay.
  /// There is memory for place_lanes * batch.longest numbers, from which on places may be written, too.
  void (*places)(const Int* keys, const Batch& batch, const Form<Int>& form, std::int64_t* memory,
                 std::int64_t* const* to);
  /// Writes the form of n keys.
  void (*encode)(const Int* keys, Int* to, std::size_t n, const Form<Int>& form);
};

/// For int32_t and int64_t.
template <class Int, bool kFloat>
Calls<Int> calls(Isa isa);

}  // namespace sortlab::cpu::segments::columns
