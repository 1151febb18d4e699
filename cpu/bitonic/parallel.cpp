// The bitonic network on AVX2 registers and all cores: every compare-and-swap is a vector minimum
// and maximum (8 keys of 32 bits or 4 of 64), and OpenMP tasks share blocks and steps among the
// threads.
//
// Over the optimized rung: eight comparisons per instruction; the last steps, whose distances fit
// into registers, run without memory accesses in between; recursion over blocks, so that a block
// stays in each level of cache for all the steps that fit there; threads. Insertion sort handles
// sequences under 128 items. Keys become signed integers first, because AVX2 compares only these,
// and are mapped back at the end.
//
// This rung shows OpenMP's tasks, so its pragmas are not hidden. The fast rungs share their work
// through cpu/primitives/parallel.hpp.
//
// In place, any n, not stable. (log2 n)(log2 n + 1) / 2 steps less the 21 of blocks of 64 items.
// Gain over optimized: 22.9x (2^24 u32 keys, 16 threads of an Intel Xeon;
// results/h200/cpu.summary.csv).
// Against the sources: vectors also for 64-bit keys and for pairs' keys; the steps within a register are
// shuffles; any n, without padding.
// Source: Goralija et al., III.B (threshold of 128: Bosnian edition, III.C).
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "common/contract/isa_region.hpp"
#include "common/contract/items.hpp"
#include "common/contract/variant.hpp"
#include "cpu/bitonic/steps.hpp"
#include "cpu/primitives/intrinsics.hpp"
#include "cpu/primitives/ordered_ints.hpp"
#include "cpu/primitives/simple_sorts.hpp"

// A vector of items in AVX2 registers and the compare-and-swaps between and inside such vectors.
//
// This rung for learning has one instruction set, and values move with their keys. The lanes of the
// fast rungs (cpu/primitives/simd) serve three instruction sets and hold keys alone.
//
// Everything here is AVX2 code, so only a run-time choice may call it.

#ifdef SORTLAB_X86
SORTLAB_AVX2_BEGIN
namespace sortlab::cpu::bitonic::avx2 {

inline __m256i load256(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}
inline void store256(void* to, __m256i v) { _mm256_storeu_si256(static_cast<__m256i*>(to), v); }

/// The operations of a network on eight lanes of 32 bits, or four of 64. The lane at distance
/// kDistance is the one whose index differs in that bit; `upper` takes the lanes with that bit set
/// from `high`.
template <class Key>
struct Lanes;

template <>
struct Lanes<std::int32_t> {
  static constexpr std::size_t kCount = 8;
  using Values = __m256i;

  static __m256i greater(__m256i a, __m256i b) { return _mm256_cmpgt_epi32(a, b); }
  static __m256i min(__m256i a, __m256i b) { return _mm256_min_epi32(a, b); }
  static __m256i max(__m256i a, __m256i b) { return _mm256_max_epi32(a, b); }
  static __m256i reverse(__m256i v) {
    return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
  }
  template <int kDistance>
  static __m256i partner(__m256i v) {
    if constexpr (kDistance == 4) return _mm256_permute2x128_si256(v, v, 0x01);
    if constexpr (kDistance == 2) return _mm256_shuffle_epi32(v, 0x4E);
    if constexpr (kDistance == 1) return _mm256_shuffle_epi32(v, 0xB1);
  }
  template <int kDistance>
  static __m256i upper(__m256i low, __m256i high) {
    return _mm256_blend_epi32(low, high, kDistance == 4 ? 0xF0 : kDistance == 2 ? 0xCC : 0xAA);
  }

  static Values load_values(const std::uint32_t* from) { return load256(from); }
  static void store_values(std::uint32_t* to, Values v) { store256(to, v); }
  static Values select_values(__m256i mask, Values no, Values yes) {
    return _mm256_blendv_epi8(no, yes, mask);
  }
  static Values reverse_values(Values v) { return reverse(v); }
  template <int kDistance>
  static Values partner_values(Values v) {
    return partner<kDistance>(v);
  }
};

template <>
struct Lanes<std::int64_t> {
  static constexpr std::size_t kCount = 4;
  using Values = __m128i;

