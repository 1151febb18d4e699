// The leaves of cpu/radix/pairs: pairs that fit into a cache are distributed by one more digit and sorted by networks.
// This is what the sort calls, and the memory for it; leaf.cpp and kernels.inl.hpp do it.
//
//   from    k v, k v, ...                 keys and values, or pairs packed in memory
//   pieces  | k v, k v .. | k v .. | ..   one per value of the digit, with more room than expected
//   to      keys k k ..  values v v ..    sorted in registers; they leave by whole cache lines
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "common/contract/isa.hpp"
#include "common/contract/items.hpp"
#include "cpu/primitives/intrinsics.hpp"
#include "cpu/radix/msd/leaf.hpp"

namespace sortlab::cpu::radix::pair_leaf {

using primitives::kLineBytes;

/// A sequence of pairs, 8 or 12 bytes each. It looks like Items.
template <class Items>
class PackedPairs {
  using Bits = typename Items::Key;
  using Value = typename Items::Value;

 public:
  static constexpr std::size_t kBytes = sizeof(Bits) + sizeof(Value);

  explicit PackedPairs(std::byte* bytes) : bytes_(bytes) {}
  std::byte* bytes() const { return bytes_; }
  Bits key(std::size_t i) const {
    Bits key;
    std::memcpy(&key, bytes_ + i * kBytes, sizeof(key));
    return key;
  }
  Item<Bits, Value> operator[](std::size_t i) const {
    const std::byte* const place = bytes_ + i * kBytes;
    if constexpr (kOneWord) {
      std::uint64_t both;
      std::memcpy(&both, place, sizeof(both));
      return {static_cast<Bits>(both), static_cast<Value>(both >> 32)};
    } else {
      Value value;
      std::memcpy(&value, place + sizeof(Bits), sizeof(value));
      return {key(i), value};
    }
  }
  void put(std::size_t i, Item<Bits, Value> pair) const {
    std::byte* const place = bytes_ + i * kBytes;
    if constexpr (kOneWord) {
      const std::uint64_t both = pair.key | std::uint64_t{pair.value} << 32;
      std::memcpy(place, &both, sizeof(both));
    } else {
      std::memcpy(place, &pair.key, sizeof(Bits));
      std::memcpy(place + sizeof(Bits), &pair.value, sizeof(Value));
    }
  }
  PackedPairs from(std::size_t offset) const { return PackedPairs(bytes_ + offset * kBytes); }

 private:
  static constexpr bool kOneWord = kBytes == sizeof(std::uint64_t);  // one load, one store
  std::byte* bytes_;
};

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
  alignas(kLineBytes) typename Items::Key keys[kLeastStaged + kMostNumbered + kSlack];
  alignas(kLineBytes) typename Items::Value values[kLeastStaged + kMostNumbered + kSlack];
  std::uint16_t digits[kPairLeafItems];  // of pairs without room in their pieces
  DigitMemory digit;
  // A run of pairs that is sorted again.
  alignas(kLineBytes) std::byte run_bytes[(kMostNumbered + kSlack) * PackedPairs<Items>::kBytes];
  msd::LeafCounts counts;  // to sort digit by digit

  PackedPairs<Items> pairs() { return PackedPairs<Items>(bytes); }
  DealMemory<Items> for_deal() {
    return {pairs(), kPairs, PackedPairs<Items>(large_bytes), digits, rooms};
  }
  PackedPairs<Items> run() { return PackedPairs<Items>(run_bytes); }
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
        keys(take<typename Items::Key>(memory, n)),
        values(take<typename Items::Value>(memory, n)),
        pairs(memory) {}

  static constexpr std::size_t bytes_for(std::size_t n) {
    return lines_of<std::int32_t>(n) + lines_of<typename Items::Key>(n) +
           lines_of<typename Items::Value>(n) +
           std::bit_ceil(n) *
               PackedPairs<Items>::kBytes;  // a vector may read the pair of any place
  }

  std::int32_t* const order;
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

/// Memory that will be read next, and is prefetched in steps.
struct Ahead {
  const std::byte* next = nullptr;
  const std::byte* end = nullptr;

  void fetch(std::size_t bytes) {
    const std::byte* const to = next + std::min<std::size_t>(bytes, end - next);
    for (; next < to; next += kLineBytes) __builtin_prefetch(next, 0, 2);
  }
};

// The functions, for keys of 32 and 64 bits with values of 32. Keys are bits.

/// Sorts n pairs of `from`, Items or PackedPairs, into `to`, which is `from` or does not overlap it. The keys differ at
/// most in their `width` low bits; kUnknownWidth: not computed. `pieces` has room for n.
template <class Items, class From>
void sort(From from, Items to, std::size_t n, int width, const DealMemory<Items>& pieces,
          PairLeafMemory<Items>& memory, Isa isa, const LeafOutput& output, const Ahead& ahead);

/// Copies n pairs of `from` to `to`, as bits. Returns the bits in which keys differ from `some_key`.
template <class Items>
typename Items::Key copy(PackedPairs<Items> from, Items to, std::size_t n,
                         typename Items::Key some_key, PairLeafMemory<Items>& memory, Isa isa,
                         bool stream);

/// Parts n pairs of `from` into those with lesser keys, with this key, and with greater ones; only those with this key
/// get keys instead of bits. Stable.
template <class Items>
void part(PackedPairs<Items> from, std::size_t n, typename Items::Key key, const Sides<Items>& to,
          PairLeafMemory<Items>& memory, Isa isa, const LeafOutput& output);

/// Sorts at most kFewPairs pairs in place; not for Isa::scalar.
template <class Items>
void sort_few(Items pairs, std::size_t n, const PairFewMemory<Items>& memory, Isa isa,
              const LeafOutput& output);

}  // namespace sortlab::cpu::radix::pair_leaf
