// The sort of a leaf, for the vectors of one instruction set.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #define SORTLAB_EDITOR
  #include <cmath>

  #include "cpu/primitives/simd/kernels.inl.hpp"
  #include "cpu/radix/msd/counting.hpp"
  #include "cpu/radix/pair_leaf/leaf.hpp"
using namespace sortlab::cpu::radix;
using namespace sortlab::cpu::radix::msd;
using namespace sortlab::cpu::radix::pair_leaf;
template <class Bits>
struct LiveBits {
  Bits mask;
  static LiveBits highest(Bits live, int count);
  std::size_t values() const;
  std::uint32_t operator()(Bits key) const;
};
template <class Items, class Bits, class Value>
void unpack(PackedPairs<Items>, const std::int32_t*, std::uint32_t, std::size_t, Bits*, Value*);
#endif

// Sorts a piece of a leaf: by numbers that represent the pairs, for any keys.
//
//   pairs   k v, k v, ...
//   order   | live bits of k, place | ...      one 32-bit number per pair, sorted in registers
//   staged  keys k k ..  values v v ..         the pairs in that order
//
// No two numbers are equal, because their places differ, so the result is stable although the
// network is not. A number holds the highest live bits, 23 of them in a piece of 256. If keys have
// more, runs of pairs with the same number bits are sorted again if they are out of order.
//
// A piece too large for numbers is distributed by another digit. If most of it is one key, that
// key's values go directly to the result, and the other pairs are sorted on both sides of them.

// Collects sorted pairs of a leaf before they are written to the result.
template <class Items>
class Staged {
  using Memory = PairLeafMemory<Items>;

 public:
  /// The sorted pairs go to `to`, without gaps.
  Staged(Items to, Memory& memory, const LeafOutput& output)
      : to_(to), memory_(memory), output_(output) {}

  /// The place for up to kMostNumbered sorted pairs, as bits, and up to a vector more.
  Items room() {
    if (staged_ >= kLeastStaged) leave();
    return {memory_.keys + staged_, memory_.values + staged_};
  }
  /// Returns how many were written.
  void add(std::size_t n) { staged_ += n; }

  /// Writes all of them to the result; returns the place of its next pairs.
  Items leave() {
    if (output_.restore != nullptr) output_.restore(memory_.keys, staged_);
    move(to_.keys, memory_.keys, staged_);
    move(to_.values, memory_.values, staged_);
    to_ = to_.from(staged_);
    staged_ = 0;
    return to_;
  }
  /// To be called after leave(): the result has the values of n pairs with this key. Adds their
  /// keys.
  void add_alike(typename Items::Key key, std::size_t n) {
    std::fill_n(to_.keys, n, key);
    if (output_.restore != nullptr) output_.restore(to_.keys, n);
    to_ = to_.from(n);
  }

 private:
  template <class T>
  void move(T* to, const T* from, std::size_t n) const {
    using L = Lanes<std::int32_t>;
    if (!output_.stream) return void(std::memcpy(to, from, n * sizeof(T)));
    constexpr std::size_t kLine = kLineBytes / sizeof(T);
    const std::size_t before = reinterpret_cast<std::uintptr_t>(to) / sizeof(T) % kLine;
    const std::size_t head = std::min(n, before == 0 ? 0 : kLine - before);
    std::copy_n(from, head, to);
    std::size_t i = head;
    for (; i + kLine <= n; i += kLine) {
      const auto* const source = reinterpret_cast<const std::int32_t*>(from + i);
      auto* const target = reinterpret_cast<std::int32_t*>(to + i);
      for (std::size_t k = 0; k < kLineBytes / sizeof(std::int32_t); k += L::kCount) {
        L::stream(target + k, L::load(source + k));
      }
    }
    std::copy_n(from + i, n - i, to + i);
  }

  Items to_;
  Memory& memory_;
  const LeafOutput& output_;
  std::size_t staged_ = 0;
};

