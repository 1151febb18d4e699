// Is it sorted, and is it a permutation of the input? Without sorting it a second time.
//
// The fingerprint of a multiset of items is their count and the sum and the xor of their *hashed*
// bits. It does not depend on their order, so it is taken of the input once and compared with each
// result. The hash is what makes it hold: a plain sum takes {2, 2} for {1, 3}. Keys count by their
// bits (-0 is not +0), and a value counts together with its key, so that values that change places
// between different keys show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "common/contract/key_types.hpp"

namespace sortlab {

struct Fingerprint {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  std::uint64_t xor_ = 0;

  bool operator==(const Fingerprint&) const = default;
};

struct Verdict {
  bool sorted = false;
  bool permutation = false;
  std::optional<bool> stable;  // empty where the sort claims nothing, and for keys alone

  bool ok() const { return sorted && permutation && stable.value_or(true); }
  /// "" or what is wrong with the result.
  std::string fault() const;
};

/// The fingerprint of n keys, with their u32 values unless `values` is null.
Fingerprint fingerprint(KeyType type, const void* keys, const void* values, std::size_t n);

/// Judges a result against the fingerprint of its input. Stability is judged for pairs of a sort
/// that claims it, and takes the input's values to have been 0, 1, 2, ...: among equal keys they
/// ascend.
Verdict verify(KeyType type, Order order, const void* keys, const void* values, std::size_t n,
               const Fingerprint& expected, bool claims_stable);

}  // namespace sortlab
