// Makes sorted runs of up to 16 vectors in registers.
//
// Fewer keys take fewer rows: a block of 2, 4, 8, 12 or 16 vectors, the smallest that holds them.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/simd/block.inl.hpp"
  #include "cpu/primitives/simd/coding.inl.hpp"
#endif

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
