// Merge sort on all cores by Merge Path: every thread writes an equal share of the output of every
// pass. A binary search on a diagonal of the merge finds where the share begins.
//
// Over the optimized rung: blocks that fit the cache are first sorted there, one thread per block,
// so that only log2(n / block) passes go through memory. In these the shares are equal for all
// keys, even in the last pass with one merge over all of n. Shares begin at cache lines of the
// 64-byte aligned buffers, so that no two threads write one line. AVX2 copies a run without a
// partner, and the rest of a run after the other one is used up.
//
// This rung shows OpenMP's loops, so their pragmas are not hidden. The fast rungs share their work
// through cpu/primitives/parallel.hpp.
//
// Stable. 2 key widths per key and pass. The result stays in the buffer of the last pass.
// Gain over optimized: 10.4x (2^24 u32 keys, 16 threads of an Intel Xeon;
// results/h200/cpu.summary.csv).
// Against the sources: each thread first sorts blocks that fit its cache; equal keys come from the left
// run in the search and in the merge (algorithm 2 has < in one and <= in the other).
// Source: Goralija et al., III.B ("Merge-Path"; Bosnian edition, III.C); the diagonal search
// as in their Algorithm 2.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "common/contract/isa_region.hpp"
#include "common/contract/variant.hpp"
#include "cpu/merge/merge_runs.hpp"
#include "cpu/primitives/intrinsics.hpp"

namespace sortlab {
namespace {
namespace merge = cpu::merge;

using merge::Range;

constexpr std::size_t kCacheBlock = std::size_t{1} << 14;  // items that a thread sorts by itself
constexpr std::size_t kLine = 64;                          // bytes of a cache line

namespace scalar {

using Copy = merge::PlainCopy;

}  // namespace scalar

#ifdef SORTLAB_X86
SORTLAB_AVX2_BEGIN
namespace avx2 {

struct Copy {
  template <class T>
  static void simd_copy(const T* from, T* to, std::size_t count) {
    constexpr std::size_t kLanes = sizeof(__m256i) / sizeof(T);
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
      const auto v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), v);
    }
    for (; i < count; ++i) to[i] = from[i];
  }

  template <class Items>
  static void copy(const Items& from, std::size_t at, const Items& to, std::size_t to_at,
                   std::size_t count) {
    simd_copy(from.keys + at, to.keys + to_at, count);
    if constexpr (Items::kPairs) simd_copy(from.values + at, to.values + to_at, count);
  }
};

}  // namespace avx2
SORTLAB_AVX2_END
namespace vectors = avx2;
#else
namespace vectors = scalar;  // of one item
#endif

/// How many of the first `diagonal` items of the merge come from the left run.
//
//            right ->      The path runs from one corner to the other, one step an item. Where
//     left  +--+--+--+     it crosses the diagonal i + j = d, all of left before i and all of
//      |    |__   | /      right before j are already written. Left items go first on a tie, so i
//      v    |  |__|/  d    is the least with right[d - 1 - i] < left[i].
//           |    /|__|
template <class Items, class Less>
std::size_t co_rank(const Items& a, Range left, Range right, std::size_t diagonal, Less less) {
  std::size_t lo = diagonal > right.size() ? diagonal - right.size() : 0;
  std::size_t hi = std::min(diagonal, left.size());
  while (lo < hi) {
    const std::size_t i = lo + (hi - lo) / 2, j = diagonal - 1 - i;
    if (less(a.keys[right.begin + j], a.keys[left.begin + i])) {
      hi = i;
    } else {
      lo = i + 1;
    }
  }
  return lo;
}

/// Writes the part `share` of the output of a pass that merges runs of `width` items.
//
//   from:  [ run ][ run ] [ run ][ run ] [ run ]        width items each, the last may be short
//   to:    [   merged   ] [   merged   ] [ copy ]
//                  [ share ........ )                   begins and ends inside merges
template <class Copy, class Items, class Less>
void merge_share(const Items& from, const Items& to, Range share, std::size_t width, std::size_t n,
                 Less less) {
  for (std::size_t out = share.begin; out < share.end;) {
    const std::size_t lo = out - out % (2 * width);
    const Range left{lo, std::min(lo + width, n)};
    const Range right{left.end, std::min(left.end + width, n)};
    const std::size_t stop = std::min(share.end, right.end);
    const std::size_t i = co_rank(from, left, right, out - lo, less);
    const std::size_t i_stop = co_rank(from, left, right, stop - lo, less);
    merge::merge_runs<Copy>(from, Range{left.begin + i, left.begin + i_stop},
                            Range{right.begin + (out - lo - i), right.begin + (stop - lo - i_stop)},
                            to, out, less);
    out = stop;
  }
}

/// Sorts one cache block bottom-up. All blocks make the same number of passes, so that all of them
/// end in the same buffer; a run without a partner is copied.
template <class Copy, class Items, class Less>
void sort_block(Items from, Items to, Range block, std::size_t block_size, Less less) {
  for (std::size_t width = 1; width < block_size; width *= 2) {
    merge::merge_pass<Copy>(from, to, block, width, less);
    std::swap(from, to);
  }
}

template <class Copy, class Items, class Less>
ResultIn merge_sort(Items from, Items to, std::size_t n, int threads, Less less) {
  const auto* const data = from.keys;
  const std::size_t block_size = std::min(kCacheBlock, std::bit_ceil(n));
#pragma omp parallel for num_threads(threads) if (n > kCacheBlock) schedule(static)
  for (std::size_t begin = 0; begin < n; begin += block_size) {
    sort_block<Copy>(from, to, Range{begin, std::min(begin + block_size, n)}, block_size, less);
  }
  if (std::countr_zero(block_size) % 2 == 1) std::swap(from, to);

  constexpr std::size_t kLineItems = kLine / sizeof(typename Items::Key);
  const std::size_t parts = static_cast<std::size_t>(threads);
  const std::size_t share = (n / parts / kLineItems + 1) * kLineItems;
  for (std::size_t width = block_size; width < n; width *= 2) {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (std::size_t begin = 0; begin < n; begin += share) {
      merge_share<Copy>(from, to, Range{begin, std::min(begin + share, n)}, width, n, less);
    }
    std::swap(from, to);
  }
  return from.keys == data ? ResultIn::data : ResultIn::alternate;
}

struct MergeParallel {
  static constexpr Info info{.summary = "Merge Path: equal shares of each merge for every thread",
                             .source = "Goralija et al., III.B",
                             .after = "cpu/merge/optimized",
                             .stable = true,
                             .alternate = true,
                             .parallel = true,
                             .isas = kScalarAndAvx2};

  template <class Job>
  static ResultIn sort(const Job& job) {
    const typename Job::Less less;
    if (job.isa >= Isa::avx2) {
      return merge_sort<vectors::Copy>(job.data, job.alternate, job.n, job.threads, less);
    }
    return merge_sort<scalar::Copy>(job.data, job.alternate, job.n, job.threads, less);
  }
};

SORTLAB_REGISTER(MergeParallel, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
