// A sorted run of 16 vectors of the user's keys, made in registers. No include guard: see
// kernels.hpp.

template <class Key, bool kFloat>
struct RegisterSort {
  using L = Lanes<Key>;
  using Code = Coding<Key, kFloat>;
  static constexpr std::size_t kKeys = 16 * L::kCount;

  /// Sorts kKeys of the user's keys into `to`, which is `from` or apart from it, as signed integers
  /// or, to decode, as the user's.
  template <bool kDecode>
  [[gnu::noinline]] static void sort(const Key* from, Key* to, const Code& code) {
    sort<kDecode>(from, to, code, std::make_index_sequence<16>{});
  }
  /// The same for n <= kKeys.
  template <bool kDecode>
  static void sort_some(const Key* from, Key* to, std::size_t n, const Code& code) {
    if (n == kKeys) return sort<kDecode>(from, to, code);
    alignas(64) Key filled[kKeys];
    const Key filling = code.decode_one(kGreatest<Key>);
    for (std::size_t i = 0; i < kKeys; ++i) filled[i] = i < n ? from[i] : filling;
    sort<kDecode>(filled, filled, code);
    for (std::size_t i = 0; i < n; ++i) to[i] = filled[i];
  }

 private:
  template <bool kDecode, std::size_t... kRow>
  SORTLAB_INLINE void sort(const Key* from, Key* to, const Code& code,
                           std::index_sequence<kRow...>) {
    Block<Key, 16> block{{code.encode(L::load(from + kRow * L::kCount))...}};
    block.sort();
    constexpr auto& kStores = Block<Key, 16>::kSequence.stores;
    if constexpr (kDecode) ((block.v[kRow] = code.decode(block.v[kRow])), ...);
    (L::store(to + kStores[kRow].place, block.v[kStores[kRow].row]), ...);
  }
};
