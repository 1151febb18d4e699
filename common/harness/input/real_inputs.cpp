// The formulas, then the table that names them.
//
// Each models the keys of one program or data set, and how they arise. They use integer arithmetic
// alone, so that no mathematics library can change a key.
#include "common/harness/input/fill.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <string_view>
#include <type_traits>

#include "common/utils.hpp"

namespace sortlab {
namespace {
namespace real {

using formulas::floats;
using formulas::integers;
using formulas::range;
using formulas::row;
using formulas::typed;
using formulas::u64;
using i64 = std::int64_t;

// ---- Common parts of several formulas ----

constexpr i64 kOne = 1 << 16;  // numbers with a fraction have 16 bits behind the point

/// Item i's number from a normal distribution with mean 0 and deviation 1, with 16 bits behind the
/// point: a sum of 12 uniform numbers, so never beyond 6. Uses streams `stream` to `stream` + 2.
i64 normal(u64 seed, u64 stream, u64 i) {
  i64 sum = -6 * kOne;
  for (u64 s = stream; s < stream + 3; ++s) {
    const u64 word = random_word(seed, s, i);
    sum += static_cast<i64>((word & 0xffff) + (word >> 16 & 0xffff) + (word >> 32 & 0xffff) +
                            (word >> 48));
  }
  return sum;
}

/// About 2^(exponent / kOne), rounded down; linear between two powers of two. 0 <= exponent < 47 kOne.
u64 power_of_two(i64 exponent) {
  const i64 whole = exponent / kOne, fraction = exponent % kOne;
  return (u64{1} << whole) + ((static_cast<u64>(fraction) << whole) >> 16);
}

/// A rank from 1 to 2^octaves - 1, each with a probability of about 1 / rank: Zipf's law.
u64 zipf_rank(u64 word, u64 octaves) {
  const u64 octave = scale_below(word, octaves);
  return (u64{1} << octave) + (mix_bits(word) & ((u64{1} << octave) - 1));
}

// ---- Graphics ----

/// 3D Gaussian splatting sorts tile << 32 | depth of each pair of a splat and a 16 x 16 tile that it
/// touches; a positive float's bits keep its order. Splats crowd where objects are, and the pairs of
/// a splat stand one after another. Kerbl, Kopanas, Leimkühler, Drettakis, "3D Gaussian Splatting
/// for Real-Time Radiance Field Rendering", ACM Transactions on Graphics 2023. Here: 1920 x 1080
/// pixels; 31 objects hold 7 of 8 splats by Zipf's law, the background the others.
u64 splats(u64 i, u64, u64 seed) {
  constexpr u64 kColumns = 120, kRows = 68;
  struct Box {
    u64 width, height;
  };
  // The splats of 12 keys in a row have one size, so that key i finds its splat by a division.
  constexpr u64 kGroup = 12;
  constexpr std::array<Box, 8> kBoxes = {
      {{1, 1}, {2, 1}, {2, 2}, {2, 2}, {3, 2}, {3, 2}, {4, 3}, {4, 3}}};
  const Box box = kBoxes[random_word(seed, 0, i / kGroup) % kBoxes.size()];
  const u64 part = i % kGroup % (box.width * box.height);
  const u64 splat = i - part;

  const u64 word = random_word(seed, 1, splat);
  const bool background = word % 8 == 0;
  const u64 center = random_word(seed, 2, zipf_rank(word, 5));
  u64 x = word >> 16 & 0xffff, y = word >> 32 & 0xffff;  // of the screen's width and height
  u64 depth = u64{33 + (word >> 58)} << 24 | (word >> 24 & 0xffffff);  // 24 bits behind the point
  if (!background) {
    x = (center + static_cast<u64>(normal(seed, 3, splat) >> 5)) & 0xffff;
    y = ((center >> 16) + static_cast<u64>(normal(seed, 6, splat) >> 5)) & 0xffff;
    const i64 offset = (normal(seed, 9, splat) << 5) + static_cast<i64>(word >> 56);
    depth = ((center >> 32 & 31) << 24) + (u64{3} << 23) + static_cast<u64>(offset);
  }
  const u64 column = (x * (kColumns - box.width + 1) >> 16) + part % box.width;
  const u64 line = (y * (kRows - box.height + 1) >> 16) + part / box.width;
  const float distance = static_cast<float>(depth) * 0x1p-24f;
  return (line * kColumns + column) << 32 | std::bit_cast<std::uint32_t>(distance);
}

/// Moves bit b of a 21-bit number to bit 3 b.
u64 spread_by_three(u64 x) {
  x = (x | x << 32) & 0x1f00000000ffff;
  x = (x | x << 16) & 0x1f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  return (x | x << 2) & 0x1249249249249249;
}

/// Builders of a bounding volume hierarchy (LBVH) sort triangles by the Morton code of their centers:
/// 30 bits in a u32, 63 in a u64. The triangles of a mesh stand patch by patch in memory, and fill
/// little of the scene's box. Lauterbach et al., "Fast BVH Construction on GPUs", Eurographics 2009;
/// Karras, "Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees", HPG 2012.
/// Here: 32 objects of 8 patches.
u64 morton(u64 i, u64 n, u64 seed) {
  const u64 patch = 256 * i / n;
  u64 code = 0;
  for (u64 axis = 0; axis < 3; ++axis) {
    const u64 object = random_word(seed, axis, patch / 8) >> 43;
    const u64 offset = random_word(seed, 3 + axis, patch) >> 47;
    const i64 wobble = normal(seed, 6 + 3 * axis, i) >> 2;
    const u64 place = (object + offset + static_cast<u64>(wobble)) & 0x1fffff;
    code |= spread_by_three(place) << axis;
  }
  return code;
}

/// Shadow maps are split at quantiles of a frame's depths. On a plane, depth is linear over the
/// screen: planes that face the camera have one depth, and the sky has 1. Lauritzen, Salvi, Lefohn,
/// "Sample Distribution Shadow Maps", I3D 2011. Here: 1 - near / distance in 24 bits, with a floor
/// and 24 objects at 4 to 67 m; half of them face the camera, a quarter are tilted, a quarter rough.
float depths(u64 i, u64 n, u64 seed) {
  constexpr i64 kNear = (1 << 24) / 10;  // 10 cm; all below are 24 bits behind the point
  constexpr i64 kHorizon = 26214;        // 0.4 of the screen
  constexpr i64 kFloor = 17;             // nearness of the floor by its place on the screen
  const u64 columns = std::clamp(n / 256, u64{1}, u64{1920});
  const i64 x =
      static_cast<i64>(i % columns * 65536 / columns);  // of the screen's width and height
  const i64 y = static_cast<i64>(i / columns * 65536 / ceil_div(n, columns));
  i64 nearness = std::max(i64{0}, (y - kHorizon + x / 64) * kFloor);
  for (u64 object = 0; object < 24; ++object) {
    const u64 word = random_word(seed, 0, object);
    const i64 distance = 4 + static_cast<i64>(word >> 58);
    const i64 center = static_cast<i64>(word & 0xffff), half = 36000 / distance;
    const i64 bottom = kHorizon + kNear / distance / kFloor;
    const i64 height = half * (1 + static_cast<i64>(word >> 16 & 3));
    if (std::abs(x - center) > half || y > bottom || y < bottom - height) continue;
    i64 here = kNear / distance;
    if (object % 4 == 1) here += here * (x - center) / (4 * half);
    if (object % 4 == 3) here += static_cast<i64>(random_word(seed, 1, i) >> 52);
    nearness = std::max(nearness, here);
  }
  return static_cast<float>((1 << 24) - nearness) * 0x1p-24f;
}

// ---- Machine learning ----

/// A mixture of experts groups tokens by the expert that they are sent to: few distinct small keys,
/// unevenly loaded. Gale, Narayanan, Young, Zaharia, "MegaBlocks: Efficient Sparse Training with
/// Mixture-of-Experts", MLSys 2023. Here: 64 experts; the most popular one gets 8 % of the tokens.
u64 experts(u64 i, u64, u64 seed) {
  constexpr u64 kExperts = 64;
  const u64 u = random_word(seed, 0, i) >> 32, v = random_word(seed, 1, i) >> 32;
  const u64 rank = scale_below(u * v, kExperts);
  return (rank * 37 + random_word(seed, 2, 0)) % kExperts;
}

/// Gradients that are to be compressed are sorted by size: both signs, magnitudes close to a
/// log-normal distribution, many exact zeros behind a ReLU. Chmiel et al., "Neural Gradients Are
/// Near-Lognormal: Improved Quantized and Sparse Training", ICLR 2021. Here: 30 % zeros; the median
/// magnitude is 2^-10, the deviation of its logarithm 2.25 octaves (a float's bits, read as an
/// integer, are its logarithm but for a small curve).
float gradients(u64 i, u64, u64 seed) {
  const u64 word = random_word(seed, 0, i);
  if (scale_below(word, 10) < 3) return 0;
  constexpr i64 kMedian = i64{127 - 10} << 23;
  const i64 magnitude = kMedian + normal(seed, 1, i) * 288 + static_cast<i64>(word & 0xff);
  const u64 sign = word >> 8 & 1;
  return std::bit_cast<float>(static_cast<std::uint32_t>(sign << 31 | static_cast<u64>(magnitude)));
}

/// Top-p sampling sorts the scores that a language model gives to the tokens of its vocabulary: a
/// bell with a tail of a few high ones. Holtzman et al., "The Curious Case of Neural Text
/// Degeneration", ICLR 2020. Here: mean -2, deviation 2.5; 1 of 512 is up to 16 higher.
float logits(u64 i, u64, u64 seed) {
  const u64 word = random_word(seed, 0, i);
  i64 score = (normal(seed, 1, i) * 5 - 4 * kOne) * 32 + static_cast<i64>(word & 63);  // 2^-22
  if (word >> 55 == 0) score += static_cast<i64>(random_word(seed, 4, i) >> 38);
  return static_cast<float>(score) * 0x1p-22f;
}

// ---- Databases, logs and files ----

/// Events by the time in nanoseconds at which they happened, in the order in which they arrive:
/// ascending but for delays, most of a few microseconds, a few of a second. Chandramouli, Goldstein,
/// Li, "Impatience Is a Virtue: Revisiting Disorder in High-Performance Log Analytics", ICDE 2018.
/// Here: an event each microsecond; a delay's length halves its probability, from 4 us to 4 s.
u64 timestamps(u64 i, u64, u64 seed) {
  constexpr u64 kStart = 1'700'000'000'000'000'000;  // November 2023
  const int doublings = std::min(20, std::countl_zero(random_word(seed, 0, i)));
  const u64 delay = scale_below(random_word(seed, 1, i), u64{1} << (12 + doublings));
  return kStart + 1000 * i - delay;
}

/// Keys of an index that is built in bulk (popularity of books, places, users): dense and sparse
/// regions inside of each other at several scales, so many near keys, and a few that are far from all
/// others. Marcus et al., "Benchmarking Learned Indexes", PVLDB 2020 (SOSD). Here: 16 regions of 16
/// regions of 16, each narrower than the one around it by 2 to 2^8 times; 1 of 65536 keys is far.
u64 gaps(u64 i, u64, u64 seed) {
  const u64 word = random_word(seed, 0, i);
  if (word % 65536 == 0) return random_word(seed, 1, i) >> 1;
  u64 begin = 0, width = u64{1} << 48;
  for (u64 level = 0; level < 3; ++level) {
    const u64 place = random_word(seed, 2 + level, word >> (60 - 4 * level));
    const u64 inner = width >> (1 + place % 8);
    begin += scale_below(place, width - inner);
    width = inner;
  }
  return begin + scale_below(mix_bits(word), width);
}

/// Databases sort text by a prefix that fits a word: lower-case words and spaces, so the upper bits
/// of each byte say little, and frequent words repeat. (In entropy1 to 5 all bits are independent.)
/// Kuiper, Mühleisen, "These Rows Are Made for Sorting and That's Just What We'll Do", ICDE 2023.
/// Here: 32767 words by Zipf's law, their letters by their frequency in English.
u64 text(u64 i, u64, u64 seed) {
  constexpr std::string_view kLetters = "eeeetttaaaooiinnsshhrrddlucmfwgy";
  u64 key = 0;
  int room = 8;
  for (u64 place = 0; room > 0; ++place) {
    const u64 rank = zipf_rank(random_word(seed, place, i), 15);
    u64 letters = mix_bits(rank);
    const int length = 1 + (std::bit_width(rank) + 1) / 2;
    for (int k = 0; k < length && room > 0; ++k, --room, letters >>= 5) {
      key = key << 8 | static_cast<u64>(kLetters[letters % 32]);
    }
    if (room-- > 0) key = key << 8 | ' ';
  }
  return key;
}

/// Joins and groupings meet a few values very often (a null, the largest customers) among values
/// that are rare. Dong, Dhulipala, Gu, Sun, "Parallel Integer Sort: Theory and Practice", PPoPP 2024.
/// Here: half of the keys are one of 16 values, each half as frequent as the one before.
u64 heavy(u64 i, u64, u64 seed) {
  const u64 word = random_word(seed, 0, i);
  if (word % 2 == 0) return random_word(seed, 1, i);
  const int rank = std::min(15, std::countl_zero(word));
  return random_word(seed, 2, static_cast<u64>(rank));
}

/// A log-structured merge tree (LSM) or an external sort concatenates already sorted data:
/// ascending runs that overlap. Unlike in sawtooth, no two runs have the same keys. O'Neil, Cheng,
/// Gawlick, O'Neil, "The Log-Structured Merge-Tree", Acta Informatica 1996. Here: 100 runs.
u64 runs(u64 i, u64 n, u64 seed) {
  const u64 length = ceil_div(n, u64{100});
  const u64 step = ~u64{0} / length;
  return i % length * step + scale_below(random_word(seed, 0, i), step);
}

/// Flow collectors sort packets by address: hosts crowd in prefixes, prefixes in larger ones, and few
/// of them have most of the traffic. Kohler, Li, Paxson, Shenker, "Observed Structure of Addresses in
/// IP Traffic", IMC 2002. Here: 16383 prefixes of 16 bits and the hosts in each by Zipf's law.
u64 ipv4(u64 i, u64, u64 seed) {
  const u64 prefix_rank = zipf_rank(random_word(seed, 0, i), 14);
  const u64 host_rank = zipf_rank(random_word(seed, 1, i), 16);
  const u64 prefix = scale_below(random_word(seed, 2, prefix_rank), 224 << 8);   // no multicast
  const u64 host = (random_word(seed, 3, prefix) + host_rank * 40503) & 0xffff;  // an odd factor
  return prefix << 16 | host;
}

/// Backup and cache programs sort files by size: close to a log-normal distribution, a few empty.
/// Douceur, Bolosky, "A Large-Scale Study of File-System Contents", SIGMETRICS 1999. Here: the median
/// is 4 KiB, the deviation of the logarithm 3.4 octaves, 1 of 64 files is empty.
u64 sizes(u64 i, u64, u64 seed) {
  const u64 word = random_word(seed, 0, i);
  if (word >> 58 == 0) return 0;
  const i64 exponent = 12 * kOne + normal(seed, 1, i) * 34 / 10;
  const u64 size = power_of_two(std::max(i64{0}, exponent));
  return size + scale_below(mix_bits(word), std::bit_floor(size) >> 16);
}

/// Databases sort the prices of goods for medians and ranges: decimal fractions that a double only
/// comes close to, so all bits of its mantissa vary, although few prices exist. Two of three end in a
/// nine. Levy, Lee, Chen, Kauffman, Bergen, "Price Points and Price Rigidity", Review of Economics and
/// Statistics 2011. Here: log-normal, a median of about 15 and a deviation of 2 octaves. Integers hold
/// cents.
struct Prices {
  template <class Key>
  static Key key(u64 i, u64, u64 seed) {
    const u64 word = random_word(seed, 0, i);
    u64 cents = 1 + power_of_two(std::max(i64{0}, 21 * kOne / 2 + 2 * normal(seed, 1, i)));
    if (word % 3 != 0) cents = cents / 10 * 10 + 9;
    if constexpr (std::is_floating_point_v<Key>) {
      return static_cast<Key>(static_cast<double>(cents) / 100);
    } else {
      return static_cast<Key>(cents);
    }
  }
};

/// Monitors sort a series of readings for its quantiles: a random walk, whose neighbours lie close
/// together, of both signs, with a range that grows with the root of n. Agrawal, Faloutsos, Swami,
/// "Efficient Similarity Search in Sequence Databases", FODO 1993. Here: steps of about 32, made by
/// midpoint displacement (Lévy 1948), so that key i needs no sum over the keys before it: each level
/// of spans of 2^k adds a tent that is highest in the middle of a span.
struct Walk {
  static i64 height(u64 i, u64 n, u64 seed) {
    const u64 levels = std::bit_width(n);
    i64 sum = 0;
    for (u64 k = 1; k <= levels; ++k) {
      const i64 span = i64{1} << k, place = static_cast<i64>(i) & (span - 1);
      const i64 tent = std::min(place, span - place);
      // 32 sqrt(span) / 2, times sqrt(3) as a uniform number has a deviation of 1 / sqrt(3).
      const i64 widest = i64{k % 2 == 0 ? 28378 : 40132} << k / 2 >> 2;
      const i64 random = static_cast<i64>(random_word(seed, k, i >> k) >> 40) - (1 << 23);
      sum += widest * random / (1 << 23) * (tent << 20 >> (k - 1)) / (1 << 20);
    }
    return sum / 256;
  }

