// How cpu/radix/pairs sorts pairs that fit a cache: one digit more, then networks over numbers that
// stand for the pairs.
//
//   from    k v, k v, ...                         as the partition left them
//   pairs   | k v, k v ... | k v ... | ...        a piece for each value of the digit
//   order   | rest of k, place | ...              one 32-bit number a pair of the piece, sorted in
//   staged  keys k k ..  values v v ..            registers; then the pairs in that order,
//   to      keys k k ..  values v v ..            which leave by whole cache lines
//
// No two numbers are equal, since their places differ, so that a sort that is not stable makes one
// that is. A number holds the leading bits of what the digit left of a key, 23 of them in a piece
// of 256. Where keys have more, the result is looked at once more; of random keys it is in order.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/simd/all.inl.hpp"
  #include "cpu/radix/pairs/leaf_memory.hpp"
using namespace sortlab::cpu::radix;
using namespace sortlab::cpu::radix::msd;
using namespace sortlab::cpu::radix::pairs;
#endif

template <class Items>
class PairLeaf {
  using Bits = typename Items::Key;
  using Value = typename Items::Value;
  using Memory = PairLeafMemory<Items>;
  using Pairs = PackedPairs<Items>;
  using Networks = CacheSort<std::int32_t, false>;
  using Code = typename Networks::Code;
  using L = Lanes<std::int32_t>;

  /// The most pairs of a piece on the average: a block of registers then holds nearly every piece.
  static constexpr std::size_t kPiece = Networks::kBlock * 5 / 8;
  /// How often the numbers of a piece beyond a block may be split.
  static constexpr int kLevels = 24;

 public:
  /// Sorts n pairs of `from`, packed or not, into `to`, which is `from` or lies apart from it. The
  /// keys differ in their `width` low bits at most; kUnknownWidth: nobody has looked.
  template <class From>
  static void sort(From from, Items to, std::size_t n, int width, Memory& memory,
                   const LeafOutput& output, Ahead ahead) {
    if (width == kUnknownWidth) {
      width = static_cast<int>(std::bit_width(differing_bits(from, n)));
    }
    if (width == 0) return void(copy(from, to, n, Bits{}, memory, output));
    const int wanted = static_cast<int>(std::bit_width((n - 1) / kPiece));
    Digit digit = digit_below(width, std::min(wanted, kPairDigitBits));
    if (memory.even) memory.even = deal_evenly(from, n, digit, memory);
    if (!memory.even) {
      width = static_cast<int>(std::bit_width(differing_bits(from, n)));
      digit = digit_below(width, std::min(wanted, kPairDigitBits));
      deal(from, n, digit, memory);
    }
    std::size_t done = 0, staged = 0;
    const auto move_staged = [&] {
      move_on(to.from(done - staged), staged, memory, output);
      staged = 0;
    };
    for (std::size_t piece = 0; piece < digit.values(); ++piece) {
      const std::uint32_t begin = memory.begin[piece], size = memory.end[piece] - begin;
      const Pairs pairs = memory.pairs().from(begin);
      if (staged >= kLeastStaged) move_staged();
      if (sort_piece(pairs, size, digit.shift, staged, memory)) {
        staged += size;
      } else {
        move_staged();
        sort_by_digits(pairs, to.from(done), size, memory, output);
      }
      done += size;
      ahead.fetch(size * Pairs::kBytes);
    }
    move_staged();
    if (output.stream) publish_lines();
  }

  /// Copies n pairs of `from` to `to`, which lies apart from it, and returns the bits in which keys
  /// differ from `some_key`.
  template <class From>
  static Bits copy(From from, Items to, std::size_t n, Bits some_key, Memory& memory,
                   const LeafOutput& output) {
    Bits differing = 0;
    for (std::size_t i = 0; i < n; i += kLeastStaged) {
      const std::size_t m = std::min(kLeastStaged, n - i);
      for (std::size_t k = 0; k < m; ++k) {
        const auto pair = from[i + k];
        differing |= pair.key ^ some_key;
        memory.keys[k] = pair.key;
        memory.values[k] = pair.value;
      }
      move_on(to.from(i), m, memory, output);
    }
    if (output.stream) publish_lines();
    return differing;
  }

  /// Sorts at most kFewPairs pairs where they lie.
  static void sort_few(Items pairs, std::size_t n, const PairFewMemory<Items>& memory,
                       const LeafOutput& output) {
    const Pairs packed(memory.bytes);
    for (std::size_t i = 0; i < n; ++i) packed.put(i, pairs[i]);
    const int width = static_cast<int>(std::bit_width(differing_bits(pairs, n)));
    if (!sort_piece(packed, n, width, 0, memory)) sort_by_windows(packed, n, width, memory);
    move_on(pairs, n, memory, output);
  }

