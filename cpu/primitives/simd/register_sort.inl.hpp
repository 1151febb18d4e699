// Sorts up to 16 vectors of keys in registers: Block is the network, RegisterSort loads and stores.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/simd/coding.inl.hpp"
  #include "cpu/primitives/simd/networks.hpp"
#endif

// Sorts a block of kRows vectors in registers.
//
// Every lane is a column of kRows keys. A network sorts all columns at once; then pairs of columns
// are merged, bitonically. Key number c * kRows + r lies in lane c of row r; a merge of groups of
// 2^j columns compares keys whose numbers differ in one bit: first bits j ... 0 of c, then those of
// r.
// One minimum and one maximum compare two rows. So a bit of c must first change places with a bit
// of r (exchange), and stays there until the next bit replaces it.
//
// Bitonic merges need every other column, every other pair of columns, and so on, in descending
// order. Flipping the bits of those keys reverses their order.

SORTLAB_LOCALS_BEGIN
template <class Key, int kRows>
struct Block {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;
  static constexpr int kHalf = kRows / 2;
  static constexpr Sequence<L::kBits, kRows> kSequence{};
  static constexpr int kPadded = kSequence.kPadded;
  Vector v[kPadded];

  template <std::size_t... kI>
  [[gnu::always_inline]] void sort_columns(std::index_sequence<kI...>) {
    (L::order(v[kNetwork<kRows>[kI].a], v[kNetwork<kRows>[kI].b]), ...);
  }

  /// Exchanges a bit of the lane with the upper half of the rows.
  template <int kLaneBit, std::size_t... kI>
  [[gnu::always_inline]] void exchange_halves(std::index_sequence<kI...>) {
    (L::template exchange<kLaneBit>(v[kI], v[kI + kHalf]), ...);
  }
  template <int kFirst, int kDistance, std::size_t... kI>
  [[gnu::always_inline]] void order_rows(std::index_sequence<kI...>) {
    (L::order(v[kFirst + kI], v[kFirst + kI + kDistance]), ...);
  }
  /// Sorts the bitonic rows [kFirst, kFirst + kCount) of every lane.
  template <int kFirst, int kCount>
  [[gnu::always_inline]] void clean_rows() {
    if constexpr (kCount == 3) {
      L::order(v[kFirst], v[kFirst + 1]);
      L::order(v[kFirst], v[kFirst + 2]);
      L::order(v[kFirst + 1], v[kFirst + 2]);
    } else if constexpr (kCount > 1) {
      order_rows<kFirst, kCount / 2>(std::make_index_sequence<kCount / 2>{});
      clean_rows<kFirst, kCount / 2>();
      clean_rows<kFirst + kCount / 2, kCount / 2>();
    }
  }

  template <unsigned kBitsOfLane, std::size_t... kI>
  [[gnu::always_inline]] void flip_lanes(std::index_sequence<kI...>) {
    ((v[kI] = L::template flip_lanes<kBitsOfLane>(v[kI])), ...);
  }

  using HalfOfRows = std::make_index_sequence<kHalf>;
  using AllRows = std::make_index_sequence<kRows>;

  /// Compares keys that differ in bit kBit of c, and the bits below it.
  template <int kMerge, int kBit>
  [[gnu::always_inline]] void order_columns() {
    exchange_halves<lane_bits<L::kBits>(kMerge)[kBit]>(HalfOfRows{});
    order_rows<0, kHalf>(HalfOfRows{});
    if constexpr (kBit > 0) order_columns<kMerge, kBit - 1>();
  }
  template <int kMerge>
  [[gnu::always_inline]] void merge_columns() {
    if constexpr (kMerge < L::kBits) {
      constexpr unsigned kUpToNow = 1u << kMerge, kNow = 2u << kMerge & ((1u << L::kBits) - 1);
      flip_lanes<kUpToNow | kNow>(AllRows{});
      order_columns<kMerge, kMerge>();
      exchange_halves<lane_bits<L::kBits>(kMerge)[kMerge]>(HalfOfRows{});
      clean_rows<0, kRows>();
      merge_columns<kMerge + 1>();
    }
  }

  template <int kLaneBit, int kRowBit, std::size_t... kI>
  [[gnu::always_inline]] void exchange_bits(std::index_sequence<kI...>) {
    (exchange_at<kLaneBit, kRowBit, static_cast<int>(kI)>(), ...);
  }
  template <int kLaneBit, int kRowBit, int kRow>
  [[gnu::always_inline]] void exchange_at() {
    if constexpr ((kRow >> kRowBit & 1) == 0) {
      L::template exchange<kLaneBit>(v[kRow], v[kRow + (1 << kRowBit)]);
    }
  }
  template <std::size_t... kI>
  [[gnu::always_inline]] void bring_into_sequence(std::index_sequence<kI...>) {
    (exchange_bits<kSequence.exchanges[kI].lane_bit, kSequence.exchanges[kI].row_bit>(
         std::make_index_sequence<kPadded>{}),
     ...);
  }

