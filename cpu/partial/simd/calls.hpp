// The kernels of cpu/partial/simd, for it and for cpu/topk/filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/contract/isa.hpp"
#include "common/contract/key_map.hpp"
#include "cpu/segments/columns/calls.hpp"

namespace sortlab::cpu::partial {

using segments::columns::Form;
using segments::columns::rank_of;

/// User's keys as signed integers, the best first. NaNs come behind all numbers, or before them, or as their bits say.
template <class Int, bool kFloat>
Form<Int> form_of(const KeyKind& kind, bool nans_last, bool nans_first) {
  Form<Int> form;
  form.flip =
      (number_kind(kind.type) == NumberKind::unsigned_integer ? std::numeric_limits<Int>::min()
                                                              : 0) ^
      (kind.order == Order::descending ? -1 : 0);
  if constexpr (kFloat) {
    constexpr Int kNansOfASign = (Int{1} << (sizeof(Int) == 4 ? 23 : 52)) - 1;
    form.shift = nans_first ? -kNansOfASign : nans_last ? kNansOfASign : 0;
  }
  return form;
}

/// A key of 8 bytes with its place; one of 4 bytes is packed with it into one number.
struct Placed {
  std::int64_t key;
  std::uint32_t place;
  bool operator<(const Placed& other) const {
    return key != other.key ? key < other.key : place < other.place;
  }
};

/// What is kept of a key that may be among the best: less is better.
template <class Int, bool kPlaces>
using Candidate =
    std::conditional_t<!kPlaces, Int, std::conditional_t<sizeof(Int) == 4, std::int64_t, Placed>>;

template <class Int, bool kPlaces>
Candidate<Int, kPlaces> candidate_of(Int rank, std::size_t place) {
  if constexpr (!kPlaces) {
    return rank;
  } else if constexpr (sizeof(Int) == 4) {
    return static_cast<std::int64_t>(rank) * (std::int64_t{1} << 32) +
           static_cast<std::int64_t>(place);
  } else {
    return {rank, static_cast<std::uint32_t>(place)};
  }
}

/// Keys that may be among the best of a row.
template <class Int, bool kPlaces>
struct Candidates {
  Candidate<Int, kPlaces>* items;
  std::size_t count, room;
};

/// The key of a place in sorted order, and how many keys up to this place equal it.
template <class Int>
struct Bound {
  Int key;
  std::size_t equal;  // 0: the memory was too small to find the key
};

inline constexpr std::size_t kMorePlaces = 8;

/// The kernels of one instruction set, for the keys of one kind. Signed integers are in ascending order; user's keys
/// become these by `flip` (SignedKeys) or a form.
template <class Int>
struct Calls {
  /// Whether n > 0 keys are all equal.
  bool (*are_alike)(const Int* keys, std::size_t n);
  /// How many floats are NaNs.
  std::size_t (*nans)(const Int* keys, std::size_t n);
  /// Brings the key that has k better ones to place k, those to its left and the worse ones to its right. k < n.
  void (*select)(Int* keys, std::size_t n, std::size_t k, Int flip);
  /// The same for signed integers.
  void (*select_coded)(Int* keys, std::size_t n, std::size_t k);
  /// Sorts user's keys, or signed integers.
  void (*sort)(Int* keys, std::size_t n, Int flip);
  void (*sort_coded)(Int* keys, std::size_t n);
  /// Adds those of n keys that are at most `bound`, the first of which has the place `first`. Returns how many keys it
  /// has read: all, or fewer when the room ends.
  std::size_t (*filter)(const Int* keys, std::size_t n, std::size_t first, Int bound,
                        const Form<Int>& form, Candidates<Int, false>& to);
  std::size_t (*filter_placed)(const Int* keys, std::size_t n, std::size_t first, Int bound,
                               const Form<Int>& form, Candidates<Int, true>& to);
  /// A bound that at least k of n keys keep, most often few more; the greatest number where it finds none.
  Int (*close_bound)(const Int* keys, std::size_t n, std::size_t k, const Form<Int>& form);
  /// The key that has k better ones; the keys stay. `memory` has room for `room` keys: with n it is always found. k < n.
  Bound<Int> (*bound)(const Int* keys, std::size_t n, std::size_t k, const Form<Int>& form,
                      Int* memory, std::size_t room);
  /// Writes the best k user's keys in any order; 0 < k < n. `memory` has room for `room` keys. Returns false,
  /// with `best` undefined, where this is too small for the keys around place k, or a sample is not like the keys.
  bool (*best_keys)(const Int* keys, std::size_t n, std::size_t k, const Form<Int>& form, Int* best,
                    Int* memory, std::size_t room);
  /// Writes the places of the keys that come before the bound of place k, with as many equal to it as it says, then those of
  /// the others. The last one of the former is a key that equals the bound.
  void (*part_places)(const Int* keys, std::size_t n, const Form<Int>& form,
                      const Bound<Int>& bound, std::size_t k, std::int64_t* places);
  /// Writes only the places of the keys that come before the bound and of the first ones that equal it, as many as it
  /// says, in ascending order. Up to kMorePlaces behind them are overwritten.
  void (*best_places)(const Int* keys, std::size_t n, const Form<Int>& form,
                      const Bound<Int>& bound, std::int64_t* places);
  /// Writes the user's keys of ranks.
  void (*decode)(const Int* ranks, std::size_t n, const Form<Int>& form, Int* keys);
};

/// For int32_t and int64_t.
template <class Int, bool kFloat>
Calls<Int> calls(Isa isa);

}  // namespace sortlab::cpu::partial
