// As verify.hpp, for records: in the order of their keys, and the same multiset of records. These are the checks
// of the sort benchmarks' valsort: order, and a checksum that is the sum of a hash of each record.
#pragma once

#include <cstddef>

#include "common/contract/record_shape.hpp"
#include "common/harness/verify/verify.hpp"

namespace sortlab {

/// Records that lie one behind the other.
struct RecordsAt {
  const void* first;
  RecordShape shape;

  const std::byte* operator[](std::size_t i) const {
    return static_cast<const std::byte*>(first) + i * shape.bytes;
  }
  /// Whether their payloads number them, as generate_records() does.
  bool are_numbered() const;
  /// Where they are numbered.
  std::uint64_t number(std::size_t i) const;
};

/// The fingerprint of n records.
Fingerprint fingerprint(const RecordsAt& records, std::size_t n);

/// Looks at n records. Stability is looked at for numbered records of a sort that claims it: among equal keys the
/// numbers ascend.
Findings look(const RecordsAt& records, std::size_t n, bool claims_stable);

}  // namespace sortlab
