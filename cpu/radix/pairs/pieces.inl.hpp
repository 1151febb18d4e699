// Sorts a piece of a leaf, for cpu/radix/pairs: by numbers that represent the pairs, for any keys.
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
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/simd/kernels.inl.hpp"
  #include "cpu/radix/pairs/leaf_memory.hpp"
using namespace sortlab::cpu::radix;
using namespace sortlab::cpu::radix::msd;
using namespace sortlab::cpu::radix::pairs;
template <class Bits>
using LiveBits = AdjacentBits<Bits>;
template <class Items, class Bits, class Value>
void unpack(PackedPairs<Items>, const std::int32_t*, std::uint32_t, std::size_t, Bits*, Value*);
#endif

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
