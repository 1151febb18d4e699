// A digit for unevenly spread keys. A sample makes it, so that about equally many pairs have each
// of its values.
//
//   code     the highest live bits of a key: | bin | place in the bin |
//   bins     |        |        |########|#       |
//   cells    | one    | one    |#|##|##|##| one  |     a bin has the more cells, the more sampled keys
//   digit      0        0       0  1  2  3  3          the same order as the cells
//
// Two small look-ups find a key's digit. Cells are finer where there are more keys, so floats,
// clusters and prefixes are separated well. A frequent key has almost its own value of the digit.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/radix/pairs/piece.inl.hpp"
#endif

template <class Bits>
class SampledDigit {
  using Live = LiveBits<Bits>;

 public:
  /// Makes at most 2^digit_bits values from n >= 16 keys that differ in the bits of `live`;
  /// key_at(i) is key i. Refers to `memory`.
  template <class KeyAt>
  SampledDigit(std::size_t n, int digit_bits, Bits live, DigitMemory& memory, KeyAt key_at)
      : memory_(memory), code_(Live::highest(live, kCodeBits)) {
    const int code_bits = std::popcount(code_.mask);
    const int bin_bits = std::min(digit_bits + kBinBits, code_bits);
    low_bits_ = code_bits - bin_bits;
    low_mask_ = (1u << low_bits_) - 1;
    values_ = std::size_t{1} << std::min(digit_bits, code_bits);
    step_ = std::max<std::size_t>(1, n / std::max(kLeastSample, kSamples * values_));
    sampled_ = n / step_;
    for (std::size_t i = 0; i < sampled_; ++i) {
      const std::size_t within = step_ * (i * 40503 & 0xFFFF) >> 16;  // not at equal distances
      memory.sample[i] = code_(key_at(i * step_ + within));
    }
    make_cells(std::size_t{1} << bin_bits);
    share_out();
  }

  std::size_t values() const { return values_; }
  std::size_t operator()(Bits key) const { return memory_.digit_of[cell(code_(key))]; }

  /// Room for the pairs of value d: its share in the sample plus three standard deviations, and
  /// some more.
  std::size_t room(std::size_t d) const {
    const auto keys = static_cast<float>(memory_.sampled[d]);
    return step_ * static_cast<std::size_t>(keys + 3 * std::sqrt(keys) + 4);
  }

 private:
  static constexpr int kCodeBits = 30;
  static constexpr int kBinBits = 1;          // more than the digit's
  static constexpr std::size_t kSamples = 8;  // of a value, at least
  static constexpr std::size_t kLeastSample = 256;
  static constexpr std::uint32_t kOfACell = 2;  // sampled keys

  std::size_t cell(std::uint32_t code) const {
    const std::uint32_t bin = memory_.bins[code >> low_bits_];
    return (bin >> 8) + ((code & low_mask_) >> (bin & 0xFF));
  }

  void make_cells(std::size_t bins) {
    std::fill_n(memory_.bins, bins, 0u);
    for (std::size_t i = 0; i < sampled_; ++i) ++memory_.bins[memory_.sample[i] >> low_bits_];
    std::uint32_t cells = 0;
    for (std::size_t b = 0; b < bins; ++b) {
      const auto wanted = static_cast<int>(std::bit_width(memory_.bins[b] / (kOfACell + 1)));
      const int bits = std::min(wanted, low_bits_);
      memory_.bins[b] = cells << 8 | static_cast<std::uint32_t>(low_bits_ - bits);
      cells += 1u << bits;
    }
    cells_ = cells;
  }
  void share_out() {
    std::fill_n(memory_.digit_of, cells_, std::uint16_t{0});
    for (std::size_t i = 0; i < sampled_; ++i) ++memory_.digit_of[cell(memory_.sample[i])];
    std::fill_n(memory_.sampled, values_, std::uint16_t{0});
    // A division takes longer than all else here.
    const float share = static_cast<float>(values_) / static_cast<float>(2 * sampled_);
    const auto last = static_cast<std::int32_t>(values_ - 1);
    std::int32_t before = 0;
    for (std::size_t c = 0; c < cells_; ++c) {
      const std::int32_t keys = memory_.digit_of[c];
      const auto place = static_cast<std::int32_t>(static_cast<float>(2 * before + keys) * share);
      const std::int32_t d = std::min(place, last);
      memory_.digit_of[c] = static_cast<std::uint16_t>(d);
      memory_.sampled[d] = static_cast<std::uint16_t>(memory_.sampled[d] + keys);
      before += keys;
    }
  }

  DigitMemory& memory_;
  Live code_;
  int low_bits_;
  std::uint32_t low_mask_;
  std::size_t values_, step_, sampled_, cells_;
};