  static __m256i greater(__m256i a, __m256i b) { return _mm256_cmpgt_epi64(a, b); }
  static __m256i min(__m256i a, __m256i b) { return _mm256_blendv_epi8(a, b, greater(a, b)); }
  static __m256i max(__m256i a, __m256i b) { return _mm256_blendv_epi8(b, a, greater(a, b)); }
  static __m256i reverse(__m256i v) { return _mm256_permute4x64_epi64(v, 0x1B); }
  template <int kDistance>
  static __m256i partner(__m256i v) {
    if constexpr (kDistance == 2) return _mm256_permute2x128_si256(v, v, 0x01);
    if constexpr (kDistance == 1) return _mm256_shuffle_epi32(v, 0x4E);
  }
  template <int kDistance>
  static __m256i upper(__m256i low, __m256i high) {
    return _mm256_blend_epi32(low, high, kDistance == 2 ? 0xF0 : 0xCC);
  }

  static Values load_values(const std::uint32_t* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
  static void store_values(std::uint32_t* to, Values v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), v);
  }
  static Values select_values(__m256i mask, Values no, Values yes) {
    const __m256i even = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);  // one half of each wide lane
    const __m256i narrow = _mm256_permutevar8x32_epi32(mask, even);
    return _mm_blendv_epi8(no, yes, _mm256_castsi256_si128(narrow));
  }
  static Values reverse_values(Values v) { return _mm_shuffle_epi32(v, 0x1B); }
  template <int kDistance>
  static Values partner_values(Values v) {
    return _mm_shuffle_epi32(v, kDistance == 2 ? 0x4E : 0xB1);
  }
};

/// kCount consecutive keys, with their values if they have any.
template <class Key, class Value>
struct Vector {
  using L = Lanes<Key>;
  __m256i keys;
  typename L::Values values;

  static Vector load(const Items<Key, Value>& a, std::size_t at) {
    return {load256(a.keys + at), L::load_values(a.values + at)};
  }
  void store(const Items<Key, Value>& a, std::size_t at) const {
    store256(a.keys + at, keys);
    L::store_values(a.values + at, values);
  }
  Vector reversed() const { return {L::reverse(keys), L::reverse_values(values)}; }

  /// For each lane, moves the smaller item to a and the greater to b. Equal items stay, so no value
  /// is lost.
  static void order(Vector& a, Vector& b) {
    const __m256i swap = L::greater(a.keys, b.keys);
    const auto values_a = a.values;
    const __m256i keys_a = a.keys;
    a.keys = L::min(keys_a, b.keys);
    b.keys = L::max(keys_a, b.keys);
    a.values = L::select_values(swap, values_a, b.values);
    b.values = L::select_values(swap, b.values, values_a);
  }
  /// Orders the lanes that are kDistance apart. Both lanes of a pair see the same strict
  /// comparison.
  template <int kDistance>
  void order_inside() {
    const __m256i other = L::template partner<kDistance>(keys);
    const __m256i swap =
        L::template upper<kDistance>(L::greater(keys, other), L::greater(other, keys));
    keys = _mm256_blendv_epi8(keys, other, swap);
    values = L::select_values(swap, values, L::template partner_values<kDistance>(values));
  }
};

template <class Key>
struct Vector<Key, NoValue> {
  using L = Lanes<Key>;
  __m256i keys;

  static Vector load(const Items<Key, NoValue>& a, std::size_t at) {
    return {load256(a.keys + at)};
  }
  void store(const Items<Key, NoValue>& a, std::size_t at) const { store256(a.keys + at, keys); }
  Vector reversed() const { return {L::reverse(keys)}; }

  static void order(Vector& a, Vector& b) {
    const __m256i keys_a = a.keys;
    a.keys = L::min(keys_a, b.keys);
    b.keys = L::max(keys_a, b.keys);
  }
  template <int kDistance>
  void order_inside() {
    const __m256i other = L::template partner<kDistance>(keys);
    keys = L::template upper<kDistance>(L::min(keys, other), L::max(keys, other));
  }
};

}  // namespace sortlab::cpu::bitonic::avx2
SORTLAB_AVX2_END
#endif

