// The keys of real programs: each distribution has the known properties of its program's keys.
#include "common/harness/input/fill.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "common/harness/input/distributions.hpp"

namespace sortlab {
namespace {

using u64 = std::uint64_t;

template <class Key>
std::vector<Key> make(std::string_view name, std::size_t n, u64 seed = 12345) {
  std::vector<Key> keys(n);
  generate(std::span<Key>(keys), parse_distribution(name), seed);
  return keys;
}

template <class Key>
Shape shape(const std::vector<Key>& keys) {
  return shape_of(std::span<const Key>(keys));
}

/// The share of the items for which `is` holds.
template <class Items, class Is>
double share(const Items& items, Is is) {
  return static_cast<double>(std::count_if(items.begin(), items.end(), is)) /
         static_cast<double>(items.size());
}

template <class Key>
double share(std::size_t part, const std::vector<Key>& keys) {
  return static_cast<double>(part) / static_cast<double>(keys.size());
}

/// How often each f(key) comes.
template <class Key, class F>
std::map<u64, std::size_t> counts(const std::vector<Key>& keys, F f) {
  std::map<u64, std::size_t> found;
  for (const Key key : keys) ++found[f(key)];
  return found;
}

std::size_t most(const std::map<u64, std::size_t>& counts) {
  std::size_t found = 0;
  for (const auto& [value, count] : counts) found = std::max(found, count);
  return found;
}

// ---- Shape ----

TEST(Shape, CountsWhatIsThere) {
  const Shape s = shape<std::uint32_t>({4, 6, 6, 2, 6, 0, 260});
  EXPECT_EQ(s.distinct, 5u);
  EXPECT_EQ(s.most_frequent, 3u);
  EXPECT_EQ(s.runs, 3u);           // 4 6 6, 2 6, 0 260
  EXPECT_EQ(s.fullest_part, 3u);   // parts are two wide: 0, 2, 4, 6 and 260
  EXPECT_EQ(s.constant_bits, 29);  // bits 1, 2 and 8 vary, and no other
}

TEST(Shape, OfFewKeys) {
  EXPECT_EQ(shape<double>({}).runs, 0u);
  EXPECT_EQ(shape<double>({}).distinct, 0u);
  const Shape one = shape<float>({-1});
  EXPECT_EQ(one.distinct, 1u);
  EXPECT_EQ(one.fullest_part, 1u);
  EXPECT_EQ(one.runs, 1u);
  EXPECT_EQ(one.constant_bits, 32);
}

TEST(Shape, OfTheWholeRange) {
  const Shape s = shape<std::int64_t>({INT64_MAX, INT64_MIN, -1, 0});
  EXPECT_EQ(s.runs, 2u);
  EXPECT_EQ(s.fullest_part, 1u);
  EXPECT_EQ(s.constant_bits, 0);
}

// ---- All of them ----

TEST(RealInputs, SayWhoSortsThem) {
  std::size_t real = 0;
  for (const auto& info : all_distributions()) {
    real += info.usage.is_real();
    EXPECT_GE(info.usage.n, std::size_t{1} << 16) << info.name;
  }
  EXPECT_EQ(real, real_inputs().size());
  EXPECT_EQ(patterns().size() + patterns_of_blocks().size() + real, all_distributions().size());
  for (const auto& info : patterns()) EXPECT_FALSE(info.usage.is_real()) << info.name;
}

/// Changed keys would make earlier results incomparable. A distribution that must change gets a new
/// name.
TEST(RealInputs, StayTheSameForASeed) {
  std::map<std::string, std::string> hashes;
  for (const auto& info : all_distributions()) {
    if (!info.usage.is_real()) continue;
    for (const KeyType type : kKeyTypes) {
      if (!info.usage.types.has(type)) continue;
      visit_key_type(type, [&](auto key) {
        u64 hash = 0;
        for (const auto k : make<decltype(key)>(info.name, 1001)) {
          hash = mix_bits(hash + to_ordered_bits(k));
        }
        hashes[fmt::format("{} {}", info.name, name_of(type))] = fmt::format("{:016x}", hash);
      });
    }
  }
  const std::map<std::string, std::string> expected = {
      {"depths f32", "ddd6c86b68103a1a"},     {"prices f64", "ac177d522b3bc0b2"},
      {"walk i32", "3248053d63018fa2"},       {"edges u64", "c1f53e0cd56f82bd"},
      {"experts u32", "a75bd616c9762d66"},    {"gaps u64", "b207072bed4d0a9c"},
      {"gradients f32", "49f9956cf35d4dc8"},  {"heavy u64", "47ca3e3f615095ee"},
      {"ipv4 u32", "d34737f1e34debbc"},       {"kmers u32", "6a4d630a901e8a79"},
      {"kmers u64", "f66be21f093334a5"},      {"logits f32", "b53895b90f0f00c1"},
      {"morton u32", "5f550c796c401d24"},     {"morton u64", "1a5f453124a62acf"},
      {"runs u64", "6a5bf6a164f82b30"},       {"sizes u64", "f23ce069b9cd299b"},
      {"splats u64", "a25cf07dd04f9435"},     {"text u64", "65a3376804682188"},
      {"timestamps i64", "9260528036facca3"},
  };
  EXPECT_EQ(hashes, expected);
}

/// 32-bit types get the upper part of an integer; floats the number; signed types the same number.
TEST(RealInputs, AreTheSameKeysInOtherTypes) {
  constexpr std::size_t kCount = 1000;
  const std::map<std::string, int> shifts = {{"splats", 32}, {"morton", 33},     {"kmers", 30},
                                             {"edges", 32},  {"timestamps", 10}, {"gaps", 16},
                                             {"text", 32},   {"ipv4", 0},        {"sizes", 0}};
  for (const auto& [name, shift] : shifts) {
    const auto wide = make<u64>(name, kCount);
    const auto narrow = make<std::uint32_t>(name, kCount);
    const auto is_signed = make<std::int64_t>(name, kCount);
    const auto real = make<double>(name, kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(narrow[i], static_cast<std::uint32_t>(wide[i] >> shift)) << name;
      ASSERT_GE(is_signed[i], 0) << name;
      ASSERT_EQ(static_cast<u64>(is_signed[i]), wide[i]) << name;
      ASSERT_EQ(real[i], static_cast<double>(wide[i])) << name;
    }
  }
  const auto number = make<float>("gradients", kCount);
  const auto integer = make<std::int64_t>("gradients", kCount);
  for (std::size_t i = 1; i < kCount; ++i) {
    ASSERT_EQ(number[i - 1] < number[i], integer[i - 1] < integer[i]) << i;
  }
}

// ---- Graphics ----

TEST(RealInputs, SplatsAreTilesAndDepthsOfClusters) {
  const auto keys = make<u64>("splats", 120'000);
  std::size_t same_depth = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_LT(keys[i] >> 32, 120u * 68);
    const float depth = std::bit_cast<float>(static_cast<std::uint32_t>(keys[i]));
    ASSERT_GT(depth, 0.5f);
    ASSERT_LT(depth, 100.0f);
    same_depth +=
        i > 0 && static_cast<std::uint32_t>(keys[i - 1]) == static_cast<std::uint32_t>(keys[i]);
  }
  EXPECT_NEAR(share(same_depth, keys), 0.6875, 0.01) << "3.2 tiles a splat";
  EXPECT_GT(share(shape(keys).distinct, keys), 0.999) << "a splat touches a tile once";
  auto tiles = counts(keys, [](u64 key) { return key >> 32; });
  EXPECT_GT(most(tiles), 10 * keys.size() / (120 * 68)) << "objects crowd";
  EXPECT_GT(tiles.size(), 120u * 68 * 8 / 10) << "the background is everywhere";
}

TEST(RealInputs, DepthsAreOfPlanesAndTheSky) {
  constexpr std::size_t kColumns = 1920, kRows = 540;
  const auto keys = make<float>("depths", kColumns * kRows);
  for (const float key : keys) {
    ASSERT_GT(key, 0.9f) << "nothing is nearer than a meter";
    ASSERT_LE(key, 1);
  }
  const double sky = share(keys, [](float key) { return key == 1; });
  EXPECT_GT(sky, 0.05);
  EXPECT_LT(sky, 0.41) << "the horizon is at 0.4 of the height";
  std::size_t equal = 0, on_a_plane = 0;
  for (std::size_t i = kColumns; i + kColumns < keys.size(); ++i) {
    equal += keys[i] == keys[i - 1];
    const float above = keys[i] - keys[i - kColumns], below = keys[i + kColumns] - keys[i];
    on_a_plane += std::abs(above - below) < 0x1p-18f;
  }
  EXPECT_GT(share(equal, keys), sky + 0.05) << "and planes that face the camera";
  EXPECT_GT(share(on_a_plane, keys), 0.7) << "depth is linear over the screen";
  EXPECT_GT(shape(keys).distinct, 2000u) << "tilted and rough objects";
}

TEST(RealInputs, MortonCodesShareHighBitsWithTheirNeighbours) {
  const auto keys = make<u64>("morton", 1 << 16);
  std::size_t near = 0;
  for (std::size_t i = 1; i < keys.size(); ++i) near += (keys[i - 1] ^ keys[i]) >> 51 == 0;
  EXPECT_GT(share(near, keys), 0.5) << "12 bits: cells of a sixteenth of each axis";
  EXPECT_LT(counts(keys, [](u64 key) { return key >> 51; }).size(), 1024u) << "of 4096 cells";
  EXPECT_EQ(shape(keys).constant_bits, 1);
  EXPECT_EQ(shape(make<std::uint32_t>("morton", 1 << 16)).constant_bits, 2);
}

/// Bits 3 k + axis of a code, as a number.
std::int64_t place_on(u64 axis, u64 code) {
  std::int64_t place = 0;
  for (u64 bit = 0; bit < 21; ++bit) {
    place |= static_cast<std::int64_t>(code >> (3 * bit + axis) & 1) << bit;
  }
  return place;
}

TEST(RealInputs, MortonCodesHoldEachAxisInEveryThirdBit) {
  constexpr std::int64_t kSide = 1 << 21, kPatch = 1 << 18;  // of the scene; 12 deviations
  const auto keys = make<u64>("morton", 1 << 14);
  std::size_t jumps = 0;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    bool far = false;
    for (u64 axis = 0; axis < 3; ++axis) {
      const auto distance = std::abs(place_on(axis, keys[i]) - place_on(axis, keys[i - 1]));
      far |= std::min(distance, kSide - distance) > kPatch;
    }
    jumps += far;
  }
  EXPECT_LE(jumps, 255u) << "from a patch to the next alone";
  EXPECT_GT(jumps, 20u);
}

// ---- Machine learning ----

TEST(RealInputs, ExpertsAreFewAndUnevenlyLoaded) {
  const auto keys = make<std::uint32_t>("experts", 1 << 18);
  const auto loads = counts(keys, [](std::uint32_t key) { return key; });
  EXPECT_EQ(loads.size(), 64u);
  EXPECT_LT(loads.rbegin()->first, 64u);
  EXPECT_NEAR(share(most(loads), keys), (1 + std::log(64)) / 64, 0.003);
}

TEST(RealInputs, GradientsAreZeroOrLogNormal) {
  const auto keys = make<float>("gradients", 1 << 18);
  EXPECT_NEAR(share(keys, [](float g) { return to_ordered_bits(g) == to_ordered_bits(0.0f); }), 0.3,
              0.005);
  EXPECT_NEAR(share(keys, [](float g) { return g < 0; }), 0.35, 0.005);
  double sum = 0, squares = 0, nonzero = 0;
  for (const float g : keys) {
    ASSERT_TRUE(g == 0 ? !std::signbit(g) : std::isnormal(g)) << g;
    if (g == 0) continue;
    const double octave = std::log2(std::abs(g));
    sum += octave, squares += octave * octave, ++nonzero;
  }
  EXPECT_NEAR(sum / nonzero, -10, 0.1);
  EXPECT_NEAR(std::sqrt(squares / nonzero - sum / nonzero * sum / nonzero), 2.25, 0.05);
}

TEST(RealInputs, LogitsAreABellWithATail) {
  const auto keys = make<float>("logits", 1 << 17);
  EXPECT_NEAR(share(keys, [](float x) { return x < -2; }), 0.5, 0.01);
  EXPECT_NEAR(share(keys, [](float x) { return x < -4.5f; }), 0.159, 0.01) << "one deviation below";
  const double high = share(keys, [](float x) { return x > 8; });  // four deviations above
  EXPECT_GT(high, 0.0003);
  EXPECT_LT(high, 0.002);
  EXPECT_EQ(share(keys, [](float x) { return x < -17; }), 0);
}

// ---- Databases, logs and files ----

TEST(RealInputs, TimestampsAscendButForDelays) {
  constexpr std::int64_t kStart = 1'700'000'000'000'000'000;
  const auto keys = make<std::int64_t>("timestamps", 1 << 18);
  std::vector<std::int64_t> delays;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    delays.push_back(kStart + 1000 * static_cast<std::int64_t>(i) - keys[i]);
  }
  EXPECT_GE(*std::min_element(delays.begin(), delays.end()), 0);
  EXPECT_GT(share(delays, [](std::int64_t d) { return d < 8192; }), 0.8) << "eight events late";
  EXPECT_NEAR(share(delays, [](std::int64_t d) { return d > 1'000'000; }), 0.0014, 0.0003);
  EXPECT_GT(*std::max_element(delays.begin(), delays.end()), 30'000'000) << "some by far";
}

