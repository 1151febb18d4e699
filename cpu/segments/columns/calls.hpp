// Sorts of a few segments at a time, side by side in the lanes of vectors. The code is in cpu/segments/columns.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/contract/isa.hpp"

namespace sortlab::cpu::segments::columns {

/// The most items of a segment that is sorted so, and the most segments of a call.
inline constexpr std::size_t kMostItems = 256, kMostLanes = 32;

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

/// Numbers of 8 bytes that hold a key, less the lowest one, and its place behind it. In one order with the keys and, among
/// equal ones, their places, unless the keys' range is so wide that their lowest bits have no room.
template <class Int>
class Numbers {
  using Number = std::uint64_t;

 public:
  /// For n keys, with places below `places`.
  [[gnu::always_inline]] Numbers(const Int* keys, std::size_t n, std::size_t places)
      : place_bits_(std::bit_width(places - 1)) {
    Int lowest = keys[0], highest = keys[0];
    for (std::size_t i = 1; i < n; ++i) {
      lowest = keys[i] < lowest ? keys[i] : lowest;
      highest = keys[i] > highest ? keys[i] : highest;
    }
    lowest_ = static_cast<Number>(lowest);
    const int bits = std::bit_width(static_cast<Number>(highest) - lowest_) + place_bits_;
    lost_bits_ = bits > 64 ? bits - 64 : 0;
  }

  [[gnu::always_inline]] Number of(Int key, std::size_t place) const {
    return (static_cast<Number>(key) - lowest_) >> lost_bits_ << place_bits_ | place;
  }
  [[gnu::always_inline]] Number place(Number number) const {
    return number & ((Number{1} << place_bits_) - 1);
  }
  bool are_exact() const { return lost_bits_ == 0; }
  /// Whether the keys of two numbers may differ in bits that are lost, and in no others.
  [[gnu::always_inline]] bool may_differ(Number a, Number b) const {
    return (a ^ b) >> place_bits_ == 0;
  }

 private:
  int place_bits_, lost_bits_;
  Number lowest_;
};

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
  /// Contiguous rows of up to kMostItems keys. `to` is `from` or does not overlap it.
  void (*sort_rows)(const Int* from, Int* to, std::size_t rows, std::size_t columns,
                    const Form<Int>& form);
  /// Longer rows, of up to so many keys, each in registers of its own; NaNs as their bits say.
  std::size_t most_in_registers;
  void (*sort_long_rows)(const Int* from, Int* to, std::size_t rows, std::size_t columns, Int flip);
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

/// The same for keys of 2 bytes.
using SortNarrowRows = void (*)(const std::int16_t* from, std::int16_t* to, std::size_t rows,
                                std::size_t columns, const Form<std::int16_t>& form);
/// Null where no vectors of such keys are known.
template <bool kFloat>
SortNarrowRows sort_narrow_rows(Isa isa);

}  // namespace sortlab::cpu::segments::columns