template <class Items>
class PieceSort {
  using Bits = typename Items::Key;
  using Value = typename Items::Value;
  using Memory = PairLeafMemory<Items>;
  using Pairs = PackedPairs<Items>;
  using Networks = CacheSort<std::int32_t, false>;
  using Code = typename Networks::Code;
  using Live = LiveBits<Bits>;

  /// Shorter runs are sorted by insertion.
  static constexpr std::size_t kShortRun = 16;
  static constexpr int kMostPlaceBits = 12;
  static_assert(kMostNumbered == std::size_t{1} << kMostPlaceBits);
  /// The bits of a digit for a piece that is too large.
  static constexpr int kDigitBits = 10;

 public:
  static Bits key_of(Items items, std::size_t i) { return items.keys[i]; }
  static Bits key_of(Pairs pairs, std::size_t i) { return pairs.key(i); }

  /// The bits in which keys differ. n >= 1.
  template <class From>
  static Bits live_bits(From from, std::size_t n) {
    const Bits first = key_of(from, 0);
    Bits live = 0;
    for (std::size_t i = 0; i < n; ++i) live |= key_of(from, i) ^ first;
    return live;
  }

  /// Sorts n pairs of `from`, which is overwritten.
  static void sort(Pairs from, std::size_t n, Staged<Items>& result, Memory& memory) {
    if (n == 0) return;
    const Bits live = live_bits(from, n);
    if (live == 0) return copy(from, n, result);
    if (n <= kMostNumbered) {
      sort_numbered(from, n, live, result.room(), memory);
      return result.add(n);
    }
    Bits key;
    if (is_mostly(from, n, key)) return sort_around(key, from, n, result, memory);
    const Items place = result.leave();
    for (std::size_t i = 0; i < n; ++i) place.put(i, from[i]);
    std::uint32_t begin[(std::size_t{1} << kDigitBits) + 1];
    const Live digit = Live::highest(live, kDigitBits);
    deal(place, n, digit.values(), begin, from,
         [&](std::size_t i) { return digit(place.keys[i]); });
    for (std::size_t d = 0; d < digit.values(); ++d) {
      sort(from.from(begin[d]), begin[d + 1] - begin[d], result, memory);
    }
  }

  /// Moves n pairs to the pieces of their digits; piece d becomes [begin[d], begin[d + 1]).
  template <class From, class DigitOf>
  static void deal(From from, std::size_t n, std::size_t digits, std::uint32_t* begin, Pairs to,
                   DigitOf digit_of) {
    std::fill_n(begin, digits + 1, 0u);
    for (std::size_t i = 0; i < n; ++i) ++begin[digit_of(i)];
    std::uint32_t place = 0;
    for (std::size_t d = 0; d < digits; ++d) {
      const std::uint32_t pairs = begin[d];
      begin[d] = place;
      place += pairs;
    }
    for (std::size_t i = 0; i < n; ++i) to.put(begin[digit_of(i)]++, from[i]);
    std::copy_backward(begin, begin + digits,
                       begin + digits + 1);  // each one ends where the next one begins
    begin[0] = 0;
  }

  /// Sorts n <= kMostNumbered pairs that differ in `live` to `to`. It overwrites up to a vector
  /// more there.
  static void sort_numbered(Pairs from, std::size_t n, Bits live, Items to, Memory& memory) {
    if (n <= 256) return sort_numbered<8>(from, n, live, to, memory);
    if (n <= 1024) return sort_numbered<10>(from, n, live, to, memory);
    sort_numbered<kMostPlaceBits>(from, n, live, to, memory);
  }

  static bool in_order(const Bits* keys, std::size_t n) {
    unsigned descents = 0;
    for (std::size_t i = 1; i < n; ++i) descents += keys[i] < keys[i - 1];
    return descents == 0;
  }