namespace sortlab {
namespace {
namespace bitonic = cpu::bitonic;
using namespace cpu::primitives;

using bitonic::flip_pairs;
using bitonic::half_clean_pairs;
using bitonic::PairRange;

constexpr std::size_t kInsertionBelow = 128;
constexpr std::size_t kCleanBlock = std::size_t{1}
                                    << 12;  // items cleaned step by step in the L1 cache
constexpr std::size_t kTaskItems = std::size_t{1} << 16;  // work of one task

namespace scalar {

/// The kernels of the network: a share of a flip, a share of a half-cleaner, and all half-cleaners
/// of a block that fits into the cache.
struct Kernels {
  template <class Items>
  static void flip(const Items& a, std::size_t block, std::size_t size, PairRange pairs) {
    bitonic::flip(a, block, size, pairs, std::less{});
  }
  template <class Items>
  static void half_clean(const Items& a, std::size_t block, std::size_t distance, PairRange pairs) {
    bitonic::half_clean(a, block, distance, pairs, std::less{});
  }
  template <class Items>
  static void clean(const Items& a, std::size_t begin, std::size_t end, std::size_t widest) {
    bitonic::clean(a, begin, end, widest, std::less{});
  }
};

}  // namespace scalar

#ifdef SORTLAB_X86
SORTLAB_AVX2_BEGIN
namespace avx2 {

struct Kernels {
  template <class Items>
  using Vector = bitonic::avx2::Vector<typename Items::Key, typename Items::Value>;
  template <class Items>
  static constexpr std::size_t kLanes = bitonic::avx2::Lanes<typename Items::Key>::kCount;
  /// Vectors of a tile, which stays in the sixteen registers.
  template <class Items>
  static constexpr std::size_t kTileVectors = Items::kPairs ? 4 : 8;
  template <class Items>
  static constexpr std::size_t kTile = (kTileVectors<Items>)*kLanes<Items>;

  //   block + i ->                <- block + size - 1 - i
  //   [ x x x x . . . . | . . . . y y y y ]     y is reversed, ordered against x, reversed back
  template <class Items>
  static void flip(const Items& a, std::size_t block, std::size_t size, PairRange pairs) {
    constexpr std::size_t kStep = kLanes<Items>;
    std::size_t i = pairs.begin;
    for (; i + kStep <= pairs.end; i += kStep) {
      const std::size_t low = block + i, high = block + size - kStep - i;
      auto x = Vector<Items>::load(a, low);
      auto y = Vector<Items>::load(a, high).reversed();
      Vector<Items>::order(x, y);
      x.store(a, low);
      y.reversed().store(a, high);
    }
    bitonic::flip(a, block, size, {i, pairs.end}, std::less{});
  }

  template <class Items>
  static void half_clean(const Items& a, std::size_t block, std::size_t distance, PairRange pairs) {
    constexpr std::size_t kStep = kLanes<Items>;
    std::size_t i = pairs.begin;
    for (; i + kStep <= pairs.end; i += kStep) {
      auto x = Vector<Items>::load(a, block + i);
      auto y = Vector<Items>::load(a, block + i + distance);
      Vector<Items>::order(x, y);
      x.store(a, block + i);
      y.store(a, block + i + distance);
    }
    bitonic::half_clean(a, block, distance, {i, pairs.end}, std::less{});
  }

  /// Half-cleaners of distance kTile / 2, ..., 1 over one tile: first between registers, then
  /// inside them.
  template <class Items>
  static void clean_tile(const Items& a, std::size_t at) {
    constexpr std::size_t kCount = kTileVectors<Items>, kStep = kLanes<Items>;
    Vector<Items> v[kCount];
  #pragma GCC unroll 8
    for (std::size_t i = 0; i < kCount; ++i) v[i] = Vector<Items>::load(a, at + i * kStep);
  #pragma GCC unroll 8
    for (std::size_t distance = kCount / 2; distance > 0; distance /= 2) {
  #pragma GCC unroll 8
      for (std::size_t i = 0; i < kCount; ++i) {
        if ((i & distance) == 0) Vector<Items>::order(v[i], v[i + distance]);
      }
    }
  #pragma GCC unroll 8
    for (std::size_t i = 0; i < kCount; ++i) {
      if constexpr (kStep == 8) v[i].template order_inside<4>();
      v[i].template order_inside<2>();
      v[i].template order_inside<1>();
      v[i].store(a, at + i * kStep);
    }
  }

