// The equalizer of gpu/radix/msd_hybrid: its numbers are nondecreasing, and the range that it gives
// for a number has exactly the keys with this number. A leaf with a wrong range would write outside
// of its memory.
#include "gpu/primitives/block/msd/equalizer.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <vector>

#include "common/harness/input/random.hpp"

namespace sortlab::gpu::msd {
namespace {

/// Uneven keys of some kinds: floats of [0, 1), few bits set, few values, narrow, one heavy, at the end.
template <class Bits>
Bits uneven_key(unsigned kind, Count i) {
  const Count word = random_word(1, kind, i);
  const auto any = static_cast<Bits>(word);
  switch (kind) {
    case 0:
      if constexpr (sizeof(Bits) == 4) {
        return std::bit_cast<Bits>(over_range<float>(word));
      } else {
        return std::bit_cast<Bits>(over_range<double>(word));
      }
    case 1:
      return any & static_cast<Bits>(random_word(2, 0, i)) &
             static_cast<Bits>(random_word(2, 1, i));
    case 2:
      return 1000 + any % 3;
    case 3:
      return any % 5000;
    case 4:
      return word % 10 == 0 ? any >> 3 : 42;
    default:
      return ~Bits{0} - any % 100'000;
  }
}

/// The sample that the device takes (gpu/radix/msd_hybrid/sample.cuh).
template <class Bits>
std::unique_ptr<Equalizer> equalizer_of(const std::vector<Bits>& sample, unsigned number_bits) {
  auto made = std::make_unique<Equalizer>();
  const auto [least, most] = std::minmax_element(sample.begin(), sample.begin() + 4096);
  made->sampled.low = *least;
  made->sampled.span = *most - *least;
  made->sampled.up = static_cast<unsigned>(std::countl_zero(made->sampled.span));
  made->max_key = static_cast<Bits>(~Bits{0});
  made->part_bits = kPlaceBits - number_bits;
  std::vector<Count> weight(kPrefixes);
  for (const Bits key : sample) ++weight[made->sampled.word_of(key) >> kRestBits];
  Count all = 0;
  for (Count& w : weight) all += w = 16 * w + static_cast<Count>(32 * std::sqrt(w));
  constexpr Count kLastPlace = (1u << kPlaceBits) - 1;
  Count below = 0;
  for (unsigned p = 0; p < kPrefixes; ++p) {
    const auto begin = static_cast<unsigned>(below * kLastPlace / all);
    below += weight[p];
    const auto end = static_cast<unsigned>(below * kLastPlace / all);
    made->line[p] = begin << kHeightBits | std::min(end - begin, kMaxHeight);
  }
  return made;
}

template <class Bits>
class EqualizerTest : public testing::Test {};
using Widths = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(EqualizerTest, Widths);

TYPED_TEST(EqualizerTest, NumbersRiseAndTheirKeysAreKnown) {
  using Bits = TypeParam;
  for (unsigned kind = 0; kind < 6; ++kind) {
    for (const unsigned number_bits : {6u, 11u, 15u, 18u}) {
      std::vector<Bits> sample(1 << 15);
      for (Count i = 0; i < sample.size(); ++i) sample[i] = uneven_key<Bits>(kind, i);
      const auto equalizer = equalizer_of(sample, number_bits);

      std::vector<Bits> keys{0, static_cast<Bits>(~Bits{0})};
      for (Count i = 0; i < 3000; ++i) {
        const auto any = static_cast<Bits>(random_word(3, kind, i));
        const Bits other = any >> (i % (8 * sizeof(Bits)));
        for (const Bits key : {sample[i], any, other}) {
          keys.insert(keys.end(), {key, Bits(key - 1), Bits(key + 1)});
        }
      }
      std::sort(keys.begin(), keys.end());
      unsigned number = 0;
      for (const Bits key : keys) {
        const unsigned before = number;
        number = equalizer->number_of(key);
        ASSERT_GE(number, before) << kind << ": " << key;
        ASSERT_LT(number, 1u << number_bits) << kind << ": " << key;
        const KeyRange has = equalizer->keys_of(number, number);
        const auto first = static_cast<Bits>(has.low);
        const auto last = static_cast<Bits>(has.low + has.span);
        ASSERT_LE(first, key);
        ASSERT_GE(last, key);
        ASSERT_EQ(equalizer->number_of(first), number);
        ASSERT_EQ(equalizer->number_of(last), number);
        ASSERT_TRUE(first == 0 || equalizer->number_of(Bits(first - 1)) < number);
        ASSERT_TRUE(last == Bits(~Bits{0}) || equalizer->number_of(Bits(last + 1)) > number);
      }
    }
  }
}

}  // namespace
}  // namespace sortlab::gpu::msd
