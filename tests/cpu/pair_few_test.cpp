// Few pairs, which cpu/radix/pairs sorts as one piece: the result is that of a stable sort, in
// memory of the declared size.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <numeric>
#include <random>
#include <vector>

#include "cpu/radix/pairs/state.hpp"
#include "tests/forced_isa.hpp"

namespace sortlab::cpu::radix::pairs {
namespace {

/// Sorts few pairs, with their places as values, in memory of the declared size.
template <class Bits>
void check_few(std::vector<Bits> keys, Isa isa) {
  using Pairs = Items<Bits, std::uint32_t>;
  const std::size_t n = keys.size();
  std::vector<std::uint32_t> order(n), values(n);
  std::iota(order.begin(), order.end(), 0u);
  std::iota(values.begin(), values.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });

  const auto alignment = std::align_val_t(kLineBytes);
  void* const memory = ::operator new(PairFewMemory<Pairs>::bytes_for(n), alignment);
  sort_few(Pairs{keys.data(), values.data()}, n,
           PairFewMemory<Pairs>(static_cast<std::byte*>(memory), n), isa,
           LeafOutput{nullptr, false});
  ::operator delete(memory, alignment);
  EXPECT_EQ(values, order) << n << " pairs";
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
}

template <class Bits>
class PairFewTest : public testing::Test {
 public:
  /// n random keys of `width` bits.
  std::vector<Bits> keys(std::size_t n, int width) {
    std::vector<Bits> made(n);
    for (Bits& key : made) key = static_cast<Bits>(random_() >> (64 - width));
    return made;
  }

 private:
  std::mt19937_64 random_{12345};
};
using Widths = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(PairFewTest, Widths);

TYPED_TEST(PairFewTest, AreSortedInLittleMemory) {
  constexpr int kAll = static_cast<int>(8 * sizeof(TypeParam));
  const TypeParam highest = TypeParam{1} << (kAll - 1);
  for (const Isa isa : isas_of_this_cpu()) {
    if (isa == Isa::scalar) continue;
    SCOPED_TRACE(name_of(isa));
    for (const std::size_t n : {1, 2, 16, 25, 128, 129, 160, 255, 256, 257, 300, 511, 512}) {
      check_few(this->keys(n, kAll), isa);
      check_few(this->keys(n, 5), isa);
      check_few(std::vector<TypeParam>(n, TypeParam{7}), isa);
      auto keys = this->keys(n, kAll);
      for (auto& key : keys)
        key &= ~(highest - 1) | 0xFFFF;  // the numbers distinguish only two keys
      check_few(keys, isa);
      keys = this->keys(n, kAll);
      for (auto& key : keys) key %= highest / 512 + 1;
      keys.back() |= highest;  // nor here
      check_few(keys, isa);
    }
  }
}

}  // namespace
}  // namespace sortlab::cpu::radix::pairs