TEST(RealInputs, GapsAreNarrowButForFew) {
  auto keys = make<u64>("gaps", 1 << 18);
  EXPECT_NEAR(share(keys, [](u64 key) { return key >> 48 != 0; }), 1.0 / 65536, 1.0 / 65536);
  std::sort(keys.begin(), keys.end());
  EXPECT_GE(keys.back() >> 60, 1u) << "outliers lie far off";
  std::erase_if(keys, [](u64 key) { return key >> 48 != 0; });
  std::vector<u64> gaps;
  for (std::size_t i = 1; i < keys.size(); ++i) gaps.push_back(keys[i] - keys[i - 1]);
  std::sort(gaps.begin(), gaps.end());
  const u64 mean = (keys.back() - keys.front()) / gaps.size();
  EXPECT_LT(gaps[gaps.size() / 2], mean / 8) << "half of them are narrow";
  EXPECT_GT(gaps.back(), 1000 * mean);
}

TEST(RealInputs, TextIsLowerCaseWords) {
  const auto keys = make<u64>("text", 1 << 18);
  std::map<int, std::size_t> letters;
  for (const u64 key : keys) {
    for (int shift = 0; shift < 64; shift += 8) ++letters[static_cast<int>(key >> shift & 0xff)];
  }
  EXPECT_EQ(letters.size(), 19u) << "the letters of English, less the rare ones, and the space";
  EXPECT_EQ(letters.begin()->first, ' ');
  EXPECT_GT(letters['e'], letters['t']);
  EXPECT_GT(letters['t'], letters['w']);
  const Shape s = shape(keys);
  EXPECT_LT(share(s.distinct, keys), 0.5) << "words repeat";
  EXPECT_GT(s.constant_bits, 8);
  EXPECT_NE(keys.front() >> 56, u64{' '}) << "a word begins";
}

