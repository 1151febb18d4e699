#include "common/harness/ranks/part_verdict.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sortlab {
namespace {

/// What a part tells the others beside the keys of its ends.
struct ToldOfItems {
  Fingerprint before, after;
  std::uint64_t first_number, last_number;
  bool sorted;
  std::optional<bool> stable;
};

/// The reports of all parts. Keys of ends have the same length on all of them.
std::vector<PartReport> reports_of_all(Communicator& parts, const PartReport& own) {
  const auto told = gathered(parts, ToldOfItems{own.before, own.after, own.first.number,
                                                own.last.number, own.sorted, own.stable});
  const std::size_t key_bytes = own.first.key.size();
  std::vector<std::byte> own_keys = own.first.key;
  own_keys.insert(own_keys.end(), own.last.key.begin(), own.last.key.end());
  const auto keys = gathered(parts, std::span<const std::byte>(own_keys));
  std::vector<PartReport> reports;
  auto key = keys.begin();
  const auto next_key = [&] {
    const auto begin = std::exchange(key, key + static_cast<std::ptrdiff_t>(key_bytes));
    return std::vector<std::byte>(begin, key);
  };
  for (const ToldOfItems& part : told) {
    PartReport& report =
        reports.emplace_back(PartReport{part.before, part.after, part.sorted, part.stable, {}, {}});
    report.first = {next_key(), part.first_number};
    report.last = {next_key(), part.last_number};
  }
  return reports;
}

End end_of(KeyType type, Order order, const PartItems& items, std::size_t i) {
  if (i >= items.n) return end_of(type, order, nullptr, 0);
  const auto* const values = static_cast<const std::uint32_t*>(items.values);
  return end_of(type, order, static_cast<const std::byte*>(items.keys) + i * bytes_of(type),
                values == nullptr ? 0 : values[i]);
}

End end_of(const RecordsAt& records, std::size_t n, std::size_t i) {
  End end{std::vector<std::byte>(records.shape.key_bytes), 0};
  if (i >= n) return end;
  std::memcpy(end.key.data(), records[i], end.key.size());
  if (records.are_numbered()) end.number = records.number(i);
  return end;
}

/// `own` was judged against `after`, the fingerprint of what the part holds.
PartReport report_without_ends(const Verdict& own, const Fingerprint& before,
                               const Fingerprint& after) {
  return {before, after, own.sorted, own.stable, {}, {}};
}

}  // namespace

Fingerprint together(const Fingerprint& a, const Fingerprint& b) {
  return {a.count + b.count, a.sum + b.sum, a.xor_ ^ b.xor_};
}

End end_of(KeyType type, Order order, const void* key, std::uint64_t number) {
  End end{std::vector<std::byte>(sizeof(std::uint64_t)), number};
  if (key == nullptr) return end;
  const std::uint64_t bits = visit_key_type(type, [&](auto any) -> std::uint64_t {
    using Key = decltype(any);
    Key value;
    std::memcpy(&value, key, sizeof value);
    return order == Order::ascending ? to_radix_bits<Key, Order::ascending>(value)
                                     : to_radix_bits<Key, Order::descending>(value);
  });
  const std::uint64_t highest_first = __builtin_bswap64(bits);
  std::memcpy(end.key.data(), &highest_first, sizeof bits);
  return end;
}

PartsVerdict judged(const std::vector<PartReport>& reports) {
  Fingerprint before, after;
  std::uint64_t largest = 0;
  bool sorted = true, stable = true, claims_stable = false;
  const End* last = nullptr;  // of the parts so far that hold items
  for (const PartReport& report : reports) {
    before = together(before, report.before);
    after = together(after, report.after);
    largest = std::max(largest, report.after.count);
    sorted = sorted && report.sorted;
    claims_stable = claims_stable || report.stable.has_value();  // without items a part may not
    stable = stable && report.stable.value_or(true);
    if (report.after.count == 0) continue;
    if (last != nullptr) {
      const int order = std::memcmp(last->key.data(), report.first.key.data(), last->key.size());
      sorted = sorted && order <= 0;
      stable = stable && (order != 0 || last->number < report.first.number);
    }
    last = &report.last;
  }
  PartsVerdict result;
  result.verdict.sorted = sorted;
  result.verdict.permutation = before == after;
  if (claims_stable) result.verdict.stable = stable;
  if (before.count > 0) {
    result.imbalance = static_cast<double>(largest) * static_cast<double>(reports.size()) /
                       static_cast<double>(before.count);
  }
  return result;
}

PartsVerdict judged(Communicator& parts, const PartReport& own) {
  return judged(reports_of_all(parts, own));
}

PartReport report_of(KeyType type, Order order, const PartItems& items, const Fingerprint& expected,
                     bool claims_stable) {
  const Fingerprint after = fingerprint(type, items.keys, items.values, items.n);
  const Verdict own = verify(type, order, items.keys, items.values, items.n, after, claims_stable);
  PartReport report = report_without_ends(own, expected, after);
  report.first = end_of(type, order, items, 0);
  report.last = end_of(type, order, items, items.n - 1);
  return report;
}

PartReport report_of_records(const RecordsAt& records, std::size_t n, const Fingerprint& expected,
                             bool claims_stable) {
  const Fingerprint after = fingerprint(records, n);
  PartReport report =
      report_without_ends(verify_records(records, n, after, claims_stable), expected, after);
  report.first = end_of(records, n, 0);
  report.last = end_of(records, n, n - 1);
  return report;
}

}  // namespace sortlab
