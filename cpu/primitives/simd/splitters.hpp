// Splitters: keys from a sorted sample that separate the other keys into buckets.
#pragma once

#include <cstddef>
#include <limits>

namespace sortlab::cpu::primitives::simd {

/// The ascending splitters of a distribution: bucket b holds the keys above splitter b - 1, up to
/// and including splitter b. Two consecutive integers as splitters have a bucket of equal keys
/// between them.
template <class Key>
struct Splitters {
  const Key* keys;
  int count;

  /// The greatest key that bucket may hold.
  Key upper(int bucket) const {
    return bucket < count ? keys[bucket] : std::numeric_limits<Key>::max();
  }
  /// Whether that is its only key.
  bool all_equal(int bucket) const {
    constexpr Key kLeast = std::numeric_limits<Key>::min();
    if (bucket == 0) return keys[0] == kLeast;
    return keys[bucket - 1] != std::numeric_limits<Key>::max() &&
           upper(bucket) == keys[bucket - 1] + 1;
  }
};

/// Takes `ways` - 1 splitters from a sorted sample, in equal steps. The first of equal splitters is
/// decremented, so that the frequent key has its own bucket. The greatest key of the sample counts
/// as one more splitter, so at least two buckets will hold keys of the sample.
template <class Key>
Splitters<Key> choose_splitters(const Key* sample, std::size_t sampled, int ways, Key* keys) {
  const auto count = static_cast<std::size_t>(ways) - 1;
  const std::size_t step = (sampled << 16) / static_cast<std::size_t>(ways);
  Key before = sample[0], key = sample[step >> 16];
  int kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Key after = i + 1 < count ? sample[(i + 2) * step >> 16] : sample[sampled - 1];
    if (i == 0 || before != key) {
      const bool least = key == std::numeric_limits<Key>::min();
      if (after == key && !least && (kept == 0 || keys[kept - 1] != key - 1))
        keys[kept++] = key - 1;
      keys[kept++] = key;
    }
    before = key;
    key = after;
  }
  return {keys, kept};
}

}  // namespace sortlab::cpu::primitives::simd