 private:
  static Bits key_of(Items items, std::size_t i) { return items.keys[i]; }
  static Bits key_of(Pairs pairs, std::size_t i) { return pairs.key(i); }

  template <class From>
  static Bits differing_bits(From from, std::size_t n) {
    const Bits first = key_of(from, 0);
    Bits differing = 0;
    for (std::size_t i = 0; i < n; ++i) differing |= key_of(from, i) ^ first;
    return differing;
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

  /// The same with counts, for pieces of any size.
  template <class From>
  static void deal(From from, std::size_t n, Digit digit, Memory& memory) {
    std::uint32_t* const next = memory.end;
    std::fill_n(next, digit.values(), 0u);
    for (std::size_t i = 0; i < n; ++i) ++next[digit(key_of(from, i))];
    std::uint32_t place = 0;
    for (std::size_t d = 0; d < digit.values(); ++d) {
      const std::uint32_t pairs = next[d];
      memory.begin[d] = next[d] = place;
      place += pairs;
    }
    const Pairs to = memory.pairs();
    for (std::size_t i = 0; i < n; ++i) {
      const auto pair = from[i];
      to.put(next[digit(pair.key)]++, pair);
    }
  }

  /// How many low bits of a number of a piece are its pair's place. The others are the key's.
  static int place_bits(std::size_t n) { return static_cast<int>(std::bit_width(n - 1)); }

  /// Sorts n pairs that differ in their `width` low bits into what is staged, from place `at` on.
  /// Gives up, and returns false, where that may not be the right way.
  template <class AnyMemory>
  static bool sort_piece(Pairs from, std::size_t n, int width, std::size_t at, AnyMemory& memory) {
    if (n > kMostNumbered) return false;
    if (n == 0) return true;
    const Digit window = digit_below(width, 31 - place_bits(n));
    sort_window(from, n, window, at, memory);
    return window.shift == 0 || in_order(memory.keys + at, n);
  }

  /// Sorts n pairs by some bits of their keys, and keeps the order of those that are equal there.
  template <class AnyMemory>
  static void sort_window(Pairs from, std::size_t n, Digit window, std::size_t at,
                          AnyMemory& memory) {
    const int bits = place_bits(n);
    std::int32_t* const order = memory.order;
    const auto window_mask = static_cast<std::uint32_t>(window.values() - 1);
    for (std::uint32_t i = 0; i < n; ++i) {
      const auto rest = static_cast<std::uint32_t>(from.key(i) >> window.shift) & window_mask;
      order[i] = static_cast<std::int32_t>(rest << bits | i);
    }
    Networks::template sort<false>(order, memory.other, true, n, kLevels, Code(0));
    unpack(from, order, (1 << bits) - 1, n, memory.keys + at, memory.values + at);
  }

  /// Sorts n pairs that differ in their `width` low bits: by the lowest of these first.
  static void sort_by_windows(Pairs pairs, std::size_t n, int width,
                              const PairFewMemory<Items>& memory) {
    const int bits = 31 - place_bits(n);
    for (int shift = 0; shift < width; shift += bits) {
      sort_window(pairs, n, {shift, std::min(bits, width - shift)}, 0, memory);
      for (std::size_t i = 0; i < n; ++i) pairs.put(i, {memory.keys[i], memory.values[i]});
    }
  }

  static bool in_order(const Bits* keys, std::size_t n) {
    unsigned descents = 0;
    for (std::size_t i = 1; i < n; ++i) descents += keys[i] < keys[i - 1];
    return descents == 0;
  }

  /// Sorts n pairs of `from`, whose memory is free then.
  static void sort_by_digits(Pairs from, Items to, std::size_t n, Memory& memory,
                             const LeafOutput& output) {
    for (std::size_t i = 0; i < n; ++i) to.put(i, from[i]);
    memory.sort_by_digits(to, n, from);
    if (output.restore != nullptr) output.restore(to.keys, n);
  }

  /// Moves the n pairs that are staged to the result.
  template <class AnyMemory>
  static void move_on(Items to, std::size_t n, AnyMemory& memory, const LeafOutput& output) {
    if (output.restore != nullptr) output.restore(memory.keys, n);
    move(to.keys, memory.keys, n, output.stream);
    move(to.values, memory.values, n, output.stream);
  }
  template <class T>
  static void move(T* to, const T* from, std::size_t n, bool stream) {
    if (!stream) return void(std::memcpy(to, from, n * sizeof(T)));
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
};
