// The inputs of the suite: every distribution by name, each a formula in i, n and the seed.
//
// Key i is a pure function of (i, n, seed), so the same seed gives the same keys with any number of
// threads. In the formulas w, w', ... are random words of index i; u is a word read as a fraction
// in [0, 1); R(x) is the key at the fraction x of the type's range (the whole range of an integer
// type, [0, 1) for floats), so R keeps the order for signed types too. Formulas without R give
// small integers, which are the same numbers in every type; where they exceed a 32-bit type (n >
// 2^31) their low bits remain, and f32 rounds them above 2^24.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "common/contract/key_types.hpp"

namespace sortlab {

/// A set of key types.
class KeyTypes {
 public:
  template <class... Types>
  constexpr explicit KeyTypes(Types... types) : bits_(((1u << static_cast<int>(types)) | ...)) {}

  constexpr bool has(KeyType type) const { return (bits_ >> static_cast<int>(type) & 1) != 0; }

 private:
  unsigned bits_;
};

/// Whether programs sort keys alone, items of a key and a value of the usual width, or both.
enum class Carries : std::uint8_t { keys, pairs, both };

/// How real programs sort keys like those of a distribution. The defaults are for a distribution that no program has.
struct Usage {
  std::string_view who;  // which programs sort such keys, and why; "" for none
  KeyTypes types{KeyType::u32};
  Carries carries = Carries::keys;
  std::size_t n = std::size_t{1} << 20;

  constexpr bool is_real() const { return !who.empty(); }
  constexpr bool has_value_bytes(std::size_t value_bytes) const {
    return value_bytes == 0 ? carries != Carries::pairs
                            : carries != Carries::keys && value_bytes == kUsualValueBytes;
  }
};

/// A part of an input: the items `first` to `first + count - 1` of `n`.
struct Slice {
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t n = 0;
};

constexpr Slice whole(std::size_t n) { return {0, n, n}; }

struct Distribution {
  std::string name;
  std::string param;  // "" where there is none
};

struct DistributionInfo {
  std::string_view name;
  std::string_view formula;
  std::string_view default_param;  // "" where there is none
  bool correctness_only;           // for tests; its times mean nothing
  Usage usage;
};

/// All distributions, in the order in which they are listed to the user.
std::span<const DistributionInfo> all_distributions();

/// Their first part: synthetic inputs, simple ones and hard ones.
std::span<const DistributionInfo> patterns();

/// The second part: those made to be hard for sorts over ranks. The rest imitate the keys of
/// real programs; their usage is_real().
std::span<const DistributionInfo> patterns_of_blocks();

/// The default one for a distribution that is not in the list: the user's file.
Usage usage_of(const Distribution& distribution);

/// Reads "name" or "name:param", and fills in the default parameter. Throws BadInput for an unknown
/// name, for a parameter where there is none, and for one that is malformed or out of range.
Distribution parse_distribution(std::string_view text);

/// Fills `out` with the n = out.size() keys of the distribution, by the team of threads.
template <class Key>
void generate(std::span<Key> out, const Distribution& distribution, std::uint64_t seed);

/// Fills `out` with a part of the distribution, slice.count = out.size() keys: the same keys as
/// generate() puts there.
template <class Key>
void generate_slice(std::span<Key> out, const Slice& slice, const Distribution& distribution,
                    std::uint64_t seed);

/// The properties of keys that make them easy or hard to sort, in a few numbers.
struct Shape {
  std::size_t distinct = 0;       // different keys
  std::size_t most_frequent = 0;  // how often the most frequent key occurs
  std::size_t fullest_part =
      0;                  // keys in the fullest of 256 equal parts from the least to the most
  std::size_t runs = 0;   // ascending runs, each as long as possible
  int constant_bits = 0;  // bits that all keys have in common
};

/// For keys of any key type. Takes O(n log n) time and memory for a copy of the keys.
template <class Key>
Shape shape_of(std::span<const Key> keys);

}  // namespace sortlab
