// The digits of a radix sort: 8 bits each, of a key's bits in the requested order.
#pragma once

#include "common/contract/key_types.hpp"

namespace sortlab::gpu::sweep {

constexpr unsigned kDigitBits = 8;
constexpr unsigned kBins = 1u << kDigitBits;

/// The passes for a key, one per digit.
template <class Key>
constexpr unsigned kPasses = 8 * sizeof(Key) / kDigitBits;

template <class Bits>
__device__ __forceinline__ unsigned digit_at(Bits bits, unsigned shift) {
  return static_cast<unsigned>(bits >> shift) % kBins;
}

/// The digit at `shift` times kStride: the byte offset of its place in a table. One rotation and
/// one mask are enough.
template <unsigned kStride, class Bits>
__device__ __forceinline__ unsigned digit_offset(Bits bits, unsigned shift) {
  constexpr unsigned kStrideBits = std::countr_zero(kStride);
  unsigned word = static_cast<unsigned>(bits);
  if constexpr (sizeof(Bits) == 8) {
    if (shift >= 32) word = static_cast<unsigned>(bits >> 32);
  }
  return __funnelshift_r(word, word, shift - kStrideBits) & ((kBins - 1) * kStride);
}

/// The entry of `table` for the digit at `shift`.
template <class T, class Bits>
__device__ __forceinline__ T& entry_of(T* table, Bits bits, unsigned shift) {
  return *reinterpret_cast<T*>(reinterpret_cast<std::byte*>(table) +
                               digit_offset<sizeof(T)>(bits, shift));
}

/// The bits of the digits from that at `first` to that at `last`.
template <class Bits>
__device__ __forceinline__ Bits digits_mask(unsigned first, unsigned last) {
  return ~Bits{0} >> (8 * sizeof(Bits) - kDigitBits - last) >> first << first;
}

}  // namespace sortlab::gpu::sweep