 private:
  template <int kPlaceBits>
  static void sort_numbered(Pairs from, std::size_t n, Bits live, Items to, Memory& memory) {
    const Live bits = Live::highest(live, 31 - kPlaceBits);
    number<kPlaceBits>(from, n, bits, memory.order);
    Networks::template sort<false>(memory.order, memory.order, n, Code(0));
    unpack(from, memory.order, (1u << kPlaceBits) - 1, n, to.keys, to.values);
    if ((live & ~bits.mask) != 0 && !in_order(to.keys, n)) order_ties(to, n, bits.mask, memory);
  }

  template <int kPlaceBits>
  static void number(Pairs from, std::size_t n, const Live& bits, std::int32_t* order) {
    const int shift = std::countr_zero(bits.mask);
    const Bits together = static_cast<Bits>(bits.mask >> shift);
    if (Pairs::kBytes == sizeof(std::int64_t) && (together & (together + 1)) == 0) {
      return number_words<kPlaceBits>(from, n, shift, together, order);
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      order[i] = static_cast<std::int32_t>(bits(from.key(i)) << kPlaceBits | i);
    }
    std::fill_n(order + n, kSlack, 0);  // unpack() reads a whole vector of places
  }
  /// Uses vectors if a pair is a word. Reads and writes up to a vector more than n.
  template <int kPlaceBits, class Number = std::int32_t, class Word = std::int64_t>
  static void number_words(Pairs from, std::size_t n, int shift, Bits kept, Number* order) {
    using L = Lanes<Number>;
    using Words = Lanes<Word>;
    const auto* const words = reinterpret_cast<const Word*>(from.bytes());
    const auto keeps = Words::broadcast(static_cast<Word>(kept));
    const auto high = [&](std::size_t i) {
      return Words::bit_and(Words::shift_right(Words::load(words + i), shift), keeps);
    };
    auto places = L::iota();
    const auto next = L::broadcast(static_cast<Number>(L::kCount));
    for (std::size_t i = 0; i < n; i += L::kCount) {
      const auto highs = Words::lower_words(high(i), high(i + Words::kCount));
      L::store(order + i, L::add(L::template shift_left<kPlaceBits>(highs), places));
      places = L::add(places, next);
    }
  }

  /// Sorts the runs of pairs with equal bits in `mask`, if they are out of order. There must be a
  /// vector's room behind the pairs.
  static void order_ties(Items items, std::size_t n, Bits mask, Memory& memory) {
    const Bits* const keys = items.keys;
    for (std::size_t i = 1; i < n; ++i) {
      if (keys[i - 1] <= keys[i]) continue;
      std::size_t begin = i - 1, end = i + 1;
      while (begin > 0 && ((keys[begin - 1] ^ keys[i]) & mask) == 0) --begin;
      while (end < n && ((keys[end] ^ keys[i]) & mask) == 0) ++end;
      sort_run(items.from(begin), end - begin, memory);
      i = end;
    }
  }
  static void sort_run(Items items, std::size_t n, Memory& memory) {
    if (n <= kShortRun) return insertion_sort(items, 0, n, std::less<Bits>{});
    const Pairs run = memory.run();
    for (std::size_t i = 0; i < n; ++i) run.put(i, items[i]);
    // The memory behind the run must not change.
    Bits keys[kSlack];
    Value values[kSlack];
    std::copy_n(items.keys + n, kSlack, keys);
    std::copy_n(items.values + n, kSlack, values);
    sort_numbered(run, n, live_bits(run, n), items, memory);
    std::copy_n(keys, kSlack, items.keys + n);
    std::copy_n(values, kSlack, items.values + n);
  }

  /// Copies pairs with the same key.
  static void copy(Pairs from, std::size_t n, Staged<Items>& result) {
    while (n > 0) {
      const std::size_t m = std::min(n, kMostNumbered);
      const Items to = result.room();
      for (std::size_t i = 0; i < m; ++i) to.put(i, from[i]);
      result.add(m);
      from = from.from(m);
      n -= m;
    }
  }