TEST(RealInputs, HeavyHasSixteenValuesInHalfOfTheKeys) {
  const auto keys = make<u64>("heavy", 1 << 18);
  auto values = counts(keys, [](u64 key) { return key; });
  EXPECT_NEAR(share(most(values), keys), 0.25, 0.005);
  std::erase_if(values, [](const auto& value) { return value.second == 1; });
  EXPECT_GE(values.size(), 14u);
  EXPECT_LE(values.size(), 16u);
  std::size_t in_all = 0;
  for (const auto& [value, count] : values) in_all += count;
  EXPECT_NEAR(share(in_all, keys), 0.5, 0.005);
}

TEST(RealInputs, RunsAreAHundredAndAllDiffer) {
  for (const std::size_t n : {100'000, 123'457}) {
    const Shape s = shape(make<u64>("runs", n));
    EXPECT_EQ(s.runs, 100u);
    EXPECT_EQ(s.distinct, n);
    EXPECT_LT(s.fullest_part, n / 200) << "each run spans the range";
  }
}

TEST(RealInputs, AddressesCrowdInPrefixes) {
  const auto keys = make<std::uint32_t>("ipv4", 1 << 18);
  EXPECT_EQ(share(keys, [](std::uint32_t key) { return key >> 24 >= 224; }), 0) << "no multicast";
  const auto prefixes = counts(keys, [](std::uint32_t key) { return key >> 16; });
  EXPECT_NEAR(share(most(prefixes), keys), 1.0 / 14, 0.01) << "Zipf's first of 14 octaves";
  EXPECT_GT(prefixes.size(), 8000u);
  const double most_of_one = share(shape(keys).most_frequent, keys);
  EXPECT_NEAR(most_of_one, 1.0 / 14 / 16, 0.001) << "the first host of the first prefix";
}

