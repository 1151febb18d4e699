// How sortlab::cuda turns keys of each type into integers that are ordered alike, against the numbers that the
// keys are: all keys of 1 and 2 bytes, and chosen ones of 4 and 8.
#include <gtest/gtest.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "library/cuda/key_form.hpp"

namespace sortlab::cuda::detail {
namespace {

struct Type {
  const char* name;
  KeyKind kind;
  unsigned bytes;
  int exponent_bits = 0;
};
constexpr Type kTypes[] = {
    {"u8", KeyKind::unsigned_integer, 1},  {"i8", KeyKind::signed_integer, 1},
    {"u16", KeyKind::unsigned_integer, 2}, {"i16", KeyKind::signed_integer, 2},
    {"half", KeyKind::floating, 2, 5},     {"bfloat16", KeyKind::brain_floating, 2, 8},
    {"u32", KeyKind::unsigned_integer, 4}, {"i32", KeyKind::signed_integer, 4},
    {"float", KeyKind::floating, 4, 8},    {"u64", KeyKind::unsigned_integer, 8},
    {"i64", KeyKind::signed_integer, 8},   {"double", KeyKind::floating, 8, 11}};

/// What the bits of a key stand for.
struct Number {
  bool negative;
  bool is_nan;
  std::uint64_t magnitude;  // floats of one sign are ordered as these
};
Number number_of(const Type& type, std::uint64_t bits) {
  const unsigned width = 8 * type.bytes;
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  if (type.kind == KeyKind::unsigned_integer) return {false, false, bits};
  if (type.kind == KeyKind::signed_integer) {
    const bool negative = (bits & sign) != 0;
    return {negative, false, negative ? 2 * sign - bits : bits};
  }
  const std::uint64_t magnitude = bits & (sign - 1);
  const std::uint64_t infinity = ((std::uint64_t{1} << type.exponent_bits) - 1)
                                 << (width - 1 - static_cast<unsigned>(type.exponent_bits));
  return {(bits & sign) != 0, magnitude > infinity, magnitude};
}

std::strong_ordering ascending(const Number& a, const Number& b) {
  if (a.negative != b.negative) {
    return a.negative ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  return a.negative ? b.magnitude <=> a.magnitude : a.magnitude <=> b.magnitude;
}

/// The order that the documentation promises.
std::strong_ordering expected(const RadixSort& call, const Number& a, const Number& b) {
  const bool nans_last = is_floating(call.kind) && call.floats == FloatOrder::nans_last;
  const bool zeros_equal = is_floating(call.kind) && (call.floats == FloatOrder::equal_zeros ||
                                                      (nans_last && call.index_bytes != 0));
  if (nans_last && a.is_nan != b.is_nan) {
    return a.is_nan ? std::strong_ordering::greater : std::strong_ordering::less;
  }
  if (nans_last && a.is_nan && call.index_bytes != 0) return std::strong_ordering::equal;
  if (zeros_equal && a.magnitude == 0 && b.magnitude == 0) return std::strong_ordering::equal;
  return call.order == Order::ascending ? ascending(a, b) : ascending(b, a);
}

/// All keys of a narrow type; of a wide one those next to every power of two, and random ones.
std::vector<std::uint64_t> keys_of(const Type& type) {
  std::set<std::uint64_t> keys;
  if (type.bytes <= 2) {
    for (std::uint64_t key = 0; key < std::uint64_t{1} << (8 * type.bytes); ++key) keys.insert(key);
  } else {
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - 8 * type.bytes);
    std::mt19937_64 random(7);
    for (unsigned bit = 0; bit < 8 * type.bytes; ++bit) {
      for (const std::uint64_t near : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
        keys.insert(((std::uint64_t{1} << bit) + near) & all);
        keys.insert(~((std::uint64_t{1} << bit) + near) & all);
      }
      for (int i = 0; i < 50; ++i) keys.insert(random() & all);
    }
  }
  return {keys.begin(), keys.end()};
}

/// The map of a call's keys of 4 or 8 bytes.
template <class Bits>
gpu::KeyMap<Bits> wide_map(const RadixSort& call) {
  constexpr bool kIsWide = sizeof(Bits) == 8;
  const KeyType type =
      call.kind == KeyKind::unsigned_integer ? (kIsWide ? KeyType::u64 : KeyType::u32)
      : call.kind == KeyKind::signed_integer ? (kIsWide ? KeyType::i64 : KeyType::i32)
                                             : (kIsWide ? KeyType::f64 : KeyType::f32);
  return gpu::key_map_of<Bits>({type, call.order}, call.floats == FloatOrder::nans_last);
}

/// Keys are ordered by the numbers that `ordered` gives; `key` is the way back where no keys are equated.
template <class Bits, class Ordered, class Key>
void expect_order(const Type& type, const RadixSort& call, Ordered ordered, Key key) {
  SCOPED_TRACE(std::string(type.name) +
               (call.order == Order::ascending ? ", ascending" : ", descending") + ", floats " +
               std::to_string(static_cast<int>(call.floats)));
  std::vector<std::pair<Bits, std::uint64_t>> numbers;
  for (const std::uint64_t bits : keys_of(type)) {
    const Bits number = ordered(static_cast<Bits>(bits));
    EXPECT_LE(number, static_cast<Bits>(~std::uint64_t{0} >> (64 - 8 * type.bytes)));
    if (!has_equal_floats(call)) {
      EXPECT_EQ(key(number), static_cast<Bits>(bits));
    }
    numbers.emplace_back(number, bits);
  }
  std::sort(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    const Number a = number_of(type, numbers[i].second);
    const Number b = number_of(type, numbers[i + 1].second);
    const bool both_nans = a.is_nan && b.is_nan && call.floats == FloatOrder::nans_last;
    if (both_nans && call.index_bytes == 0) continue;
    ASSERT_EQ(numbers[i].first == numbers[i + 1].first, expected(call, a, b) == 0)
        << numbers[i].second;
    ASSERT_TRUE(expected(call, a, b) <= 0)
        << numbers[i].second << " before " << numbers[i + 1].second;
  }
}

template <class Bits>
void expect_order_of_wide(const Type& type, const RadixSort& call) {
  const auto equated = equal_floats_of<Bits>(call);
  const auto map = wide_map<Bits>(call);
  expect_order<Bits>(
      type, call, [&](Bits key) { return map.ordered(equated(key)); },
      [&](Bits number) { return map.key(number); });
}

template <class Bits>
void expect_order_of_form(const Type& type, const RadixSort& call) {
  const auto form = key_form_of<Bits>(call);
  expect_order<Bits>(
      type, call, [&](Bits key) { return form.ordered(key); },
      [&](Bits number) { return form.key(number); });
}

void expect_order_of_any(const Type& type, const RadixSort& call) {
  if (type.bytes == 8) {
    expect_order_of_wide<std::uint64_t>(type, call);
    return expect_order_of_form<std::uint64_t>(type, call);
  }
  if (type.bytes == 4) expect_order_of_wide<std::uint32_t>(type, call);
  expect_order_of_form<std::uint32_t>(type, call);
}

TEST(KeyForm, OrdersAllTypesAsTheirNumbers) {
  for (const Type& type : kTypes) {
    for (const Order order : {Order::ascending, Order::descending}) {
      for (const FloatOrder floats :
           {FloatOrder::total, FloatOrder::nans_last, FloatOrder::equal_zeros}) {
        for (const unsigned index_bytes : {0u, 4u}) {
          const RadixSort call{.kind = type.kind,
                               .key_bytes = type.bytes,
                               .order = order,
                               .floats = floats,
                               .index_bytes = index_bytes};
          expect_order_of_any(type, call);
        }
      }
    }
  }
}

}  // namespace
}  // namespace sortlab::cuda::detail