  /// Whether three quarters of a few pairs have the same key, which `key` becomes.
  static bool is_mostly(Pairs from, std::size_t n, Bits& key) {
    constexpr std::size_t kLooks = 32;
    Bits keys[kLooks];
    for (std::size_t i = 0; i < kLooks; ++i) keys[i] = from.key(i * (n / kLooks));
    std::nth_element(keys, keys + kLooks / 2, keys + kLooks);
    key = keys[kLooks / 2];
    return std::count(keys, keys + kLooks, key) >= std::ptrdiff_t{kLooks * 3 / 4};
  }

  ///   from    | pairs of lesser keys | free |
  ///   result  | free for those | values of this key | pairs of greater keys |
  static void sort_around(Bits key, Pairs from, std::size_t n, Staged<Items>& result,
                          Memory& memory) {
    std::size_t less = 0, equal = 0;
    for (std::size_t i = 0; i < n; ++i) {
      less += from.key(i) < key;
      equal += from.key(i) == key;
    }
    const Items middle = result.leave().from(less), high = middle.from(equal);
    const std::size_t greater = n - less - equal;
    std::size_t lows = 0, mids = 0, highs = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto pair = from[i];
      if (pair.key == key) {
        middle.values[mids++] = pair.value;
      } else if (pair.key < key) {
        from.put(lows++, pair);
      } else {
        high.put(highs++, pair);
      }
    }
    sort(from, less, result, memory);
    result.leave();
    result.add_alike(key, equal);
    for (std::size_t i = 0; i < greater; ++i) from.put(i, high[i]);
    sort(from, greater, result, memory);
  }
};

// A digit for unevenly spread keys. A sample makes it, so that about equally many pairs have each
// of its values.
//
//   code     the highest live bits of a key: | bin | place in the bin |
//   bins     |        |        |########|#       |
//   cells    | one    | one    |#|##|##|##| one  |     a bin has the more cells, the more sampled keys
//   digit      0        0       0  1  2  3  3          the same order as the cells
//
// Two small look-ups find a key's digit. Cells are finer where there are more keys, so floats,
// clusters and prefixes are separated well. A frequent key has almost its own value of the digit.
template <class Bits>
class SampledDigit {
  using Live = LiveBits<Bits>;

 public:
  /// Makes at most 2^digit_bits values from n >= 16 keys that differ in the bits of `live`;
  /// key_at(i) is key i. Refers to `memory`.
  template <class KeyAt>
  SampledDigit(std::size_t n, int digit_bits, Bits live, DigitMemory& memory, KeyAt key_at)
      : memory_(memory), code_(Live::highest(live, kCodeBits)) {
    const int code_bits = std::popcount(code_.mask);
    const int bin_bits = std::min(digit_bits + kBinBits, code_bits);
    low_bits_ = code_bits - bin_bits;
    low_mask_ = (1u << low_bits_) - 1;
    values_ = std::size_t{1} << std::min(digit_bits, code_bits);
    step_ = std::max<std::size_t>(1, n / std::max(kLeastSample, kSamples * values_));
    sampled_ = n / step_;
    for (std::size_t i = 0; i < sampled_; ++i) {
      const std::size_t within = step_ * (i * 40503 & 0xFFFF) >> 16;  // not at equal distances
      memory.sample[i] = code_(key_at(i * step_ + within));
    }
    make_cells(std::size_t{1} << bin_bits);
    share_out();
  }

  std::size_t values() const { return values_; }
  std::size_t operator()(Bits key) const { return memory_.digit_of[cell(code_(key))]; }

  /// Room for the pairs of value d: its share in the sample plus three standard deviations, and
  /// some more.
  std::size_t room(std::size_t d) const {
    const auto keys = static_cast<float>(memory_.sampled[d]);
    return step_ * static_cast<std::size_t>(keys + 3 * std::sqrt(keys) + 4);
  }

