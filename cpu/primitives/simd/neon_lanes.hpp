// A vector of 4 signed 32-bit or 2 signed 64-bit keys in a NEON register, with the operations of
// networks and partitions. avx2_lanes.hpp describes each function.
//
// Every 64-bit Arm CPU has NEON. Nothing here was measured, for lack of such a machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/contract/isa_region.hpp"
#include "cpu/primitives/intrinsics.hpp"
#include "cpu/primitives/simd/tables.hpp"

#ifdef SORTLAB_ARM
namespace sortlab::cpu::primitives::simd {
/// As bytes of a vector.
alignas(64) inline constexpr auto kPartTable4Bytes = make_part_table<std::uint8_t, 4, 4>();
alignas(64) inline constexpr auto kPartTable2Bytes = make_part_table<std::uint8_t, 2, 8>();
}  // namespace sortlab::cpu::primitives::simd

namespace sortlab::cpu::primitives::simd::neon {

template <class Key>
struct Lanes;

/// How many lanes a set has. The table fits into one word; NEON counts bits only in its own
/// registers.
inline std::size_t size_of_set(unsigned set) {
  constexpr std::uint64_t kSizes = 0x4332'3221'3221'2110;
  return static_cast<std::size_t>(kSizes >> 4 * set & 7);
}

template <>
struct Lanes<std::int32_t> {
  using Key = std::int32_t;
  using Vector = int32x4_t;
  static constexpr int kBits = 2;
  static constexpr std::size_t kCount = 4;
  static constexpr int kRegisters = 32;

  static Vector load(const Key* from) { return vld1q_s32(from); }
  static void store(Key* to, Vector v) { vst1q_s32(to, v); }
  static void stream(Key* to, Vector v) { store(to, v); }
  static Vector broadcast(Key key) { return vdupq_n_s32(key); }
  static Vector load_some(const Key* from, std::size_t n, Vector others) {
    if (n >= 4) return load(from);
    if (n > 0) others = vld1q_lane_s32(from, others, 0);
    if (n > 1) others = vld1q_lane_s32(from + 1, others, 1);
    if (n > 2) others = vld1q_lane_s32(from + 2, others, 2);
    return others;
  }
  static void store_some(Key* to, Vector v, std::size_t n) {
    if (n >= 4) return store(to, v);
    if (n > 0) vst1q_lane_s32(to, v, 0);
    if (n > 1) vst1q_lane_s32(to + 1, v, 1);
    if (n > 2) vst1q_lane_s32(to + 2, v, 2);
  }
  static Vector add(Vector a, Vector b) {
    return wrapped(vreinterpretq_u32_s32(a) + vreinterpretq_u32_s32(b));
  }
  static Vector subtract(Vector a, Vector b) {
    return wrapped(vreinterpretq_u32_s32(a) - vreinterpretq_u32_s32(b));
  }
  static Vector iota() { return Vector{0, 1, 2, 3}; }
  template <int kBitCount>
  static Vector shift_left(Vector v) {
    return vshlq_n_s32(v, kBitCount);
  }
  static Vector some(Vector v, std::size_t n, Vector others) {
    return vbslq_s32(vcgtq_s32(broadcast(static_cast<Key>(n)), iota()), v, others);
  }
  /// Sums and differences wrap around: compilers take those of signed lanes for numbers that never do.
  static Vector wrapped(uint32x4_t v) { return vreinterpretq_s32_u32(v); }
  static Vector signs(Vector v) { return vshrq_n_s32(v, 31); }
  static Vector bit_and(Vector a, Vector b) { return vandq_s32(a, b); }
  static Vector bit_xor(Vector a, Vector b) { return veorq_s32(a, b); }

  static void order(Vector& a, Vector& b) {
    const Vector smaller = vminq_s32(a, b);
    b = vmaxq_s32(a, b);
    a = smaller;
  }
  template <unsigned kBitsOfLane>
  static Vector flip_lanes(Vector v) {
    constexpr auto word = [](int lane) {
      return -static_cast<int>(odd_lanes<kCount>(kBitsOfLane) >> lane & 1);
    };
    return bit_xor(v, Vector{word(0), word(1), word(2), word(3)});
  }
  template <int kBit>
  static void exchange(Vector& a, Vector& b) {
    const Vector before = a;
    if constexpr (kBit == 0) {
      a = vtrn1q_s32(a, b);
      b = vtrn2q_s32(before, b);
    } else {
      a = vreinterpretq_s32_s64(vzip1q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
      b = vreinterpretq_s32_s64(
          vzip2q_s64(vreinterpretq_s64_s32(before), vreinterpretq_s64_s32(b)));
    }
  }

  static unsigned greater(Vector a, Vector b) {
    return vaddvq_u32(vandq_u32(vcgtq_s32(a, b), uint32x4_t{1, 2, 4, 8}));
  }
  static unsigned equal(Vector a, Vector b) {
    return vaddvq_u32(vandq_u32(vceqq_s32(a, b), uint32x4_t{1, 2, 4, 8}));
  }

  static Vector parted(Vector v, unsigned set) {
    const uint8x16_t places = vld1q_u8(kPartTable4Bytes[set].data());
    return vreinterpretq_s32_u8(vqtbl1q_u8(vreinterpretq_u8_s32(v), places));
  }
  static void put_left(Vector v, unsigned set, Key* to) { store(to, parted(v, set ^ 0xF)); }
  static std::size_t put_right(Vector v, unsigned set, Key* end) {
    store(end - kCount, parted(v, set));
    return size_of_set(set);
  }
  static std::size_t part(Vector v, unsigned right, Key* left, Key* right_end) {
    const Vector both = parted(v, right);
    store(left, both);
    store(right_end - kCount, both);
    return size_of_set(right);
  }
};

template <>
struct Lanes<std::int64_t> {
  using Key = std::int64_t;
  using Vector = int64x2_t;
  static constexpr int kBits = 1;
  static constexpr std::size_t kCount = 2;
  static constexpr int kRegisters = 32;