TEST(RealInputs, SizesAreLogNormal) {
  const auto keys = make<u64>("sizes", 1 << 18);
  EXPECT_NEAR(share(keys, [](u64 size) { return size == 0; }), 1.0 / 64, 0.002);
  EXPECT_NEAR(share(keys, [](u64 size) { return size < 4096; }), 0.508, 0.01);
  EXPECT_NEAR(share(keys, [](u64 size) { return size < u64{4096} << 7; }), 0.98, 0.005);
  EXPECT_GT(*std::max_element(keys.begin(), keys.end()), u64{1} << 24);
}

TEST(RealInputs, PricesHaveTwoDecimals) {
  const auto keys = make<double>("prices", 1 << 18);
  const auto cents = make<u64>("prices", 1 << 18);
  const auto narrow = make<float>("prices", 1 << 18);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(keys[i], static_cast<double>(cents[i]) / 100) << "the nearest double";
    ASSERT_EQ(narrow[i], static_cast<float>(keys[i]));
  }
  EXPECT_NEAR(share(cents, [](u64 key) { return key % 10 == 9; }), 0.7, 0.01);
  EXPECT_NEAR(share(cents, [](u64 key) { return key < 1500; }), 0.5, 0.02);
  EXPECT_NEAR(share(cents, [](u64 key) { return key < 1500 * 16; }), 0.975, 0.01)
      << "two deviations";
  EXPECT_LT(share(shape(keys).distinct, keys), 0.2);
  EXPECT_LT(shape(keys).constant_bits, 9) << "those of sign and exponent alone";
}

