// Three parallel passes: fingerprint, order and, where it is claimed, stability. Reductions over
// commutative operations, so that the answer does not depend on how the items fell to the threads.
#include "common/harness/verify/verify.hpp"

#include "common/harness/verify/item_hash.hpp"

namespace sortlab {
namespace {

using Value = std::uint32_t;

/// Below this many items a team's threads, which go on spinning for 16 ms, would be felt by the next
/// sort, unless it is by the same team.
constexpr std::int64_t kParallelFrom = 1 << 24;

template <class Key, bool kPairs>
Fingerprint fingerprint_of(const Key* keys, const Value* values, std::int64_t n) {
  std::uint64_t sum = 0, xor_ = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum) reduction(^ : xor_) \
    if (n >= kParallelFrom)
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint64_t h;
    if constexpr (kPairs) {
      h = item_hash(keys[i], values[i]);
    } else {
      h = item_hash(keys[i]);
    }
    sum += h;
    xor_ ^= h;
  }
  return {static_cast<std::uint64_t>(n), sum, xor_};
}

template <class Key, Order kOrder>
bool is_sorted(const Key* keys, std::int64_t n) {
  bool sorted = true;
#pragma omp parallel for schedule(static) reduction(&& : sorted) if (n >= kParallelFrom)
  for (std::int64_t i = 1; i < n; ++i) {
    sorted = sorted && !KeyLess<Key, kOrder>{}(keys[i], keys[i - 1]);
  }
  return sorted;
}

/// Equal means equal bits: totalOrder tells apart all other keys.
template <class Key>
bool is_stable(const Key* keys, const Value* values, std::int64_t n) {
  bool stable = true;
#pragma omp parallel for schedule(static) reduction(&& : stable) if (n >= kParallelFrom)
  for (std::int64_t i = 1; i < n; ++i) {
    const bool equal = to_ordered_bits(keys[i - 1]) == to_ordered_bits(keys[i]);
    stable = stable && (!equal || values[i - 1] < values[i]);
  }
  return stable;
}

}  // namespace

std::string Verdict::fault() const {
  if (!sorted) return "wrong result: not sorted";
  if (!permutation) return "wrong result: not a permutation of the input";
  if (stable == false) return "wrong result: equal keys changed places";
  return "";
}

Fingerprint fingerprint(KeyType type, const void* keys, const void* values, std::size_t n) {
  return visit_key_type(type, [&](auto key) {
    const auto* k = static_cast<const decltype(key)*>(keys);
    const auto* v = static_cast<const Value*>(values);
    const auto count = static_cast<std::int64_t>(n);
    return v == nullptr ? fingerprint_of<decltype(key), false>(k, v, count)
                        : fingerprint_of<decltype(key), true>(k, v, count);
  });
}

Verdict verify(KeyType type, Order order, const void* keys, const void* values, std::size_t n,
               const Fingerprint& expected, bool claims_stable) {
  return visit_key_type(type, [&](auto key) {
    using Key = decltype(key);
    const auto* k = static_cast<const Key*>(keys);
    const auto* v = static_cast<const Value*>(values);
    const auto count = static_cast<std::int64_t>(n);
    Verdict verdict;
    verdict.sorted = order == Order::ascending ? is_sorted<Key, Order::ascending>(k, count)
                                               : is_sorted<Key, Order::descending>(k, count);
    verdict.permutation = fingerprint(type, keys, values, n) == expected;
    if (claims_stable && v != nullptr) verdict.stable = is_stable(k, v, count);
    return verdict;
  });
}

}  // namespace sortlab
