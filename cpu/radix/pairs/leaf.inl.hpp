// Sorts pairs that fit into a cache, for cpu/radix/pairs: by one more digit, then by networks over
// numbers that represent the pairs (piece.inl.hpp).
//
//   from    k v, k v, ...                         as the partition left them
//   pairs   | k v, k v ... | k v ... | ...        one piece per value of the digit
//   to      keys k k ..  values v v ..            pieces leave by whole cache lines
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/radix/pairs/deal.inl.hpp"
#endif

template <class Items>
class PairLeaf {
  using Bits = typename Items::Key;
  using Memory = PairLeafMemory<Items>;
  using Pairs = PackedPairs<Items>;
  using Networks = CacheSort<std::int32_t, false>;
  using Piece = PieceSort<Items>;

  /// The most pairs in an average piece, so that a block of registers holds nearly every piece.
  static constexpr std::size_t kPiece = Networks::kBlock * 5 / 8;

 public:
  /// Sorts n pairs of `from`, packed or not, into `to`, which is `from` or does not overlap it. The
  /// keys differ at most in their `width` low bits; kUnknownWidth: not computed. `pieces` has room
  /// for n.
  template <class From>
  static void sort(From from, Items to, std::size_t n, int width, const DealMemory<Items>& pieces,
                   Memory& memory, const LeafOutput& output, Ahead ahead) {
    if (width == kUnknownWidth) width = width_of(from, n);
    if (width == 0) return void(copy(from, to, n, Bits{}, memory, output));
    Deal<Items> dealt(pieces);
    const int bits = static_cast<int>(std::bit_width((n - 1) / kPiece));
    dealt.deal(from, n, width, std::min(bits, kPairDigitBits), to, memory.digit);
    Staged<Items> result(to, memory, output);
    const Bits below = dealt.below();
    dealt.for_each_piece([&](Pairs pairs, std::size_t size) {
      if (below != dealt.kUnknown && below != 0 && size > 1 && size <= kMostNumbered) {
        Piece::sort_numbered(pairs, size, below, result.room(), memory);
        result.add(size);
      } else {
        Piece::sort(pairs, size, result, memory);
      }
      ahead.fetch(size * Pairs::kBytes);
    });
    result.leave();
    if (output.stream) publish_lines();
  }

  /// Copies n pairs of `from` to `to`, which does not overlap it. Returns the bits in which keys
  /// differ from `some_key`.
  template <class From>
  static Bits copy(From from, Items to, std::size_t n, Bits some_key, Memory& memory,
                   const LeafOutput& output) {
    Bits differing = 0;
    Staged<Items> result(to, memory, output);
    for (std::size_t i = 0; i < n; i += kLeastStaged) {
      const std::size_t m = std::min(kLeastStaged, n - i);
      const Items room = result.room();
      for (std::size_t k = 0; k < m; ++k) {
        const auto pair = from[i + k];
        differing |= pair.key ^ some_key;
        room.put(k, pair);
      }
      result.add(m);
    }
    result.leave();
    if (output.stream) publish_lines();
    return differing;
  }

  /// Parts n pairs of `from` by a key that most of them have. Stable.
  static void part(Pairs from, std::size_t n, Bits key, const Sides<Items>& to, Memory& memory,
                   const LeafOutput& output) {
    std::size_t less = 0, greater = 0;
    Staged<Items> equals(to.equal, memory, output);
    for (std::size_t i = 0; i < n; i += kLeastStaged) {
      const std::size_t m = std::min(kLeastStaged, n - i);
      const Items room = equals.room();
      std::size_t equal = 0;
      for (std::size_t k = 0; k < m; ++k) {
        const auto pair = from[i + k];
        room.put(equal, pair);
        equal += pair.key == key;
        if (pair.key == key) [[likely]]
          continue;
        pair.key < key ? to.less.put(less++, pair) : to.greater.put(greater++, pair);
      }
      equals.add(equal);
    }
    equals.leave();
    if (output.stream) publish_lines();
  }

 private:
  template <class From>
  static int width_of(From from, std::size_t n) {
    return static_cast<int>(std::bit_width(Piece::live_bits(from, n)));
  }
};
