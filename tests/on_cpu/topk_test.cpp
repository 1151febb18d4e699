// The kernels of gpu/topk/tournament and gpu/topk/select on the CPU: one round and several, rows shorter and longer than a
// slice, equal keys, NaNs, a k for each row, good samples and bad ones, in both orders of the threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/on_cpu/device_on_cpu.hpp"
// The words of CUDA come first.
#include "gpu/topk/auto/top_p.cuh"
#include "gpu/topk/select/hold.cuh"
#include "gpu/topk/select/kernels.cuh"
#include "gpu/topk/tournament/finish.cuh"
#include "gpu/topk/tournament/kernels.cuh"
#include "gpu/topk/tournament/short.cuh"

namespace sortlab::gpu::topk {
namespace {

using tests::Block;
using tests::Turns;

template <class Bits>
std::vector<Bits> keys_of(const std::string& kind, std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<Bits> keys(n);
  std::normal_distribution<std::conditional_t<sizeof(Bits) == 4, float, double>> normal;
  for (std::size_t i = 0; i < n; ++i) {
    if (kind == "normal" || kind == "rectified") {
      const auto number = normal(random);
      keys[i] = std::bit_cast<Bits>(kind == "normal" ? number * number * number
                                                     : std::max(number - 1, number * 0));
      continue;
    }
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
  std::vector<Bits> best(of.rows * of.k, Bits{99});
  std::vector<std::uint32_t> places(of.rows * of.k, 99);
  std::vector<std::uint64_t> wide(of.rows * of.k, 99);
  Round<Bits> round{
      .in = {keys.data(), nullptr, of.stride, static_cast<unsigned>(of.length), 1, nullptr},
      .kept = {},
      .room = 0,
      .map = {key_map_of<Bits>(keys_are)},
      .ks = of.own_ks ? ks.data() : nullptr,
      .k = of.k,
      .is_sorted = true,
      .is_first = true,
      .rows = of.rows,
      .best = {keys.data(), of.stride, best.data(), places.data(), wide.data(), of.k}};
  std::vector<Bits> bits[2];
  std::vector<std::uint32_t> kept_places[2];
  const auto play = [&]<class Of>(Of, unsigned turn) {
    round.in.slices = (round.in.length + Of::kSlice - 1) / Of::kSlice;
    const bool is_last = round.in.slices == 1;
    round.room = of.k + of.k / 2 + 32;
    const std::size_t crews = of.rows * round.in.slices;
    if (!is_last) {
      bits[turn].assign(crews * round.room, Bits{3});
      kept_places[turn].assign(crews * round.room, 3);
    }
    round.kept = is_last ? Kept<Bits>{} : Kept<Bits>{bits[turn].data(), kept_places[turn].data()};
    Block::run_grid(static_cast<unsigned>((crews + Of::kCrews - 1) / Of::kCrews), Of::kBlock, turns,
                    [&] { play_round<Bits, Of>(round); });
    const unsigned length = round.in.slices * round.room;
    round.in = {round.kept.bits, round.kept.places, length, length, 1, nullptr};
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
      expect_best<std::uint32_t, Of, Of>({9, 64, 64, 64}, kind, {KeyType::f32, Order::ascending},
                                         turns);
      expect_best<std::uint32_t, Of, Of>({3, 1, 1, 1}, kind, {KeyType::i32, Order::ascending},
                                         turns);
      expect_best<std::uint32_t, Of, Of>({6, 100, 100, 40, true}, kind,
                                         {KeyType::f32, Order::descending}, turns);
      using All = Shape<32, 8, 8>;
      expect_best<std::uint32_t, All, All>({5, 256, 256, 128, true}, kind,
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
      expect_best<std::uint32_t, Of, Of>({3, 257, 257, 257}, kind,
                                         {KeyType::f32, Order::descending}, turns);
      expect_best<std::uint64_t, Of, Of>({2, 512, 512, 300}, kind, {KeyType::i64, Order::ascending},
                                         turns);
      using All = Shape<64, 16, 16>;
      expect_best<std::uint32_t, All, All>({2, 1024, 1024, 300}, kind,
                                           {KeyType::f32, Order::descending}, turns);
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

/// How rows get the bound that the filter takes.
enum class Bounds { sampled, none_passes, all_pass };

/// What is kept of each row: at least the best k, in any order.
template <class Bits>
void expect_kept(const Case& of, std::size_t offset, const std::string& kind, KeyKind keys_are,
                 Bounds bounds, Turns turns) {
  constexpr unsigned kParts = 3, kCrew = 64, kItems = 4;
  const auto keys = keys_of<Bits>(kind, of.rows * of.stride + offset);
  std::vector<std::uint32_t> ks(of.rows);
  std::mt19937 random(of.k);
  for (auto& k : ks) k = random() % (of.k + 1);
  const unsigned room = of.k + of.k / 2 + 50;
  std::vector<select::RowState<Bits>> states(of.rows);
  std::vector<unsigned> ties(of.rows * kParts, 77), bins(2048, 77), counts(of.rows, 77);
  std::vector<Bits> bits(of.rows * room, 77);
  std::vector<std::uint32_t> places(of.rows * room, 77);
  const auto length = static_cast<unsigned>(of.length);
  const unsigned vectors = length / select::Vector<Bits>::kKeys + 2;
  select::Hunt<Bits> hunt{.keys = keys.data() + offset,
                          .stride = of.stride,
                          .length = length,
                          .rows = of.rows,
                          .map = {key_map_of<Bits>(keys_are)},
                          .ks = of.own_ks ? ks.data() : nullptr,
                          .k = of.k,
                          .rank = kCrew * kItems * of.k / length + 8,
                          .parts = kParts,
                          .vectors = (vectors + kParts - 1) / kParts,
                          .states = states.data(),
                          .ties = ties.data(),
                          .bins = bins.data(),
                          .kept = {bits.data(), places.data()},
                          .room = room,
                          .counts = counts.data()};
  Block::run_in_turn(static_cast<unsigned>(of.rows), kCrew,
                     [&] { select::bound_rows<Bits, Crew<kCrew>, kItems>(hunt); });
  for (auto& state : states) {
    if (bounds == Bounds::none_passes) state.bound = 0;
    if (bounds == Bounds::all_pass) state.bound = static_cast<Bits>(~Bits{0});
  }
  Block::run_in_turn(static_cast<unsigned>(of.rows * kParts), select::kThreads,
                     [&] { select::filter_rows<Bits>(hunt); });
  Block::run_grid(2, select::kThreads, turns, [&] { select::mend_rows<Bits>(hunt); });
  for (std::size_t r = 0; r < of.rows; ++r) {
    const Bits* const row = hunt.keys + r * of.stride;
    using Item = std::pair<Bits, std::uint32_t>;
    std::vector<Item> wanted(length), kept;
    for (unsigned i = 0; i < length; ++i) wanted[i] = {hunt.map.ordered(row[i]), i};
    std::sort(wanted.begin(), wanted.end());
    const unsigned k = hunt.k_of(r);
    ASSERT_GE(counts[r], k) << kind << r;
    ASSERT_LE(counts[r], room) << kind << r;
    for (unsigned i = 0; i < counts[r]; ++i) {
      kept.emplace_back(bits[r * room + i], places[r * room + i]);
    }
    std::sort(kept.begin(), kept.end());
    wanted.resize(k);
    kept.resize(k);
    ASSERT_EQ(kept, wanted) << kind << r;
  }
}

TEST(TopKSelect, RowsKeepTheirBest) {
  for (const std::string kind : kKinds) {
    for (const Bounds bounds : {Bounds::sampled, Bounds::none_passes, Bounds::all_pass}) {
      for (const Turns turns : kBoth) {
        expect_kept<std::uint32_t>({2, 20000, 20003, 300}, 1, kind,
                                   {KeyType::f32, Order::descending}, bounds, turns);
        expect_kept<std::uint32_t>({3, 9001, 9001, 4000, true}, 3, kind,
                                   {KeyType::u32, Order::ascending}, bounds, turns);
        expect_kept<std::uint64_t>({1, 12345, 12345, 1}, 1, kind, {KeyType::i64, Order::descending},
                                   bounds, turns);
        expect_kept<std::uint64_t>({2, 256, 300, 256}, 0, kind, {KeyType::f64, Order::ascending},
                                   bounds, turns);
      }
    }
  }
}

/// One row in the registers of a grid: kept are the best k and perhaps a few more; or exactly these are the result.
template <bool kIsSorted>
void expect_held(unsigned length, unsigned k, const std::string& kind, Turns turns) {
  const auto keys = keys_of<std::uint32_t>(kind, length);
  const unsigned room = k + k / 4 + 5;
  std::vector<unsigned> bins(select::kHoldWords, 77);
  std::vector<std::uint32_t> bits(room, 77), places(room, 77), best(k, 77), found(k, 77);
  unsigned count = 77;
  const select::Hunt<std::uint32_t> hunt{
      .keys = keys.data(),
      .stride = length,
      .length = length,
      .rows = 1,
      .map = {key_map_of<std::uint32_t>({KeyType::i32, Order::descending})},
      .ks = nullptr,
      .k = k,
      .bins = bins.data(),
      .kept = {bits.data(), places.data()},
      .room = room,
      .counts = &count};
  const Best<std::uint32_t> to{nullptr, length, best.data(), found.data(), nullptr, k};
  Block::run_grid(3, select::kThreads, turns,
                  [&] { select::hold_row<false, kIsSorted>(hunt, to); });
  using Item = std::pair<std::uint32_t, std::uint32_t>;
  std::vector<Item> wanted(length), got;
  for (unsigned i = 0; i < length; ++i) wanted[i] = {hunt.map.ordered(keys[i]), i};
  std::sort(wanted.begin(), wanted.end());
  wanted.resize(k);
  ASSERT_GE(count, k) << kind;
  ASSERT_LE(count, kIsSorted ? room : k) << kind;
  for (unsigned i = 0; i < count; ++i) {
    kIsSorted ? got.emplace_back(bits[i], places[i])
              : got.emplace_back(hunt.map.ordered(best[i]), found[i]);
  }
  std::sort(got.begin(), got.end());
  got.resize(k);
  ASSERT_EQ(got, wanted) << kind << ", k = " << k << " of " << length;
}

TEST(TopKSelect, AGridHoldsARow) {
  for (const std::string kind : kKinds) {
    for (const Turns turns : kBoth) {
      for (const auto& [length, k] : {std::pair{20'000u, 3000u}, {24'576u, 1u}, {1000u, 1000u}}) {
        expect_held<true>(length, k, kind, turns);
        expect_held<false>(length, k, kind, turns);
      }
    }
  }
}

TEST(TopKSelect, KeptItemsPlayRounds) {
  using Of = Shape<64, 8, 4>;
  const std::vector<std::uint32_t> bits = keys_of<std::uint32_t>("random", 900);
  std::vector<std::uint32_t> places(900), order(700);
  for (unsigned i = 0; i < 900; ++i) places[i] = i * 7 % 901;
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return bits[a] < bits[b]; });
  const unsigned count = 700, k = 40, room = 128;
  std::vector<std::uint32_t> kept_bits(2 * room), kept_places(2 * room), found(k);
  Round<std::uint32_t> round{.in = {bits.data(), places.data(), 900, 900, 2, &count},
                             .kept = {kept_bits.data(), kept_places.data()},
                             .room = room,
                             .map = {},
                             .ks = nullptr,
                             .k = k,
                             .is_sorted = true,
                             .is_first = true,
                             .rows = 1,
                             .best = {nullptr, 900, nullptr, found.data(), nullptr, k}};
  Block::run_grid(2, Of::kBlock, Turns::upwards, [&] { play_round<std::uint32_t, Of>(round); });
  round.in = {kept_bits.data(), kept_places.data(), 2 * room, 2 * room, 1, nullptr};
  round.kept = {};
  Block::run_grid(1, Of::kBlock, Turns::upwards, [&] { play_round<std::uint32_t, Of>(round); });
  for (unsigned i = 0; i < k; ++i) EXPECT_EQ(found[i], places[order[i]]);
}

/// Of kept items, exactly the best k, by `run` of a round; sorted, or in any order, of equal ones the first or any.
template <class Bits, class Run>
void expect_last(const std::string& kind, unsigned k, bool is_sorted, bool is_first, bool are_kept,
                 Run run, const RankMap<Bits>& map = {}, unsigned room = 509) {
  constexpr unsigned kRows = 3;
  const auto keys = keys_of<Bits>(kind, kRows * room);
  std::vector<std::uint32_t> places(keys.size());
  std::vector<unsigned> place_at(room);
  for (unsigned i = 0; i < places.size(); ++i) {
    places[i] = i % room * 7 % room;
    place_at[places[i]] = i % room;
  }
  const std::vector<unsigned> counts{room, room - 100, k};
  const std::vector<std::uint32_t> ks{k, k / 2, k};
  std::vector<Bits> best(kRows * k, Bits{5});
  std::vector<std::uint32_t> found(kRows * k, 5);
  Round<Bits> round{.in = {keys.data(), are_kept ? places.data() : nullptr, room, room, 1,
                           are_kept ? counts.data() : nullptr},
                    .kept = {},
                    .room = k + k / 2 + 32,
                    .map = map,
                    .ks = ks.data(),
                    .k = k,
                    .is_sorted = is_sorted,
                    .is_first = is_first,
                    .rows = kRows,
                    .best = {nullptr, room, best.data(), found.data(), nullptr, k}};
  run(round);
  for (unsigned r = 0; r < kRows; ++r) {
    std::vector<std::pair<Bits, std::uint32_t>> wanted, got;
    for (unsigned i = 0; i < (are_kept ? counts[r] : room); ++i) {
      wanted.emplace_back(map.ordered(keys[r * room + i]), are_kept ? places[r * room + i] : i);
    }
    std::sort(wanted.begin(), wanted.end());
    wanted.resize(ks[r]);
    for (unsigned i = 0; i < ks[r]; ++i)
      got.emplace_back(map.ordered(best[r * k + i]), found[r * k + i]);
    if (!is_sorted) std::sort(got.begin(), got.end());
    std::set<std::uint32_t> distinct;
    for (unsigned i = 0; i < ks[r]; ++i) {
      if (!is_first) {
        ASSERT_TRUE(distinct.insert(got[i].second).second) << kind << ", row " << r;
        const std::uint32_t place = got[i].second;
        const unsigned at = are_kept ? place_at[place] : place;
        ASSERT_EQ(map.ordered(keys[r * room + at]), got[i].first);
        got[i].second = wanted[i].second;
      }
    }
    ASSERT_EQ(got, wanted) << kind << ", row " << r << ", k = " << k;
    for (unsigned i = ks[r]; i < k; ++i) ASSERT_EQ(found[r * k + i], 5u);
  }
}

TEST(TopKTournament, TheLastRoundFindsExactlyTheBest) {
  constexpr unsigned kThreads = 64, kRows = 3;
  for (const std::string kind : kKinds) {
    for (const Turns turns : kBoth) {
      const auto finish = [&]<class Bits>(unsigned k, bool are_kept) {
        using Of = Finish<Bits, kThreads, 8>;
        expect_last<Bits>(kind, k, true, true, are_kept, [&](const Round<Bits>& round) {
          Block::run_grid(kRows, kThreads, turns, [&] { finish_rows<Bits, Of>(round); });
        });
      };
      const auto play = [&]<class Bits, class Of>(Of, unsigned k, bool are_kept) {
        for (const bool is_first : {false, true}) {
          expect_last<Bits>(kind, k, false, is_first, are_kept, [&](const Round<Bits>& round) {
            Block::run_grid((kRows + Of::kCrews - 1) / Of::kCrews, Of::kBlock, turns,
                            [&] { play_round<Bits, Of>(round); });
          });
        }
      };
      for (const unsigned k : {1u, 60u, 100u, 409u}) {
        for (const bool are_kept : {false, true}) {
          finish.template operator()<std::uint32_t>(k, are_kept);
          finish.template operator()<std::uint64_t>(k, are_kept);
          play.template operator()<std::uint32_t>(Shape<64, 8, 4>{}, k, are_kept);
          play.template operator()<std::uint64_t>(Shape<64, 8, 8>{}, k, are_kept);
          play.template operator()<std::uint32_t>(Shape<32, 16, 16>{}, k, are_kept);
          play.template operator()<std::uint32_t>(Shape<128, 4, 4>{}, k, are_kept);
        }
      }
    }
  }
}

/// Numbers of any kind, and floats, most of which are near 0 or 0.
TEST(TopKTournament, ShortRowsInAnyOrder) {
  const auto expect = [](const std::string& kind, KeyType narrow, KeyType wide, Order order) {
    for (const Turns turns : kBoth) {
      const auto play = [&]<class Bits, unsigned kThreads, unsigned kItems>(unsigned k,
                                                                            unsigned length) {
        using Of = ShortShape<Bits, kThreads, kItems>;
        const KeyKind keys{sizeof(Bits) == 4 ? narrow : wide, order};
        for (const bool is_first : {false, true}) {
          expect_last<Bits>(
              kind, k, false, is_first, false,
              [&](const Round<Bits>& round) {
                Block::run_grid((3 + Of::kCrews - 1) / Of::kCrews, Of::kCrews * kThreads, turns,
                                [&] { play_short<Bits, Of, false>(round); });
              },
              rank_map_of<Bits>(keys, is_first, false, false), length);
        }
      };
      for (const unsigned k : {1u, 2u, 60u, 409u, 509u}) {
        for (const unsigned length : {509u, 512u}) {
          play.template operator()<std::uint32_t, 32, 16>(k, length);
          play.template operator()<std::uint64_t, 64, 8>(k, length);
        }
        play.template operator()<std::uint32_t, 256, 4>(k, 509);
        play.template operator()<std::uint32_t, 512, 1>(k, 509);
      }
      for (const unsigned k : {20u, 700u, 2000u}) {
        for (const unsigned length : {2001u, 2048u}) {
          play.template operator()<std::uint32_t, 64, 32>(k, length);
        }
      }
    }
  };
  for (const std::string kind : kKinds) {
    expect(kind, KeyType::u32, KeyType::u64, Order::ascending);
    expect(kind, KeyType::i32, KeyType::f64, Order::descending);
  }
  for (const Order order : {Order::ascending, Order::descending}) {
    expect("normal", KeyType::f32, KeyType::f64, order);
    expect("rectified", KeyType::f32, KeyType::f64, order);
  }
}

TEST(TopP, CountsToTheSum) {
  constexpr unsigned kRoom = 200, kRows = 7;
  std::vector<float> weights(kRows * kRoom);
  for (unsigned r = 0; r < kRows; ++r) {
    for (unsigned i = 0; i < kRoom; ++i) weights[r * kRoom + i] = r == 6 ? 0 : 1.0f / 256;
  }
  weights[5 * kRoom] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> ps{0, 1.0f / 256, 0.25f, 0.2501f, 9, 2.0f / 256, 0.5f};
  std::vector<std::uint32_t> counts(kRows, 99), ks{200, 200, 200, 200, 150, 200, 200};
  const BestWeights<float> best{.weights = weights.data(),
                                .room = kRoom,
                                .ks = ks.data(),
                                .ps = ps.data(),
                                .p = 0,
                                .counts = counts.data()};
  Block::run_in_turn(kRows, 64, [&] { count_to_sum<float, 64>(best); });
  EXPECT_EQ(counts, (std::vector<std::uint32_t>{0, 1, 64, 65, 150, 3, 200}));
}

}  // namespace
}  // namespace sortlab::gpu::topk
