// The memory in which cpu/radix/pairs sorts a leaf (PairLeaf in kernels.inl.hpp), and the bits of which it makes
// digits.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/contract/isa_region.hpp"
#include "common/contract/items.hpp"
#include "cpu/primitives/simd/intrinsics.hpp"
#include "cpu/radix/msd/counting.hpp"
#include "cpu/radix/msd/leaf.hpp"
#include "cpu/radix/pairs/lines.hpp"

namespace sortlab::cpu::radix::pairs {

// Live bits: the highest bits in which the keys differ. Digits and numbers are made from them.
//
//   keys       a a a 0 0 0 0 b b b b 0 c c c        0: equal in all keys
//   together   a a a b b b b c                      one instruction (CPUs with AVX-512 have it)
//   adjacent   a a a 0 0 0 0 b                      by a shift
//
// Keys made of fields (a row above a column, a tile above a depth, the bytes of a text) have equal
// bits between the fields. These are left out, so they take no space in a digit.

/// Adjacent bits, from the highest live one down.
template <class Bits>
struct AdjacentBits {
  Bits mask;
  int shift;

  /// At most `count` < 32 bits for keys that differ only in `live`, which is not 0.
  static AdjacentBits highest(Bits live, int count) {
    const int width = static_cast<int>(std::bit_width(live));
    const int kept = count < width ? count : width;
    const int shift = width - kept;
    return {static_cast<Bits>(((Bits{1} << kept) - 1) << shift), shift};
  }
  std::size_t values() const { return std::size_t{1} << std::popcount(mask); }
  std::uint32_t operator()(Bits key) const {
    return static_cast<std::uint32_t>((key & mask) >> shift);
  }
};

#ifdef SORTLAB_X86
SORTLAB_AVX512_BEGIN
namespace avx512 {
/// Only live bits, wherever they are.
template <class Bits>
struct LiveBits {
  Bits mask;

  static LiveBits highest(Bits live, int count) {
    const int all = _mm_popcnt_u64(live);
    const std::uint64_t kept = ~std::uint64_t{0} << (count < all ? all - count : 0);
    return {static_cast<Bits>(_pdep_u64(kept, live))};
  }
  std::size_t values() const { return std::size_t{1} << _mm_popcnt_u64(mask); }
  std::uint32_t operator()(Bits key) const {
    return static_cast<std::uint32_t>(_pext_u64(key, mask));
  }
};
}  // namespace avx512
SORTLAB_AVX512_END

namespace avx2 {
template <class Bits>
using LiveBits = AdjacentBits<Bits>;
}
#endif
#ifdef SORTLAB_ARM
namespace neon {
template <class Bits>
using LiveBits = AdjacentBits<Bits>;
}
#endif

using namespace msd;

// The pairs of a leaf fit into the second-level caches of today's servers (1 and 2 MiB).
inline constexpr std::size_t kPairLeafItems = std::size_t{96} << 10;

// A leaf's digit: one cache line per value fits into a first-level cache, or nearly.
inline constexpr int kPairDigitBits = 10;

inline constexpr int kUnknownWidth = -1;

// Larger pieces are sorted digit by digit.
inline constexpr std::size_t kMostNumbered = 4096;

// Vectors may be read and written whole.
inline constexpr std::size_t kSlack = 16;

// This many sorted pairs are collected before they are written: two of a hundred lines are then
// partial.
inline constexpr std::size_t kLeastStaged = 1024;

/// The tables of a sampled digit (SampledDigit).
struct DigitMemory {
  static constexpr std::size_t kValues = std::size_t{1} << kPairDigitBits, kSample = 16 * kValues,
                               kCells = 2 * kValues + kSample;
  std::uint32_t sample[kSample];
  std::uint32_t bins[2 * kValues];  // first cell, and by how many bits the place in the bin shifts
  std::uint16_t digit_of[kCells];
  std::uint16_t sampled[kValues];  // keys, by digit
};

/// The pieces of a deal.
struct Rooms {
  static constexpr std::size_t kMost = std::size_t{1} << kPairDigitBits;
  struct Room {
    std::uint32_t next, end;  // place of the piece's next pair, and where its room ends
  };
  Room rooms[kMost];
  std::uint32_t begin[kMost];
  std::uint32_t next[kMost];  // of a piece that outgrew its room, among those
};

/// The destination of a deal of at most n pairs.
template <class Items>
struct DealMemory {
  PackedPairs<Items> pairs;  // the rooms
  std::size_t capacity;
  PackedPairs<Items> large;  // n pairs: pieces that outgrew their rooms
  std::uint16_t* digits;     // n of them, for pairs without room
  Rooms& rooms;

