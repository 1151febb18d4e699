// The patterns: their formulas, then the table that names them. fill.hpp makes arrays of formulas,
// block_patterns.cpp adds those that are for sorts over ranks, and real_inputs.cpp the keys of programs.
//
// Sources: zipf, exponential, rootdups, twodups, eightdups, nearly: Axtmann, Witt, Ferizovic,
// Sanders, "Engineering In-Place (Shared-Memory) Sorting Algorithms", ACM TOPC 2022 (exponential
// after the Problem Based Benchmark Suite). gaussian, staggered: Helman, Bader, JaJa, "A Randomized
// Parallel Sorting Algorithm with an Experimental Study", JPDC 1998. entropy1..5: Thearling, Smith,
// "An Improved Supercomputer Sorting Benchmark", SC 1992. killer3: Musser, "Introspective Sorting
// and Selection Algorithms", 1997. d20, p5, sorted95: the patterns of sort-research-rs.
#include "common/harness/input/distributions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/harness/bad_input.hpp"
#include "common/harness/input/blocks.hpp"
#include "common/harness/input/fill.hpp"
#include "common/harness/input/random.hpp"
#include "common/utils.hpp"

namespace sortlab {
namespace {

using namespace formulas;

// ---- Formulas over the range: the 64-bit fraction x of R(x) ----

/// i/n. Rounded down to a multiple of one step, so that it costs no division a key.
u64 ramp(u64 i, u64 n) { return i * (std::numeric_limits<u64>::max() / n); }

/// R(w)
u64 uniform(u64 i, u64, u64 seed) { return random_word(seed, 0, i); }

/// R(i/n)
u64 sorted(u64 i, u64 n, u64) { return ramp(i, n); }

/// R((n-1-i)/n)
u64 reverse(u64 i, u64 n, u64) { return ramp(n - 1 - i, n); }

/// R(i/m) for i < m = n - ceil(n/20), then R(w)
u64 sorted95(u64 i, u64 n, u64 seed) {
  const u64 m = n - ceil_div(n, u64{20});
  return i < m ? ramp(i, m) : uniform(i, n, seed);
}

/// R(min(i, n-1-i) / ceil(n/2))
u64 organpipe(u64 i, u64 n, u64) { return ramp(std::min(i, n - 1 - i), ceil_div(n, u64{2})); }

/// R((i mod m) / m), m = ceil(n/16): sixteen ascending runs
u64 sawtooth(u64 i, u64 n, u64) {
  const u64 m = ceil_div(n, u64{16});
  return ramp(i % m, m);
}

/// R(w of index 0): one random key, so that no byte of it is special
u64 equal(u64, u64 n, u64 seed) { return uniform(0, n, seed); }

/// R(floor(16 u) / 16)
u64 dups16(u64 i, u64 n, u64 seed) { return uniform(i, n, seed) >> 60 << 60; }

/// R((u + u' + u" + u'") / 4): the bell shape of Helman, Bader and JaJa
u64 gaussian(u64 i, u64, u64 seed) {
  u64 mean = 0;
  for (u64 stream = 0; stream < 4; ++stream) mean += random_word(seed, stream, i) / 4;
  return mean;
}

/// R((s + u) / 128): block b = floor(128 i/n) draws from slice s = 2b+1 if b < 64, else 2b-128
u64 staggered(u64 i, u64 n, u64 seed) {
  const u64 b = 128 * i / n;
  const u64 s = b < 64 ? 2 * b + 1 : 2 * b - 128;
  return (s << 57) | (uniform(i, n, seed) >> 7);
}

/// The same for any number P of blocks, as even as can be.
u64 staggered_in(const InBlock& at, u64 w) {
  const u64 half = at.blocks / 2, b = at.block;
  return at.from_slice(b < half ? 2 * b + 1 : 2 * (b - half), w);
}

/// R(w AND w' AND ...), kWords words: each bit is 1 with probability 2^-kWords
template <u64 kWords>
u64 entropy(u64 i, u64, u64 seed) {
  u64 word = ~u64{0};
  for (u64 stream = 0; stream < kWords; ++stream) word &= random_word(seed, stream, i);
  return word;
}

/// R(q(i)/n), q a permutation on which each median of first, middle and last is next to the least.
///
/// With m = 2h+1 (the largest odd number up to n; an even n has its largest key last), the sample
/// always finds the two smallest keys left, at the front and in the middle, because the front moves
/// two places per round and so the middle moves one:
///
///   position   0   1   2    3   4 ...    h   h+1   h+2 ...  2h-1     2h
///   q          0  big  2   big  4 ...    1    3     5  ...  2h-1     2h
///              ^ first, round 0          ^ middle, round 0           ^ last
///                      ^ first, round 1        ^ middle, round 1
///
/// A round costs n comparisons and cuts off two keys (four, where the code's middle is rounded up).
u64 killer3(u64 i, u64 n, u64) {
  const u64 h = (n - 1) / 2;
  const bool is_last = i >= 2 * h;
  const bool is_middle = i >= h;
  const bool is_front = i % 2 == 0;
  const u64 big = i + h - 1 + h % 2;  // the even numbers from h on that the front does not use
  const u64 q = is_last ? i : is_middle ? 2 * (i - h) + 1 : is_front ? i : big;
  return ramp(q, n);
}

// ---- Formulas that give small integers ----

/// floor(20 u)
u64 d20(u64 i, u64, u64 seed) { return scale_below(random_word(seed, 0, i), 20); }

/// i mod floor(sqrt n)
u64 rootdups(u64 i, u64 n, u64) { return i % static_cast<u64>(std::sqrt(static_cast<double>(n))); }

/// (i^2 + p/2) mod p, p the largest power of two up to n
u64 twodups(u64 i, u64 n, u64) {
  const u64 p = std::bit_floor(n);
  return (i * i + p / 2) % p;  // wraps round modulo 2^64, of which p is a divisor
}

/// (i^8 + p/2) mod p, p the largest power of two up to n
u64 eightdups(u64 i, u64 n, u64) {
  const u64 p = std::bit_floor(n);
  const u64 i2 = i * i, i4 = i2 * i2;
  return (i4 * i4 + p / 2) % p;
}

/// floor(2^e (1 + u)), e uniform among 0 .. floor(log2 n)-1
u64 exponential(u64 i, u64 n, u64 seed) {
  const u64 log2_n = std::max(u64{1}, static_cast<u64>(std::bit_width(n)) - 1);
  const u64 e = scale_below(random_word(seed, 1, i), log2_n);
  return (u64{1} << e) + scale_below(random_word(seed, 0, i), u64{1} << e);
}

// ---- Formulas that know their type ----

/// 0 where u' < 0.95, else R(w)
struct MostlyZero {
  template <class Key>
  static Key key(u64 i, u64 n, u64 seed) {
    return random_unit(seed, 1, i) < 0.95 ? Key{0} : over_range<Key>(uniform(i, n, seed));
  }
};

/// A quarter of the keys from a list of values that break sorts, the rest R(w).
struct Special {
  template <class Key>
  static Key key(u64 i, u64 n, u64 seed) {
    static constexpr auto kValues = values<Key>();
    if (random_word(seed, 1, i) % 4 != 0) return over_range<Key>(uniform(i, n, seed));
    return kValues[scale_below(random_word(seed, 2, i), kValues.size())];
  }

