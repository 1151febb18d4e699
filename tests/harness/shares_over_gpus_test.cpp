// The host's part of the sorts over several GPUs: samples, splitters, and who sends how much where.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <random>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "gpu/parts/bin_plan.hpp"
#include "gpu/parts/choose_bins.hpp"
#include "gpu/parts/exchange_plan.hpp"
#include "gpu/parts/splitters.hpp"
#include "gpu/primitives/stretch_map.hpp"

namespace sortlab::gpu::parts {
namespace {

TEST(Sample, HasEachItemOfAShortPartOnce) {
  for (const std::size_t n : {1u, 2u, 1000u}) {
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(sample_place(n, sample_size(n), i), i);
  }
}

TEST(Sample, HasOneItemOfEachStretch) {
  for (const std::size_t n : {kSampleOfPart + 1, 5 * kSampleOfPart + 77, std::size_t{1} << 33}) {
    const std::size_t count = sample_size(n);
    ASSERT_EQ(count, kSampleOfPart);
    EXPECT_EQ(stretch_begin(n, count, 0), 0u);
    EXPECT_EQ(stretch_begin(n, count, count), n);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = sample_place(n, count, i);
      ASSERT_GE(place, stretch_begin(n, count, i));
      ASSERT_LT(place, stretch_begin(n, count, i + 1));
    }
  }
}

TEST(Sample, KnowsWhereAnItemCameFrom) {
  const std::vector<std::size_t> sizes = {3, 0, kSampleOfPart + 9, 2};
  std::size_t index = 0;
  for (std::size_t part = 0; part < sizes.size(); ++part) {
    for (std::size_t i = 0; i < sample_size(sizes[part]); ++i, ++index) {
      const SampledFrom from = sampled_from(sizes, index);
      ASSERT_EQ(from.part, part) << index;
      ASSERT_EQ(from.place, sample_place(sizes[part], sample_size(sizes[part]), i));
    }
  }
}

/// The number of items in each share, of parts that hold `keys`, cut as the sorts cut them.
std::vector<std::size_t> share_sizes(const std::vector<std::vector<std::uint32_t>>& keys, Cut cut) {
  using Place = std::tuple<std::uint32_t, std::size_t, std::size_t>;
  std::vector<std::size_t> sizes;
  std::vector<Place> sample;
  for (std::size_t part = 0; part < keys.size(); ++part) {
    const std::size_t n = keys[part].size(), count = sample_size(n);
    sizes.push_back(n);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = sample_place(n, count, i);
      sample.emplace_back(keys[part][place], part, place);
    }
  }
  std::sort(sample.begin(), sample.end());
  std::vector<std::size_t> counts(cut.shares());
  for (std::size_t part = 0; part < keys.size(); ++part) {
    for (std::size_t i = 0; i < keys[part].size(); ++i) {
      std::size_t share = 0;
      for (std::size_t s = 0; s + 1 < cut.shares(); ++s) {
        const auto& [key, of, place] = sample[splitter_rank(sample.size(), cut.shares(), s)];
        const Splitter<std::uint32_t> splitter{key, of, place};
        const std::uint32_t mine = keys[part][i];
        share += key < mine || (key == mine && first_behind(splitter, part) <= i);
      }
      ++counts[share];
    }
  }
  return counts;
}

TEST(Splitters, MakeEvenSharesOfAnyKeys) {
  std::mt19937 random(1);
  for (const std::uint32_t distinct : {1u, 2u, 7u, 1u << 31}) {
    for (const std::size_t parts : {2u, 3u, 4u}) {
      std::vector<std::vector<std::uint32_t>> keys(parts);
      for (std::size_t p = 0; p < parts; ++p) {
        keys[p].resize(1000 + p % 2);
        for (auto& key : keys[p]) key = static_cast<std::uint32_t>(random()) % distinct;
      }
      std::size_t n = 0;
      for (const auto& part : keys) n += part.size();
      for (const std::size_t pieces : {1u, 4u}) {
        for (const std::size_t count : share_sizes(keys, {parts, pieces})) {
          EXPECT_LE(count, n / (parts * pieces) + 1);
        }
      }
    }
  }
}

TEST(Splitters, MakeEvenSharesOfMoreItemsThanTheSample) {
  std::mt19937 random(2);
  std::vector<std::vector<std::uint32_t>> keys(2);
  for (auto& part : keys) {
    part.resize(3 * kSampleOfPart);
    for (auto& key : part) key = random() % 20 == 0 ? static_cast<std::uint32_t>(random()) : 9;
  }
  for (const std::size_t count : share_sizes(keys, {2, 1})) {
    EXPECT_LE(count, room_for(3 * kSampleOfPart));
  }
}

