// A digit that is all of the key: the bits in which keys differ, where these are few and close. Numbers of groups are
// such keys, as integers and as floats.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>

namespace sortlab::cpu::primitives {

/// Whether such keys are worth a look: several threads sort them faster in other ways.
/// measured: 100,003 numbers of 64 groups, us, 16 threads vs one that counts: u32 52 vs 147, u32 pairs 96 vs 366;
/// xeon16/attempts/narrow.1.txt.xz
constexpr bool may_be_narrow(std::size_t n, int threads) {
  return threads == 1 && n <= std::size_t{1} << 22;
}

template <class Bits>
class NarrowDigit {
 public:
  /// At least this many keys for each possible value of the digit.
  static constexpr std::size_t kKeysPerValue = 8;
  static constexpr int kMostBits = 16;

  /// The digit of n > 0 keys, if it is narrow enough.
  static std::optional<NarrowDigit> of(const Bits* keys, std::size_t n) {
    constexpr std::size_t kSampled = 64;  // enough to reject most inputs
    Bits differing = 0;
    for (std::size_t i = 0; i < kSampled; ++i) differing |= keys[n / kSampled * i] ^ keys[0];
    if (!is_narrow(differing, n)) return {};
    for (std::size_t i = 0; i < n; ++i) differing |= keys[i] ^ keys[0];
    if (!is_narrow(differing, n)) return {};
    return NarrowDigit(keys[0], differing);
  }
  static bool is_narrow(Bits differing, std::size_t n) {
    const int bits = width(differing);
    return bits <= kMostBits && n >> bits >= kKeysPerValue;
  }

  std::size_t values() const { return mask_ + 1; }
  std::size_t operator()(Bits key) const { return static_cast<std::size_t>(key >> shift_) & mask_; }
  Bits key(std::size_t value) const { return rest_ | static_cast<Bits>(value) << shift_; }

 private:
  static int width(Bits differing) {
    return differing == 0 ? 0 : std::bit_width(differing) - std::countr_zero(differing);
  }
  NarrowDigit(Bits some_key, Bits differing)
      : shift_(differing == 0 ? 0 : std::countr_zero(differing)),
        mask_((std::size_t{1} << width(differing)) - 1),
        rest_(some_key & ~static_cast<Bits>(static_cast<Bits>(mask_) << shift_)) {}

  int shift_;
  std::size_t mask_;
  Bits rest_;  // the bits that all keys share
};

}  // namespace sortlab::cpu::primitives