 private:
  static constexpr int kCodeBits = 30;
  static constexpr int kBinBits = 1;          // more than the digit's
  static constexpr std::size_t kSamples = 8;  // of a value, at least
  static constexpr std::size_t kLeastSample = 256;
  static constexpr std::uint32_t kOfACell = 2;  // sampled keys

  std::size_t cell(std::uint32_t code) const {
    const std::uint32_t bin = memory_.bins[code >> low_bits_];
    return (bin >> 8) + ((code & low_mask_) >> (bin & 0xFF));
  }

  void make_cells(std::size_t bins) {
    std::fill_n(memory_.bins, bins, 0u);
    for (std::size_t i = 0; i < sampled_; ++i) ++memory_.bins[memory_.sample[i] >> low_bits_];
    std::uint32_t cells = 0;
    for (std::size_t b = 0; b < bins; ++b) {
      const auto wanted = static_cast<int>(std::bit_width(memory_.bins[b] / (kOfACell + 1)));
      const int bits = std::min(wanted, low_bits_);
      memory_.bins[b] = cells << 8 | static_cast<std::uint32_t>(low_bits_ - bits);
      cells += 1u << bits;
    }
    cells_ = cells;
  }
  void share_out() {
    std::fill_n(memory_.digit_of, cells_, std::uint16_t{0});
    for (std::size_t i = 0; i < sampled_; ++i) ++memory_.digit_of[cell(memory_.sample[i])];
    std::fill_n(memory_.sampled, values_, std::uint16_t{0});
    // A division takes longer than all else here.
    const float share = static_cast<float>(values_) / static_cast<float>(2 * sampled_);
    const auto last = static_cast<std::int32_t>(values_ - 1);
    std::int32_t before = 0;
    for (std::size_t c = 0; c < cells_; ++c) {
      const std::int32_t keys = memory_.digit_of[c];
      const auto place = static_cast<std::int32_t>(static_cast<float>(2 * before + keys) * share);
      const std::int32_t d = std::min(place, last);
      memory_.digit_of[c] = static_cast<std::uint16_t>(d);
      memory_.sampled[d] = static_cast<std::uint16_t>(memory_.sampled[d] + keys);
      before += keys;
    }
  }

  DigitMemory& memory_;
  Live code_;
  int low_bits_;
  std::uint32_t low_mask_;
  std::size_t values_, step_, sampled_, cells_;
};

// Distributes ("deals") pairs to pieces by a digit.
//
//   from    k v, k v, ...
//   pairs   | k v, k v ... free | k v ... free | ...        one room per value of the digit
//   large   | k v, k v, k v, ... | ...                      pieces that outgrew their rooms
//
// Pairs are not counted first. If keys are spread evenly, the digit is some adjacent bits, and all
// rooms have the same size. Otherwise a sample makes the digit and sets the sizes of the rooms.
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

// Sorts pairs that fit into a cache: by one more digit, then by networks over
// numbers that represent the pairs (above).
//
//   from    k v, k v, ...                         as the partition left them
//   pairs   | k v, k v ... | k v ... | ...        one piece per value of the digit
//   to      keys k k ..  values v v ..            pieces leave by whole cache lines
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

// Sorts few pairs, which are one piece, in only as much memory as they need.
// Like a piece's sort it uses numbers made of a window of the key's bits and of the pair's place. If
// the highest window leaves keys out of order, it sorts by all windows, the lowest first; each sort
// is stable.
template <class Items>
class PairFew {
  using Bits = typename Items::Key;
  using Memory = PairFewMemory<Items>;
  using Networks = CacheSort<std::int32_t, false>;
  using Piece = PieceSort<Items>;

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
    Networks::template sort<false>(order, order, n, typename Networks::Code(0));
    unpack(memory.pairs, order, (1u << place_bits) - 1, n, memory.keys, memory.values);
  }
};

template <class Items>
struct PairKernels {
  PairLeaf<Items> leaf;
  PairFew<Items> few;
};
