// Distributes ("deals") pairs to pieces by a digit, for cpu/radix/pairs.
//
//   from    k v, k v, ...
//   pairs   | k v, k v ... free | k v ... free | ...        one room per value of the digit
//   large   | k v, k v, k v, ... | ...                      pieces that outgrew their rooms
//
// Pairs are not counted first. If keys are spread evenly, the digit is some adjacent bits, and all
// rooms have the same size. Otherwise a sample makes the digit and sets the sizes of the rooms.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/radix/pairs/sampled_digit.inl.hpp"
#endif

template <class Items>
class Deal {
  using Bits = typename Items::Key;
  using Pairs = PackedPairs<Items>;
  using Piece = PieceSort<Items>;

 public:
  explicit Deal(const DealMemory<Items>& memory) : memory_(memory) {}

  /// Moves n pairs of `from` to the pieces of a digit of `digit_bits` at most, in input order; keys
  /// differ in their `width` low bits. Pairs without room go to `spill` first, which may be `from`.
  template <class From>
  void deal(From from, std::size_t n, int width, int digit_bits, Items spill, DigitMemory& memory) {
    const Digit digit = digit_below(width, digit_bits);
    pieces_ = digit.values();
    if (looks_even(from, n, digit)) {
      below_ = static_cast<Bits>((Bits{1} << digit.shift) - 1);
      const auto mean = static_cast<float>(n) / static_cast<float>(pieces_);
      const auto room = static_cast<std::size_t>(1.5F * mean + 7 * std::sqrt(mean) + 8);
      make_rooms([=](std::size_t) -> std::size_t { return room; });
      move(from, n, digit, spill);
    } else {
      const SampledDigit<Bits> sampled(
          n, digit_bits, Piece::live_bits(from, n), memory,
          [&](std::size_t i) -> Bits { return Piece::key_of(from, i); });
      pieces_ = sampled.values();
      below_ = kUnknown;
      make_rooms([&](std::size_t d) -> std::size_t { return sampled.room(d); });
      move(from, n, sampled, spill);
    }
  }

  /// Calls visit(pairs, n) for each piece, in ascending order.
  template <class Visit>
  void for_each_piece(Visit visit) const {
    Pairs large = memory_.large;
    for (std::size_t d = 0; d < pieces_; ++d) {
      const auto& room = memory_.rooms.rooms[d];
      const std::uint32_t begin = memory_.rooms.begin[d], size = room.next - begin;
      if (room.next <= room.end) {
        visit(memory_.pairs.from(begin), size);
      } else {
        visit(large, size);
        large = large.from(size);
      }
    }
  }

  /// The bits in which keys of a piece may differ; kUnknown: not computed.
  Bits below() const { return below_; }
  static constexpr Bits kUnknown = static_cast<Bits>(~Bits{0});

 private:
  /// The gap between two rooms, so that their beginnings spread over all sets of the cache.
  static constexpr std::size_t kApart = 8;

  /// Whether no value of the digit seems to have much more than its share. For few pairs this check
  /// would cost as much as it may save.
  template <class From>
  static bool looks_even(From from, std::size_t n, Digit digit) {
    constexpr std::size_t kFewLooks = 256, kLooks = 1024, kWorthALook = 16 * kFewLooks;
    if (n < kWorthALook) return true;
    const std::size_t looks = n < 64 * kLooks ? kFewLooks : kLooks;
    std::uint16_t seen[Rooms::kMost] = {};
    for (std::size_t i = 0; i < looks; ++i) ++seen[digit(Piece::key_of(from, i * (n / looks)))];
    const auto mean = static_cast<float>(looks) / static_cast<float>(digit.values());
    const auto most = static_cast<float>(*std::max_element(seen, seen + digit.values()));
    return most <= 1.25F * mean + 4 * std::sqrt(mean) + 3;
  }

  template <class RoomOf>
  void make_rooms(RoomOf room_of) {
    std::size_t place = 0;
    for (std::size_t d = 0; d < pieces_; ++d) {
      const std::size_t end = std::min(place + room_of(d), memory_.capacity);
      memory_.rooms.begin[d] = static_cast<std::uint32_t>(place);
      memory_.rooms.rooms[d] = {static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(end)};
      place = std::min(end + kApart, memory_.capacity);
    }
  }

  template <class From, class DigitOf>
  void move(From from, std::size_t n, DigitOf digit_of, Items spill) {
    Rooms::Room* const rooms = memory_.rooms.rooms;
    std::uint16_t* const digits = memory_.digits;
    const Pairs to = memory_.pairs;
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
        digits[spilled++] = static_cast<std::uint16_t>(d);
      }
    }
    if (spilled > 0) gather_large(spill, spilled);
  }

  /// Copies each overfull piece, and puts its pairs without room behind the others.
  void gather_large(Items spill, std::size_t spilled) {
    std::uint32_t place = 0;
    for (std::size_t d = 0; d < pieces_; ++d) {
      const auto& room = memory_.rooms.rooms[d];
      if (room.next <= room.end) continue;
      const std::uint32_t begin = memory_.rooms.begin[d], here = room.end - begin;
      std::memcpy(memory_.large.from(place).bytes(), memory_.pairs.from(begin).bytes(),
                  here * Pairs::kBytes);
      memory_.rooms.next[d] = place + here;
      place += room.next - begin;
    }
    for (std::size_t i = 0; i < spilled; ++i) {
      memory_.large.put(memory_.rooms.next[memory_.digits[i]]++, spill[i]);
    }
  }

  DealMemory<Items> memory_;
  std::size_t pieces_ = 0;
  Bits below_ = 0;
};
