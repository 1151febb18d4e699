// The kernels of cpu/bitonic/simd, for the vectors of one instruction set.
//
// Keys are signed integers in ascending order here. Places from n on count as the greatest key: in
// the flip form of the network (see steps.hpp) these never move. So the kernels read them as
// greatest keys and never write them, which sorts any n in place.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/bitonic/simd/calls.hpp"
  #include "cpu/primitives/simd/kernels.inl.hpp"
  #include "cpu/primitives/simd/merge_lanes.hpp"
using namespace sortlab::cpu::bitonic::simd;
#endif

template <class Key, bool kFloat>
struct Kernels {
  using L = MergeLanes<Key>;
  using Vector = typename L::Vector;
  using Code = Coding<Key, kFloat>;
  static constexpr std::size_t kLanes = L::kCount;
  using Base = RegisterSort<Key, kFloat>;

  /// The most steps of a pass over any distances: its 2^kMostSteps vectors lie a power of two
  /// apart, so all of them are in the same set of a cache.
  static constexpr int kMostSteps = 3;
  /// The most steps of a pass over 2^kNearSteps tiles, if there are enough registers. These tiles
  /// are near enough to each other to be in several sets of the cache.
  static constexpr bool kManyRegisters = L::kRegisters == 32;
  static constexpr int kNearSteps = kManyRegisters ? 4 : 3;
  static constexpr int kTileRows = kManyRegisters ? 16 : 8;
  static constexpr std::size_t kTile = kTileRows * kLanes;

  /// The keys, n of them.
  struct Array {
    Key* keys;
    std::size_t n;
  };

  template <bool kWhole>
  SORTLAB_INLINE Vector load(const Array& a, std::size_t at) {
    if constexpr (!kWhole) {
      if (at >= a.n) return L::broadcast(kGreatest<Key>);
      if (at + kLanes > a.n)
        return L::load_some(a.keys + at, a.n - at, L::broadcast(kGreatest<Key>));
    }
    return L::load(a.keys + at);
  }
  template <bool kWhole>
  SORTLAB_INLINE void store(const Array& a, std::size_t at, Vector v) {
    if constexpr (!kWhole) {
      if (at >= a.n) return;
      if (at + kLanes > a.n) return L::store_some(a.keys + at, v, a.n - at);
    }
    L::store(a.keys + at, v);
  }

  // ---- Several steps at a time, over distances of at least a vector

  // A block of `size` keys falls into 2^kSteps segments; the vectors at the same place of each are
  // compared with each other only:
  //
  //   half-cleaners   | x ->    | x ->    | x ->    | x ->    |
  //   first a flip    | x ->    | x ->    |    <- x |    <- x |   the upper half mirrored
  //
  // Places are counted from the beginning of a segment.
  template <int kSteps, bool kFlip, bool kWhole>
  [[gnu::noinline]] static void pass(const Array& a, std::size_t block, std::size_t size,
                                     std::size_t first, std::size_t last) {
    constexpr int kCount = 1 << kSteps, kHalf = kCount / 2;
    const std::size_t segment = size >> kSteps;
    const auto place = [&](int i, std::size_t x) {
      const std::size_t in_segment = kFlip && i >= kHalf ? segment - kLanes - x : x;
      return block + static_cast<std::size_t>(i) * segment + in_segment;
    };
    for (std::size_t x = first; x < last; x += kLanes) {
      Vector v[kCount];
#pragma GCC unroll 16
      for (int i = 0; i < kCount; ++i) {
        v[i] = load<kWhole>(a, place(i, x));
        if (kFlip && i >= kHalf) v[i] = L::reverse(v[i]);
      }
#pragma GCC unroll 16
      for (int i = 0; i < kHalf; ++i) L::order(v[i], v[kFlip ? kCount - 1 - i : i + kHalf]);
#pragma GCC unroll 2
      for (int distance = kHalf / 2; distance > 0; distance /= 2) {
#pragma GCC unroll 16
        for (int i = 0; i < kCount; ++i) {
          if ((i & distance) == 0) L::order(v[i], v[i + distance]);
        }
      }
#pragma GCC unroll 16
      for (int i = 0; i < kCount; ++i) {
        if (kFlip && i >= kHalf) v[i] = L::reverse(v[i]);
        store<kWhole>(a, place(i, x), v[i]);
      }
    }
  }

  template <int kSteps = kNearSteps>
  static void make_pass(const Array& a, std::size_t block, std::size_t size, int steps, bool flip,
                        std::size_t first, std::size_t last) {
    if constexpr (kSteps > 1) {
      if (steps < kSteps) return make_pass<kSteps - 1>(a, block, size, steps, flip, first, last);
    }
    if (block + (size >> kSteps) >= a.n) return;  // nothing but greatest keys to compare with
    if (block + size <= a.n) {
      flip ? pass<kSteps, true, true>(a, block, size, first, last)
           : pass<kSteps, false, true>(a, block, size, first, last);
    } else {
      flip ? pass<kSteps, true, false>(a, block, size, first, last)
           : pass<kSteps, false, false>(a, block, size, first, last);
    }
  }