/// Bits of the range of a walk over n keys.
int bits_of_walk(std::size_t n) {
  const auto keys = make<std::int32_t>("walk", n);
  const auto [least, most] = std::minmax_element(keys.begin(), keys.end());
  EXPECT_LT(*least, 0);
  EXPECT_GT(*most, 0);
  return static_cast<int>(std::bit_width(static_cast<u64>(*most - *least)));
}

TEST(RealInputs, AWalkGoesInSmallStepsAroundZero) {
  const auto keys = make<std::int32_t>("walk", 1 << 18);
  const auto place = make<std::uint32_t>("walk", keys.size());
  const auto number = make<double>("walk", keys.size());
  EXPECT_EQ(keys[0], 0);
  double squares = 0;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    ASSERT_EQ(place[i], to_ordered_bits(keys[i])) << "a smaller number comes first";
    ASSERT_EQ(number[i], keys[i]);
    const double step = number[i] - number[i - 1];
    ASSERT_LT(std::abs(step), 136) << i;
    squares += step * step;
  }
  EXPECT_NEAR(std::sqrt(squares / number.size()), 32, 1);
  EXPECT_NEAR(bits_of_walk(1 << 14), 13, 1) << "1.6 times the deviation, 32 times 2^7";
  EXPECT_NEAR(bits_of_walk(1 << 20), 16, 1) << "the root of n";
}

