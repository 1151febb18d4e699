// The inputs of the suite: every distribution by name, each a formula in i, n and the seed.
//
// Key i is a pure function of (i, n, seed), so the same seed gives the same keys with any number of
// threads. In the formulas w, w', ... are random words of index i; u is a word read as a fraction
// in [0, 1); R(x) is the key at the fraction x of the type's range (the whole range of an integer
// type, [0, 1) for floats), so R keeps the order for signed types too. Formulas without R give
// small integers, which are the same numbers in every type; where they exceed a 32-bit type (n >
// 2^31) their low bits remain, and f32 rounds them above 2^24.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "common/contract/key_types.hpp"
#include "common/harness/input/slice.hpp"
#include "common/harness/input/usage.hpp"

namespace sortlab {

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

}  // namespace sortlab
