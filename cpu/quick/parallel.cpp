// Quicksort on all cores with a three-way partition: keys equal to the pivot are done, and the two
// other sides become OpenMP tasks while they are long.
//
// Over the optimized rung: duplicates leave the recursion at once (k distinct keys need about log2
// k levels); no branch on a key in the partition; for keys alone, AVX2 partitions a vector at a
// time and prefetches at both ends; threads. One thread does the first partition, which limits the
// gain from many cores. A ninther as pivot and, after 2 log2 n levels, heap sort keep every input
// at O(n log n).
//
// This rung shows OpenMP's tasks, so its pragmas are not hidden. The fast rungs share their work
// through cpu/primitives/parallel.hpp.
//
// In place, not stable. About log2 n passes, each reading and writing every key once.
// Gain over optimized: 36.7x (2^24 u32 keys, 16 threads of an Intel Xeon;
// results/h200/cpu.summary.csv).
// Against the sources: AVX2 partitions whole vectors, where they name a prefetch only; a ninther as
// pivot and heap sort after 2 log2 n levels; pairs take the scalar partition.
// Source: Goralija et al., III.B (task threshold: Bosnian edition, III.C).
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "common/contract/isa_region.hpp"
#include "common/contract/variant.hpp"
#include "cpu/primitives/branch_free.hpp"
#include "cpu/primitives/intrinsics.hpp"
#include "cpu/primitives/ordered_ints.hpp"
#include "cpu/primitives/simple_sorts.hpp"

namespace sortlab::cpu::quick {

// Dijkstra's Dutch national flag partition: below, equal to and above the pivot in one pass.

using primitives::select;

/// The middle part of a three-way partition; keys before it are less, keys behind it are greater.
struct EqualRange {
  std::size_t begin, end;
};

//   lo                                              hi
//   [ < pivot | == pivot | > pivot | x  not seen ]
//              ^ equal    ^ greater ^ i
//
// A rotation of (equal, greater, x) inserts x. For an x that belongs further right, some indices of
// the rotation are equal, so it does less or nothing. Only the indices depend on the keys, so there
// is no branch.
template <class Items, class Less>
EqualRange flag_partition(const Items& a, std::size_t lo, std::size_t hi, typename Items::Key pivot,
                          Less less) {
  std::size_t equal = lo, greater = lo;
  for (std::size_t i = lo; i < hi; ++i) {
    const auto x = a[i];
    const bool is_less = less(x.key, pivot);
    const bool is_greater = less(pivot, x.key);
    const std::size_t second = select(is_greater, i, greater);
    const std::size_t first = select(is_less, equal, second);
    a.put(i, a[second]);
    a.put(second, a[first]);
    a.put(first, x);
    equal += is_less;
    greater += !is_greater;
  }
  return {equal, greater};
}

// Three-way partition of signed integers, in place, with AVX2.
//
// A vector of keys is compared with the pivot. The result selects a permutation that moves the keys
// of the left (or right) side together. Keys equal to the pivot are not moved at all: the gap that
// they leave is filled with the pivot at the end.
//
// Everything here is AVX2 code, so only a run-time choice may call it.

/// For each set of lanes: those lanes first, then the others, both in order; as 32-bit indices of a
/// vector of kLanes lanes.
template <std::size_t kLanes>
constexpr auto make_compress_table() {
  constexpr std::size_t kWords = 8 / kLanes;  // 32-bit words of a lane
  std::array<std::array<std::uint8_t, 8>, (std::size_t{1} << kLanes)> table{};
  for (std::size_t set = 0; set < table.size(); ++set) {
    std::size_t out = 0;
    for (const bool wanted : {true, false}) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        if (((set >> lane & 1) != 0) != wanted) continue;
        for (std::size_t word = 0; word < kWords; ++word) {
          table[set][out++] = static_cast<std::uint8_t>(lane * kWords + word);
        }
      }
    }
  }
  return table;
}
template <std::size_t kLanes>
alignas(64) inline constexpr auto kCompress = make_compress_table<kLanes>();

}  // namespace sortlab::cpu::quick

