// The data of the SIMD merge sort, apart from vectors: sorted segments, and cuts through several
// sorted runs. No key before a cut is greater than a key behind it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sortlab::cpu::merge::simd {

/// The most runs that are merged at a time.
inline constexpr int kMaxWays = 64;

template <class Key>
struct Segment {
  const Key* keys;
  std::size_t size;
};

/// Sorted runs, or a position in each of them.
template <class Key>
struct Positions {
  const Key* at[kMaxWays];
};

/// Cuts the runs [low, high) in front of the key at `pivot`, which belongs to run `owner`. No key
/// before the cut is greater, and no key behind it is less. Of equal keys those of earlier runs
/// come first, so cuts at different keys never cross.
template <class Key>
void cut_at(const Positions<Key>& low, const Positions<Key>& high, int runs, int owner,
            const Key* pivot, Positions<Key>& cut) {
  const Key key = *pivot;
  for (int r = 0; r < runs; ++r) {
    cut.at[r] = r == owner  ? pivot
                : r < owner ? std::upper_bound(low.at[r], high.at[r], key)
                            : std::lower_bound(low.at[r], high.at[r], key);
  }
}

template <class Key>
std::size_t keys_between(const Positions<Key>& low, const Positions<Key>& high, int runs) {
  std::size_t sum = 0;
  for (int r = 0; r < runs; ++r) sum += static_cast<std::size_t>(high.at[r] - low.at[r]);
  return sum;
}

/// Cuts the runs [begin, end) so that `rank` keys are before the cut, up to `tolerance` more or
/// less. The middle of the widest remaining window is the next pivot.
template <class Key>
void cut_at_rank(const Positions<Key>& begin, const Positions<Key>& end, int runs, std::size_t rank,
                 std::size_t tolerance, Positions<Key>& cut) {
  Positions<Key> low = begin, high = end;
  if (rank >= keys_between(begin, end, runs)) {
    cut = end;
    return;
  }
  while (rank > 0) {
    int widest = 0;
    for (int r = 1; r < runs; ++r) {
      if (high.at[r] - low.at[r] > high.at[widest] - low.at[widest]) widest = r;
    }
    if (low.at[widest] == high.at[widest]) break;
    const Key* const pivot = low.at[widest] + (high.at[widest] - low.at[widest]) / 2;
    cut_at(low, high, runs, widest, pivot, cut);
    const std::size_t before = keys_between(begin, cut, runs);
    if (before <= rank + tolerance && rank <= before + tolerance) return;
    if (before < rank) {
      low = cut;
      ++low.at[widest];  // the pivot itself is before the cut
    } else {
      high = cut;
    }
  }
  cut = low;
}

/// Cuts off the next tile of the runs [from, end): at most about `most` keys, and at least `most`
/// divided by the number of runs, if that many are left.
template <class Key>
void cut_tile(const Positions<Key>& from, const Positions<Key>& end, int runs, std::size_t most,
              Positions<Key>& cut) {
  int left = 0;
  for (int r = 0; r < runs; ++r) left += from.at[r] != end.at[r];
  // The first run that reaches its share of the tile defines the cut in all of them.
  const std::size_t share = std::max<std::size_t>(most / static_cast<std::size_t>(left), 1);
  int owner = -1;
  Positions<Key> limit;
  for (int r = 0; r < runs; ++r) {
    if (static_cast<std::size_t>(end.at[r] - from.at[r]) <= share) {
      limit.at[r] = end.at[r];
      continue;
    }
    limit.at[r] = from.at[r] + share;
    if (owner < 0 || *limit.at[r] < *limit.at[owner]) owner = r;
  }
  if (owner < 0) {
    cut = end;
  } else {
    cut_at(from, limit, runs, owner, limit.at[owner], cut);
  }
}

/// How many of the keys before `diagonal` in the merge of two segments come from the left one.
template <class Key>
std::size_t co_rank(Segment<Key> left, Segment<Key> right, std::size_t diagonal) {
  std::size_t low = diagonal > right.size ? diagonal - right.size : 0;
  std::size_t high = std::min(diagonal, left.size);
  while (low < high) {
    const std::size_t i = low + (high - low) / 2;
    if (right.keys[diagonal - 1 - i] < left.keys[i]) {
      high = i;
    } else {
      low = i + 1;
    }
  }
  return low;
}

/// The scratch memory of a kernel.
template <class Key>
struct Scratch {
  Key* first;
  Key* second;
  Segment<Key>* segments;
};

/// The kernels of one instruction set, for the keys of one kind.
template <class Key>
struct Calls {
  unsigned (*look)(const Key* keys, std::size_t n, Key flip);
  void (*sort_block)(const Key* from, Key* to, std::size_t n, const Scratch<Key>& scratch,
                     bool decode, Key flip);
  void (*merge_runs)(const Positions<Key>& begin, const Positions<Key>& end, int runs, Key* to,
                     std::size_t tile, const Scratch<Key>& scratch, bool decode, Key flip);
};

}  // namespace sortlab::cpu::merge::simd
