#include "common/harness/ranks/part_verdict.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace sortlab {
namespace {

/// A place in the order of all items: the bytes of a key, of which memcmp knows the order, and the number that the
/// item had in the input.
struct End {
  std::vector<std::byte> key;
  std::uint64_t number = 0;
};

/// What a part knows of its own items.
struct OwnVerdict {
  Fingerprint before, after;
  bool sorted = false, stable = true;
  bool judges_stable = false;
  End first, last;  // keys of the same length on all parts; of no items: any
};

/// What it tells the others beside the keys of its ends.
struct Report {
  Fingerprint before, after;
  std::uint64_t first_number, last_number;
  bool sorted, stable;
};

PartsVerdict judged_together(Communicator& parts, const OwnVerdict& own) {
  const auto reports = gathered(parts, Report{own.before, own.after, own.first.number,
                                              own.last.number, own.sorted, own.stable});
  const std::size_t key_bytes = own.first.key.size();
  std::vector<std::byte> own_keys = own.first.key;
  own_keys.insert(own_keys.end(), own.last.key.begin(), own.last.key.end());
  const auto keys = gathered(parts, std::span<const std::byte>(own_keys));

  Fingerprint before, after;
  std::uint64_t largest = 0;
  bool sorted = true, stable = true;
  const Report* last = nullptr;  // of the parts so far that hold items
  const std::byte* last_key = nullptr;
  for (std::size_t part = 0; part < reports.size(); ++part) {
    const Report& report = reports[part];
    before = together(before, report.before);
    after = together(after, report.after);
    largest = std::max(largest, report.after.count);
    sorted = sorted && report.sorted;
    stable = stable && report.stable;
    if (report.after.count == 0) continue;
    const std::byte* const first_key = keys.data() + part * 2 * key_bytes;
    if (last != nullptr) {
      const int order = std::memcmp(last_key, first_key, key_bytes);
      sorted = sorted && order <= 0;
      stable = stable && (order != 0 || last->last_number < report.first_number);
    }
    last = &report;
    last_key = first_key + key_bytes;
  }
  PartsVerdict result;
  result.verdict.sorted = sorted;
  result.verdict.permutation = before == after;
  if (own.judges_stable) result.verdict.stable = stable;
  if (before.count > 0) {
    result.imbalance = static_cast<double>(largest) * static_cast<double>(reports.size()) /
                       static_cast<double>(before.count);
  }
  return result;
}

/// Numbers by the integers that stand for their order, highest byte first.
template <class Key, Order kOrder>
End end_of(const PartItems& items, std::size_t i) {
  End end{std::vector<std::byte>(sizeof(std::uint64_t)), 0};
  if (i >= items.n) return end;
  const std::uint64_t bits = to_radix_bits<Key, kOrder>(static_cast<const Key*>(items.keys)[i]);
  const std::uint64_t highest_first = __builtin_bswap64(bits);
  std::memcpy(end.key.data(), &highest_first, sizeof bits);
  if (items.values != nullptr) end.number = static_cast<const std::uint32_t*>(items.values)[i];
  return end;
}

End end_of(const RecordsAt& records, std::size_t n, std::size_t i) {
  End end{std::vector<std::byte>(records.shape.key_bytes), 0};
  if (i >= n) return end;
  std::memcpy(end.key.data(), records[i], end.key.size());
  if (records.are_numbered()) end.number = records.number(i);
  return end;
}

/// `own` was judged against `after`, the fingerprint of what the part holds.
OwnVerdict own_verdict(const Verdict& own, const Fingerprint& before, const Fingerprint& after) {
  return {before, after, own.sorted, own.stable.value_or(true), own.stable.has_value(), {}, {}};
}

}  // namespace

Fingerprint together(const Fingerprint& a, const Fingerprint& b) {
  return {a.count + b.count, a.sum + b.sum, a.xor_ ^ b.xor_};
}

PartsVerdict verify_parts(Communicator& parts, KeyType type, Order order, const PartItems& items,
                          const Fingerprint& expected, bool claims_stable) {
  const Fingerprint after = fingerprint(type, items.keys, items.values, items.n);
  OwnVerdict own =
      own_verdict(verify(type, order, items.keys, items.values, items.n, after, claims_stable),
                  expected, after);
  visit_key_type(type, [&](auto key) {
    using Key = decltype(key);
    const auto end =
        order == Order::ascending ? end_of<Key, Order::ascending> : end_of<Key, Order::descending>;
    own.first = end(items, 0);
    own.last = end(items, items.n - 1);
  });
  return judged_together(parts, own);
}

PartsVerdict verify_parts_of_records(Communicator& parts, const RecordsAt& records, std::size_t n,
                                     const Fingerprint& expected, bool claims_stable) {
  const Fingerprint after = fingerprint(records, n);
  OwnVerdict own = own_verdict(verify_records(records, n, after, claims_stable), expected, after);
  own.first = end_of(records, n, 0);
  own.last = end_of(records, n, n - 1);
  return judged_together(parts, own);
}

}  // namespace sortlab
