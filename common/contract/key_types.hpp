// The key types, the values that travel with them, and the one order that everything sorts by.
//
// Floats are ordered by IEEE-754 totalOrder: -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN, by
// bits where the numbers are equal. With it every variant has one right answer, to the byte.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <sortlab/order.hpp>
#include <string_view>
#include <type_traits>

#if defined(__CUDACC__)
  #define SORTLAB_HD __host__ __device__
#else
  #define SORTLAB_HD
#endif

namespace sortlab {

/// The table of key types. A row: the type's name, its type in C++, and its other names in C, C++, NumPy and SQL. Lists,
/// parsing and templates come from it. A program can add rows of its own, as a test does.
#ifndef SORTLAB_MORE_KEY_TYPES
  #define SORTLAB_MORE_KEY_TYPES(ROW)
#endif
#define SORTLAB_KEY_TYPES(ROW)                             \
  ROW(u32, std::uint32_t, "uint32 uint32_t uint unsigned") \
  ROW(i32, std::int32_t, "int32 int32_t int integer")      \
  ROW(u64, std::uint64_t, "uint64 uint64_t size_t")        \
  ROW(i64, std::int64_t, "int64 int64_t long bigint")      \
  ROW(f32, float, "float32 float real")                    \
  ROW(f64, double, "float64 double")                       \
  SORTLAB_MORE_KEY_TYPES(ROW)

/// The types of numbers, and behind them `record`: an item of many bytes, of which the first ones are its key
/// (record_shape.hpp). What has a loop or a list of types is about the numbers.
#define SORTLAB_ROW(type, Key, other_names) type,
enum class KeyType : std::uint8_t { SORTLAB_KEY_TYPES(SORTLAB_ROW) record };
#undef SORTLAB_ROW
inline constexpr int kKeyTypeCount = static_cast<int>(KeyType::record);

#define SORTLAB_ROW(type, Key, other_names) KeyType::type,
inline constexpr KeyType kKeyTypes[] = {SORTLAB_KEY_TYPES(SORTLAB_ROW)};
#undef SORTLAB_ROW
#define SORTLAB_ROW(type, Key, other_names) #type,
inline constexpr std::string_view kKeyTypeNames[] = {SORTLAB_KEY_TYPES(SORTLAB_ROW)};
#undef SORTLAB_ROW

constexpr std::string_view name_of(KeyType type) {
  return type == KeyType::record ? "record" : kKeyTypeNames[static_cast<int>(type)];
}

constexpr std::string_view name_of(Order order) {
  return order == Order::ascending ? "asc" : "desc";
}

/// The value type of a sort of keys alone.
struct NoValue {};

/// Stands for a record among the types of keys.
struct Record {};

template <class... Ts>
struct TypeList {};

namespace detail {
template <class, class... Ts>
struct Behind {
  using List = TypeList<Ts...>;
};
}  // namespace detail

#define SORTLAB_ROW(type, Key, other_names) , Key
using AllKeys = detail::Behind<void SORTLAB_KEY_TYPES(SORTLAB_ROW)>::List;
#undef SORTLAB_ROW
using KeysOnly = TypeList<NoValue>;

/// The table of values: unsigned integers that number the items, narrow ones first. The first one is that of `pairs`.
/// Widths, names, parsing and templates come from it. A program can add some of its own, as a test does.
#ifndef SORTLAB_MORE_VALUES
  #define SORTLAB_MORE_VALUES
#endif
using KeysAndPairs = TypeList<NoValue, std::uint32_t SORTLAB_MORE_VALUES>;

#define SORTLAB_ROW(type, Number, other_names) \
  if constexpr (std::is_same_v<Key, Number>) return KeyType::type;
template <class Key>
constexpr KeyType key_type_of() {
  if constexpr (std::is_same_v<Key, Record>) return KeyType::record;
  SORTLAB_KEY_TYPES(SORTLAB_ROW)
}
#undef SORTLAB_ROW

/// A record's type where a number's is asked for: a fault of the program.
struct NotANumber : std::exception {
  const char* what() const noexcept override { return "a record is no number"; }
};

/// Calls `f` with a value of the C++ type of numbers that `type` names, and returns what it returns.
#define SORTLAB_ROW(type, Key, other_names) \
  case KeyType::type:                       \
    return f(Key{});
template <class F>
decltype(auto) visit_key_type(KeyType type, F&& f) {
  switch (type) {
    SORTLAB_KEY_TYPES(SORTLAB_ROW)
    case KeyType::record:
      break;
  }
  throw NotANumber();
}
#undef SORTLAB_ROW

enum class NumberKind : std::uint8_t { unsigned_integer, signed_integer, floating };
template <class Number>
inline constexpr NumberKind kNumberKind = std::is_floating_point_v<Number> ? NumberKind::floating
                                          : std::is_signed_v<Number> ? NumberKind::signed_integer
                                                                     : NumberKind::unsigned_integer;
struct NumberFacts {
  NumberKind kind;
  std::uint8_t bytes;
};
#define SORTLAB_ROW(type, Key, other_names) {kNumberKind<Key>, sizeof(Key)},
inline constexpr NumberFacts kNumberFacts[] = {SORTLAB_KEY_TYPES(SORTLAB_ROW)};
#undef SORTLAB_ROW

/// Both are of a number.
constexpr NumberKind number_kind(KeyType type) { return kNumberFacts[static_cast<int>(type)].kind; }
constexpr std::size_t bytes_of(KeyType type) { return kNumberFacts[static_cast<int>(type)].bytes; }

constexpr bool is_floating(KeyType type) {
  return type != KeyType::record && number_kind(type) == NumberKind::floating;
}

/// The first type of numbers of this kind and width.
constexpr KeyType number_type(NumberKind kind, std::size_t bytes) {
  for (const KeyType type : kKeyTypes) {
    if (number_kind(type) == kind && bytes_of(type) == bytes) return type;
  }
  throw NotANumber();
}

/// 0 for keys alone, else the bytes of one value.
template <class Value>
inline constexpr std::size_t kValueBytes = std::is_same_v<Value, NoValue> ? 0 : sizeof(Value);
/// Of all values of the table, behind that of none.
inline constexpr auto kValueWidths = []<class... Values>(TypeList<Values...>) {
  return std::array{kValueBytes<Values>...};
}(KeysAndPairs{});
inline constexpr std::size_t kUsualValueBytes = kValueWidths[1];

namespace detail {
template <class F, class Value, class... Wider>
decltype(auto) visit_width(std::size_t bytes, F&& f, TypeList<Value, Wider...>) {
  if constexpr (sizeof...(Wider) > 0) {
    if (bytes > kValueBytes<Value>) return visit_width(bytes, f, TypeList<Wider...>{});
  }
  return f(Value{});
}
}  // namespace detail

/// Calls `f` with a value of this width: a NoValue for 0.
template <class F>
decltype(auto) visit_value_type(std::size_t bytes, F&& f) {
  return detail::visit_width(bytes, f, KeysAndPairs{});
}

/// Calls `f` with a key of 4 or 8 bytes, as its bits, and with a value of this width.
template <class F>
decltype(auto) visit_widths(std::size_t key_bytes, std::size_t value_bytes, F&& f) {
  return visit_value_type(value_bytes, [&](auto value) {
    return key_bytes == 8 ? f(std::uint64_t{}, value) : f(std::uint32_t{}, value);
  });
}

/// A place for each key type, width of values and order.
inline constexpr std::size_t kTypePlaces = kKeyTypeCount * kValueWidths.size() * 2;
constexpr std::size_t type_place(KeyType type, std::size_t value_bytes, Order order) {
  std::size_t width = 0;
  while (width + 1 < kValueWidths.size() && kValueWidths[width] < value_bytes) ++width;
  return (static_cast<std::size_t>(type) * kValueWidths.size() + width) * 2 +
         (order == Order::descending ? 1 : 0);
}

template <std::size_t kBytes>
struct UnsignedOf
    : std::type_identity<std::conditional_t<
          kBytes == 8, std::uint64_t,
          std::conditional_t<kBytes == 4, std::uint32_t,
                             std::conditional_t<kBytes == 2, std::uint16_t, std::uint8_t>>>> {};

/// The unsigned integer as wide as Key.
template <class Key>
using BitsOf = typename UnsignedOf<sizeof(Key)>::type;

/// Maps a key to the unsigned integer that stands at the same place in the order: a < b in
/// totalOrder (for integers: a < b) exactly when to_ordered_bits(a) < to_ordered_bits(b). A
/// bijection.
template <class Key>
SORTLAB_HD constexpr BitsOf<Key> to_ordered_bits(Key key) {
  using Bits = BitsOf<Key>;
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Key) - 1);
  if constexpr (std::is_floating_point_v<Key>) {
    const Bits bits = std::bit_cast<Bits>(key);
    // Negative numbers: all bits flipped, so that larger magnitudes come first; others: sign
    // flipped.
    const Bits negative = Bits{0} - (bits >> (8 * sizeof(Key) - 1));
    return bits ^ (negative | kSign);
  } else if constexpr (std::is_signed_v<Key>) {
    return static_cast<Bits>(key) ^ kSign;
  } else {
    return key;
  }
}

