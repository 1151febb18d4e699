// Three parallel passes: fingerprint, order and, if the sort claims it, stability. Commutative
// operations combine the results of the chunks, so the answer does not depend on the order of
// threads.
#include "common/harness/verify/verify.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "common/contract/usable_cpus.hpp"
#include "common/harness/verify/item_hash.hpp"
#include "common/threads/team.hpp"

namespace sortlab {
namespace {

/// Calls pass(first, last) for chunks of the items `begin` to n - 1.
template <class Pass>
void in_chunks(std::int64_t begin, std::int64_t n, Pass pass) {
  const int threads = n < kHashedInParallelFrom ? 1 : usable_cpus();
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(n - begin, 0));
  threads::for_each_chunk(count, threads, [&](std::size_t first, std::size_t last) {
    pass(begin + static_cast<std::int64_t>(first), begin + static_cast<std::int64_t>(last));
  });
}

template <class Key, class Value>
Fingerprint fingerprint_of(const Key* keys, const Value* values, std::int64_t n) {
  std::atomic<std::uint64_t> sum = 0, xor_ = 0;
  in_chunks(0, n, [&](std::int64_t first, std::int64_t last) {
    std::uint64_t sum_of_chunk = 0, xor_of_chunk = 0;
    for (std::int64_t i = first; i < last; ++i) {
      const std::uint64_t h = item_hash(keys, values, static_cast<std::size_t>(i));
      sum_of_chunk += h;
      xor_of_chunk ^= h;
    }
    sum += sum_of_chunk;
    xor_ ^= xor_of_chunk;
  });
  return {static_cast<std::uint64_t>(n), sum, xor_};
}

template <class Key, Order kOrder>
bool is_sorted(const Key* keys, std::int64_t n) {
  std::atomic<bool> sorted = true;
  in_chunks(1, n, [&](std::int64_t first, std::int64_t last) {
    bool chunk_is_sorted = true;
    for (std::int64_t i = first; i < last; ++i) {
      chunk_is_sorted = chunk_is_sorted && !KeyLess<Key, kOrder>{}(keys[i], keys[i - 1]);
    }
    if (!chunk_is_sorted) sorted = false;
  });
  return sorted;
}

/// Equal means equal bits: totalOrder separates all other keys.
template <class Key, class Value>
bool is_stable(const Key* keys, const Value* values, std::int64_t n) {
  std::atomic<bool> stable = true;
  in_chunks(1, n, [&](std::int64_t first, std::int64_t last) {
    bool chunk_is_stable = true;
    for (std::int64_t i = first; i < last; ++i) {
      const bool equal = to_ordered_bits(keys[i - 1]) == to_ordered_bits(keys[i]);
      if constexpr (!std::is_same_v<Value, NoValue>) {
        chunk_is_stable = chunk_is_stable && (!equal || values[i - 1] < values[i]);
      }
    }
    if (!chunk_is_stable) stable = false;
  });
  return stable;
}

}  // namespace

std::string Verdict::fault() const {
  if (!sorted) return "wrong result: not sorted";
  if (!permutation) return "wrong result: not a permutation of the input";
  if (stable == false) return "wrong result: equal keys changed places";
  return "";
}

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

Fingerprint fingerprint(KeyType type, const void* keys, ErasedValues values, std::size_t n) {
  return visit_key_type(type, [&]<class Key>(Key) {
    return values.visit([&](const auto* v) {
      return fingerprint_of(static_cast<const Key*>(keys), v, static_cast<std::int64_t>(n));
    });
  });
}

Findings look(KeyType type, Order order, const void* keys, ErasedValues values, std::size_t n,
              bool claims_stable) {
  return visit_key_type(type, [&](auto key) {
    using Key = decltype(key);
    const auto* k = static_cast<const Key*>(keys);
    const auto count = static_cast<std::int64_t>(n);
    Findings found{fingerprint(type, keys, values, n),
                   order == Order::ascending ? is_sorted<Key, Order::ascending>(k, count)
                                             : is_sorted<Key, Order::descending>(k, count)};
    if (claims_stable && values.are_there()) {
      found.stable = values.visit([&](const auto* v) { return is_stable(k, v, count); });
    }
    const auto end_at = [&](std::size_t i) {
      if (n == 0) return end_of(type, order, nullptr, 0);
      return end_of(type, order, k + i, values[i]);
    };
    found.first = end_at(0);
    found.last = end_at(n - 1);
    return found;
  });
}

Verdict judged(std::span<const Findings> parts, const Fingerprint& expected) {
  Fingerprint all;
  bool sorted = true, stable = true, claims_stable = false;
  const End* last = nullptr;  // of the parts so far that hold items
  for (const Findings& part : parts) {
    all = together(all, part.fingerprint);
    sorted = sorted && part.sorted;
    claims_stable = claims_stable || part.stable.has_value();
    stable = stable && part.stable.value_or(true);
    if (part.fingerprint.count == 0) continue;
    if (last != nullptr) {
      const int order = std::memcmp(last->key.data(), part.first.key.data(), last->key.size());
      sorted = sorted && order <= 0;
      stable = stable && (order != 0 || last->number < part.first.number);
    }
    last = &part.last;
  }
  Verdict verdict{sorted, all == expected, {}};
  if (claims_stable) verdict.stable = stable;
  return verdict;
}

Verdict verify(KeyType type, Order order, const void* keys, ErasedValues values, std::size_t n,
               const Fingerprint& expected, bool claims_stable) {
  const Findings found = look(type, order, keys, values, n, claims_stable);
  return judged(std::span(&found, 1), expected);
}

}  // namespace sortlab