  static Vector load(const Key* from) { return vld1q_s64(from); }
  static void store(Key* to, Vector v) { vst1q_s64(to, v); }
  static void stream(Key* to, Vector v) { store(to, v); }
  static Vector broadcast(Key key) { return vdupq_n_s64(key); }
  static Vector load_some(const Key* from, std::size_t n, Vector others) {
    if (n >= 2) return load(from);
    return n == 0 ? others : vld1q_lane_s64(from, others, 0);
  }
  static void store_some(Key* to, Vector v, std::size_t n) {
    if (n >= 2) return store(to, v);
    if (n == 1) vst1q_lane_s64(to, v, 0);
  }
  static Vector subtract(Vector a, Vector b) {
    return wrapped(vreinterpretq_u64_s64(a) - vreinterpretq_u64_s64(b));
  }
  static Vector shift_right(Vector v, int bits) {
    return vreinterpretq_s64_u64(vshlq_u64(vreinterpretq_u64_s64(v), broadcast(-bits)));
  }
  static Vector gather(const Key* from, const std::int32_t* places, std::int32_t mask) {
    return Vector{from[places[0] & mask], from[places[1] & mask]};
  }
  static int32x4_t lower_words(Vector a, Vector b) {
    return vuzp1q_s32(vreinterpretq_s32_s64(a), vreinterpretq_s32_s64(b));
  }
  /// Sums and differences wrap around: compilers take those of signed lanes for numbers that never do.
  static Vector wrapped(uint64x2_t v) { return vreinterpretq_s64_u64(v); }
  static Vector signs(Vector v) { return vshrq_n_s64(v, 63); }
  static Vector bit_and(Vector a, Vector b) { return vandq_s64(a, b); }
  static Vector bit_xor(Vector a, Vector b) { return veorq_s64(a, b); }

  /// NEON has no minimum of 64 bits.
  static void order(Vector& a, Vector& b) {
    const uint64x2_t swap = vcgtq_s64(a, b);
    const Vector smaller = vbslq_s64(swap, b, a);
    b = vbslq_s64(swap, a, b);
    a = smaller;
  }
  template <unsigned kBitsOfLane>
  static Vector flip_lanes(Vector v) {
    constexpr auto word = [](int lane) {
      return -static_cast<Key>(odd_lanes<kCount>(kBitsOfLane) >> lane & 1);
    };
    return bit_xor(v, Vector{word(0), word(1)});
  }
  template <int kBit>
  static void exchange(Vector& a, Vector& b) {
    static_assert(kBit == 0);
    const Vector before = a;
    a = vzip1q_s64(a, b);
    b = vzip2q_s64(before, b);
  }

  static unsigned greater(Vector a, Vector b) {
    const uint64x2_t bits = vandq_u64(vcgtq_s64(a, b), uint64x2_t{1, 2});
    return static_cast<unsigned>(vaddvq_u64(bits));
  }
  static unsigned equal(Vector a, Vector b) {
    return static_cast<unsigned>(vaddvq_u64(vandq_u64(vceqq_s64(a, b), uint64x2_t{1, 2})));
  }

  static Vector parted(Vector v, unsigned set) {
    const uint8x16_t places = vld1q_u8(kPartTable2Bytes[set].data());
    return vreinterpretq_s64_u8(vqtbl1q_u8(vreinterpretq_u8_s64(v), places));
  }
  static void put_left(Vector v, unsigned set, Key* to) { store(to, parted(v, set ^ 3)); }
  static std::size_t put_right(Vector v, unsigned set, Key* end) {
    store(end - kCount, parted(v, set));
    return size_of_set(set);
  }
  static std::size_t part(Vector v, unsigned right, Key* left, Key* right_end) {
    const Vector both = parted(v, right);
    store(left, both);
    store(right_end - kCount, both);
    return size_of_set(right);
  }
};

}  // namespace sortlab::cpu::primitives::simd::neon
#endif