  template <class Items>
  static void clean(const Items& a, std::size_t begin, std::size_t end, std::size_t widest) {
    for (std::size_t distance = widest; distance >= kTile<Items>; distance /= 2) {
      for (std::size_t block = begin; block < end; block += 2 * distance) {
        half_clean(a, block, distance, half_clean_pairs(block, distance, end));
      }
    }
    std::size_t at = begin;
    for (; at + kTile<Items> <= end; at += kTile<Items>) clean_tile(a, at);
    bitonic::clean(a, at, end, kTile<Items> / 2, std::less{});
  }
};

}  // namespace avx2
SORTLAB_AVX2_END
namespace vectors = avx2;
#else
namespace vectors = scalar;  // of one item
#endif

/// Calls step(PairRange) for all of `pairs`, in tasks when there is work for several.
template <class Step>
void share(PairRange pairs, Step step) {
  if (pairs.end - pairs.begin <= kTaskItems) {
    step(pairs);
    return;
  }
#pragma omp taskloop grainsize(1) firstprivate(step)
  for (std::size_t i = pairs.begin; i < pairs.end; i += kTaskItems) {
    step(PairRange{i, std::min(i + kTaskItems, pairs.end)});
  }
}

/// Sorts the bitonic block [block, block + size): half-cleaners of distance size / 2, ..., 1.
template <class Kernels, class Items>
void clean(const Items& a, std::size_t block, std::size_t size, std::size_t n) {
  if (block >= n) return;
  if (size <= kCleanBlock) {
    Kernels::clean(a, block, std::min(block + size, n), size / 2);
    return;
  }
  const std::size_t half = size / 2;
  share(half_clean_pairs(block, half, n),
        [=](PairRange pairs) { Kernels::half_clean(a, block, half, pairs); });
#pragma omp task if (size > kTaskItems)
  clean<Kernels>(a, block, half, n);
  clean<Kernels>(a, block + half, half, n);
#pragma omp taskwait
}

/// Sorts [block, block + size) below n; size is a power of two.
template <class Kernels, class Items>
void bitonic_sort(const Items& a, std::size_t block, std::size_t size, std::size_t n) {
  if (block >= n) return;
  if (std::min(size, n - block) < kInsertionBelow) {
    insertion_sort(a, block, std::min(block + size, n), std::less{});
    return;
  }
  const std::size_t half = size / 2;
#pragma omp task if (size > kTaskItems)
  bitonic_sort<Kernels>(a, block, half, n);
  bitonic_sort<Kernels>(a, block + half, half, n);
#pragma omp taskwait
  share(flip_pairs(block, size, n), [=](PairRange pairs) { Kernels::flip(a, block, size, pairs); });
#pragma omp task if (size > kTaskItems)
  clean<Kernels>(a, block, half, n);
  clean<Kernels>(a, block + half, half, n);
#pragma omp taskwait
}

template <class Kernels, class Items>
void bitonic_sort(const Items& a, std::size_t n, int threads) {
  const std::size_t size = std::bit_ceil(n);
#pragma omp parallel num_threads(threads) if (n > kTaskItems)
#pragma omp single
  bitonic_sort<Kernels>(a, 0, size, n);
}

struct BitonicParallel {
  static constexpr Info info{.summary = "AVX2 min/max network in OpenMP tasks",
                             .source = "Goralija et al., III.B",
                             .after = "cpu/bitonic/optimized",
                             .in_place = true,
                             .parallel = true,
                             .isas = kScalarAndAvx2};

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Key = typename Job::Key;
    constexpr Order kOrder = Job::kOrder;
    // Items of other widths are sorted one by one.
    constexpr bool kHasLanes = sizeof(Key) >= 4 && kValueBytes<typename Job::Value> <= 4;
    using Fast = std::conditional_t<kHasLanes, vectors::Kernels, scalar::Kernels>;
    const Items<OrderedInt<Key>, typename Job::Value> ints{
        to_ordered_ints<Key, kOrder>(job.data.keys, job.n, job.threads), job.data.values};
    if (job.isa >= Isa::avx2) {
      bitonic_sort<Fast>(ints, job.n, job.threads);
    } else {
      bitonic_sort<scalar::Kernels>(ints, job.n, job.threads);
    }
    from_ordered_ints<Key, kOrder>(ints.keys, job.n, job.threads);
    return ResultIn::data;
  }
};

SORTLAB_REGISTER(BitonicParallel, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
