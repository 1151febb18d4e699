// The leaves for all instruction sets, in a unit for each width of keys (cmake/variants.cmake).
#include "cpu/radix/pair_leaf/leaf.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

#include "common/contract/isa_region.hpp"
#include "cpu/primitives/simd/kernels.hpp"
#include "cpu/primitives/simple_sorts.hpp"
#include "cpu/radix/msd/counting.hpp"
#include "cpu/radix/write_combining.hpp"

namespace sortlab::cpu::radix::pair_leaf {

using namespace msd;

// Live bits: the highest bits in which the keys differ. Digits and numbers are made from them.
//
//   keys       a a a 0 0 0 0 b b b b 0 c c c        0: equal in all keys
//   together   a a a b b b b c                      one instruction (CPUs with AVX-512 have it)
//   adjacent   a a a 0 0 0 0 b                      by a shift
//
// Keys made of fields (a row above a column, a tile above a depth, the bytes of a text) have equal
// bits between the fields. These are left out, so they take no space in a digit.

/// Adjacent bits, from the highest live one down.
template <class Bits>
struct AdjacentBits {
  Bits mask;
  int shift;

  /// At most `count` < 32 bits for keys that differ only in `live`, which is not 0.
  static AdjacentBits highest(Bits live, int count) {
    const int width = static_cast<int>(std::bit_width(live));
    const int kept = count < width ? count : width;
    const int shift = width - kept;
    return {static_cast<Bits>(((Bits{1} << kept) - 1) << shift), shift};
  }
  std::size_t values() const { return std::size_t{1} << std::popcount(mask); }
  std::uint32_t operator()(Bits key) const {
    return static_cast<std::uint32_t>((key & mask) >> shift);
  }
};

#ifdef SORTLAB_X86
SORTLAB_AVX512_BEGIN
namespace avx512 {
/// Only live bits, wherever they are.
template <class Bits>
struct LiveBits {
  Bits mask;

  static LiveBits highest(Bits live, int count) {
    const int all = _mm_popcnt_u64(live);
    const std::uint64_t kept = ~std::uint64_t{0} << (count < all ? all - count : 0);
    return {static_cast<Bits>(_pdep_u64(kept, live))};
  }
  std::size_t values() const { return std::size_t{1} << _mm_popcnt_u64(mask); }
  std::uint32_t operator()(Bits key) const {
    return static_cast<std::uint32_t>(_pext_u64(key, mask));
  }
};
}  // namespace avx512
SORTLAB_AVX512_END

namespace avx2 {
template <class Bits>
using LiveBits = AdjacentBits<Bits>;
}
#endif
#ifdef SORTLAB_ARM
namespace neon {
template <class Bits>
using LiveBits = AdjacentBits<Bits>;
}
#endif

/// Copies n pairs in the order of their places, which are the bits of order[i] in the mask.
template <class Items>
void unpack_one_by_one(PackedPairs<Items> pairs, const std::int32_t* order, std::uint32_t mask,
                       std::size_t n, typename Items::Key* keys, typename Items::Value* values) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto [key, value] = pairs[static_cast<std::uint32_t>(order[i]) & mask];
    keys[i] = key;
    values[i] = value;
  }
}

}  // namespace sortlab::cpu::radix::pair_leaf

#define SORTLAB_PASTED  // see cpu/primitives/simd/kernels.hpp

#ifdef SORTLAB_X86
SORTLAB_AVX512_BEGIN
namespace sortlab::cpu::radix::pair_leaf::avx512 {
using namespace primitives::simd::avx512;

/// Moves sixteen pairs at a time if a pair is a word, and then writes up to 15 more than n.
template <class Items>
void unpack(PackedPairs<Items> pairs, const std::int32_t* order, std::uint32_t mask, std::size_t n,
            typename Items::Key* keys, typename Items::Value* values) {
  if constexpr (PackedPairs<Items>::kBytes != sizeof(std::uint64_t)) {
    unpack_one_by_one(pairs, order, mask, n, keys, values);
  } else {
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_or_si512(even, _mm512_set1_epi32(1));
    const __m256i masks = _mm256_set1_epi32(static_cast<int>(mask));
    const auto eight_of = [&](const std::int32_t* from) {
      const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
      return _mm512_i32gather_epi64(_mm256_and_si256(eight, masks), pairs.bytes(), 8);
    };
    for (std::size_t i = 0; i < n; i += 16) {
      const __m512i a = eight_of(order + i), b = eight_of(order + i + 8);
      _mm512_storeu_si512(keys + i, _mm512_permutex2var_epi32(a, even, b));
      _mm512_storeu_si512(values + i, _mm512_permutex2var_epi32(a, odd, b));
    }
  }
}

  #include "cpu/radix/pair_leaf/kernels.inl.hpp"
}  // namespace sortlab::cpu::radix::pair_leaf::avx512
SORTLAB_AVX512_END

SORTLAB_AVX2_BEGIN
namespace sortlab::cpu::radix::pair_leaf::avx2 {
using namespace primitives::simd::avx2;

template <class Items>
void unpack(PackedPairs<Items> pairs, const std::int32_t* order, std::uint32_t mask, std::size_t n,
            typename Items::Key* keys, typename Items::Value* values) {
  unpack_one_by_one(pairs, order, mask, n, keys, values);
}

  #include "cpu/radix/pair_leaf/kernels.inl.hpp"
}  // namespace sortlab::cpu::radix::pair_leaf::avx2
SORTLAB_AVX2_END
#endif