  template <class Key>
  static constexpr auto values() {
    using Limits = std::numeric_limits<Key>;
    // The two ends of the order, which padding and sentinels like to use: for floats, NaNs.
    constexpr Key kFirst = from_ordered_bits<Key>(0);
    constexpr Key kLast = from_ordered_bits<Key>(static_cast<BitsOf<Key>>(~BitsOf<Key>{0}));
    if constexpr (std::is_floating_point_v<Key>) {
      return std::array{kFirst,
                        kLast,
                        Limits::quiet_NaN(),
                        -Limits::quiet_NaN(),
                        Limits::infinity(),
                        -Limits::infinity(),
                        Key{0},
                        -Key{0},
                        Limits::denorm_min(),
                        -Limits::denorm_min(),
                        Limits::min(),
                        -Limits::min(),
                        Limits::max(),
                        Limits::lowest()};
    } else {
      return std::array{
          kFirst, static_cast<Key>(kFirst + 1), static_cast<Key>(kLast - 1), kLast, Key{0},
          Key{1}, static_cast<Key>(-1)};
    }
  }
};

// ---- zipf ----

constexpr u64 kZipfRanks = 1'000'000;
constexpr double kMaxZipfExponent = 20;

/// Draws rank k of 1 .. N with a probability proportional to k^-s, by an alias table: N columns of
/// the same height, each the share of its own rank with the surplus of one other on top.
///
///   1 +---+---+---+---+
///     | 1 | 1 | 1 | 2 |   A draw is a column and a height in it: one load, and no branch to be
///     |   |   |---+---|   predicted wrongly, of which a search in cumulated weights has many.
///     |   |---|   |   |
///     |   | 2 | 3 | 4 |   Walker, "An Efficient Method for Generating Discrete Random Variables
///   0 +---+---+---+---+   with General Distributions", TOMS 1977; built as by Vose, TSE 1991.
class ZipfTable {
 public:
  explicit ZipfTable(double s) : columns_(kZipfRanks) {
    std::vector<double> share(kZipfRanks);
    double sum = 0;
    for (u64 k = 0; k < kZipfRanks; ++k) sum += share[k] = std::pow(static_cast<double>(k + 1), -s);

    std::vector<std::uint32_t> poor, rich;  // the ranks that don't fill a column, and the others
    for (std::uint32_t k = 0; k < kZipfRanks; ++k) {
      share[k] *= kZipfRanks / sum;
      columns_[k] = {0, k};
      (share[k] < 1 ? poor : rich).push_back(k);
    }
    while (!poor.empty() && !rich.empty()) {
      const std::uint32_t p = poor.back(), r = rich.back();
      poor.pop_back();
      columns_[p] = {static_cast<std::uint32_t>(share[p] * 0x1p32), r};
      share[r] -= 1 - share[p];
      if (share[r] < 1) {
        rich.pop_back();
        poor.push_back(r);
      }
    }
  }

