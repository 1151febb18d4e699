#include "common/harness/ranks/part_verdict.hpp"

#include <algorithm>

namespace sortlab {
namespace {

/// What a part tells the others. Keys by the integers that stand for their order, so that a smaller one
/// comes first in either order.
struct Report {
  Fingerprint before, after;
  std::uint64_t first_key = 0, last_key = 0;
  std::uint32_t first_value = 0, last_value = 0;
  bool sorted = false, stable = true;
};

template <class Key, Order kOrder>
void add_ends(Report& report, const PartItems& items) {
  if (items.n == 0) return;
  const auto* const keys = static_cast<const Key*>(items.keys);
  report.first_key = to_radix_bits<Key, kOrder>(keys[0]);
  report.last_key = to_radix_bits<Key, kOrder>(keys[items.n - 1]);
  if (items.values == nullptr) return;
  const auto* const values = static_cast<const std::uint32_t*>(items.values);
  report.first_value = values[0];
  report.last_value = values[items.n - 1];
}

Report report_of(KeyType type, Order order, const PartItems& items, const Fingerprint& expected,
                 bool claims_stable) {
  Report report;
  report.before = expected;
  report.after = fingerprint(type, items.keys, items.values, items.n);
  const Verdict own =
      verify(type, order, items.keys, items.values, items.n, report.after, claims_stable);
  report.sorted = own.sorted;
  report.stable = own.stable.value_or(true);
  visit_key_type(type, [&](auto key) {
    using Key = decltype(key);
    order == Order::ascending ? add_ends<Key, Order::ascending>(report, items)
                              : add_ends<Key, Order::descending>(report, items);
  });
  return report;
}

}  // namespace

Fingerprint together(const Fingerprint& a, const Fingerprint& b) {
  return {a.count + b.count, a.sum + b.sum, a.xor_ ^ b.xor_};
}

PartsVerdict verify_parts(Communicator& parts, KeyType type, Order order, const PartItems& items,
                          const Fingerprint& expected, bool claims_stable) {
  const auto reports = gathered(parts, report_of(type, order, items, expected, claims_stable));
  Fingerprint before, after;
  std::uint64_t largest = 0;
  bool sorted = true, stable = true;
  const Report* last = nullptr;  // of the parts so far that hold items
  for (const Report& report : reports) {
    before = together(before, report.before);
    after = together(after, report.after);
    largest = std::max(largest, report.after.count);
    sorted = sorted && report.sorted;
    stable = stable && report.stable;
    if (report.after.count == 0) continue;
    if (last != nullptr) {
      sorted = sorted && last->last_key <= report.first_key;
      stable =
          stable && (last->last_key != report.first_key || last->last_value < report.first_value);
    }
    last = &report;
  }
  PartsVerdict result;
  result.verdict.sorted = sorted;
  result.verdict.permutation = before == after;
  if (claims_stable && items.values != nullptr) result.verdict.stable = stable;
  if (before.count > 0) {
    result.imbalance = static_cast<double>(largest) * static_cast<double>(reports.size()) /
                       static_cast<double>(before.count);
  }
  return result;
}

}  // namespace sortlab