#ifdef SORTLAB_ARM
namespace sortlab::cpu::radix::pair_leaf::neon {
using namespace primitives::simd::neon;

template <class Items>
void unpack(PackedPairs<Items> pairs, const std::int32_t* order, std::uint32_t mask, std::size_t n,
            typename Items::Key* keys, typename Items::Value* values) {
  unpack_one_by_one(pairs, order, mask, n, keys, values);
}

  #include "cpu/radix/pair_leaf/kernels.inl.hpp"
}  // namespace sortlab::cpu::radix::pair_leaf::neon
#endif

#undef SORTLAB_PASTED

namespace sortlab::cpu::radix::pair_leaf {
namespace {

/// Calls f with the kernels for an instruction set; without any for it, returns false.
template <class Items, class F>
bool with_kernels(Isa isa, F f) {
  switch (isa) {
#ifdef SORTLAB_X86
    case Isa::avx512:
      return f(avx512::PairKernels<Items>{}), true;
    case Isa::avx2:
      return f(avx2::PairKernels<Items>{}), true;
#endif
#ifdef SORTLAB_ARM
    case Isa::neon:
      return f(neon::PairKernels<Items>{}), true;
#endif
    default:
      return false;
  }
}

/// Without vectors: sorts n pairs. `free` has room for n packed pairs; up to alignof(Key) - 1 bytes before it are overwritten, too.
template <class Items>
void sort_by_digits(Items pairs, std::size_t n, PackedPairs<Items> free, LeafCounts& counts) {
  using Key = typename Items::Key;
  const auto behind_boundary = reinterpret_cast<std::uintptr_t>(free.bytes()) % alignof(Key);
  auto* const keys = reinterpret_cast<Key*>(free.bytes() - behind_boundary);
  const Items temp{keys, reinterpret_cast<typename Items::Value*>(keys + n)};
  Leaf<Items>(temp, counts).sort(pairs, pairs, n);
}

}  // namespace

template <class Items, class From>
void sort(From from, Items to, std::size_t n, int width, const DealMemory<Items>& pieces,
          PairLeafMemory<Items>& memory, Isa isa, const LeafOutput& output, const Ahead& ahead) {
  if (with_kernels<Items>(isa, [&](auto kernels) {
        kernels.leaf.sort(from, to, n, width, pieces, memory, output, ahead);
      })) {
    return;
  }
  for (std::size_t i = 0; i < n; ++i) to.put(i, from[i]);
  sort_by_digits(to, n, pieces.pairs, memory.counts);
  if (output.restore != nullptr) output.restore(to.keys, n);
}

template <class Items>
typename Items::Key copy(PackedPairs<Items> from, Items to, std::size_t n,
                         typename Items::Key some_key, PairLeafMemory<Items>& memory, Isa isa,
                         bool stream) {
  typename Items::Key differing = 0;
  if (with_kernels<Items>(isa, [&](auto kernels) {
        differing = kernels.leaf.copy(from, to, n, some_key, memory, {nullptr, stream});
      })) {
    return differing;
  }
  for (std::size_t i = 0; i < n; ++i) {
    to.put(i, from[i]);
    differing |= from.key(i) ^ some_key;
  }
  return differing;
}

template <class Items>
void part(PackedPairs<Items> from, std::size_t n, typename Items::Key key, const Sides<Items>& to,
          PairLeafMemory<Items>& memory, Isa isa, const LeafOutput& output) {
  if (with_kernels<Items>(
          isa, [&](auto kernels) { kernels.leaf.part(from, n, key, to, memory, output); })) {
    return;
  }
  std::size_t less = 0, equal = 0, greater = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto pair = from[i];
    if (pair.key == key) {
      to.equal.put(equal++, pair);
    } else if (pair.key < key) {
      to.less.put(less++, pair);
    } else {
      to.greater.put(greater++, pair);
    }
  }
  if (output.restore != nullptr) output.restore(to.equal.keys, equal);
}

template <class Items>
void sort_few(Items pairs, std::size_t n, const PairFewMemory<Items>& memory, Isa isa,
              const LeafOutput& output) {
  with_kernels<Items>(isa, [&](auto kernels) { kernels.few.sort(pairs, n, memory, output); });
}

using Pairs = Items<SORTLAB_UNIT_KEY, std::uint32_t>;
template void sort(Pairs, Pairs, std::size_t, int, const DealMemory<Pairs>&, PairLeafMemory<Pairs>&,
                   Isa, const LeafOutput&, const Ahead&);
template void sort(PackedPairs<Pairs>, Pairs, std::size_t, int, const DealMemory<Pairs>&,
                   PairLeafMemory<Pairs>&, Isa, const LeafOutput&, const Ahead&);
template SORTLAB_UNIT_KEY copy(PackedPairs<Pairs>, Pairs, std::size_t, SORTLAB_UNIT_KEY,
                               PairLeafMemory<Pairs>&, Isa, bool);
template void part(PackedPairs<Pairs>, std::size_t, SORTLAB_UNIT_KEY, const Sides<Pairs>&,
                   PairLeafMemory<Pairs>&, Isa, const LeafOutput&);
template void sort_few(Pairs, std::size_t, const PairFewMemory<Pairs>&, Isa, const LeafOutput&);

}  // namespace sortlab::cpu::radix::pair_leaf
