#include "common/harness/input/lengths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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
};

constexpr std::uint64_t kStream = 0x5e67;  // of random words that make lengths

std::size_t gap_of(const Lengths& lengths) { return lengths.mean / 4 + 1; }

/// The share of segment s of `count` in all items.
double weight(std::string_view rule, std::size_t s, std::size_t count, std::uint64_t seed) {
  const double u = 1 - random_unit(seed, kStream, s);  // not 0
  if (rule == "power") return std::pow(u, -1 / 1.3);
  if (rule == "giant")
    return s == count / 2 ? static_cast<double>(std::max<std::size_t>(count, 2) - 1) : 1;
  if (rule == "empty" && random_word(seed, kStream + 1, s) % 16 != 0) return 0;
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
