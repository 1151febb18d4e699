// The direction of a sort, for all of sortlab's headers.
#pragma once

#include <cstdint>
#include <type_traits>

namespace sortlab {

enum class Order : std::uint8_t { ascending, descending };

namespace detail {

/// An enumeration whose program has defined how it is ordered: for others operator< is no function.
template <class T>
concept EnumWithItsOwnOrder = std::is_enum_v<T> &&(
    requires(T a, T b) { operator<(a, b); } || requires(T a, T b) { operator<=>(a, b); });

}  // namespace detail

}  // namespace sortlab