/// The root mean square of the last keys of walks over n keys.
double end_of_walks(std::size_t n) {
  constexpr u64 kSeeds = 400;
  double squares = 0;
  for (u64 seed = 1; seed <= kSeeds; ++seed) {
    double end = 0;
    generate_slice(std::span(&end, 1), {n - 1, 1, n}, parse_distribution("walk"), seed);
    squares += end * end;
  }
  return std::sqrt(squares / kSeeds);
}

TEST(RealInputs, AWalkGrowsByTheRootOfNToAnyN) {
  const double expected = end_of_walks(1 << 14) / (1 << 7);
  for (const int bits : {24, 31, 32, 33, 34, 36}) {
    EXPECT_NEAR(end_of_walks(std::size_t{1} << bits) / std::exp2(bits / 2.0) / expected, 1, 0.2)
        << bits;
  }
}

// ---- Sciences ----

u64 reverse_complement(u64 kmer) {
  u64 result = 0;
  for (int base = 0; base < 31; ++base, kmer >>= 2) result = result << 2 | (3 - (kmer & 3));
  return result;
}

TEST(RealInputs, KmersAreWindowsThatOverlap) {
  constexpr u64 kLast30 = (u64{1} << 60) - 1;
  const auto keys = make<u64>("kmers", 1 << 17);
  std::size_t overlap = 0;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    const u64 other = reverse_complement(keys[i]);
    ASSERT_LE(keys[i], other) << "the smaller one is kept";
    bool found = false;
    for (const u64 before : {keys[i - 1], reverse_complement(keys[i - 1])}) {
      for (const u64 after : {keys[i], other}) found |= (before & kLast30) == after >> 2;
    }
    overlap += found;
  }
  // Neither has an error, or else it is in the base that the other lacks.
  EXPECT_NEAR(share(overlap, keys), 0.77, 0.02);
}

TEST(RealInputs, KmersRepeat) {
  const auto keys = make<u64>("kmers", 1 << 20);
  const Shape s = shape(keys);
  EXPECT_NEAR(share(s.distinct, keys), 0.17, 0.02) << "errors make an eighth of the keys";
  EXPECT_GT(s.most_frequent, 1000u) << "repeated patterns";
}

TEST(RealInputs, EdgesAreOfAPowerLawGraph) {
  constexpr std::size_t kVertices = 1 << 14;
  const auto keys = make<u64>("edges", 16 * kVertices);
  for (const auto shift : {32, 0}) {
    const auto degrees = counts(keys, [&](u64 key) { return key >> shift & 0xffffffff; });
    EXPECT_LT(degrees.rbegin()->first, kVertices);
    EXPECT_GT(most(degrees), 16u * 40) << "of a mean degree of 16";
    EXPECT_LT(degrees.size(), kVertices * 8 / 10) << "many vertices have no edge";
  }
  const double upper_left = share(keys, [](u64 key) { return (key & 0x200000002000) == 0; });
  EXPECT_NEAR(upper_left, 0.57, 0.01);
}

}  // namespace
}  // namespace sortlab
