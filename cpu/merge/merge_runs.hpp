// Merges two sorted runs without a branch on the keys, and makes a bottom-up pass of such merges.
#pragma once

#include <algorithm>
#include <cstddef>

#include "common/contract/items.hpp"
#include "cpu/primitives/branch_free.hpp"

namespace sortlab::cpu::merge {
using primitives::select;

/// The part [begin, end) of a buffer.
struct Range {
  std::size_t begin, end;
  std::size_t size() const { return end - begin; }
};

/// Copies items one by one, as a loop that the compiler may turn into memcpy.
struct PlainCopy {
  template <class Items>
  static void copy(const Items& from, std::size_t at, const Items& to, std::size_t to_at,
                   std::size_t count) {
    std::copy_n(from.keys + at, count, to.keys + to_at);
    if constexpr (Items::kPairs) std::copy_n(from.values + at, count, to.values + to_at);
  }
};

//   from: [ left run ........... )   [ right run .......... )
//            i ->           <- i_end    j ->          <- j_end
//   to:   [ least ... out ->   not written yet   <- out_end ... greatest ]
//
// Merges from both ends at once: the next least item is at i or j, the next greatest before i_end
// or j_end. Each comparison becomes a select and two additions, so there is no branch to predict,
// and the two ends don't wait for each other. On a tie the left item goes first. The rest of the
// run that is not used up is copied.
template <class Copy, class Items, class Less>
void merge_runs(const Items& from, Range left, Range right, const Items& to, std::size_t out,
                Less less) {
  std::size_t i = left.begin, i_end = left.end, j = right.begin, j_end = right.end;
  std::size_t out_end = out + left.size() + right.size();
  while (i < i_end && j < j_end) {
    // Whatever the comparisons give, no run is used up before the last of these steps.
    const std::size_t safe = std::min({i_end - i, j_end - j, (out_end - out) / 2});
    for (std::size_t step = 0; step < safe; ++step) {
      const bool take_right = less(from.keys[j], from.keys[i]);
      to.put(out++, from[select(take_right, j, i)]);
      j += take_right;
      i += !take_right;

      const bool take_left = less(from.keys[j_end - 1], from.keys[i_end - 1]);
      to.put(--out_end, from[select(take_left, i_end, j_end) - 1]);
      i_end -= take_left;
      j_end -= !take_left;
    }
  }
  Copy::copy(from, i, to, out, i_end - i);
  Copy::copy(from, j, to, out + (i_end - i), j_end - j);
}

/// Merges pairs of runs of `width` items in `range` into the same places of `to`.
template <class Copy, class Items, class Less>
void merge_pass(const Items& from, const Items& to, Range range, std::size_t width, Less less) {
  for (std::size_t lo = range.begin; lo < range.end; lo += 2 * width) {
    const std::size_t mid = std::min(lo + width, range.end);
    const std::size_t hi = std::min(mid + width, range.end);
    merge_runs<Copy>(from, Range{lo, mid}, Range{mid, hi}, to, lo, less);
  }
}

}  // namespace sortlab::cpu::merge
