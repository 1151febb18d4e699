// The key types, the values that travel with them, and the one order that everything sorts by.
//
// Floats are ordered by IEEE-754 totalOrder: -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN, by
// bits where the numbers are equal. With it every variant has one right answer, to the byte.
#pragma once

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

/// The types of numbers, and behind them `record`: an item of many bytes, of which the first ones are its key
/// (record_shape.hpp). What has a loop or a list of types is about the numbers.
enum class KeyType : std::uint8_t { u32, i32, u64, i64, f32, f64, record };
inline constexpr int kKeyTypeCount = 6;
inline constexpr std::string_view kKeyTypeNames[kKeyTypeCount] = {"u32", "i32", "u64",
                                                                  "i64", "f32", "f64"};

constexpr std::string_view name_of(KeyType type) {
  return type == KeyType::record ? "record" : kKeyTypeNames[static_cast<int>(type)];
}
/// Of a number.
constexpr std::size_t bytes_of(KeyType type) {
  return type == KeyType::u64 || type == KeyType::i64 || type == KeyType::f64 ? 8 : 4;
}

constexpr bool is_floating(KeyType type) { return type == KeyType::f32 || type == KeyType::f64; }

constexpr std::string_view name_of(Order order) {
  return order == Order::ascending ? "asc" : "desc";
}

/// The value type of a sort of keys alone.
struct NoValue {};

template <class... Ts>
struct TypeList {};
using AllKeys = TypeList<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double>;
using KeysOnly = TypeList<NoValue>;
using KeysAndPairs = TypeList<NoValue, std::uint32_t>;

template <class Key>
constexpr KeyType key_type_of() {
  if constexpr (std::is_same_v<Key, std::uint32_t>) return KeyType::u32;
  if constexpr (std::is_same_v<Key, std::int32_t>) return KeyType::i32;
  if constexpr (std::is_same_v<Key, std::uint64_t>) return KeyType::u64;
  if constexpr (std::is_same_v<Key, std::int64_t>) return KeyType::i64;
  if constexpr (std::is_same_v<Key, float>) return KeyType::f32;
  if constexpr (std::is_same_v<Key, double>) return KeyType::f64;
}

/// 0 for keys alone, else the bytes of one value.
template <class Value>
inline constexpr std::size_t kValueBytes = std::is_same_v<Value, NoValue> ? 0 : sizeof(Value);

/// A record's type where a number's is asked for: a fault of the program.
struct NotANumber : std::exception {
  const char* what() const noexcept override { return "a record is no number"; }
};

/// Calls `f` with a value of the C++ type of numbers that `type` names, and returns what it returns.
template <class F>
decltype(auto) visit_key_type(KeyType type, F&& f) {
  switch (type) {
    case KeyType::u32:
      return f(std::uint32_t{});
    case KeyType::i32:
      return f(std::int32_t{});
    case KeyType::u64:
      return f(std::uint64_t{});
    case KeyType::i64:
      return f(std::int64_t{});
    case KeyType::f32:
      return f(float{});
    case KeyType::f64:
      return f(double{});
    case KeyType::record:
      break;
  }
  throw NotANumber();
}

/// The unsigned integer as wide as Key.
template <class Key>
using BitsOf = std::conditional_t<sizeof(Key) == 8, std::uint64_t, std::uint32_t>;

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