  [[gnu::always_inline]] void sort() {
    if constexpr (L::kBits > 0) flip_lanes<1>(AllRows{});
    sort_columns(std::make_index_sequence<kNetwork<kRows>.size()>{});
    merge_columns<0>();
    bring_into_sequence(std::make_index_sequence<kSequence.exchange_count>{});
  }
};
SORTLAB_LOCALS_END

/// Makes sorted runs of up to 16 vectors. Fewer keys take fewer rows: a block of 2, 4, 8, 12 or 16
/// vectors, the smallest that holds them.
template <class Key, bool kFloat>
struct RegisterSort {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;
  using Code = Coding<Key, kFloat>;
  static constexpr std::size_t kLanes = L::kCount;

  /// The most keys that are sorted.
  static constexpr std::size_t kKeys = 16 * kLanes;

  /// Sorts n <= kKeys keys into `to`, which is `from` or does not overlap it. The keys are read as
  /// the user's (kRaw) or as signed integers, and written as the user's (kDecode) or as signed
  /// integers.
  template <bool kRaw, bool kDecode>
  static void sort(const Key* from, Key* to, std::size_t n, const Code& code) {
    if (n > 12 * kLanes) return sort_rows<16, kRaw, kDecode>(from, to, n, code);
    if (n > 8 * kLanes) return sort_rows<12, kRaw, kDecode>(from, to, n, code);
    if (n > 4 * kLanes) return sort_rows<8, kRaw, kDecode>(from, to, n, code);
    if (n > 2 * kLanes) return sort_rows<4, kRaw, kDecode>(from, to, n, code);
    if (n > 0) sort_rows<2, kRaw, kDecode>(from, to, n, code);
  }

 private:
  /// These rows are full for any n, because otherwise fewer rows would have been used.
  static constexpr int full_rows(int rows) {
    return rows == 16 ? 12 : rows == 12 ? 8 : rows == 8 ? 4 : rows == 4 ? 2 : 0;
  }

  template <int kRows, int kRow, bool kRaw>
  SORTLAB_INLINE Vector load_row(const Key* from, std::size_t n, const Code& code) {
    constexpr std::ptrdiff_t kBefore = kRow * static_cast<std::ptrdiff_t>(kLanes);
    Vector v;
    if constexpr (kRow < full_rows(kRows)) {
      v = L::load(from + kBefore);
    } else {
      const std::ptrdiff_t left = static_cast<std::ptrdiff_t>(n) - kBefore;
      const auto some = static_cast<std::size_t>(
          std::clamp<std::ptrdiff_t>(left, 0, static_cast<std::ptrdiff_t>(kLanes)));
      Vector others = L::broadcast(kGreatest<Key>);
      if constexpr (kRaw) others = code.decode(others);
      v = L::load_some(from + kBefore, some, others);
    }
    if constexpr (kRaw) v = code.encode(v);
    return v;
  }

  template <int kRows, int kStore, bool kDecode>
  SORTLAB_INLINE void store_row(Key* to, std::size_t n, const Block<Key, kRows>& block,
                                const Code& code) {
    constexpr auto kAt = Block<Key, kRows>::kSequence.stores[kStore];
    constexpr std::size_t kPlace = static_cast<std::size_t>(kAt.place);
    Vector v = block.v[kAt.row];
    if constexpr (kDecode) v = code.decode(v);
    if (kPlace + kLanes <= full_rows(kRows) * kLanes || kPlace + kLanes <= n) {
      L::store(to + kPlace, v);
    } else if (kPlace < n) {
      L::store_some(to + kPlace, v, n - kPlace);
    }
  }

  template <int kRows, bool kRaw, bool kDecode>
  [[gnu::noinline]] static void sort_rows(const Key* from, Key* to, std::size_t n,
                                          const Code& code) {
    sort_rows<kRows, kRaw, kDecode>(
        from, to, n, code, std::make_index_sequence<kRows>{},
        std::make_index_sequence<Block<Key, kRows>::kSequence.store_count>{});
  }
  template <int kRows, bool kRaw, bool kDecode, std::size_t... kRow, std::size_t... kStore>
  SORTLAB_INLINE void sort_rows(const Key* from, Key* to, std::size_t n, const Code& code,
                                std::index_sequence<kRow...>, std::index_sequence<kStore...>) {
    Block<Key, kRows> block{{load_row<kRows, kRow, kRaw>(from, n, code)...}};
    block.sort();
    (store_row<kRows, kStore, kDecode>(to, n, block, code), ...);
  }
};