#ifdef SORTLAB_X86
SORTLAB_AVX2_BEGIN
namespace sortlab::cpu::quick::avx2 {

template <class Key>
inline constexpr std::size_t kLanes = sizeof(__m256i) / sizeof(Key);

/// Vectors read at a time from one side, so that there are few choices of the side to mispredict.
inline constexpr std::size_t kStride = 4;
template <class Key>
inline constexpr std::size_t kStrideKeys = kStride* kLanes<Key>;

/// How far ahead of the reads to prefetch.
inline constexpr std::size_t kPrefetchBytes = 1024;

inline __m256i load(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}
inline void store(void* to, __m256i v) { _mm256_storeu_si256(static_cast<__m256i*>(to), v); }

template <class Key>
__m256i broadcast(Key key) {
  if constexpr (sizeof(Key) == 4) return _mm256_set1_epi32(key);
  if constexpr (sizeof(Key) == 8) return _mm256_set1_epi64x(key);
}

/// The set of lanes in which a > b.
template <class Key>
unsigned greater(__m256i a, __m256i b) {
  if constexpr (sizeof(Key) == 4) {
    const __m256i mask = _mm256_cmpgt_epi32(a, b);
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(mask)));
  } else {
    const __m256i mask = _mm256_cmpgt_epi64(a, b);
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(mask)));
  }
}

/// The lanes of `set` first, then the others.
template <class Key>
__m256i compress(__m256i v, unsigned set) {
  const auto* const entry = kCompress<kLanes<Key>>[set].data();
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(entry));
  return _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(bytes));
}

/// The ends of the two finished sides, and the writes to them.
template <class Key>
struct Sides {
  Key* left;   // end of the keys below the pivot
  Key* right;  // beginning of the keys above it
  Key pivot;

  /// Writes a whole vector to each side and counts only the lanes that belong there. The other
  /// lanes go to the free space, which must hold a vector on each side.
  void put(__m256i v, __m256i pivots) {
    constexpr unsigned kAll = (1u << kLanes<Key>)-1;
    const unsigned below = greater<Key>(pivots, v), above = greater<Key>(v, pivots);
    store(left, compress<Key>(v, below));
    store(right - kLanes<Key>, compress<Key>(v, ~above & kAll));
    left += _mm_popcnt_u32(below);
    right -= _mm_popcnt_u32(above);
  }
  void put(Key key) {
    if (key < pivot) *left++ = key;
    if (key > pivot) *--right = key;
  }
};

/// The fewest keys for partition(): the two strides that it saves first.
template <class Key>
inline constexpr std::size_t kPartitionFrom = 2 * kStrideKeys<Key>;

//   lo                                                            hi
//   [ < pivot | free ... | not read yet        | ... free | > pivot ]
//              ^ left     ^ read        read_end ^          ^ right
//
// Saving a stride from each end makes two strides of free space. Each read takes keys from the end
// with less free space. So at least one stride stays free at both ends, as four writes need.
template <class Key>
EqualRange partition(Key* keys, std::size_t lo, std::size_t hi, Key pivot) {
  constexpr std::size_t kChunk = kStrideKeys<Key>;
  Key saved[3 * kChunk];  // both saved strides and, at the end, less than a stride
  std::copy_n(keys + lo, kChunk, saved);
  std::copy_n(keys + hi - kChunk, kChunk, saved + kChunk);

  const __m256i pivots = broadcast(pivot);
  Sides<Key> sides{keys + lo, keys + hi, pivot};
  const Key* read = keys + lo + kChunk;
  const Key* read_end = keys + hi - kChunk;
  while (static_cast<std::size_t>(read_end - read) >= kChunk) {
    const Key* from;
    if (read - sides.left <= sides.right - read_end) {
      from = read;
      read += kChunk;
      __builtin_prefetch(reinterpret_cast<const char*>(from) + kPrefetchBytes);
    } else {
      read_end -= kChunk;
      from = read_end;
      __builtin_prefetch(reinterpret_cast<const char*>(from) - kPrefetchBytes);
    }
    __m256i v[kStride];
  #pragma GCC unroll 4
    for (std::size_t i = 0; i < kStride; ++i) v[i] = load(from + i * kLanes<Key>);
  #pragma GCC unroll 4
    for (std::size_t i = 0; i < kStride; ++i) sides.put(v[i], pivots);
  }

  const std::size_t rest = static_cast<std::size_t>(read_end - read);
  std::copy_n(read, rest, saved + 2 * kChunk);
  for (std::size_t i = 0; i < 2 * kChunk + rest; ++i) sides.put(saved[i]);
  std::fill(sides.left, sides.right, pivot);
  return {static_cast<std::size_t>(sides.left - keys),
          static_cast<std::size_t>(sides.right - keys)};
}

}  // namespace sortlab::cpu::quick::avx2
SORTLAB_AVX2_END
#endif

