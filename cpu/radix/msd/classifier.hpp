// Finds the bucket of a key, for the first pass of a radix sort from the most significant end.
//
// It is either a digit: the bits right below those that all keys share. Or, if a sample shows that
// digits would fill unevenly (floats, whose exponents are concentrated; Zipf; clusters), it is a
// table over a wider digit. Its bins are distributed so that every bucket gets about equally many
// sampled keys:
//
//   bins      | | | | |#| |##|####|###|##|#| | | ...     2^14 of them, # sampled keys
//   buckets     0 0 0 0 0  1   2 3   4   5   6 6 6        in the same order as the bins
//
// The table is 32 KiB and stays in the first-level cache; a look-up is one more load per key.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace sortlab::cpu::radix::msd {

inline constexpr int kMaxDigitBits = 11;
inline constexpr std::size_t kMaxBuckets = std::size_t{1} << kMaxDigitBits;
inline constexpr int kBinBits = 14;

using BinTable = std::array<std::uint16_t, std::size_t{1} << kBinBits>;

/// Bits [shift, shift + bits) of a key.
struct Digit {
  int shift;
  int bits;

  std::size_t values() const { return std::size_t{1} << bits; }
  template <class Bits>
  std::size_t operator()(Bits key) const {
    return static_cast<std::size_t>(key >> shift) & (values() - 1);
  }
};

/// A digit looked up in a table.
struct LookUp {
  Digit bin;
  const std::uint16_t* bucket_of_bin;

  template <class Bits>
  std::size_t operator()(Bits key) const {
    return bucket_of_bin[bin(key)];
  }
};

/// The highest `bits` of the `width` low bits.
constexpr Digit digit_below(int width, int bits) {
  const int kept = std::clamp(bits, 1, std::max(width, 1));
  return {std::max(0, width - kept), kept};
}

struct Classifier {
  Digit digit;                 // without a table
  Digit bin;                   // with one
  const std::uint16_t* table;  // null: none
  int width() const { return digit.shift + digit.bits; }
  std::size_t buckets() const { return digit.values(); }

  /// Calls f with the function that returns a key's bucket.
  template <class F>
  void visit(F f) const {
    table == nullptr ? f(digit) : f(LookUp{bin, table});
  }
};

/// Whether a sixteenth of the digit's values would hold over 2.5 times its share. False for too few
/// sampled keys.
template <class Bits>
bool is_skewed(const Bits* sample, std::size_t size, Digit digit) {
  if (size < 256 || digit.bits < 4) return false;
  std::size_t loads[16] = {};
  for (std::size_t i = 0; i < size; ++i) ++loads[digit(sample[i]) >> (digit.bits - 4)];
  return 2 * *std::max_element(loads, loads + 16) > 5 * size / 16;
}

/// Assigns the bins to buckets: replaces a table with each bin's number of sampled keys, `size` in
/// total, by a table of buckets. A bin's place is the middle of its own keys, so that a bin with a
/// large share is separated from its neighbours on both sides.
inline void share_out(BinTable& table, std::size_t bins, std::size_t size, std::size_t buckets) {
  // A division takes longer than all else here.
  const float share = static_cast<float>(buckets) / static_cast<float>(2 * size);
  const auto last = static_cast<std::int32_t>(buckets - 1);
  std::int32_t before = 0;
  for (std::size_t b = 0; b < bins; ++b) {
    const std::int32_t keys = table[b];
    const auto bucket = static_cast<std::int32_t>(static_cast<float>(2 * before + keys) * share);
    table[b] = static_cast<std::uint16_t>(std::min(bucket, last));
    before += keys;
  }
}

template <class Bits>
void fill_table(BinTable& table, const Bits* sample, std::size_t size, Digit bin,
                std::size_t buckets) {
  std::fill_n(table.begin(), bin.values(), std::uint16_t{0});
  for (std::size_t i = 0; i < size; ++i) ++table[bin(sample[i])];
  share_out(table, bin.values(), size, buckets);
}

/// A classifier into 2^bits buckets for keys that differ in their lowest `width` bits. It refers to
/// `table`.
template <class Bits>
Classifier classifier_for(const Bits* sample, std::size_t size, int width, int bits,
                          bool may_look_up, BinTable& table) {
  Classifier classifier{digit_below(width, bits), digit_below(width, kBinBits), nullptr};
  if (may_look_up && is_skewed(sample, size, classifier.digit)) {
    fill_table(table, sample, size, classifier.bin, classifier.buckets());
    classifier.table = table.data();
  }
  return classifier;
}

}  // namespace sortlab::cpu::radix::msd