TEST(ExchangePlan, LaysOutWhatEachPartGetsAndSends) {
  // Two parts with two pieces each: shares 0 and 1 are part 0's, 2 and 3 part 1's.
  const ExchangePlan plan({2, 2}, {1, 2, 3, 4,  //
                                   10, 20, 30, 40});
  EXPECT_EQ(plan.owner(1), 0u);
  EXPECT_EQ(plan.owner(2), 1u);
  EXPECT_EQ(plan.place(0, 0), 0u);
  EXPECT_EQ(plan.place(1, 0), 1u);
  EXPECT_EQ(plan.place(0, 1), 11u);
  EXPECT_EQ(plan.place(1, 1), 13u);
  EXPECT_EQ(plan.place(0, 2), 0u);
  EXPECT_EQ(plan.place(1, 3), 37u);
  EXPECT_EQ(plan.begin_of(1), 11u);
  EXPECT_EQ(plan.end_of(1), 33u);
  EXPECT_EQ(plan.received(0), 33u);
  EXPECT_EQ(plan.received(1), 77u);
  EXPECT_EQ(plan.staged_place(0, 2), 0u);
  EXPECT_EQ(plan.staged_place(0, 3), 3u);
  EXPECT_EQ(plan.staged_place(1, 0), 0u);
  EXPECT_EQ(plan.staged_place(1, 1), 10u);
  EXPECT_EQ(plan.sent(0), 7u);
  EXPECT_EQ(plan.sent(1), 30u);
}

TEST(ExchangePlan, SaysWhichPartLacksRoom) {
  const ExchangePlan plan({2, 1}, {5, 6, 7, 8});
  EXPECT_NO_THROW(plan.require_room(std::vector<std::size_t>{12, 14}));
  try {
    plan.require_room(std::vector<std::size_t>{12, 13});
    FAIL() << "no room is not seen";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "part 1 would receive 14 items, its buffers hold 13");
  }
}

