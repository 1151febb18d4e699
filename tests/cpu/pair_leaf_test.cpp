// Leaves of cpu/radix/pairs: for all kinds of keys a leaf gives the same result as a stable sort.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "cpu/radix/pairs/state.hpp"
#include "tests/forced_isa.hpp"

namespace sortlab::cpu::radix::pairs {
namespace {

template <class Bits>
class Leaves {
  using Pairs = Items<Bits, std::uint32_t>;

 public:
  explicit Leaves(Isa isa) : isa_(isa), state_(std::make_unique<PairState<Pairs>>()) {}

  /// Sorts the keys as packed pairs and in place, with their places as values.
  void check(const std::vector<Bits>& keys, int width) {
    const std::size_t n = keys.size();
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });

    std::vector<std::byte> bytes(n * PackedPairs<Pairs>::kBytes);
    const PackedPairs<Pairs> packed(bytes.data());
    for (std::size_t i = 0; i < n; ++i) packed.put(i, {keys[i], static_cast<std::uint32_t>(i)});
    for (const bool stream : {false, true}) {
      std::vector<Bits> sorted(n);
      std::vector<std::uint32_t> values(n);
      state_->sort_leaf(packed, Pairs{sorted.data(), values.data()}, n, width, isa_,
                        LeafOutput{nullptr, stream}, {});
      EXPECT_EQ(values, order) << n << " pairs, width " << width << ", stream " << stream;
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(sorted[i], keys[order[i]]) << i;
    }
    std::vector<Bits> in_place = keys;
    std::vector<std::uint32_t> values(n);
    std::iota(values.begin(), values.end(), 0u);
    const Pairs pairs{in_place.data(), values.data()};
    state_->sort_leaf(pairs, pairs, n, kUnknownWidth, isa_, LeafOutput{nullptr, false}, {});
    EXPECT_EQ(values, order) << n << " pairs in place";
  }

 private:
  Isa isa_;
  std::unique_ptr<PairState<Pairs>> state_;
};

template <class Bits>
class PairLeaf : public testing::Test {
 public:
  /// n random keys of `width` bits.
  std::vector<Bits> keys(std::size_t n, int width) {
    std::vector<Bits> made(n);
    for (Bits& key : made) key = static_cast<Bits>(random_() >> (64 - width));
    return made;
  }
  template <class Check>
  void for_each_isa(Check check) {
    for (const Isa isa : isas_of_this_cpu()) {
      Leaves<Bits> leaves(isa);
      SCOPED_TRACE(name_of(isa));
      check(leaves);
    }
  }

 private:
  std::mt19937_64 random_{12345};
};
using Widths = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(PairLeaf, Widths);

constexpr int kBits = 30;

TYPED_TEST(PairLeaf, SortsAsManyPairsAsThereMayBe) {
  this->for_each_isa([&](auto& leaves) {
    for (const std::size_t n : {1, 2, 15, 16, 17, 128, 129, 160, 161, 256, 257, 4095, 50'001}) {
      leaves.check(this->keys(n, kBits), kBits);
    }
    leaves.check(this->keys(kPairLeafItems, kBits), kBits);
  });
}

TYPED_TEST(PairLeaf, TakesAWidthThatIsTooLarge) {
  this->for_each_isa([&](auto& leaves) { leaves.check(this->keys(10'000, 7), kBits); });
}

TYPED_TEST(PairLeaf, SortsPiecesOfEverySize) {
  this->for_each_isa([&](auto& leaves) {
    for (const std::size_t alike : {200, 257, 4096, 4097, 30'000}) {  // one key, so often
      auto keys = this->keys(40'000, kBits);
      for (std::size_t i = 0; i < alike; ++i) keys[i * 37 % keys.size()] = 12345;
      leaves.check(keys, kBits);
    }
  });
}

TYPED_TEST(PairLeaf, LooksAtBitsThatNumbersHaveNoRoomFor) {
  constexpr int kAll = static_cast<int>(8 * sizeof(TypeParam));
  this->for_each_isa([&](auto& leaves) {
    auto keys = this->keys(20'000, kAll);
    for (auto& key : keys) key &= ~(static_cast<TypeParam>(0xFFFFF) << (kAll - 32));
    leaves.check(keys, kAll);
  });
}

/// Unevenly spread keys of several kinds.
template <class Bits>
std::vector<std::vector<Bits>> crowded_keys(std::size_t n) {
  constexpr int kAll = static_cast<int>(8 * sizeof(Bits));
  std::mt19937_64 random(7);
  const auto word = [&] { return static_cast<Bits>(random()); };
  std::vector<std::vector<Bits>> made;
  const auto add = [&](auto key_at) {
    auto& keys = made.emplace_back(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<Bits>(key_at(i));
  };
  add([&](auto) { return word() >> word() % kAll; });                             // every magnitude
  add([&](auto) { return (word() & 0x3FF) << (kAll - 12) | (word() & 0xFFF); });  // two fields
  add([&](auto) { return word() & word() & word(); });                            // few ones
  add([&](auto) { return word() % 8 < 7 ? Bits{77} : word(); });                  // mostly one key
  add([&](auto) { return word() % 16 < 9 ? word() % 5 * 1000 : word(); });  // some are frequent
  add([&](auto i) { return Bits{1} << i % kAll; });  // a digit separates few of them
  add([&](auto i) {
    return i % 97 == 0 ? word() : (word() & 0xFFFFF) | 0x5A000000;
  });  // one cluster
  return made;
}

TYPED_TEST(PairLeaf, SortsKeysThatCrowd) {
  this->for_each_isa([&](auto& leaves) {
    for (const std::size_t n : {3000, 50'000}) {
      for (const auto& keys : crowded_keys<TypeParam>(n)) leaves.check(keys, kUnknownWidth);
    }
  });
}

TYPED_TEST(PairLeaf, MakesUpForALookThatMissed) {
  constexpr std::size_t kPairs = 65'536;
  this->for_each_isa([&](auto& leaves) {
    // Keys are spread evenly at the places that the leaf samples: every 64th, or 256th. All others
    // are one of two.
    auto keys = this->keys(kPairs, kBits);
    for (std::size_t i = 0; i < kPairs; ++i) {
      if (i % 64 != 0) keys[i] = i % 3 == 0 ? 0x155555 : 0x2AAAAAAA;
    }
    leaves.check(keys, kBits);
  });
}

TYPED_TEST(PairLeaf, CopiesLikeKeys) {
  this->for_each_isa([&](auto& leaves) {
    leaves.check(std::vector<TypeParam>(5000, TypeParam{7}), 0);
    leaves.check(std::vector<TypeParam>(5000, TypeParam{7}), kUnknownWidth);
  });
}

}  // namespace
}  // namespace sortlab::cpu::radix::pairs