  u64 rank(u64 word) const {
    const u64 own = scale_below(word, kZipfRanks);
    const u64 height = (word * kZipfRanks) >> 32;  // of the fraction that scale_below cuts off
    const Column column = columns_[own];
    // A mask, because compilers turn "own or other" into the branch that the table avoids.
    const u64 own_mask = u64{0} - u64{height < column.own_height};
    return ((own & own_mask) | (column.other & ~own_mask)) + 1;
  }

 private:
  struct Column {
    std::uint32_t own_height;  // in units of 2^-32
    std::uint32_t other;
  };
  std::vector<Column> columns_;
};

/// The table for s, built at its first use and then kept.
const ZipfTable& zipf_table(double s) {
  static std::mutex mutex;
  static std::map<double, std::unique_ptr<const ZipfTable>> tables;
  const std::lock_guard lock(mutex);
  auto& table = tables[s];
  if (!table) table = std::make_unique<const ZipfTable>(s);
  return *table;
}

double zipf_exponent(std::string_view param) {
  double s = -1;
  const char* end = param.data() + param.size();
  const auto [stop, error] = std::from_chars(param.data(), end, s);
  if (error != std::errc{} || stop != end || !(s >= 0 && s <= kMaxZipfExponent)) {
    throw bad_input("distribution zipf: parameter '{}' is not a number from 0 to {}", param,
                    kMaxZipfExponent);
  }
  return s;
}

/// One spelling per number ("1" and "1.00" become "1.0"), because the parameter names the keys.
std::string spell_zipf(std::string_view, std::string_view param) {
  return fmt::format("{:#}", zipf_exponent(param));
}

// ---- Distributions with their own fills ----

template <class Key>
void fill_staggered(const Target<Key>& out, u64 seed, std::string_view param) {
  if (param.empty()) return fill_range<staggered>(out, seed, param);
  fill(out, [=, n = out.n, blocks = blocks_of(param)](u64 i) {
    return over_range<Key>(staggered_in(InBlock::of(i, n, blocks), uniform(i, n, seed)));
  });
}

template <class Key>
void fill_zipf(const Target<Key>& out, u64 seed, std::string_view param) {
  const ZipfTable& table = zipf_table(zipf_exponent(param));
  fill(out, [&](u64 i) { return static_cast<Key>(table.rank(random_word(seed, 0, i))); });
}

/// R(i/n), then floor(sqrt n) swaps of two random places, one after another.
template <class Key>
void fill_nearly(const Target<Key>& out, u64 seed, std::string_view param) {
  fill_range<sorted>(out, seed, param);
  std::unordered_map<u64, u64> moved;  // place -> the place that its key had before all swaps
  const auto swaps = static_cast<u64>(std::sqrt(static_cast<double>(out.n)));
  for (u64 j = 0; j < swaps; ++j) {
    const u64 a = scale_below(random_word(seed, 0, j), out.n);
    const u64 b = scale_below(random_word(seed, 1, j), out.n);
    std::swap(moved.try_emplace(a, a).first->second, moved.try_emplace(b, b).first->second);
  }
  for (const auto& [place, origin] : moved) {
    const u64 at = place - out.first;  // wraps round below the first
    if (at < out.keys.size()) out.keys[at] = over_range<Key>(sorted(origin, out.n, seed));
  }
}

constexpr Fills zipf() {
  return for_all_keys([]<class Key>() { return fill_zipf<Key>; });
}
constexpr Fills staggered_in_blocks() {
  return for_all_keys([]<class Key>() { return fill_staggered<Key>; });
}
constexpr Fills nearly() {
  return for_all_keys([]<class Key>() { return fill_nearly<Key>; });
}

// ---- The table ----

constexpr Row kPatterns[] = {
    row("uniform", "R(w)", range<uniform>()),
    row("sorted", "R(i/n)", range<sorted>()),
    row("reverse", "R((n-1-i)/n)", range<reverse>()),
    row("nearly", "R(i/n), then floor(sqrt n) swaps of two random places", nearly()),
    row("sorted95", "R(i/m) for i < m = n - ceil(n/20), then R(w)", range<sorted95>()),
    row("organpipe", "R(min(i, n-1-i) / ceil(n/2))", range<organpipe>()),
    row("sawtooth", "R((i mod m) / m), m = ceil(n/16)", range<sawtooth>()),
    row("equal", "one random key, n times", range<equal>()),
    row("dups16", "R(floor(16 u) / 16)", range<dups16>()),
    row("d20", "floor(20 u)", integers<d20>()),
    row("p5", "0 with probability 0.95, else R(w)", typed<MostlyZero>()),
    row("rootdups", "i mod floor(sqrt n)", integers<rootdups>()),
    row("twodups", "(i^2 + p/2) mod p, p the largest power of two up to n", integers<twodups>()),
    row("eightdups", "(i^8 + p/2) mod p, p the largest power of two up to n",
        integers<eightdups>()),
    {{"zipf", "k of 1 .. 10^6 with probability proportional to k^-s", "0.75", false, {}},
     zipf(),
     spell_zipf},
    row("exponential", "floor(2^e (1 + u)), e uniform among 0 .. floor(log2 n) - 1",
        integers<exponential>()),
    row("gaussian", "R((u + u' + u'' + u''') / 4)", range<gaussian>()),
    {{"staggered",
      "R((s + u) / P), s = 2b+1 in block b < P/2, else 2b-P; P blocks, 128 unless staggered:P says",
      "",
      false,
      {}},
     staggered_in_blocks(),
     number_of_blocks},
    row("entropy1", "R(w)", range<entropy<1>>()),
    row("entropy2", "R(AND of 2 words)", range<entropy<2>>()),
    row("entropy3", "R(AND of 3 words)", range<entropy<3>>()),
    row("entropy4", "R(AND of 4 words)", range<entropy<4>>()),
    row("entropy5", "R(AND of 5 words)", range<entropy<5>>()),
    row("killer3", "R(q(i)/n), q a permutation on which median-of-3 quicksort is quadratic",
        range<killer3>()),
    {{"special",
      "NaNs, infinities, zeros, denormals and extremes (1 in 4) among R(w)",
      "",
      true,
      {}},
     typed<Special>()},
};

/// The patterns, then those of blocks, then the real inputs.
const std::vector<Row>& all_rows() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> all(std::begin(kPatterns), std::end(kPatterns));
    all.insert(all.end(), block_patterns().begin(), block_patterns().end());
    all.insert(all.end(), real_inputs().begin(), real_inputs().end());
    return all;
  }();
  return rows;
}

