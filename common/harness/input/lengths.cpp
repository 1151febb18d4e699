// Sources of the lengths that programs have: tiles: Kerbl, Kopanas, Leimkuehler, Drettakis, "3D Gaussian Splatting for
// Real-Time Radiance Field Rendering", ACM Transactions on Graphics 2023; the tiles of the sky have no splats. matrix:
// Chakrabarti, Zhan, Faloutsos, "R-MAT: A Recursive Model for Graph Mining", SDM 2004. series: Mitzenmacher, "A Brief History
// of Generative Models for Power Law and Lognormal Distributions", Internet Mathematics 2004. The parameters are ours.
#include "common/harness/input/lengths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "common/contract/numbers.hpp"
#include "common/harness/bad_input.hpp"
#include "common/harness/input/random.hpp"
#include "common/harness/plan/counts.hpp"
#include "common/utils.hpp"

namespace sortlab {
namespace {

constexpr LengthsRule kRules[] = {
    {"rows", "rows of one length; items left over belong to none"},
    {"strided", "rows of one length, with a quarter more between them"},
    {"ragged", "rows at one distance, each with a length of its own: 0 to twice the mean"},
    {"fixed", "segments of one length, by offsets"},
    {"exponential", "lengths of an exponential distribution"},
    {"power", "lengths of a power law: few long, many short"},
    {"giant", "one segment of half of the items, the others of one length"},
    {"empty", "15 of 16 segments are empty"},
    {"apart", "begins and ends apart, the last segment first, with gaps between"},
    {"tiles", "splats of an image's tiles: a fifth of them empty, the others log-normal, sigma 1"},
    {"matrix", "rows of a sparse matrix: R-MAT's shares, a bit of the row 0.76 or 0.24"},
    {"lists", "lists of a column: a tenth empty, the others exponential"},
    {"series", "events of users: log-normal, sigma 1.5"},
};

constexpr std::uint64_t kStream = 0x5e67;  // of random words that make lengths

std::size_t gap_of(const Lengths& lengths) { return lengths.mean / 4 + 1; }

/// exp(sigma z), z normal by the method of Box and Muller.
double log_normal(double sigma, double u, double v) {
  return std::exp(sigma * std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v));
}

/// A row's share of the entries of R-MAT's matrices, whose quarters have 0.57, 0.19, 0.19 and 0.05 of them. Its bits are those
/// of a random word, as Graph500 shuffles the rows.
double matrix_weight(std::size_t count, std::uint64_t word) {
  double share = 1;
  for (std::size_t rows = 1; rows < count; rows *= 2, word /= 2) {
    share *= word % 2 == 0 ? 0.57 + 0.19 : 0.19 + 0.05;
  }
  return share;
}

/// The share of segment s of `count` in all items.
double weight(std::string_view rule, std::size_t s, std::size_t count, std::uint64_t seed) {
  const double u = 1 - random_unit(seed, kStream, s);  // not 0
  if (rule == "power") return std::pow(u, -1 / 1.3);
  if (rule == "giant")
    return s == count / 2 ? static_cast<double>(std::max<std::size_t>(count, 2) - 1) : 1;
  const std::uint64_t word = random_word(seed, kStream + 1, s);
  if (rule == "empty" && word % 16 != 0) return 0;
  if (rule == "matrix") return matrix_weight(count, word);
  if (rule == "tiles" || rule == "series") {
    if (rule == "tiles" && word % 5 == 0) return 0;
    return log_normal(rule == "tiles" ? 1 : 1.5, u, random_unit(seed, kStream + 2, s));
  }
  if (rule == "lists" && word % 10 == 0) return 0;
  return -std::log(u);
}

/// count + 1 offsets, from 0 to n. Sums of exponential weights lie as sorted uniform numbers do.
std::vector<std::size_t> offsets_of(const Lengths& lengths, std::size_t n, std::size_t count,
                                    std::uint64_t seed) {
  std::vector<std::size_t> offsets(count + 1);
  if (lengths.rule == "fixed") {
    for (std::size_t s = 0; s <= count; ++s) offsets[s] = std::min(s * lengths.mean, n);
    return offsets;
  }
  double sum = 0;
  for (std::size_t s = 0; s < count; ++s) sum += weight(lengths.rule, s, count, seed);
  const double scale = sum == 0 ? 0 : static_cast<double>(n) / sum;
  double before = 0;
  for (std::size_t s = 0; s < count; ++s) {
    offsets[s] = std::min(n, static_cast<std::size_t>(before * scale));
    before += weight(lengths.rule, s, count, seed);
  }
  offsets[count] = n;
  return offsets;
}

template <class Number>
void put_numbers(const std::vector<std::size_t>& from, std::vector<Number>& to) {
  to.reserve(from.size());
  for (const std::size_t number : from) to.push_back(static_cast<Number>(number));
}

}  // namespace

