#include "common/harness/verify/verify.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <vector>

#include "common/contract/usable_cpus.hpp"
#include "common/harness/verify/item_hash.hpp"
#include "common/threads/team.hpp"

namespace sortlab {
namespace {

using Value = std::uint32_t;

template <class Key>
struct View {
  const Key* keys;
  const Value* values;
  explicit View(const VerifiedItems& items)
      : keys(reinterpret_cast<const Key*>(items.keys)),
        values(reinterpret_cast<const Value*>(items.values)) {}
  std::uint64_t hash(std::size_t i) const {
    return values == nullptr ? item_hash(keys[i]) : item_hash(keys[i], values[i]);
  }
};

/// What is wrong in any segment so far.
struct Faults {
  std::atomic<bool> unsorted = false, changed = false, unstable = false;
};

template <class Key, Order kOrder>
void look_at(std::size_t begin, std::size_t end, const View<Key>& result, const View<Key>& input,
             Faults& faults) {
  std::uint64_t sum = 0, xor_ = 0, sum_before = 0, xor_before = 0;
  bool sorted = true, stable = true;
  for (std::size_t i = begin; i < end; ++i) {
    const std::uint64_t h = result.hash(i), before = input.hash(i);
    sum += h;
    xor_ ^= h;
    sum_before += before;
    xor_before ^= before;
    if (i == begin) continue;
    sorted = sorted && !KeyLess<Key, kOrder>{}(result.keys[i], result.keys[i - 1]);
    if (result.values == nullptr) continue;
    const bool equal = to_ordered_bits(result.keys[i - 1]) == to_ordered_bits(result.keys[i]);
    stable = stable && (!equal || result.values[i - 1] < result.values[i]);
  }
  if (!sorted) faults.unsorted = true;
  if (!stable) faults.unstable = true;
  if (sum != sum_before || xor_ != xor_before) faults.changed = true;
}

/// Calls f(begin, end) for each run of items that belong to no segment.
template <class F>
void for_each_gap(const Cut& cut, std::size_t n, F f) {
  std::vector<std::size_t> by_place(cut.count);
  std::iota(by_place.begin(), by_place.end(), std::size_t{0});
  const auto earlier = [&](std::size_t a, std::size_t b) {
    return std::pair(cut.begin(a), cut.end(a)) < std::pair(cut.begin(b), cut.end(b));
  };
  if (!std::is_sorted(by_place.begin(), by_place.end(), earlier)) {
    std::sort(by_place.begin(), by_place.end(), earlier);
  }
  std::size_t at = 0;
  for (const std::size_t s : by_place) {
    if (cut.begin(s) > at) f(at, cut.begin(s));
    at = std::max(at, cut.end(s));
  }
  if (at < n) f(at, n);
}

template <class Key, Order kOrder>
Verdict judge(const VerifiedItems& result, const VerifiedItems& data, const VerifiedItems& input,
              std::size_t n, const Cut& cut, bool claims_stable) {
  Faults faults;
  const View<Key> sorted(result), before(input);
  const int threads = static_cast<std::int64_t>(n) < kHashedInParallelFrom ? 1 : usable_cpus();
  constexpr std::size_t kBatch = 256;
  threads::for_each_part((cut.count + kBatch - 1) / kBatch, threads, [&](std::size_t batch, int) {
    const std::size_t last = std::min(cut.count, (batch + 1) * kBatch);
    for (std::size_t s = batch * kBatch; s < last; ++s) {
      look_at<Key, kOrder>(cut.begin(s), cut.end(s), sorted, before, faults);
    }
  });
  for_each_gap(cut, n, [&](std::size_t begin, std::size_t end) {
    const auto differ = [&](const std::byte* a, const std::byte* b, std::size_t bytes) {
      return std::memcmp(a + begin * bytes, b + begin * bytes, (end - begin) * bytes) != 0;
    };
    if (differ(data.keys, input.keys, sizeof(Key)) ||
        (input.values != nullptr && differ(data.values, input.values, sizeof(Value)))) {
      faults.changed = true;
    }
  });
  Verdict verdict{!faults.unsorted, !faults.changed, {}};
  if (claims_stable && input.values != nullptr) verdict.stable = !faults.unstable;
  return verdict;
}

}  // namespace

Verdict verify_segments(KeyType type, Order order, const VerifiedItems& result,
                        const VerifiedItems& data, const VerifiedItems& input, std::size_t n,
                        const Cut& cut, bool claims_stable) {
  return visit_key_type(type, [&](auto key) {
    using Key = decltype(key);
    return order == Order::ascending
               ? judge<Key, Order::ascending>(result, data, input, n, cut, claims_stable)
               : judge<Key, Order::descending>(result, data, input, n, cut, claims_stable);
  });
}

}  // namespace sortlab