  /// Enough for a sampled digit.
  static constexpr std::size_t capacity_for(std::size_t n) {
    return n * 21 / 8 + (Rooms::kMost << 6);
  }
  static constexpr std::size_t bytes(std::size_t n) {
    return (capacity_for(n) + n + 2 * kSlack) * PackedPairs<Items>::kBytes +
           n * sizeof(std::uint16_t);
  }
  /// The memory for n pairs, at a line boundary.
  static DealMemory in(std::byte* memory, std::size_t n, Rooms& rooms) {
    const PackedPairs<Items> pairs(memory);
    const PackedPairs<Items> large = pairs.from(capacity_for(n) + kSlack);
    std::byte* const digits = large.from(n + kSlack).bytes();
    return {pairs, capacity_for(n), large, reinterpret_cast<std::uint16_t*>(digits), rooms};
  }
};

template <class Items>
struct PairLeafMemory {
  static constexpr std::size_t kPairs = DealMemory<Items>::capacity_for(kPairLeafItems);

  alignas(kLineBytes) std::byte bytes[(kPairs + kSlack) * PackedPairs<Items>::kBytes];
  alignas(kLineBytes) std::byte large_bytes[(kPairLeafItems + kSlack) * PackedPairs<Items>::kBytes];
  Rooms rooms;
  alignas(kLineBytes) std::int32_t order[kMostNumbered + kSlack];
  alignas(kLineBytes) std::int32_t other[kMostNumbered];
  alignas(kLineBytes) typename Items::Key keys[kLeastStaged + kMostNumbered + kSlack];
  alignas(kLineBytes) typename Items::Value values[kLeastStaged + kMostNumbered + kSlack];
  std::uint16_t digits[kPairLeafItems];  // of pairs without room in their pieces
  DigitMemory digit;
  // A run of pairs that is sorted again.
  alignas(kLineBytes) std::byte run_bytes[(kMostNumbered + kSlack) * PackedPairs<Items>::kBytes];
  LeafCounts counts;  // to sort digit by digit

  PackedPairs<Items> pairs() { return PackedPairs<Items>(bytes); }
  DealMemory<Items> for_deal() {
    return {pairs(), kPairs, PackedPairs<Items>(large_bytes), digits, rooms};
  }
  PackedPairs<Items> run() { return PackedPairs<Items>(run_bytes); }

  /// Memory in which n pairs are sorted: that of n packed pairs, `free`, and the memory before it.
  void sort_by_digits(Items pairs, std::size_t n, PackedPairs<Items> free) {
    using Key = typename Items::Key;
    const auto behind_boundary = reinterpret_cast<std::uintptr_t>(free.bytes()) % alignof(Key);
    auto* const keys = reinterpret_cast<Key*>(free.bytes() - behind_boundary);
    const Items temp{keys, reinterpret_cast<typename Items::Value*>(keys + n)};
    Leaf<Items>(temp, counts).sort(pairs, pairs, n);
  }
};

// Up to this many pairs are one piece. With more pairs, the numbers would have fewer bits of the
// key and often be equal.
inline constexpr std::size_t kFewPairs = 512;

/// The memory in which few pairs are sorted: as much as they need.
template <class Items>
class PairFewMemory {
  template <class T>
  static constexpr std::size_t lines_of(std::size_t n) {
    return ((n + kSlack) * sizeof(T) + kLineBytes - 1) / kLineBytes * kLineBytes;
  }
  template <class T>
  static T* take(std::byte*& from, std::size_t n) {
    return reinterpret_cast<T*>(std::exchange(from, from + lines_of<T>(n)));
  }

 public:
  PairFewMemory(std::byte* memory, std::size_t n)
      : order(take<std::int32_t>(memory, n)),
        other(take<std::int32_t>(memory, n)),
        keys(take<typename Items::Key>(memory, n)),
        values(take<typename Items::Value>(memory, n)),
        pairs(memory) {}

  static constexpr std::size_t bytes_for(std::size_t n) {
    return 2 * lines_of<std::int32_t>(n) + lines_of<typename Items::Key>(n) +
           lines_of<typename Items::Value>(n) +
           std::bit_ceil(n) *
               PackedPairs<Items>::kBytes;  // a vector may read the pair of any place
  }

  std::int32_t *const order, *const other;
  typename Items::Key* const keys;
  typename Items::Value* const values;
  const PackedPairs<Items> pairs;
};

/// How sorted bits are written.
struct LeafOutput {
  void (*restore)(void* bits, std::size_t n);  // turns bits into keys; null: they are keys
  bool stream;                                 // bypassing the caches
};

/// Where pairs go whose keys are less than a frequent key, equal to it, and greater.
template <class Items>
struct Sides {
  Items less, equal, greater;
};

/// Copies n pairs in the order of their places, which are the bits of order[i] in the mask.
template <class Items>
void unpack_one_by_one(PackedPairs<Items> pairs, const std::int32_t* order, std::uint32_t mask,
                       std::size_t n, typename Items::Key* keys, typename Items::Value* values) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto [key, value] = pairs[static_cast<std::uint32_t>(order[i]) & mask];
    keys[i] = key;
    values[i] = value;
  }
}

/// Memory that will be read next, and is prefetched in steps.
struct Ahead {
  const std::byte* next = nullptr;
  const std::byte* end = nullptr;

  void fetch(std::size_t bytes) {
    const std::byte* const to = next + std::min<std::size_t>(bytes, end - next);
    for (; next < to; next += kLineBytes) __builtin_prefetch(next, 0, 2);
  }
};

}  // namespace sortlab::cpu::radix::pairs
