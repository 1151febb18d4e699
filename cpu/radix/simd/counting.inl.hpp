// Counts keys of a narrow range, and writes them, for cpu/radix/simd (counting_sort.hpp).
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/radix/simd/editor.hpp"
  #include "cpu/radix/simd/output.inl.hpp"
#endif

template <class Key, bool kFloat>
struct Counting {
  using L = Lanes<Key>;
  using Code = Coding<Key, kFloat>;

  /// Counts n of the user's keys by their offset in the range; keys beyond it count as range.last +
  /// 1. Neighbours use counters `stride` apart, so that none waits for an equal key before it.
  static void count(const Key* from, std::size_t n, const Range<Key>& range, std::uint32_t* counts,
                    std::size_t stride, Key flip) {
    constexpr std::size_t kLine = kLineKeys<Key>, kAhead = 2048 / sizeof(Key);
    const Code code(flip);
    const auto lowest = static_cast<Offset<Key>>(range.lowest), beyond = range.last + 1;
    const auto one = [&](std::size_t i) {
      const auto offset =
          static_cast<Offset<Key>>(static_cast<Offset<Key>>(code.encode_one(from[i])) - lowest);
      ++counts[i % kCountCopies * stride + std::min(offset, beyond)];
    };
    std::size_t i = 0;
    for (; i + kLine <= n; i += kLine) {
      __builtin_prefetch(from + i + kAhead);
#pragma GCC unroll 16
      for (std::size_t k = 0; k < kLine; ++k) one(i + k);
    }
    for (; i < n; ++i) one(i);
  }

  /// Writes n keys in the user's form, as many of each value as were counted. It begins at the
  /// given offset and skips the first `skipped` keys of that value.
  static void write(const std::uint32_t* counts, const Range<Key>& range, std::size_t offset,
                    std::size_t skipped, Key* to, std::size_t n, Key flip, bool stream) {
    const Code code(flip);
    const auto lowest = static_cast<Offset<Key>>(range.lowest);
    Output<Key> output(to, stream);
    for (; n > 0; ++offset) {
      const auto key = L::broadcast(
          code.decode_one(static_cast<Key>(lowest + static_cast<Offset<Key>>(offset))));
      std::size_t left = std::min(counts[offset] - skipped, n);
      skipped = 0;
      n -= left;
      while (left > 0) {
        const std::size_t m = std::min(left, Output<Key>::kMost);
        Key* const room = output.room();
        for (std::size_t i = 0; i < m; i += L::kCount) L::store(room + i, key);
        output.take(m);
        left -= m;
      }
    }
    output.finish();
  }
};
