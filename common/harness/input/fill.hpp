// Turns a formula into an array. The tables of distributions are made of these fills.
//
// A formula gives key i as a pure function of (i, n, seed). There are four kinds of formulas. They
// give a fraction of the range, an integer, a float, or a key of the requested type; each kind has
// its own way to make a key of each type.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "common/contract/usable_cpus.hpp"
#include "common/harness/input/distributions.hpp"
#include "common/harness/input/random.hpp"
#include "common/threads/team.hpp"

namespace sortlab::formulas {

using u64 = std::uint64_t;

/// For fewer keys, starting threads takes longer than making the keys.
inline constexpr std::size_t kParallelFrom = 1 << 14;

/// The items of an input to make, and their place: item i goes to keys[i - first].
template <class Key>
struct Target {
  std::span<Key> keys;
  u64 first;
  u64 n;  // of the whole input
};

template <class Key, class KeyOf>
void fill(const Target<Key>& out, const KeyOf& key_of) {
  const int threads = out.keys.size() < kParallelFrom ? 1 : usable_cpus();
  threads::for_each_chunk(out.keys.size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out.keys[i] = key_of(out.first + i);
  });
}

template <class Key>
using Fill = void (*)(const Target<Key>& out, u64 seed, std::string_view param);

/// One distribution's fill for each key type.
template <class... Keys>
constexpr std::tuple<Fill<Keys>...> fills_of(TypeList<Keys...>) {
  return {};
}
using Fills = decltype(fills_of(AllKeys{}));

/// The fills that `fill_for`, a generic lambda, returns: `fill_for.operator()<Key>()` for each key type.
template <class FillFor>
constexpr Fills for_all_keys(FillFor fill_for) {
  return [=]<class... Keys>(TypeList<Keys...>) {
    return Fills{fill_for.template operator()<Keys>()...};
  }(AllKeys{});
}

/// The parameter of the distribution `name` in its one spelling. Throws BadInput for one that it can't take.
using Spell = std::string (*)(std::string_view name, std::string_view param);

struct Row {
  DistributionInfo info;
  Fills fills;
  Spell spell = nullptr;  // where it takes no parameter
};

constexpr Row row(std::string_view name, std::string_view formula, Fills fills, Usage usage = {}) {
  return {{name, formula, "", false, usage}, fills};
}

template <auto kFormula, class Key>
void fill_range(const Target<Key>& out, u64 seed, std::string_view) {
  fill(out, [=, n = out.n](u64 i) { return over_range<Key>(kFormula(i, n, seed)); });
}

template <auto kFormula, int kShift, class Key>
void fill_integers(const Target<Key>& out, u64 seed, std::string_view) {
  constexpr int kLost = sizeof(Key) <= 4 ? kShift : 0;
  fill(out, [=, n = out.n](u64 i) { return static_cast<Key>(kFormula(i, n, seed) >> kLost); });
}

template <auto kFormula, class Key>
void fill_floats(const Target<Key>& out, u64 seed, std::string_view) {
  fill(out, [=, n = out.n](u64 i) {
    const float number = kFormula(i, n, seed);
    if constexpr (std::is_floating_point_v<Key>) {
      return static_cast<Key>(number);
    } else {
      const u64 highest = u64{to_ordered_bits(number)} << 32;
      return from_ordered_bits<Key>(static_cast<BitsOf<Key>>(highest >> (64 - 8 * sizeof(Key))));
    }
  });
}

template <class Formula, class Key>
void fill_typed(const Target<Key>& out, u64 seed, std::string_view) {
  fill(out, [=, n = out.n](u64 i) { return Formula::template key<Key>(i, n, seed); });
}

/// For a formula that gives a fraction of 2^64: the key at this fraction of the type's range.
template <auto kFormula>
constexpr Fills range() {
  return for_all_keys([]<class Key>() { return fill_range<kFormula, Key>; });
}

/// For a formula that gives an integer below 2^63: the same number in each type. For a 32-bit type
/// the lowest kShift bits are dropped first.
template <auto kFormula, int kShift = 0>
constexpr Fills integers() {
  return for_all_keys([]<class Key>() { return fill_integers<kFormula, kShift, Key>; });
}

/// For a formula that gives a float: the same number as a float, or an integer with the same place
/// in the order.
template <auto kFormula>
constexpr Fills floats() {
  return for_all_keys([]<class Key>() { return fill_floats<kFormula, Key>; });
}

/// For a class with `template <class Key> static Key key(u64 i, u64 n, u64 seed)`.
template <class Formula>
constexpr Fills typed() {
  return for_all_keys([]<class Key>() { return fill_typed<Formula, Key>; });
}

}  // namespace sortlab::formulas

namespace sortlab {

/// In the order in which they are listed to the user. The parameter is the number of blocks; but
/// deterdups has none.
std::span<const formulas::Row> block_patterns();

}  // namespace sortlab

namespace sortlab {

/// In the order in which they are listed to the user. Each has a usage that is_real().
std::span<const formulas::Row> real_inputs();

}  // namespace sortlab
