// Slots of cpu/radix/simd that hold whole keys.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/radix/simd/editor.hpp"
  #include "cpu/radix/simd/narrow_slots.inl.hpp"
  #include "cpu/radix/simd/pass_slots.inl.hpp"
  #include "cpu/radix/simd/placed_slot.inl.hpp"
#endif

/// Whole keys, sorted by networks.
template <class Key, bool kFloat>
struct NetworkSlots {
  using Stored = Key;
  using Code = Coding<Key, kFloat>;
  using Cache = CacheSort<Key, kFloat>;
  using Placed = PlacedSlot<Key, kFloat>;
  static constexpr std::size_t kMost = sizeof(Key) == 8 ? Placed::kMost : Cache::kBlock;

  static Stored stored(Key key) { return key; }
  static Key whole(Stored stored, const Range<Key>&) { return stored; }

  static bool sort(const Key* from, Key* to, std::size_t n, const Range<Key>& range,
                   const Code& code) {
    if (n > kMost) return false;
    if constexpr (sizeof(Key) == 8) {
      if (n > 4 * Lanes<Key>::kCount) return Placed::sort(from, to, n, range, code);
    }
    Cache::Small::template sort<false, true>(from, to, n, code);
    return true;
  }
  static std::size_t slots(std::size_t n) { return n / (kMost * 4 / 5) + 1; }
};

template <class Key, bool kFloat>
using WholeSlots =
    std::conditional_t<(Lanes<Key>::kCount > 1), NetworkSlots<Key, kFloat>, PassSlots<Key, kFloat>>;
