// The merges of two runs, for all types of keys.
#include "cpu/primitives/parts/merge_received.hpp"

#include <bit>

namespace sortlab::cpu::parts {
namespace {

/// "a comes before b" for the bits of two keys.
template <class Key, Order kOrder>
struct BitsLess {
  bool operator()(BitsOf<Key> a, BitsOf<Key> b) const {
    return KeyLess<Key, kOrder>{}(std::bit_cast<Key>(a), std::bit_cast<Key>(b));
  }
};

template <class PartItems, class Less>
std::size_t from_the_left(const PartItems& items, merge::Range left, merge::Range right,
                          std::size_t count) {
  std::size_t low = count - std::min(count, right.size()), high = std::min(count, left.size());
  while (low < high) {
    const std::size_t mid = low + (high - low) / 2;
    const bool right_goes_first =
        Less{}(items.keys[right.begin + (count - mid - 1)], items.keys[left.begin + mid]);
    right_goes_first ? high = mid : low = mid + 1;
  }
  return low;
}

template <class PartItems, class Less>
void merge_two(const PartItems& from, merge::Range left, merge::Range right, const PartItems& to,
               std::size_t out) {
  merge::merge_runs<merge::PlainCopy>(from, left, right, to, out, Less{});
}

template <class PartItems, class Key, Order kOrder>
constexpr Merge<PartItems> kMerge = {&from_the_left<PartItems, BitsLess<Key, kOrder>>,
                                     &merge_two<PartItems, BitsLess<Key, kOrder>>};

}  // namespace

template <class PartItems>
Merge<PartItems> merge_for(KeyKind keys) {
  return visit_key_type(keys.type, [&](auto key) -> Merge<PartItems> {
    using Key = decltype(key);
    if constexpr (sizeof(Key) != sizeof(typename PartItems::Key)) {
      return {};
    } else {
      return keys.order == Order::ascending ? kMerge<PartItems, Key, Order::ascending>
                                            : kMerge<PartItems, Key, Order::descending>;
    }
  });
}

template Merge<Items<std::uint32_t, NoValue>> merge_for(KeyKind);
template Merge<Items<std::uint64_t, NoValue>> merge_for(KeyKind);
template Merge<Items<std::uint32_t, std::uint32_t>> merge_for(KeyKind);
template Merge<Items<std::uint64_t, std::uint32_t>> merge_for(KeyKind);

}  // namespace sortlab::cpu::parts