const Row* find_row(std::string_view name) {
  const auto found = std::find_if(all_rows().begin(), all_rows().end(),
                                  [&](const Row& r) { return r.info.name == name; });
  return found == all_rows().end() ? nullptr : &*found;
}

const Row& row_of(std::string_view name) {
  if (const Row* found = find_row(name)) return *found;
  std::vector<std::string> names;
  for (const DistributionInfo& info : all_distributions()) names.emplace_back(info.name);
  throw unknown_name("distribution", name, names);
}

}  // namespace

std::span<const DistributionInfo> all_distributions() {
  static const std::vector<DistributionInfo> infos = [] {
    std::vector<DistributionInfo> all;
    for (const Row& r : all_rows()) all.push_back(r.info);
    return all;
  }();
  return infos;
}

std::span<const DistributionInfo> patterns() {
  return all_distributions().first(std::size(kPatterns));
}

std::span<const DistributionInfo> patterns_of_blocks() {
  return all_distributions().subspan(std::size(kPatterns), block_patterns().size());
}

Usage usage_of(const Distribution& distribution) {
  const Row* const found = find_row(distribution.name);
  return found == nullptr ? Usage{} : found->info.usage;
}

Distribution parse_distribution(std::string_view text) {
  const auto colon = text.find(':');
  const Row& row = row_of(text.substr(0, colon));
  const DistributionInfo& info = row.info;
  if (colon == std::string_view::npos) {
    return {std::string(info.name), std::string(info.default_param)};
  }
  const std::string_view param = text.substr(colon + 1);
  if (row.spell == nullptr) {
    throw bad_input("distribution {} takes no parameter, but '{}' was given", info.name, param);
  }
  return {std::string(info.name), row.spell(info.name, param)};
}

template <class Key>
void generate_slice(std::span<Key> out, const Slice& slice, const Distribution& distribution,
                    std::uint64_t seed) {
  const Row& row = row_of(distribution.name);
  if (out.empty()) return;
  const std::string_view param =
      distribution.param.empty() ? row.info.default_param : std::string_view(distribution.param);
  std::get<Fill<Key>>(row.fills)({out, slice.first, slice.n}, seed, param);
}

template <class Key>
void generate(std::span<Key> out, const Distribution& distribution, std::uint64_t seed) {
  generate_slice(out, whole(out.size()), distribution, seed);
}

#define SORTLAB_GENERATE(type, Key, other_names)                              \
  template void generate(std::span<Key>, const Distribution&, std::uint64_t); \
  template void generate_slice(std::span<Key>, const Slice&, const Distribution&, std::uint64_t);
SORTLAB_KEY_TYPES(SORTLAB_GENERATE)

}  // namespace sortlab