  // ---- A tile: all half-cleaners of distance kTile / 2, ..., 1 in registers

  template <std::size_t... kBit>
  SORTLAB_INLINE void clean_lanes(Vector& x, Vector& y, std::index_sequence<kBit...>) {
    ((L::template exchange<L::kBits - 1 - static_cast<int>(kBit)>(x, y), L::order(x, y)), ...);
    L::interleave(x, y);
  }

  template <bool kDecode, bool kWhole>
  [[gnu::noinline]] static void clean_tiles(const Array& a, std::size_t begin, std::size_t end,
                                            const Code& code) {
    for (std::size_t at = begin; at < end; at += kTile) {
      Vector v[kTileRows];
#pragma GCC unroll 16
      for (int i = 0; i < kTileRows; ++i) v[i] = load<kWhole>(a, at + i * kLanes);
#pragma GCC unroll 4
      for (int distance = kTileRows / 2; distance > 0; distance /= 2) {
#pragma GCC unroll 16
        for (int i = 0; i < kTileRows; ++i) {
          if ((i & distance) == 0) L::order(v[i], v[i + distance]);
        }
      }
#pragma GCC unroll 16
      for (int i = 0; i < kTileRows; i += 2) {
        clean_lanes(v[i], v[i + 1], std::make_index_sequence<L::kBits>{});
      }
#pragma GCC unroll 16
      for (int i = 0; i < kTileRows; ++i) {
        if constexpr (kDecode) v[i] = code.decode(v[i]);
        store<kWhole>(a, at + i * kLanes, v[i]);
      }
    }
  }

  // ---- Blocks

  /// How many steps the first pass over a block does.
  static int steps_of_pass(std::size_t size) {
    const int before_tiles = static_cast<int>(std::bit_width(size / kTile)) - 1;
    return before_tiles == kNearSteps ? kNearSteps : std::min(before_tiles, kMostSteps);
  }

  /// All half-cleaners of a block, wide ones first: distance size / 2, ..., 1.
  template <bool kDecode>
  static void clean(const Array& a, std::size_t block, std::size_t size, const Code& code) {
    if (block >= a.n) return;
    if (size <= kTile) {
      return block + size <= a.n ? clean_tiles<kDecode, true>(a, block, block + size, code)
                                 : clean_tiles<kDecode, false>(a, block, block + size, code);
    }
    const int steps = steps_of_pass(size);
    make_pass(a, block, size, steps, false, 0, size >> steps);
    const std::size_t part = size >> steps;
    for (std::size_t at = block; at < block + size; at += part) clean<kDecode>(a, at, part, code);
  }

  /// Merges two sorted halves into one sorted block.
  template <bool kDecode>
  static void merge(const Array& a, std::size_t block, std::size_t size, const Code& code) {
    const int steps = steps_of_pass(size);
    make_pass(a, block, size, steps, true, 0, size >> steps);
    const std::size_t part = size >> steps;
    for (std::size_t at = block; at < block + size; at += part) clean<kDecode>(a, at, part, code);
  }

  /// Sorts a block of the user's keys.
  template <bool kDecode>
  static void sort(const Array& a, std::size_t block, std::size_t size, const Code& code) {
    if (block >= a.n) return;
    if (size == Base::kKeys) {
      Key* const keys = a.keys + block;
      return Base::template sort<true, kDecode>(keys, keys, std::min(size, a.n - block), code);
    }
    sort<false>(a, block, size / 2, code);
    sort<false>(a, block + size / 2, size / 2, code);
    merge<kDecode>(a, block, size, code);
  }

  // ---- Functions that the plan calls

  static void sort_block(Key* keys, std::size_t n, std::size_t block, std::size_t size, bool decode,
                         Key flip) {
    (decode ? sort<true> : sort<false>)({keys, n}, block, size, Code(flip));
  }
  static void clean_block(Key* keys, std::size_t n, std::size_t block, std::size_t size,
                          bool decode, Key flip) {
    (decode ? clean<true> : clean<false>)({keys, n}, block, size, Code(flip));
  }
  static void far_pass(Key* keys, std::size_t n, std::size_t block, std::size_t size, int steps,
                       bool flip, std::size_t first, std::size_t last) {
    make_pass({keys, n}, block, size, steps, flip, first, last);
  }
  static constexpr Calls<Key> calls() {
    return {.base_keys = Base::kKeys,
            .most_steps = kMostSteps,
            .sort_block = sort_block,
            .clean_block = clean_block,
            .far_pass = far_pass};
  }
};
