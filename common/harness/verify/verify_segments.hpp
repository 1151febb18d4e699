// The verdict on segments: each must hold its own items in order, and items of no segment must stay.
#pragma once

#include "common/contract/segments.hpp"
#include "common/harness/verify/verify.hpp"

namespace sortlab {

/// Keys with their u32 values, which are null for keys alone.
struct VerifiedItems {
  const std::byte* keys;
  const std::byte* values;
};

/// `result`: where a sort left the segments. `data`: its data, for the items between them. `input`: as before the sort.
/// The verdict `sorted` is about each segment; `permutation` about the multiset of each, and the items between them.
Verdict verify_segments(KeyType type, Order order, const VerifiedItems& result,
                        const VerifiedItems& data, const VerifiedItems& input, std::size_t n,
                        const Cut& cut, bool claims_stable);

}  // namespace sortlab