  /// Floats and signed types hold the number, unsigned ones its place in their order.
  template <class Key>
  static Key key(u64 i, u64 n, u64 seed) {
    const i64 number = height(i, n, seed);
    if constexpr (std::is_unsigned_v<Key>) {
      return to_ordered_bits(static_cast<std::make_signed_t<Key>>(number));
    } else {
      return static_cast<Key>(number);
    }
  }
};

// ---- Sciences ----

/// 32 bases of a genome, 2 bits each, from base 32 * block on. Of 64 stretches of 512 bases, 31 are
/// copies of one of 64 mobile elements, and one repeats a pattern of two bases.
u64 bases(u64 block, u64 seed) {
  const u64 stretch = random_word(seed, 0, block / 16);
  const u64 kind = stretch % 64;
  if (kind == 63) return (stretch >> 6 & 15) * 0x1111111111111111;
  return random_word(seed, 1, kind < 32 ? block : ~(stretch >> 58 << 4 | block % 16));
}

/// Counters of k-mers sort all windows of k bases of all reads, each as the smaller of itself and its
/// reverse complement: neighbours share k - 1 bases, a window comes once for each read that covers
/// it, repeats of the genome come more often, errors of the sequencer once. Kokot, Długosz,
/// Deorowicz, "KMC 3: counting and manipulating k-mer statistics", Bioinformatics 2017. Here: 31-mers
/// (their first 16 bases in 32 bits), 120 of each read, 16-fold coverage, one error in 8 windows.
u64 kmers(u64 i, u64 n, u64 seed) {
  const u64 position =
      scale_below(random_word(seed, 2, i / 120), std::max(u64{1024}, n / 16)) + i % 120;
  const u64 skipped = 2 * (position % 32);
  const u64 first = bases(position / 32, seed) << skipped;
  const u64 second = bases(position / 32 + 1, seed) >> 1 >> (63 - skipped);
  u64 kmer = (first | second) >> 2;
  const u64 error = random_word(seed, 3, i);
  if (error % 8 == 0) kmer ^= (1 + (error >> 3) % 3) << 2 * scale_below(error, 31);

  u64 complement = ~kmer;  // A, C, G, T are 0 to 3; then the bases in reverse
  complement = (complement >> 2 & 0x3333333333333333) | (complement & 0x3333333333333333) << 2;
  complement = (complement >> 4 & 0x0f0f0f0f0f0f0f0f) | (complement & 0x0f0f0f0f0f0f0f0f) << 4;
  complement = __builtin_bswap64(complement) >> 2;
  return std::min(kmer, complement);
}

/// Programs for graphs and sparse matrices sort edges by row << 32 | column, to merge duplicates
/// and to build compressed rows. Few vertices have most of the edges. Chakrabarti, Zhan, Faloutsos,
/// "R-MAT: A Recursive Model for Graph Mining", SDM 2004; Graph500's 16 edges per vertex and its
/// shares of the quadrants (57, 19, 19 and 5 %), without its renaming of the vertices.
u64 edges(u64 i, u64 n, u64 seed) {
  const u64 levels = std::bit_width(n / 16 | 1) - 1;
  u64 edge = 0, word = 0;
  for (u64 level = 0; level < levels; ++level, word >>= 8) {
    if (level % 8 == 0) word = random_word(seed, level / 8, i);
    const u64 share = word & 0xff;
    const u64 lower = share >= 195, right = (share >= 146 && share < 195) || share >= 244;
    edge = edge << 1 | lower << 32 | right;
  }
  return edge;
}

// ---- The table ----

constexpr std::size_t kMillion = std::size_t{1} << 20;

constexpr formulas::Row kRows[] = {
    row("splats", "tile << 32 | the bits of an f32 depth, for each tile that a splat touches",
        integers<splats, 32>(),
        {"3D Gaussian splatting: splats by tile and depth", KeyTypes{KeyType::u64}, Carries::pairs,
         16 * kMillion}),
    row("morton", "Morton codes of clustered points, 63 bits; 30 in 32-bit types",
        integers<morton, 33>(),
        {"ray tracing: triangles along a curve, to build a tree (LBVH)",
         KeyTypes{KeyType::u32, KeyType::u64}, Carries::pairs, 8 * kMillion}),
    row("depths", "1 - near / distance of a frame's pixels: a floor, planes, objects, sky",
        floats<depths>(),
        {"shadow maps: the depths of a frame, to split it by quantiles", KeyTypes{KeyType::f32},
         Carries::keys, 1920 * 1080}),
    row("experts", "numbers of 64 experts, the most popular one for 8 % of the tokens",
        integers<experts>(),
        {"mixtures of experts: tokens by expert", KeyTypes{KeyType::u32}, Carries::pairs,
         kMillion / 2}),
    row("gradients", "30 % zeros, else either sign, log-normal magnitude", floats<gradients>(),
        {"training: gradients by size, to send the largest alone", KeyTypes{KeyType::f32},
         Carries::pairs, 4 * kMillion}),
    row("logits", "normal, with a tail of high ones", floats<logits>(),
        {"language models: tokens by score, to draw one of the best (top-p)",
         KeyTypes{KeyType::f32}, Carries::pairs, kMillion / 8}),
    row("timestamps", "nanoseconds since 1970, ascending but for delays",
        integers<timestamps, 10>(),
        {"logs and streams: events by time, some late", KeyTypes{KeyType::i64}, Carries::both,
         4 * kMillion}),
    row("gaps", "dense and sparse regions inside of each other, a few keys far off",
        integers<gaps, 16>(),
        {"databases: keys of an index built in bulk (SOSD)", KeyTypes{KeyType::u64}, Carries::keys,
         8 * kMillion}),
    row("text", "8 letters of English-like words, the first in the highest byte",
        integers<text, 32>(),
        {"databases: text by its first letters", KeyTypes{KeyType::u64}, Carries::pairs,
         2 * kMillion}),
    row("heavy", "half of the keys of 16 values, else R(w)", range<heavy>(),
        {"databases: joins and groups with a few frequent values", KeyTypes{KeyType::u64},
         Carries::both, 4 * kMillion}),
    row("runs", "100 ascending runs over the range", range<runs>(),
        {"databases: compaction (LSM), external sorts", KeyTypes{KeyType::u64}, Carries::pairs,
         4 * kMillion}),
    row("ipv4", "IPv4 addresses, prefixes and hosts by Zipf's law", integers<ipv4>(),
        {"networks: packets by address", KeyTypes{KeyType::u32}, Carries::both, 4 * kMillion}),
    row("sizes", "log-normal with a median of 4 KiB, 1 of 64 is 0", integers<sizes>(),
        {"backups and caches: files by size", KeyTypes{KeyType::u64}, Carries::keys, kMillion}),
    row("prices", "log-normal with two decimals, two of three end in 9; integers hold cents",
        typed<Prices>(),
        {"databases: goods by price", KeyTypes{KeyType::f64}, Carries::keys, 5 * kMillion}),
    row("walk", "a random walk from 0 in steps of about 32", typed<Walk>(),
        {"monitoring: a series of readings, for its quantiles", KeyTypes{KeyType::i32},
         Carries::keys, 12 * kMillion}),
    row("kmers", "31-mers of a genome's reads, 2 bits a base; 16-mers in 32-bit types",
        integers<kmers, 30>(),
        {"genomics: windows of reads, to count them", KeyTypes{KeyType::u32, KeyType::u64},
         Carries::keys, 16 * kMillion}),
    row("edges", "row << 32 | column of an R-MAT graph's edges", integers<edges, 32>(),
        {"graphs and sparse matrices: edges by row and column", KeyTypes{KeyType::u64},
         Carries::both, 8 * kMillion}),
};

}  // namespace real
}  // namespace

std::span<const formulas::Row> real_inputs() { return real::kRows; }

}  // namespace sortlab
