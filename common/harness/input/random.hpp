// A counter-based generator: word i of stream s of a seed is a pure function of the three.
//
// No state is carried from word to word, so any thread, on the CPU or on a GPU, makes any part of a
// sequence, and the keys never depend on how the work was split. Word i of a stream is output i of
// a SplitMix64 that starts at a mix of seed and stream. Source: Steele, Lea, Flood, "Fast
// Splittable Pseudorandom Number Generators", OOPSLA 2014, section 5; the constants of mix_bits are
// number 13 of Stafford's "Better Bit Mixing", which they adopt.
#pragma once

#include <cstdint>
#include <type_traits>

#include "common/contract/key_types.hpp"

namespace sortlab {

/// 2^64 over the golden ratio, made odd: the step from one counter to the next.
inline constexpr std::uint64_t kGoldenStep = 0x9e3779b97f4a7c15;

/// SplitMix64's finalizer: a bijection under which each input bit moves about half the output bits.
SORTLAB_HD constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Word `i` of stream `stream` of `seed`.
SORTLAB_HD constexpr std::uint64_t random_word(std::uint64_t seed, std::uint64_t stream,
                                               std::uint64_t i) {
  // Mixed twice, so that neighbouring seeds and neighbouring streams start far apart.
  const std::uint64_t start = mix_bits(mix_bits(seed + kGoldenStep) + stream);
  return mix_bits(start + kGoldenStep * (i + 1));
}

/// A word read as a fraction in [0, 1): its top 53 bits, which a double holds exactly.
SORTLAB_HD constexpr double to_unit(std::uint64_t word) {
  return static_cast<double>(word >> 11) * 0x1p-53;
}

/// Double `i` of stream `stream` of `seed`, uniform in [0, 1).
SORTLAB_HD constexpr double random_unit(std::uint64_t seed, std::uint64_t stream, std::uint64_t i) {
  return to_unit(random_word(seed, stream, i));
}

/// floor(bound * word / 2^64): a word read as a number in 0 .. bound-1.
SORTLAB_HD constexpr std::uint64_t scale_below(std::uint64_t word, std::uint64_t bound) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(word) * bound) >> 64);
}

/// The key at the fraction `word` / 2^64 of the range of its type: the whole range for integers,
/// [0, 1) for floats. A larger word never gives a smaller key.
template <class Key>
SORTLAB_HD constexpr Key over_range(std::uint64_t word) {
  if constexpr (std::is_same_v<Key, float>) {
    return static_cast<float>(word >> 40) * 0x1p-24f;
  } else if constexpr (std::is_same_v<Key, double>) {
    return to_unit(word);
  } else {
    return from_ordered_bits<Key>(static_cast<BitsOf<Key>>(word >> (64 - 8 * sizeof(Key))));
  }
}

}  // namespace sortlab
