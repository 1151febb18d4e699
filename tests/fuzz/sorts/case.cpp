#include "tests/fuzz/sorts/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "common/contract/errors.hpp"
#include "common/contract/numbers.hpp"
#include "tests/fuzz/sorts/dice.hpp"

namespace sortlab::fuzz {
namespace {

constexpr std::string_view kWithValues = "+u32";
constexpr std::array<std::string_view, 2> kOrderNames = {name_of(Order::ascending),
                                                         name_of(Order::descending)};

template <class Enum, class Names>
Enum parse_name(std::string_view field, std::string_view name, const Names& names) {
  const auto found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) {
    throw unknown_name(field, name, std::vector<std::string>(std::begin(names), std::end(names)));
  }
  return static_cast<Enum>(found - std::begin(names));
}

std::uint64_t parse_field(std::string_view field, std::string_view text, std::uint64_t most) {
  const auto number = parse_whole(text);
  if (!number || *number > most) {
    throw BadInput(
        fmt::format("{}: a whole number up to {} was expected, not '{}'", field, most, text));
  }
  return *number;
}

constexpr std::size_t kMostItems = std::size_t{1} << 22;

/// Sorts break at small sizes, around powers of two and around multiples of their tiles.
std::size_t random_size(Dice& dice, std::uint64_t large_one_in) {
  constexpr std::size_t kOften = 100'000;
  constexpr std::size_t kTiles[] = {24, 96, 384, 768, 1000, 1536, 3072, 4096, 6144};
  if (dice.one_in(large_one_in)) return dice.below(kMostItems);
  switch (dice.below(8)) {
    case 0:
      return dice.below(17);
    case 1:
    case 2:
    case 3:
      return dice.below(300);
    case 4:
    case 5:
      return (std::size_t{4} << dice.below(15)) - 2 + dice.below(5);
    case 6: {
      const std::size_t tile = dice.of(kTiles);
      return tile * (1 + dice.of_any_length(4)) - 1 + dice.below(3);
    }
    default:
      return std::min(kOften, dice.of_any_length(17));
  }
}

}  // namespace

std::string text_of(const Case& one) {
  return fmt::format("type={}{} order={} n={} values={} pattern={} seed={} one_in={}",
                     name_of(one.key_type), one.pairs ? kWithValues : "", name_of(one.order), one.n,
                     kValuesNames[static_cast<std::size_t>(one.values)],
                     kPatternNames[static_cast<std::size_t>(one.pattern)], one.seed, one.one_in);
}

Case parse_case(std::string_view line) {
  Case one;
  std::istringstream words{std::string(line)};
  for (std::string word; words >> word;) {
    const std::string field = word.substr(0, word.find('='));
    std::string_view text = word;
    text.remove_prefix(std::min(word.size(), field.size() + 1));
    if (field == "type") {
      one.pairs = text.ends_with(kWithValues);
      if (one.pairs) text.remove_suffix(kWithValues.size());
      one.key_type = parse_name<KeyType>(field, text, kKeyTypeNames);
    } else if (field == "order") {
      one.order = parse_name<Order>(field, text, kOrderNames);
    } else if (field == "n") {
      one.n = parse_field(field, text, kMostItems);
    } else if (field == "values") {
      one.values = parse_name<Values>(field, text, kValuesNames);
    } else if (field == "pattern") {
      one.pattern = parse_name<Pattern>(field, text, kPatternNames);
    } else if (field == "seed") {
      one.seed = parse_field(field, text, ~std::uint64_t{0});
    } else if (field == "one_in") {
      one.one_in = std::max(std::uint64_t{1}, parse_field(field, text, ~std::uint64_t{0}));
    } else {
      throw BadInput("a case has type, order, n, values, pattern, seed and one_in, but no '" +
                     field + "'");
    }
  }
  return one;
}

Case random_case(std::uint64_t seed, std::uint64_t number, std::uint64_t large_one_in) {
  Dice dice(seed, number);
  Case one;
  one.key_type = static_cast<KeyType>(dice.below(kKeyTypeCount));
  one.pairs = dice.one_in(2);
  one.order = dice.one_in(3) ? Order::descending : Order::ascending;
  one.n = random_size(dice, large_one_in);
  one.values = static_cast<Values>(dice.below(kValuesNames.size()));
  const bool as_drawn = dice.one_in(4);
  one.pattern = as_drawn ? Pattern::random : static_cast<Pattern>(dice.below(kPatternNames.size()));
  one.seed = dice.word() >> 32;
  one.one_in = 8;
  return one;
}

}  // namespace sortlab::fuzz