std::span<const LengthsRule> lengths_rules() { return kRules; }

Lengths parse_lengths(std::string_view text) {
  const auto parts = split(text, ':');
  Lengths lengths;
  std::vector<std::string> known;
  for (const LengthsRule& rule : kRules) known.emplace_back(rule.name);
  lengths.rule = parts.empty() ? "" : std::string(parts[0]);
  (void)index_of_name("rule of lengths", lengths.rule, known);
  lengths.mean = parts.size() < 2 ? 0 : count_in(parts[1]).value_or(0);
  lengths.is_wide = parts.size() == 3 && parts[2] == "wide";
  if (lengths.mean == 0 || parts.size() > 3 || (parts.size() == 3 && !lengths.is_wide)) {
    throw bad_input("--segments {}: RULE:MEAN, as in {}:64, or {}:64:wide for offsets of 64 bits",
                    text, lengths.rule, lengths.rule);
  }
  return lengths;
}

std::string text_of(const Lengths& lengths) {
  if (lengths.rule.empty()) return "";
  return fmt::format("{}:{}{}", lengths.rule, lengths.mean, lengths.is_wide ? ":wide" : "");
}

std::size_t segments_of(const Lengths& lengths, std::size_t n) {
  if (lengths.rule.empty()) return 0;
  if (lengths.rule == "rows") return n / lengths.mean;
  if (lengths.rule == "strided") return (n + gap_of(lengths)) / (lengths.mean + gap_of(lengths));
  if (lengths.rule == "ragged") return n / (2 * lengths.mean);
  return std::max<std::size_t>(1, ceil_div(n, lengths.mean));
}

Cut HostCut::at(const void* copied) const {
  Cut there = cut;
  const auto moved = [&](const void* numbers) -> const void* {
    if (numbers == nullptr) return nullptr;
    return static_cast<const std::byte*>(copied) +
           (static_cast<const std::byte*>(numbers) - static_cast<const std::byte*>(data()));
  };
  there.begins = moved(cut.begins);
  there.ends = moved(cut.ends);
  return there;
}

HostCut make_cut(const Lengths& lengths, std::size_t n, std::uint64_t seed) {
  if (!lengths.is_wide && n > std::numeric_limits<std::uint32_t>::max()) {
    throw bad_input("{} items: offsets of 32 bits are too narrow, say {}:wide", n,
                    text_of(lengths));
  }
  HostCut made;
  made.cut.count = segments_of(lengths, n);
  made.cut.is_wide = lengths.is_wide;
  const std::size_t count = made.cut.count;
  if (lengths.rule == "rows" || lengths.rule == "strided") {
    made.cut.length = lengths.mean;
    made.cut.stride = lengths.mean + (lengths.rule == "rows" ? 0 : gap_of(lengths));
    made.longest = count == 0 ? 0 : lengths.mean;
    return made;
  }
  std::vector<std::size_t> numbers;  // begins, then ends where they are apart
  std::size_t ends = 1;              // where the ends begin
  if (lengths.rule == "ragged") {
    made.cut.stride = 2 * lengths.mean;
    ends = 0;
    for (std::size_t s = 0; s < count; ++s) {
      numbers.push_back(s * made.cut.stride +
                        scale_below(random_word(seed, kStream, s), made.cut.stride + 1));
    }
  } else {
    numbers = offsets_of(lengths, n, count, seed);
    if (lengths.rule == "apart") {
      std::vector<std::size_t> apart;
      for (std::size_t s = count; s-- > 0;) apart.push_back(numbers[s]);
      for (std::size_t s = count; s-- > 0;) {
        apart.push_back(numbers[s + 1] - (numbers[s + 1] - numbers[s]) / 4);
      }
      numbers = std::move(apart);
      ends = count;
    }
  }
  lengths.is_wide ? put_numbers(numbers, made.wide) : put_numbers(numbers, made.narrow);
  const auto at = [&](std::size_t place) {
    return static_cast<const std::byte*>(made.data()) + place * made.number_bytes();
  };
  if (lengths.rule != "ragged") made.cut.begins = at(0);
  made.cut.ends = at(ends);
  for (std::size_t s = 0; s < count; ++s) {
    made.longest = std::max(made.longest, made.cut.end(s) - made.cut.begin(s));
  }
  return made;
}

}  // namespace sortlab
