// Is what all parts hold together sorted, and a permutation of the input? Each part judges its own items;
// then all parts tell each other their ends and fingerprints, and judge the whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/contract/communicator.hpp"
#include "common/harness/verify/verify.hpp"
#include "common/harness/verify/verify_records.hpp"

namespace sortlab {

/// The result of one part.
struct PartItems {
  const void* keys;
  const void* values;  // null for keys alone
  std::size_t n;
};

struct PartsVerdict {
  Verdict verdict;
  double imbalance = 1;  // items of the largest part over those of an even share
};

/// A place in the order of all items: the bytes of a key, of which memcmp knows the order, and the number that
/// the item had in the input.
struct End {
  std::vector<std::byte> key;
  std::uint64_t number = 0;
};

/// That of a number: `key` points at one of this type, or is null where there is none.
End end_of(KeyType type, Order order, const void* key, std::uint64_t number);

/// What a part knows of its own items.
struct PartReport {
  Fingerprint before, after;
  bool sorted = false;
  std::optional<bool> stable;  // empty where nobody claims it
  End first, last;             // keys of the same length on all parts; of no items: any
};

/// The verdict on all parts together.
PartsVerdict judged(const std::vector<PartReport>& reports);

/// The same on all parts, which must all call it with their own report.
PartsVerdict judged(Communicator& parts, const PartReport& own);

/// What this part says of its items. `expected` is the fingerprint of its input.
PartReport report_of(KeyType type, Order order, const PartItems& items, const Fingerprint& expected,
                     bool claims_stable);

/// The same for n records.
PartReport report_of_records(const RecordsAt& records, std::size_t n, const Fingerprint& expected,
                             bool claims_stable);

/// The fingerprint of two multisets of items together.
Fingerprint together(const Fingerprint& a, const Fingerprint& b);

}  // namespace sortlab
