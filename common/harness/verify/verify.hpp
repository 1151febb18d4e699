// Checks whether a result is sorted and a permutation of the input, without sorting it again.
//
// The fingerprint of a multiset of items is their count and the sum and the xor of their *hashed*
// bits. It does not depend on their order, so it is computed once from the input and compared with
// each result. The hash is necessary: plain sums of {2, 2} and {1, 3} are equal. Keys count by
// their bits (-0 is not +0). A value counts together with its key, so values that move to different
// keys are found.
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
  std::optional<bool> stable;  // empty if the sort does not claim it, and for keys alone

  bool ok() const { return sorted && permutation && stable.value_or(true); }
  /// "" or the fault of the result.
  std::string fault() const;
};

/// The fingerprint of n keys, with their u32 values unless `values` is null.
Fingerprint fingerprint(KeyType type, const void* keys, const void* values, std::size_t n);

/// Checks a result against the fingerprint of its input. Checks stability for pairs of a sort that
/// claims it: the input's values must be 0, 1, 2, ..., so they ascend among equal keys.
Verdict verify(KeyType type, Order order, const void* keys, const void* values, std::size_t n,
               const Fingerprint& expected, bool claims_stable);

}  // namespace sortlab