/// The inverse of to_ordered_bits.
template <class Key>
SORTLAB_HD constexpr Key from_ordered_bits(BitsOf<Key> ordered) {
  using Bits = BitsOf<Key>;
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Key) - 1);
  if constexpr (std::is_floating_point_v<Key>) {
    const Bits positive = Bits{0} - (ordered >> (8 * sizeof(Key) - 1));
    return std::bit_cast<Key>(static_cast<Bits>(ordered ^ (~positive | kSign)));
  } else if constexpr (std::is_signed_v<Key>) {
    return static_cast<Key>(ordered ^ kSign);
  } else {
    return ordered;
  }
}

/// The one comparison of the suite, as a function object: "a comes before b".
template <class Key, Order kOrder>
struct KeyLess {
  SORTLAB_HD constexpr bool operator()(Key a, Key b) const {
    if constexpr (kOrder == Order::descending) {
      const Key first = a;
      a = b;
      b = first;
    }
    if constexpr (std::is_floating_point_v<Key>) {
      // As signed integers, positive floats already compare right; negative ones need their
      // magnitude bits flipped. One shift, one mask and one xor a key.
      return signed_order(a) < signed_order(b);
    } else {
      return a < b;
    }
  }

 private:
  SORTLAB_HD static constexpr auto signed_order(Key key) {
    using Signed = std::make_signed_t<BitsOf<Key>>;
    const auto bits = std::bit_cast<Signed>(key);
    return static_cast<Signed>(
        bits ^ static_cast<Signed>(static_cast<BitsOf<Key>>(bits >> (8 * sizeof(Key) - 1)) >> 1));
  }
};

/// The unsigned integer whose ascending order is the order asked for: what a radix sort takes
/// digits from.
template <class Key, Order kOrder>
SORTLAB_HD constexpr BitsOf<Key> to_radix_bits(Key key) {
  const auto ordered = to_ordered_bits(key);
  return kOrder == Order::ascending ? ordered : static_cast<BitsOf<Key>>(~ordered);
}

/// The inverse of to_radix_bits.
template <class Key, Order kOrder>
SORTLAB_HD constexpr Key from_radix_bits(BitsOf<Key> bits) {
  return from_ordered_bits<Key>(kOrder == Order::ascending ? bits
                                                           : static_cast<BitsOf<Key>>(~bits));
}

}  // namespace sortlab
