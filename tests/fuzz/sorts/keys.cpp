#include "tests/fuzz/sorts/keys.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "common/utils.hpp"
#include "tests/fuzz/sorts/dice.hpp"

namespace sortlab::fuzz {
namespace {

using Word = std::uint64_t;
using Words = std::vector<Word>;

/// The layout of a key. Integers are treated as floats of their width if a kind uses exponents.
struct Layout {
  explicit Layout(KeyType type) : bits(static_cast<unsigned>(8 * bytes_of(type))) {}

  unsigned bits;
  Word mask = ~Word{0} >> (64 - bits);
  Word sign = Word{1} << (bits - 1);
  unsigned fraction_bits = bits == 64 ? 52 : 23;
  Word fraction = (Word{1} << fraction_bits) - 1;
  Word exponent = mask & ~sign & ~fraction;
};

Word from_ordered(KeyType type, Word place) {
  return visit_key_type(type, [&]<class Key>(Key) -> Word {
    using Bits = BitsOf<Key>;
    return std::bit_cast<Bits>(from_ordered_bits<Key>(static_cast<Bits>(place)));
  });
}

Word of_number(KeyType type, std::int64_t number) {
  return visit_key_type(type, [&]<class Key>(Key) -> Word {
    return std::bit_cast<BitsOf<Key>>(static_cast<Key>(number));
  });
}

Words special_keys(KeyType type) {
  const Layout key(type);
  const Word infinity = key.exponent, largest = infinity - 1, least_normal = key.fraction + 1;
  Words words = {0, 1, key.fraction, least_normal, largest, infinity, infinity + 1, key.mask >> 1};
  const std::size_t positive = words.size();
  for (std::size_t i = 0; i < positive; ++i) words.push_back(words[i] | key.sign);
  return words;
}

// ---- The values of the keys ----

/// n words by f(i).
template <class F>
Words fill(std::size_t n, F f) {
  Words words(n);
  for (Word& word : words) word = f();
  return words;
}

/// Words with the bits of `moving` random, and all others as one random word has them.
Words with_fixed_bits(std::size_t n, Dice& dice, Word moving) {
  const Word fixed = dice.word();
  return fill(n, [&] { return (dice.word() & moving) | (fixed & ~moving); });
}

Words few(std::size_t n, Dice& dice) {
  const Words values = fill(2 + dice.of_any_length(6), [&] { return dice.word(); });
  return fill(n, [&] { return dice.of(values); });
}

Words clusters(std::size_t n, Dice& dice) {
  const Words bases = fill(1 + dice.below(20), [&] { return dice.word(); });
  const unsigned spread = static_cast<unsigned>(dice.below(16));
  return fill(n, [&] { return dice.of(bases) + dice.of_any_length(spread); });
}

/// 95 % are one value.
Words heavy(std::size_t n, Dice& dice, Word value) {
  return fill(n, [&] { return dice.below(100) < 95 ? value : dice.word(); });
}

Words low_entropy(std::size_t n, Dice& dice) {
  const Word flip = dice.one_in(2) ? ~Word{0} : 0;
  const std::uint64_t words = 2 + dice.below(6);
  return fill(n, [&] {
    Word word = ~Word{0};
    for (std::uint64_t i = 0; i < words; ++i) word &= dice.word();
    return word ^ flip;
  });
}

Words draw(const Case& one, Dice& dice) {
  const std::size_t n = one.n;
  const Layout key(one.key_type);
  const auto random = [&] { return dice.word(); };
  const auto random_sign = [&] { return dice.word() & key.sign; };
  const Word first = from_ordered(one.key_type, 0), last = from_ordered(one.key_type, key.mask);
  // The fixed bits of three kinds begin or end at one of these two, low < high.
  auto [low, high] = std::minmax({dice.below(key.bits), dice.below(key.bits)});
  ++high;
  const Word below_low = (Word{1} << low) - 1, below_high = key.mask >> (key.bits - high);

  switch (one.values) {
    case Values::uniform:
      return fill(n, random);
    case Values::one_value:
      return Words(n, dice.word());
    case Values::few:
      return few(n, dice);
    case Values::small_numbers: {
      const auto bits = static_cast<unsigned>(1 + dice.below(24));
      const bool negative_too = dice.one_in(2);
      return fill(n, [&] {
        const auto number = static_cast<std::int64_t>(dice.word() >> (64 - bits));
        return of_number(one.key_type, negative_too && dice.one_in(2) ? -number : number);
      });
    }
    case Values::one_bit:
      return with_fixed_bits(n, dice, Word{1} << low);
    case Values::fixed_top:
      return with_fixed_bits(n, dice, below_high);
    case Values::fixed_middle:
      return with_fixed_bits(n, dice, ~below_high | below_low);
    case Values::fixed_bottom:
      return with_fixed_bits(n, dice, ~below_low);
    case Values::heavy:
      return heavy(n, dice, dice.word());
    case Values::heavy_end:
      return heavy(n, dice, dice.one_in(2) ? first : last);
    case Values::low_entropy:
      return low_entropy(n, dice);
    case Values::any_length:
      return fill(n, [&] { return dice.of_any_length(key.bits); });
    case Values::clusters:
      return clusters(n, dice);
    case Values::ends:
      return fill(n, [&] {
        const Word step = dice.of_any_length(6);
        return from_ordered(one.key_type, dice.one_in(2) ? step : key.mask - step);
      });
    case Values::powers:
      return fill(n, [&] { return random_sign() | (dice.word() & key.exponent); });
    case Values::special: {
      const Words specials = special_keys(one.key_type);
      const std::uint64_t times = 1 + dice.below(4);
      return fill(n, [&] { return dice.one_in(times) ? dice.of(specials) : dice.word(); });
    }
    case Values::nans:
      return fill(n, [&] {
        return random_sign() | key.exponent | (1 + (dice.of_any_length(key.fraction_bits) >> 1));
      });
    case Values::denormals:
      return fill(n, [&] { return random_sign() | dice.of_any_length(key.fraction_bits); });
    case Values::zeros:
      return fill(n, [&] { return dice.one_in(50) ? dice.word() : random_sign(); });
  }
  return {};
}

// ---- The order of the keys ----

/// Sorts runs of about `length`: the run beginning at each place that is a multiple of it.
template <class Less>
void sort_runs(Words& words, std::size_t length, Less less) {
  for (std::size_t begin = 0, run = 0; begin < words.size(); begin += length, ++run) {
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(first, first + static_cast<std::ptrdiff_t>(std::min(length, words.size() - begin)),
              [&](Word a, Word b) { return less(run, a, b); });
  }
}

/// The rank at place i of the sequence that is bad for the median of first, middle and last:
/// common/harness/input/distributions.cpp draws it.
std::size_t killer3(std::size_t i, std::size_t n) {
  const std::size_t h = (n - 1) / 2;
  if (i >= 2 * h) return i;
  if (i >= h) return 2 * (i - h) + 1;
  return i % 2 == 0 ? i : i + h - 1 + h % 2;
}

/// words[i] becomes words[rank(i)].
template <class Rank>
void permute(Words& words, Rank rank) {
  const Words before = words;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = before[rank(i)];
}

void swap_some(Words& words, Dice& dice) {
  const std::uint64_t swaps =
      1 + dice.below(1 + static_cast<Word>(std::sqrt(static_cast<double>(words.size()))));
  for (std::uint64_t i = 0; i < swaps; ++i) {
    std::swap(words[dice.below(words.size())], words[dice.below(words.size())]);
  }
}

/// Random keys from place `begin` to `end`, each from anywhere.
void shuffle(Words& words, Dice& dice, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) std::swap(words[i], words[dice.below(words.size())]);
}

/// Needs a word at least.
void arrange(const Case& one, Words& words, Dice& dice) {
  const std::size_t n = words.size();
  const auto before = [&](Word a, Word b) {
    return ordered(one.key_type, a) < ordered(one.key_type, b);
  };
  const std::size_t length = 1 + std::min(n - 1, dice.of_any_length(17));
  switch (one.pattern) {
    case Pattern::random:
      return;
    case Pattern::runs:
      return sort_runs(words, length, [&](std::size_t, Word a, Word b) { return before(a, b); });
    case Pattern::falling_runs:
      return sort_runs(words, length, [&](std::size_t, Word a, Word b) { return before(b, a); });
    case Pattern::waves:
      return sort_runs(words, length, [&](std::size_t run, Word a, Word b) {
        return run % 2 == 0 ? before(a, b) : before(b, a);
      });
    default:
      std::sort(words.begin(), words.end(), before);
  }
  switch (one.pattern) {
    case Pattern::reverse:
    case Pattern::reverse_swaps:
      std::reverse(words.begin(), words.end());
      if (one.pattern == Pattern::reverse_swaps) swap_some(words, dice);
      return;
    case Pattern::swaps:
      return swap_some(words, dice);
    case Pattern::organ_pipe:
      return permute(words, [&](std::size_t i) {
        return i < ceil_div(n, std::size_t{2}) ? 2 * i : 2 * (n - i) - 1;
      });
    case Pattern::zigzag:
      return permute(words, [&](std::size_t i) { return i % 2 == 0 ? i / 2 : n - 1 - i / 2; });
    case Pattern::killer3:
      return permute(words, [&](std::size_t i) { return killer3(i, n); });
    case Pattern::sawtooth:
      return permute(words, [&](std::size_t i) { return i % length * (n / length); });
    case Pattern::rotated:
      return void(std::rotate(
          words.begin(), words.begin() + static_cast<std::ptrdiff_t>(dice.below(n)), words.end()));
    case Pattern::random_tail:
      return shuffle(words, dice, n - ceil_div(n, std::size_t{20}), n);
    case Pattern::random_head:
      return shuffle(words, dice, 0, ceil_div(n, std::size_t{20}));
    case Pattern::blocks:  // each a copy of a randomly chosen one
      return permute(words, [&, salt = dice.word()](std::size_t i) {
        const std::size_t block = random_word(salt, 0, i / length) % ceil_div(n, length);
        return std::min(n - 1, block * length + i % length);
      });
    case Pattern::stride: {
      std::size_t step = 1 + dice.below(n);
      while (std::gcd(step, n) != 1) ++step;
      return permute(words, [&](std::size_t i) { return i * step % n; });
    }
    default:
      return;
  }
}

}  // namespace

std::uint64_t ordered(KeyType type, std::uint64_t bits) {
  return visit_key_type(type, [&]<class Key>(Key) -> Word {
    return to_ordered_bits(std::bit_cast<Key>(static_cast<BitsOf<Key>>(bits)));
  });
}

std::vector<std::uint64_t> make_keys(const Case& one) {
  Dice dice(one.seed, 0);
  Words words = draw(one, dice);
  const Word mask = Layout(one.key_type).mask;
  for (Word& word : words) word &= mask;
  if (!words.empty()) arrange(one, words, dice);
  return words;
}

bool needs_total_order(KeyType type, const std::vector<std::uint64_t>& keys) {
  if (!is_floating(type)) return false;
  const Layout key(type);
  return std::any_of(keys.begin(), keys.end(), [&](Word word) {
    return word == key.sign || (word & ~key.sign) > key.exponent;
  });
}

}  // namespace sortlab::fuzz
