// What an algorithm moves: a key, with its value if it has one.
//
// Keys and values lie in two arrays (structure of arrays). `Items` shows them as one sequence, so
// that the text of an algorithm is the same for keys alone and for pairs; for keys alone it
// compiles to plain key loads and stores.
#pragma once

#include <cstddef>
#include <type_traits>

#include "common/contract/key_types.hpp"

namespace sortlab {

template <class Key, class Value>
struct Item {
  Key key;
  [[no_unique_address]] Value value;
};

/// `Keys` is a pointer, or can be used as one.
template <class KeyT, class ValueT, class Keys = KeyT*>
struct Items {
  using Key = KeyT;
  using Value = ValueT;
  static constexpr bool kPairs = !std::is_same_v<Value, NoValue>;

  Keys keys = {};
  Value* values = nullptr;  // null for keys alone

  SORTLAB_HD Item<Key, Value> operator[](std::size_t i) const {
    if constexpr (kPairs) {
      return {keys[i], values[i]};
    } else {
      return {keys[i], Value{}};
    }
  }
  SORTLAB_HD void put(std::size_t i, Item<Key, Value> item) const {
    keys[i] = item.key;
    if constexpr (kPairs) values[i] = item.value;
  }
  SORTLAB_HD void swap(std::size_t i, std::size_t j) const {
    const auto at_i = (*this)[i];
    put(i, (*this)[j]);
    put(j, at_i);
  }
  /// The sequence that begins `offset` items further on.
  SORTLAB_HD Items from(std::size_t offset) const {
    if constexpr (kPairs) {
      return {keys + offset, values + offset};
    } else {
      return {keys + offset, nullptr};
    }
  }
};

/// Where a sort left its result.
enum class ResultIn : std::uint8_t { data, alternate };

}  // namespace sortlab
