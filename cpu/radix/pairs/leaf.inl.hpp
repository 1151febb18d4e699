// How cpu/radix/pairs sorts pairs that fit a cache: one digit more, then networks over numbers that
// stand for the pairs (piece.inl.hpp).
//
//   from    k v, k v, ...                         as the partition left them
//   pairs   | k v, k v ... | k v ... | ...        a piece for each value of the digit
//   to      keys k k ..  values v v ..            pieces leave by whole cache lines
//
// Where keys are spread evenly, the digit is some bits next to each other, and each piece has room
// for a block of registers, so that nobody counts. Else the digit is looked up by the highest live
// bits in a table, which a sample has made such that pieces have about the same size; and pairs are
// counted.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/radix/pairs/piece.inl.hpp"
#endif

template <class Items>
class PairLeaf {
  using Bits = typename Items::Key;
  using Memory = PairLeafMemory<Items>;
  using Pairs = PackedPairs<Items>;
  using Networks = CacheSort<std::int32_t, false>;
  using Piece = PieceSort<Items>;

  /// The most pairs of a piece on the average: a block of registers then holds nearly every piece.
  static constexpr std::size_t kPiece = Networks::kBlock * 5 / 8;

 public:
  /// Sorts n pairs of `from`, packed or not, into `to`, which is `from` or lies apart from it. The
  /// keys differ in their `width` low bits at most; kUnknownWidth: nobody has looked.
  template <class From>
  static void sort(From from, Items to, std::size_t n, int width, Memory& memory,
                   const LeafOutput& output, Ahead ahead) {
    if (width == kUnknownWidth) {
      width = static_cast<int>(std::bit_width(Piece::live_bits(from, n)));
    }
    if (width == 0) return void(copy(from, to, n, Bits{}, memory, output));
    const int wanted = std::min(static_cast<int>(std::bit_width((n - 1) / kPiece)), kPairDigitBits);
    const Digit digit = digit_below(width, wanted);
    memory.even =
        memory.even && looks_even(from, n, digit) && deal_evenly(from, n, digit, memory);
    Staged<Items> result(to, memory, output);
    if (memory.even) {
      sort_even_pieces(digit, result, memory, ahead);
    } else {
      const std::size_t pieces = deal_by_table(from, n, wanted, memory);
      for (std::size_t p = 0; p < pieces; ++p) {
        const std::uint32_t begin = memory.begin[p], size = memory.begin[p + 1] - begin;
        Piece::sort(memory.pairs().from(begin), size, result, memory);
        ahead.fetch(size * Pairs::kBytes);
      }
    }
    result.leave();
    if (output.stream) publish_lines();
  }

  /// Copies n pairs of `from` to `to`, which lies apart from it, and returns the bits in which keys
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

 private:
  /// Whether no sixteenth of the digit's values seems to hold over 2.5 times its share. Of few pairs
  /// a look would cost as much as it may save.
  template <class From>
  static bool looks_even(From from, std::size_t n, Digit digit) {
    constexpr std::size_t kLooks = 256, kWorthALook = 16 * kLooks;
    if (n < kWorthALook) return true;
    Bits keys[kLooks];
    for (std::size_t i = 0; i < kLooks; ++i) keys[i] = Piece::key_of(from, i * (n / kLooks));
    return !is_skewed(keys, kLooks, digit);
  }

  /// Moves the pairs to their pieces, in the order in which they come. Nobody has counted: each
  /// piece has room for a block, and false says that one was too large, and nothing is in place.
  template <class From>
  static bool deal_evenly(From from, std::size_t n, Digit digit, Memory& memory) {
    // At least 128: a leaf of the largest size has 96 pairs a piece, on the average.
    constexpr std::uint32_t kRoom = std::max<std::uint32_t>(Networks::kBlock, 128);
    constexpr std::uint32_t kStride = kRoom + 8;  // no power of two: heads in all sets of the cache
    static_assert(std::size_t{kStride} << kPairDigitBits <= Memory::kPairs);
    std::uint32_t* const count = memory.end;
    std::fill_n(count, digit.values(), 0u);
    const Pairs to = memory.pairs();
    for (std::size_t i = 0; i < n; ++i) {
      const auto pair = from[i];
      const std::size_t d = digit(pair.key);
      const std::uint32_t place = count[d];
      to.put(d * kStride + place % kRoom, pair);
      count[d] = place + 1;
    }
    std::uint32_t most = 0;
    for (std::uint32_t d = 0; d < digit.values(); ++d) {
      most = std::max(most, count[d]);
      memory.begin[d] = d * kStride;
      memory.end[d] = d * kStride + count[d];
    }
    return most <= kRoom;
  }

  /// Sorts pieces of up to a block, of keys that differ in the bits below the digit.
  static void sort_even_pieces(Digit digit, Staged<Items>& result, Memory& memory, Ahead ahead) {
    const Bits below = static_cast<Bits>((Bits{1} << digit.shift) - 1);
    for (std::size_t piece = 0; piece < digit.values(); ++piece) {
      const std::uint32_t begin = memory.begin[piece], size = memory.end[piece] - begin;
      const Pairs pairs = memory.pairs().from(begin);
      if (below == 0 || size < 2) {
        Piece::sort(pairs, size, result, memory);
      } else {
        Piece::sort_numbered(pairs, size, below, result.room(), memory);
        result.add(size);
      }
      ahead.fetch(size * Pairs::kBytes);
    }
  }

  /// Moves the pairs to pieces of about the same size, as a sample of them has it; returns how many
  /// pieces there may be.
  template <class From>
  static std::size_t deal_by_table(From from, std::size_t n, int piece_bits, Memory& memory) {
    constexpr int kBinsAPiece = 4;  // 2^4
    const auto bin =
        LiveBits<Bits>::highest(Piece::live_bits(from, n), std::min(piece_bits + kBinsAPiece, kBinBits));
    const std::size_t pieces = std::min(bin.values(), std::size_t{1} << piece_bits);
    fill_table(from, n, bin, pieces, memory);
    std::uint16_t* const digits = memory.digits;
    for (std::size_t i = 0; i < n; ++i) digits[i] = memory.table[bin(Piece::key_of(from, i))];
    Piece::deal(from, n, pieces, memory.begin, memory.pairs(),
                [=](std::size_t i) { return digits[i]; });
    return pieces;
  }
  template <class From>
  static void fill_table(From from, std::size_t n, const LiveBits<Bits>& bin, std::size_t pieces,
                         Memory& memory) {
    const std::size_t step = std::max<std::size_t>(1, std::min(n / (8 * pieces), n / 16));
    const std::size_t sampled = n / step;
    std::fill_n(memory.table.begin(), bin.values(), std::uint16_t{0});
    for (std::size_t i = 0; i < sampled; ++i) ++memory.table[bin(Piece::key_of(from, i * step))];
    share_out(memory.table, bin.values(), sampled, pieces);
  }
};
