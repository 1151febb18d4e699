// The kernels of gpu/topk/tournament on the CPU: one round and several, rows shorter and longer than a slice, equal keys,
// NaNs, a k for each row, in both orders of the threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/on_cpu/device_on_cpu.hpp"
// The words of CUDA come first.
#include "gpu/topk/tournament/kernels.cuh"

namespace sortlab::gpu::topk {
namespace {

using tests::Block;
using tests::Turns;

template <class Bits>
std::vector<Bits> keys_of(const std::string& kind, std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<Bits> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto word = static_cast<Bits>(random());
    keys[i] = kind == "equal"     ? Bits{7}
              : kind == "few"     ? static_cast<Bits>(word % 3)
              : kind == "ones"    ? static_cast<Bits>(~Bits{0} - (word % 4 == 0))
              : kind == "rising"  ? static_cast<Bits>(i)
              : kind == "falling" ? static_cast<Bits>(n - i)
                                  : word;
  }
  return keys;
}

struct Case {
  std::size_t rows, length, stride;
  unsigned k;
  bool own_ks = false;
};

/// Plays with crews of the shapes First, in the first round, and Then, and compares with a stable sort of each row.
template <class Bits, class First, class Then>
void expect_best(const Case& of, const std::string& kind, KeyKind keys_are, Turns turns) {
  const auto keys = keys_of<Bits>(kind, of.rows * of.stride);
  std::vector<std::uint32_t> ks(of.rows);
  std::mt19937 random(of.k);
  for (auto& k : ks) k = random() % (of.k + 1);
  const auto room_of = [&](bool last) {
    const unsigned room = of.k + of.k / 2 + 32;
    return last ? std::bit_ceil(room) : room;
  };
  std::vector<Bits> best(of.rows * of.k, Bits{99});
  std::vector<std::uint32_t> places(of.rows * of.k, 99);
  std::vector<std::uint64_t> wide(of.rows * of.k, 99);
  Round<Bits> round{
      .in = {keys.data(), nullptr, of.stride, static_cast<unsigned>(of.length), 1},
      .kept = {},
      .room = 0,
      .map = {key_map_of<Bits>(keys_are)},
      .ks = of.own_ks ? ks.data() : nullptr,
      .k = of.k,
      .rows = of.rows,
      .best = {keys.data(), of.stride, best.data(), places.data(), wide.data(), of.k}};
  std::vector<Bits> bits[2];
  std::vector<std::uint32_t> kept_places[2];
  const auto play = [&]<class Of>(Of, unsigned turn) {
    round.in.slices = (round.in.length + Of::kSlice - 1) / Of::kSlice;
    const bool is_last = round.in.slices == 1;
    round.room = room_of(is_last);
    const std::size_t crews = of.rows * round.in.slices;
    if (!is_last) {
      bits[turn].assign(crews * round.room, Bits{3});
      kept_places[turn].assign(crews * round.room, 3);
    }
    round.kept = is_last ? Kept<Bits>{} : Kept<Bits>{bits[turn].data(), kept_places[turn].data()};
    Block::run_grid(static_cast<unsigned>((crews + Of::kCrews - 1) / Of::kCrews), Of::kBlock, turns,
                    [&] { play_round<Bits, Of>(round); });
    const unsigned length = round.in.slices * round.room;
    round.in = {round.kept.bits, round.kept.places, length, length, 1};
    return is_last;
  };
  for (bool is_done = play(First{}, 0), odd = true; !is_done; odd = !odd) {
    is_done = play(Then{}, odd ? 1 : 0);
  }
  for (std::size_t r = 0; r < of.rows; ++r) {
    const Bits* const row = keys.data() + r * of.stride;
    std::vector<std::uint32_t> order(of.length);
    std::iota(order.begin(), order.end(), 0u);
    const auto map = key_map_of<Bits>(keys_are);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return map.ordered(row[a]) < map.ordered(row[b]); });
    const unsigned k = of.own_ks ? ks[r] : of.k;
    for (unsigned i = 0; i < of.k; ++i) {
      const std::size_t at = r * of.k + i;
      const std::string where = kind + ", row " + std::to_string(r) + ", best " +
                                std::to_string(i) + " of " + std::to_string(of.length);
      if (i >= k) {
        ASSERT_EQ(places[at], 99) << where;
        continue;
      }
      ASSERT_EQ(places[at], order[i]) << where;
      ASSERT_EQ(wide[at], order[i]) << where;
      ASSERT_EQ(best[at], row[order[i]]) << where;
    }
  }
}

constexpr const char* kKinds[] = {"random", "equal", "few", "ones", "rising", "falling"};
constexpr Turns kBoth[] = {Turns::upwards, Turns::downwards};

TEST(TopKTournament, RowsOfAWarp) {
  for (const std::string kind : kKinds) {
    for (const Turns turns : kBoth) {
      using Of = Shape<32, 8, 4>;
      expect_best<std::uint32_t, Of, Of>({7, 200, 210, 9}, kind, {KeyType::u32, Order::ascending},
                                         turns);
      expect_best<std::uint64_t, Of, Of>({5, 256, 256, 128}, kind,
                                         {KeyType::f64, Order::descending}, turns);
      expect_best<std::uint32_t, Of, Of>({3, 1, 1, 1}, kind, {KeyType::i32, Order::ascending},
                                         turns);
      expect_best<std::uint32_t, Of, Of>({6, 100, 100, 40, true}, kind,
                                         {KeyType::f32, Order::descending}, turns);
    }
  }
}

TEST(TopKTournament, RowsOfABlock) {
  for (const std::string kind : kKinds) {
    for (const Turns turns : kBoth) {
      using Of = Shape<64, 8, 4>;
      expect_best<std::uint32_t, Of, Of>({3, 500, 512, 60, true}, kind,
                                         {KeyType::u32, Order::descending}, turns);
      expect_best<std::uint64_t, Of, Of>({2, 512, 512, 300}, kind, {KeyType::i64, Order::ascending},
                                         turns);
    }
  }
}

TEST(TopKTournament, SeveralRounds) {
  for (const std::string kind : kKinds) {
    for (const Turns turns : kBoth) {
      expect_best<std::uint32_t, Shape<64, 8, 1>, Shape<32, 8, 4>>(
          {2, 6000, 6001, 5}, kind, {KeyType::f32, Order::ascending}, turns);
      expect_best<std::uint32_t, Shape<32, 8, 2>, Shape<64, 8, 8>>(
          {2, 3000, 3000, 50, true}, kind, {KeyType::u32, Order::descending}, turns);
      expect_best<std::uint64_t, Shape<64, 8, 4>, Shape<64, 8, 4>>(
          {1, 2000, 2000, 100}, kind, {KeyType::u64, Order::ascending}, turns);
    }
  }
}

}  // namespace
}  // namespace sortlab::gpu::topk