namespace sortlab {
namespace {
namespace quick = cpu::quick;
using namespace cpu::primitives;

constexpr std::size_t kInsertionBelow = 24;
constexpr std::size_t kNintherFrom = 128;

namespace scalar {

struct Partition {
  template <class Items>
  static quick::EqualRange partition(const Items& a, std::size_t lo, std::size_t hi,
                                     typename Items::Key pivot) {
    return quick::flag_partition(a, lo, hi, pivot, std::less{});
  }
};

}  // namespace scalar

#ifdef SORTLAB_X86
SORTLAB_AVX2_BEGIN
namespace avx2 {

struct Partition {
  /// Pairs use the scalar code: their equal keys have different values, so they can't be filled in.
  template <class Items>
  static quick::EqualRange partition(const Items& a, std::size_t lo, std::size_t hi,
                                     typename Items::Key pivot) {
    if constexpr (!Items::kPairs) {
      if (hi - lo >= quick::avx2::kPartitionFrom<typename Items::Key>) {
        return quick::avx2::partition(a.keys, lo, hi, pivot);
      }
    }
    return quick::flag_partition(a, lo, hi, pivot, std::less{});
  }
};

}  // namespace avx2
SORTLAB_AVX2_END
namespace vectors = avx2;
#else
namespace vectors = scalar;  // of one item
#endif

template <class Key>
Key median(Key a, Key b, Key c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

/// The median of three, or of three such medians, at equal distances.
template <class Key>
Key choose_pivot(const Key* keys, std::size_t lo, std::size_t hi) {
  const std::size_t step = (hi - lo) / 9;
  const Key* const k = keys + lo + step / 2;
  if (hi - lo < kNintherFrom) return median(k[step], k[4 * step], k[7 * step]);
  return median(median(k[0], k[step], k[2 * step]), median(k[3 * step], k[4 * step], k[5 * step]),
                median(k[6 * step], k[7 * step], k[8 * step]));
}

//   [ < pivot  -> task or call | == pivot, done | > pivot  -> task or call ]
template <class Partition, class Items>
void quick_sort(const Items& a, std::size_t lo, std::size_t hi, int levels_left,
                std::size_t task_threshold) {
  while (hi - lo >= kInsertionBelow) {
    if (levels_left-- == 0) {
      heap_sort(a, lo, hi, std::less{});
      return;
    }
    const auto equal = Partition::partition(a, lo, hi, choose_pivot(a.keys, lo, hi));
    std::pair<std::size_t, std::size_t> smaller{lo, equal.begin}, larger{equal.end, hi};
    if (equal.begin - lo > hi - equal.end) std::swap(smaller, larger);

    if (smaller.second - smaller.first >= task_threshold) {
#pragma omp task
      quick_sort<Partition>(a, smaller.first, smaller.second, levels_left, task_threshold);
    } else {
      quick_sort<Partition>(a, smaller.first, smaller.second, levels_left, task_threshold);
    }
    lo = larger.first;
    hi = larger.second;
  }
  insertion_sort(a, lo, hi, std::less{});
}

template <class Partition, class Items>
void quick_sort(const Items& a, std::size_t n, int threads, std::size_t task_threshold) {
  const int levels = 2 * static_cast<int>(std::bit_width(n));
#pragma omp parallel num_threads(threads) if (n >= task_threshold)
#pragma omp single
  quick_sort<Partition>(a, 0, n, levels, task_threshold);
}

struct QuickParallel {
  static constexpr ParamSpec kParams[] = {{.name = "task_threshold",
                                           .fallback = 1 << 15,
                                           .min = 1 << 8,
                                           .max = std::int64_t{1} << 40,
                                           .help = "fewest items that become a task of their own"}};
  static constexpr Info info{.summary = "three-way AVX2 partition in OpenMP tasks",
                             .source = "Goralija et al., III.B",
                             .after = "cpu/quick/optimized",
                             .in_place = true,
                             .parallel = true,
                             .isas = kScalarAndAvx2,
                             .params = kParams};

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Key = typename Job::Key;
    constexpr Order kOrder = Job::kOrder;
    const auto task_threshold = static_cast<std::size_t>(job.params["task_threshold"]);
    const Items<OrderedInt<Key>, typename Job::Value> ints{
        to_ordered_ints<Key, kOrder>(job.data.keys, job.n, job.threads), job.data.values};
    if (job.isa >= Isa::avx2) {
      quick_sort<vectors::Partition>(ints, job.n, job.threads, task_threshold);
    } else {
      quick_sort<scalar::Partition>(ints, job.n, job.threads, task_threshold);
    }
    from_ordered_ints<Key, kOrder>(ints.keys, job.n, job.threads);
    return ResultIn::data;
  }
};

SORTLAB_REGISTER(QuickParallel, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