/// Each part's keys of a bin get a stretch of the owner's buffer of their own, in the order of (bin, part), without gaps.
TEST(BinPlan, LaysOutBinsWithoutGaps) {
  std::mt19937 random(1);
  for (const std::size_t parts : {1u, 2u, 3u, 8u}) {
    for (const std::size_t pieces : {1u, 3u, 7u}) {
      constexpr std::size_t kBins = 64;
      std::vector<std::size_t> counts(parts * kBins);
      for (std::size_t& count : counts) count = 900 + random() % 200;
      for (std::size_t part = 0; part < parts; ++part) counts[part * kBins + 5] = 0;
      const BinPlan plan({parts, pieces}, counts, std::vector<bool>(kBins));
      EXPECT_EQ(plan.first_of(0, 0), 0u);
      EXPECT_EQ(plan.end_of(parts - 1), kBins);
      std::size_t all = 0, sent = 0, not_moved = 0;
      for (std::size_t owner = 0; owner < parts; ++owner) {
        std::size_t place = 0;
        for (std::size_t piece = 0; piece < pieces; ++piece) {
          for (std::size_t bin = plan.first_of(owner, piece); bin < plan.end_of(owner, piece);
               ++bin) {
            ASSERT_EQ(plan.owner(bin), owner);
            for (std::size_t part = 0; part < parts; ++part) {
              ASSERT_EQ(plan.place(part, owner, bin), place);
              ASSERT_EQ(plan.count(part, bin), counts[part * kBins + bin]);
              place += plan.count(part, bin);
              if (part == owner) not_moved += plan.count(part, bin);
            }
            ASSERT_LE(plan.of_bin(bin), plan.largest_bin());
          }
        }
        EXPECT_EQ(plan.received(owner), place);
        all += place;
        sent += plan.sent(owner);
      }
      EXPECT_EQ(all, std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
      EXPECT_EQ(sent + not_moved, all);
      for (std::size_t owner = 0; owner < parts; ++owner) {  // half a bin off at each end
        EXPECT_NEAR(static_cast<double>(plan.received(owner)), static_cast<double>(all / parts),
                    static_cast<double>(plan.largest_bin() + 1));
      }
    }
  }
}

/// The first piece of each part may be smaller than the others.
TEST(BinPlan, TheFirstPieceMayBeSmaller) {
  constexpr std::size_t kBins = 192;
  for (const std::size_t parts : {1u, 2u, 3u}) {
    const Cut cut{parts, 3, 16};
    EXPECT_EQ(cut.begin_of(64 * parts, 3 * parts), 64 * parts);
    for (std::size_t part = 0; part < parts; ++part) {
      EXPECT_EQ(cut.begin_of(64 * parts, 3 * part), 64 * part);
      EXPECT_EQ(cut.begin_of(64 * parts, 3 * part + 1), 64 * part + 16);
      EXPECT_EQ(cut.begin_of(64 * parts, 3 * part + 2), 64 * part + 40);
    }
    const BinPlan plan(cut, std::vector<std::size_t>(parts * kBins, 10), std::vector<bool>(kBins));
    for (std::size_t part = 0; part < parts; ++part) {
      EXPECT_EQ(plan.received(part), 10 * kBins);
      EXPECT_EQ(plan.end_of(part, 0) - plan.first_of(part, 0), kBins / parts / 4);
      EXPECT_EQ(plan.end_of(part, 2), (part + 1) * kBins / parts);
    }
  }
}

/// Parts share a bin of one value, so that they are even. Its keys are not sent.
TEST(BinPlan, PartsShareABinOfOneValue) {
  const std::vector<std::size_t> counts{10, 700, 20, 30, 800, 40};  // of two parts
  const BinPlan plan({2, 3}, counts, {false, true, false});
  EXPECT_EQ(plan.received(0), 800u);
  EXPECT_EQ(plan.received(1), 800u);
  EXPECT_EQ(plan.in(0, 1).begin, 40u);
  EXPECT_EQ(plan.in(0, 1).size(), 760u);
  EXPECT_EQ(plan.in(1, 1).begin, 0u);
  EXPECT_EQ(plan.in(1, 1).size(), 740u);
  EXPECT_EQ(plan.place(1, 0, 0), 10u);
  EXPECT_EQ(plan.place(1, 1, 2), 760u);
  EXPECT_EQ(plan.sent(0), 20u);
  EXPECT_EQ(plan.sent(1), 30u);
  EXPECT_EQ(plan.largest_bin(), 60u);
  for (std::size_t part = 0; part < 2; ++part) {  // no bin that is sent is in two pieces
    std::vector<std::size_t> bins;
    for (std::size_t piece = 0; piece < 3; ++piece) {
      for (std::size_t bin = plan.first_of(part, piece); bin < plan.end_of(part, piece); ++bin) {
        if (!plan.has_one_value(bin)) bins.push_back(bin);
      }
    }
    EXPECT_EQ(bins, std::vector<std::size_t>{part == 0 ? 0u : 2u});
  }
}

/// Every key is found in the bin that has it, and no bin of more values than one has more than 2.75 times the mean.
template <class Bits>
void expect_bins(std::vector<Bits> keys) {
  std::sort(keys.begin(), keys.end());
  std::vector<Bits> sample;
  for (std::size_t s = 0; s < 4095; ++s)
    sample.push_back(keys[splitter_rank(keys.size(), 4096, s)]);
  const auto table = choose_bins<Bits>(sample);
  ASSERT_LE(table.bins, parts::kTopBins);
  std::vector<std::size_t> counts(table.bins);
  keys.push_back(0);
  keys.push_back(static_cast<Bits>(~Bits{0}));
  for (const Bits key : keys) {
    const unsigned bin = table(key);
    ASSERT_LE(table.begins[bin], key);
    ASSERT_GE(table.last_of(bin), key);
    ++counts[bin];
  }
  for (unsigned bin = 0; bin < table.bins; ++bin) {
    if (table.begins[bin] != table.last_of(bin)) {
      ASSERT_LE(counts[bin] * parts::kTopBins * 4, keys.size() * 11);
    }
  }
}
TEST(Bins, AreEvenForUnevenKeys) {
  constexpr std::size_t kKeys = 1 << 18;
  std::mt19937_64 random(3);
  const auto expect_of = [&](auto make) {
    using Bits = decltype(make());
    std::vector<Bits> keys(kKeys);
    for (Bits& key : keys) key = make();
    expect_bins(keys);
  };
  std::uniform_real_distribution<float> unit(-1, 1);
  expect_of([&] {
    return KeyMap<std::uint32_t>::of({KeyType::f32, Order::ascending})
        .ordered(std::bit_cast<std::uint32_t>(unit(random)));
  });
  expect_of([&] { return static_cast<std::uint32_t>(random() & random() & random()); });
  expect_of([&] { return random() & random() & random(); });
  expect_of([&] { return random() >> random() % 64; });
  expect_of([&] { return static_cast<std::uint32_t>(random() % 20 == 0 ? random() : 0); });
  for (const std::uint64_t values : {1u, 2u, 16u, 300u, 20'000u}) {
    expect_of([&] { return random() % values; });
    expect_of([&] { return static_cast<std::uint32_t>(random() % values * 0x10001); });
    expect_of([&] { return ~std::uint64_t{0} - random() % values; });
  }
}

TEST(Bins, OfTheTopBitsAreEvenForEvenKeysAlone) {
  std::mt19937 random(4);
  std::vector<std::uint32_t> even, halved;
  for (std::uint32_t i = 0; i < 4095; ++i) even.push_back(i << 20 | random() >> 12);
  for (const std::uint32_t key : even) halved.push_back(key / 2);
  EXPECT_TRUE(are_top_bits_even(std::span<const std::uint32_t>(even)));
  EXPECT_FALSE(are_top_bits_even(std::span<const std::uint32_t>(halved)));
}

/// 4095 keys in their order.
template <class Make>
auto sorted_keys(Make make) {
  std::vector<decltype(make(0))> keys;
  for (std::size_t i = 0; i < 4095; ++i) keys.push_back(make(i));
  std::sort(keys.begin(), keys.end());
  return keys;
}

TEST(Bins, OfSharesAreFewUnlessValuesAreRepeated) {
  std::mt19937 random(5);
  const auto bins_of = [](const std::vector<std::uint32_t>& sample) {
    return bins_of_shares<std::uint32_t>(sample, {2, 2}, 8);
  };
  const auto uneven = sorted_keys(
      [&](std::size_t) { return static_cast<std::uint32_t>(random() >> random() % 16); });
  EXPECT_EQ(bins_of(uneven).bins, 4u);
  const auto smaller = bins_of_shares<std::uint32_t>(uneven, {2, 2, 16}, 8);
  EXPECT_EQ(smaller.begins[1], uneven[511]);
  EXPECT_EQ(smaller.begins[2], bins_of(uneven).begins[2]);
  const auto sixteen = sorted_keys([](std::size_t i) { return std::uint32_t(i % 16) << 28; });
  EXPECT_GE(bins_of(sixteen).bins, 31u);
  const auto mostly_7 = sorted_keys(
      [&](std::size_t i) { return i % 20 == 0 ? static_cast<std::uint32_t>(random()) : 7u; });
  const auto table = bins_of(mostly_7);
  EXPECT_EQ(table.begins[1], 7u);
  EXPECT_EQ(table.last_of(1), 7u);
  EXPECT_EQ(count_in_bins_of_one<std::uint32_t>(table, mostly_7), 4095u * 19 / 20);
  const auto one = sorted_keys([](std::size_t) { return ~std::uint32_t{0}; });
  EXPECT_EQ(bins_of(one).bins, 2u);
}

TEST(Bins, HaveSlotsByTheirKeys) {
  const std::vector<std::size_t> of_bins{0, 1, 1'000'000, 0, 50'000, 3};
  const auto slots = share_slots(of_bins, {1000, 2000});
  ASSERT_EQ(slots.size(), of_bins.size());
  std::size_t begin = 0;
  for (std::size_t bin = 0; bin < slots.size(); ++bin) {
    EXPECT_EQ(slots[bin].begin, begin);
    EXPECT_EQ(slots[bin].count > 0, of_bins[bin] > 0) << bin;
    begin += slots[bin].count;
  }
  EXPECT_LE(begin, 2000u);
  EXPECT_GE(begin, 1990u);
  EXPECT_GE(slots[2].count, 1000u);
  EXPECT_GE(slots[4].count, 47u + 5 * 7);
}

/// Numbers are in the order of the keys, fill most of what there is, and lead back to them.
template <class Bits>
void expect_stretches(Bits first, Bits last) {
  const auto stretch = Stretch<Bits>::of(first, last);
  const StretchMap<Bits> back(KeyMap<Bits>{}, stretch);
  std::mt19937_64 random(last);
  std::vector<Bits> keys{first, last};
  for (int i = 0; i < 1000; ++i) {
    const Bits length = static_cast<Bits>(last - first);
    keys.push_back(
        static_cast<Bits>(first + (length == ~Bits{0} ? random() : random() % (length + 1))));
  }
  std::sort(keys.begin(), keys.end());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Bits number = stretch.number(keys[i]);
    ASSERT_EQ(back.key(number), keys[i]);
    if (i > 0) {
      ASSERT_LE(stretch.number(keys[i - 1]), number);
    }
  }
  EXPECT_GE(stretch.number(last), ~Bits{0} / 2);
}
TEST(Stretch, LeadsThereAndBack) {
  expect_stretches<std::uint32_t>(0, ~0u);
  expect_stretches<std::uint32_t>(0x20000123, 0x40000000);
  expect_stretches<std::uint32_t>(7, 8);
  expect_stretches<std::uint32_t>(0xfffffff0, 0xffffffff);
  expect_stretches<std::uint64_t>(0, ~std::uint64_t{0});
  expect_stretches<std::uint64_t>(5, 0x123456789abcdef);
  expect_stretches<std::uint64_t>(std::uint64_t{1} << 63, (std::uint64_t{1} << 63) + 99);
}

}  // namespace
}  // namespace sortlab::gpu::parts
