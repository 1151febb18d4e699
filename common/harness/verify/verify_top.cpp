// The verdicts on top-k and on partial sorts: exact, by the keys' order and bits.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "common/contract/usable_cpus.hpp"
#include "common/harness/verify/item_hash.hpp"
#include "common/harness/verify/verify.hpp"
#include "common/threads/team.hpp"

namespace sortlab {
namespace {

/// A key as bits whose order is the one that is asked for: smaller is better.
template <Order kOrder, class Key>
auto rank_of(Key key) {
  const auto bits = to_ordered_bits(key);
  return kOrder == Order::ascending ? bits : static_cast<decltype(bits)>(~bits);
}

template <Order kOrder, class Key>
auto ranks_of(const Key* keys, std::size_t n) {
  std::vector<decltype(rank_of<kOrder>(Key{}))> ranks(n);
  for (std::size_t i = 0; i < n; ++i) ranks[i] = rank_of<kOrder>(keys[i]);
  return ranks;
}

/// What is wrong in any row so far.
struct RowFaults {
  std::atomic<bool> unsorted = false, changed = false, not_first = false;
};

/// Looks at the k items `found` of one row, and their places where they are.
template <Order kOrder, class Key>
void look_at_row(const Key* row, std::size_t length, const Key* found, const std::uint32_t* places,
                 std::size_t k, const Top& top, RowFaults& faults) {
  if (k == 0) return;
  auto best = ranks_of<kOrder>(row, length);
  std::nth_element(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(k - 1), best.end());
  const auto last = best[k - 1];  // the worst that belongs to the result
  best.resize(k);
  auto result = ranks_of<kOrder>(found, k);
  if (top.is_sorted && !std::is_sorted(result.begin(), result.end())) faults.unsorted = true;
  if (places != nullptr) {
    std::vector<bool> taken(length);
    for (std::size_t i = 0; i < k; ++i) {
      const std::size_t place = places[i];
      if (place >= length || taken[place] || rank_of<kOrder>(row[place]) != result[i]) {
        faults.changed = true;
        return;
      }
      taken[place] = true;
      const bool equal = i > 0 && result[i] == result[i - 1];
      if (top.is_first && top.is_sorted && equal && places[i - 1] > place) faults.not_first = true;
    }
    bool passed_over = false;  // one as good as the last, in an earlier place
    for (std::size_t place = 0; place < length; ++place) {
      if (rank_of<kOrder>(row[place]) != last) continue;
      if (top.is_first && taken[place] && passed_over) faults.not_first = true;
      passed_over = passed_over || !taken[place];
    }
  }
  std::sort(best.begin(), best.end());
  std::sort(result.begin(), result.end());
  if (best != result) faults.changed = true;
}

template <Order kOrder, class Key>
Verdict judge_rows(const VerifiedItems& found, const std::byte* kept, const VerifiedItems& input,
                   std::size_t n, const Rows& rows, const Top& top) {
  RowFaults faults;
  const std::size_t room = std::min(top.k, rows.length);
  const auto* const keys = reinterpret_cast<const Key*>(input.keys);
  const auto* const best = reinterpret_cast<const Key*>(found.keys);
  const auto* const places = reinterpret_cast<const std::uint32_t*>(found.values);
  if (n != 0 && std::memcmp(kept, input.keys, n * sizeof(Key)) != 0) faults.changed = true;
  const int threads = static_cast<std::int64_t>(n) < kHashedInParallelFrom ? 1 : usable_cpus();
  threads::for_each_part(rows.count, threads, [&](std::size_t r, int) {
    const std::size_t k = top.ks == nullptr ? room : std::min<std::size_t>(top.ks[r], room);
    look_at_row<kOrder>(keys + r * rows.stride, rows.length, best + r * room,
                        places == nullptr ? nullptr : places + r * room, k, top, faults);
  });
  Verdict verdict{!faults.unsorted, !faults.changed, {}};
  if (top.is_first && places != nullptr) verdict.stable = !faults.not_first;
  return verdict;
}

template <Order kOrder, class Key>
bool is_partly_sorted(const Key* keys, std::size_t n, std::size_t k, bool sorted) {
  const auto ranks = ranks_of<kOrder>(keys, n);
  const auto middle = ranks.begin() + static_cast<std::ptrdiff_t>(k);
  if (sorted) {
    if (k == 0) return true;
    return std::is_sorted(ranks.begin(), middle) &&
           std::all_of(middle, ranks.end(),
                       [last = ranks[k - 1]](auto rank) { return rank >= last; });
  }
  if (k == n) return true;
  const auto at = *middle;
  return std::all_of(ranks.begin(), middle, [at](auto rank) { return rank <= at; }) &&
         std::all_of(middle, ranks.end(), [at](auto rank) { return rank >= at; });
}

/// Calls f.operator()<order>(key) for the types that these are.
template <class F>
auto with_types(KeyType type, Order order, F f) {
  return visit_key_type(type, [&](auto key) {
    return order == Order::ascending ? f.template operator()<Order::ascending>(key)
                                     : f.template operator()<Order::descending>(key);
  });
}

}  // namespace

Verdict verify_top_k(KeyType type, Order order, const VerifiedItems& found, const std::byte* kept,
                     const VerifiedItems& input, std::size_t n, const Rows& rows, const Top& top) {
  return with_types(type, order, [&]<Order kOrder, class Key>(Key) {
    return judge_rows<kOrder, Key>(found, kept, input, n, rows, top);
  });
}

Verdict verify_partial(KeyType type, Order order, const void* keys, ErasedValues values,
                       std::size_t n, std::size_t k, bool is_sorted, const Fingerprint& expected) {
  return with_types(type, order, [&]<Order kOrder, class Key>(Key) {
    const Findings found{fingerprint(type, keys, values, n),
                         is_partly_sorted<kOrder>(static_cast<const Key*>(keys), n, k, is_sorted)};
    return judged(std::span(&found, 1), expected);
  });
}

}  // namespace sortlab
