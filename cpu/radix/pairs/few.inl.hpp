// Sorts few pairs, which are one piece, for cpu/radix/pairs, in only as much memory as they need.
// Like piece.inl.hpp it uses numbers made of a window of the key's bits and of the pair's place. If
// the highest window leaves keys out of order, it sorts by all windows, the lowest first; each sort
// is stable.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/radix/pairs/leaf.inl.hpp"
#endif

template <class Items>
class PairFew {
  using Bits = typename Items::Key;
  using Memory = PairFewMemory<Items>;
  using Networks = CacheSort<std::int32_t, false>;
  using Piece = PieceSort<Items>;

  /// The most splits of the numbers.
  static constexpr int kLevels = 24;

 public:
  /// Sorts at most kFewPairs pairs in place.
  static void sort(Items pairs, std::size_t n, const Memory& memory, const LeafOutput& output) {
    for (std::size_t i = 0; i < n; ++i) memory.pairs.put(i, pairs[i]);
    const int width = static_cast<int>(std::bit_width(Piece::live_bits(pairs, n)));
    const int place_bits = static_cast<int>(std::bit_width(n - 1));
    const int bits = 31 - place_bits;
    const Digit highest = digit_below(width, bits);
    sort_window(highest, n, place_bits, memory);
    if (highest.shift > 0 && !Piece::in_order(memory.keys, n)) {
      for (int shift = 0; shift < width; shift += bits) {
        sort_window({shift, std::min(bits, width - shift)}, n, place_bits, memory);
        for (std::size_t i = 0; i < n; ++i) {
          memory.pairs.put(i, {memory.keys[i], memory.values[i]});
        }
      }
    }
    if (output.restore != nullptr) output.restore(memory.keys, n);
    std::copy_n(memory.keys, n, pairs.keys);
    std::copy_n(memory.values, n, pairs.values);
  }

 private:
  /// Sorts memory.pairs by some bits of their keys to memory.keys and memory.values.
  static void sort_window(Digit window, std::size_t n, int place_bits, const Memory& memory) {
    std::int32_t* const order = memory.order;
    const auto mask = static_cast<std::uint32_t>(window.values() - 1);
    for (std::uint32_t i = 0; i < n; ++i) {
      const auto kept = static_cast<std::uint32_t>(memory.pairs.key(i) >> window.shift) & mask;
      order[i] = static_cast<std::int32_t>(kept << place_bits | i);
    }
    Networks::template sort<false>(order, memory.other, true, n, kLevels,
                                   typename Networks::Code(0));
    unpack(memory.pairs, order, (1u << place_bits) - 1, n, memory.keys, memory.values);
  }
};
