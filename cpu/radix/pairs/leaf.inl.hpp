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
  #include "cpu/radix/pairs/sampled_digit.inl.hpp"
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
  /// Room for the pairs of a piece that are evenly spread. At least 128: a leaf of the largest size has
  /// 96 pairs a piece, on the average.
  static constexpr std::size_t kRoom = std::max<std::size_t>(Networks::kBlock, 128);
  /// So far apart no power of two lies between two rooms: their heads are in all sets of the cache.
  static constexpr std::size_t kApart = 8;
  static_assert((kRoom + kApart) << kPairDigitBits <= Memory::kPairs);

  static constexpr Bits kUnknown = static_cast<Bits>(~Bits{0});

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
    Staged<Items> result(to, memory, output);
    if (looks_even(from, n, digit)) {
      const Bits below = static_cast<Bits>((Bits{1} << digit.shift) - 1);
      make_rooms(digit.values(), memory, [](std::size_t) { return kRoom; });
      deal(from, n, digit.values(), digit, to, memory);
      sort_pieces(digit.values(), below, result, memory, ahead);
    } else {
      const SampledDigit<Bits> sampled(n, wanted, Piece::live_bits(from, n), memory.digit,
                                       [&](std::size_t i) { return Piece::key_of(from, i); });
      make_rooms(sampled.values(), memory, [&](std::size_t d) { return sampled.room(d); });
      deal(from, n, sampled.values(), sampled, to, memory);
      sort_pieces(sampled.values(), kUnknown, result, memory, ahead);
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
  /// Whether no value of the digit seems to have much more than its share. Of few pairs a look would
  /// cost as much as it may save.
  template <class From>
  static bool looks_even(From from, std::size_t n, Digit digit) {
    constexpr std::size_t kLooks = 256, kWorthALook = 16 * kLooks;
    if (n < kWorthALook) return true;
    std::uint16_t looks[std::size_t{1} << kPairDigitBits] = {};
    for (std::size_t i = 0; i < kLooks; ++i) ++looks[digit(Piece::key_of(from, i * (n / kLooks)))];
    const std::size_t most = *std::max_element(looks, looks + digit.values());
    return most <= 5 * kLooks / (2 * digit.values()) + 5;
  }

  template <class RoomOf>
  static void make_rooms(std::size_t pieces, Memory& memory, RoomOf room_of) {
    std::size_t place = 0;
    for (std::size_t d = 0; d < pieces; ++d) {
      const std::size_t end = std::min(place + room_of(d), Memory::kPairs);
      memory.begin[d] = static_cast<std::uint32_t>(place);
      memory.rooms[d] = {static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(end)};
      place = std::min(end + kApart, Memory::kPairs);
    }
  }

  /// Moves the pairs to their pieces, in the order in which they come. Nobody has counted. The pairs
  /// for which there is no room go to `spill`, which may be `from`, and then behind a copy of the
  /// others.
  template <class From, class DigitOf>
  static void deal(From from, std::size_t n, std::size_t pieces, DigitOf digit_of, Items spill,
                   Memory& memory) {
    Room* const rooms = memory.rooms;
    std::uint16_t* const spilled_digits = memory.digits;
    const Pairs to = memory.pairs();
    std::size_t spilled = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto pair = from[i];
      const std::size_t d = digit_of(pair.key);
      const std::uint32_t place = rooms[d].next, end = rooms[d].end;
      rooms[d].next = place + 1;
      if (place < end) [[likely]] {
        to.put(place, pair);
      } else {
        spill.put(spilled, pair);
        spilled_digits[spilled++] = static_cast<std::uint16_t>(d);
      }
    }
    if (spilled == 0) return;
    std::uint32_t place = 0;
    for (std::size_t d = 0; d < pieces; ++d) {
      if (rooms[d].next <= rooms[d].end) continue;
      const std::uint32_t here = rooms[d].end - memory.begin[d];
      std::memcpy(memory.large().from(place).bytes(), to.from(memory.begin[d]).bytes(),
                  here * Pairs::kBytes);
      memory.next[d] = place + here;
      place += rooms[d].next - memory.begin[d];
    }
    for (std::size_t i = 0; i < spilled; ++i) {
      memory.large().put(memory.next[spilled_digits[i]]++, spill[i]);
    }
  }

  /// Sorts the pieces, whose keys differ in the bits `below` at most; kUnknown: nobody has looked.
  static void sort_pieces(std::size_t pieces, Bits below, Staged<Items>& result, Memory& memory,
                          Ahead ahead) {
    Pairs large = memory.large();
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const Room& room = memory.rooms[piece];
      const std::size_t size = room.next - memory.begin[piece];
      const Pairs pairs = memory.pairs().from(memory.begin[piece]);
      if (room.next > room.end) {
        Piece::sort(large, size, result, memory);
        large = large.from(size);
      } else if (below != kUnknown && below != 0 && size > 1) {
        Piece::sort_numbered(pairs, size, below, result.room(), memory);
        result.add(size);
      } else {
        Piece::sort(pairs, size, result, memory);
      }
      ahead.fetch(size * Pairs::kBytes);
    }
  }
};
