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
// through cpu/primitives/parallel/loops.hpp.
//
// In place, not stable. About log2 n passes, each reading and writing every key once.
// Gain over optimized: 36.7x (2^24 u32 keys, 16 threads of an Intel Xeon;
// results/h200/cpu.summary.csv).
// Against the sources: AVX2 partitions whole vectors, where they name a prefetch only; a ninther as
// pivot and heap sort after 2 log2 n levels; pairs take the scalar partition.
// Source: Goralija et al., III.B (task threshold: Bosnian edition, III.C).
#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <utility>

#include "common/contract/isa_region.hpp"
#include "common/contract/variant.hpp"
#include "cpu/primitives/heap_sort.hpp"
#include "cpu/primitives/insertion_sort.hpp"
#include "cpu/primitives/ordered_ints.hpp"
#include "cpu/quick/avx2_partition.hpp"
#include "cpu/quick/flag_partition.hpp"

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
