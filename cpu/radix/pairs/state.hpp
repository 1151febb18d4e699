// The memory of a thread of radix/pairs: for the partition, and for leaves of pairs.
#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "common/contract/isa.hpp"
#include "common/contract/isa_region.hpp"
#include "cpu/primitives/cache_lines.hpp"
#include "cpu/primitives/simd/kernels.hpp"
#include "cpu/radix/msd/counting.hpp"
#include "cpu/radix/pairs/leaf_memory.hpp"

namespace sortlab::cpu::radix::pairs {

// The parts of a sort that are still to be sorted, in the lists of threads.

/// Pairs [begin, begin + size) in the order of the result: a bucket, or a part of one.
struct Part {
  std::size_t begin, size;
  // Their keys differ at most in so many low bits; kUnknownWidth: not computed.
  std::int16_t width = 0;
  std::int16_t depth = 0;  // how many partitions they went through
  bool landed = false;     // they are in the result's memory as bits; otherwise packed
  bool streams = false;    // the result bypasses the caches
};

/// Parts that any thread may claim. Only one thread adds some, and not while others claim.
class PartList {
 public:
  void clear() { size_ = claimed_ = 0; }
  bool is_empty() const { return size_ == 0; }

  /// Returns false if there is no room.
  bool push(const Part& part) {
    if (size_ == parts_.size()) return false;
    parts_[size_++] = part;
    return true;
  }
  Part pop() { return parts_[--size_]; }

  /// The next part; null: there is none.
  const Part* claim() {
    const std::size_t i =
        peek() == nullptr ? size_ : next().fetch_add(1, std::memory_order_relaxed);
    return i < size_ ? &parts_[i] : nullptr;
  }
  /// Another thread may claim it first.
  const Part* peek() {
    const std::size_t i = next().load(std::memory_order_relaxed);
    return i < size_ ? &parts_[i] : nullptr;
  }

 private:
  std::atomic_ref<std::size_t> next() { return std::atomic_ref(claimed_); }

  std::size_t size_;
  alignas(primitives::kLineBytes) std::size_t claimed_;
  std::array<Part, msd::kMaxBuckets> parts_;
};

/// The lists of one thread.
class PartLists {
 public:
  void clear() {
    for (PartList& list : lists_) list.clear();
    shared.clear();
    turn_ = 0;
  }
  PartList& now() { return lists_[turn_]; }
  PartList& later() { return lists_[1 - turn_]; }
  /// Later is now.
  void turn() {
    now().clear();
    turn_ = 1 - turn_;
  }

  PartList shared;  // for all threads together; the first thread's

 private:
  std::array<PartList, 2> lists_;
  int turn_;
};

}  // namespace sortlab::cpu::radix::pairs

#define SORTLAB_PASTED  // see cpu/primitives/simd/kernels.hpp

#ifdef SORTLAB_X86
SORTLAB_AVX512_BEGIN
namespace sortlab::cpu::radix::pairs::avx512 {
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

  #include "cpu/radix/pairs/kernels.inl.hpp"
}  // namespace sortlab::cpu::radix::pairs::avx512
SORTLAB_AVX512_END

SORTLAB_AVX2_BEGIN
namespace sortlab::cpu::radix::pairs::avx2 {
using namespace primitives::simd::avx2;

template <class Items>
void unpack(PackedPairs<Items> pairs, const std::int32_t* order, std::uint32_t mask, std::size_t n,
            typename Items::Key* keys, typename Items::Value* values) {
  unpack_one_by_one(pairs, order, mask, n, keys, values);
}

  #include "cpu/radix/pairs/kernels.inl.hpp"
}  // namespace sortlab::cpu::radix::pairs::avx2
SORTLAB_AVX2_END
#endif

#ifdef SORTLAB_ARM
namespace sortlab::cpu::radix::pairs::neon {
using namespace primitives::simd::neon;

template <class Items>
void unpack(PackedPairs<Items> pairs, const std::int32_t* order, std::uint32_t mask, std::size_t n,
            typename Items::Key* keys, typename Items::Value* values) {
  unpack_one_by_one(pairs, order, mask, n, keys, values);
}

  #include "cpu/radix/pairs/kernels.inl.hpp"
}  // namespace sortlab::cpu::radix::pairs::neon
#endif

#undef SORTLAB_PASTED

namespace sortlab::cpu::radix::pairs {

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

/// Sorts at most kFewPairs pairs in place; not for Isa::scalar.
template <class Items>
void sort_few(Items pairs, std::size_t n, const PairFewMemory<Items>& memory, Isa isa,
              const LeafOutput& output) {
  with_kernels<Items>(isa, [&](auto kernels) { kernels.few.sort(pairs, n, memory, output); });
}

/// The memory of one thread.
template <class ItemsT>
struct alignas(kLineBytes) PairState : CountState<typename ItemsT::Key> {
  using Items = ItemsT;
  using Bits = typename Items::Key;

  PairLines<Items, kMaxBuckets> buckets;
  PairLeafMemory<Items> leaf;
  PartLists parts;

  /// Room for kMaxSample keys, between leaves.
  Bits* sample() { return leaf.keys; }

  /// Sorts n <= kPairLeafItems pairs of `from` whose keys differ at most in their `width` low bits;
  /// kUnknownWidth: not computed.
  template <class From>
  void sort_leaf(From from, Items to, std::size_t n, int width, Isa isa, const LeafOutput& output,
                 const Ahead& ahead) {
    sort_leaf(from, to, n, width, leaf.for_deal(), isa, output, ahead);
  }
  /// The same for any n, with memory that has room for n.
  template <class From>
  void sort_leaf(From from, Items to, std::size_t n, int width, const DealMemory<Items>& pieces,
                 Isa isa, const LeafOutput& output, const Ahead& ahead) {
    if (with_kernels<Items>(isa, [&](auto kernels) {
          kernels.leaf.sort(from, to, n, width, pieces, leaf, output, ahead);
        })) {
      return;
    }
    for (std::size_t i = 0; i < n; ++i) to.put(i, from[i]);
    leaf.sort_by_digits(to, n, pieces.pairs);
    if (output.restore != nullptr) output.restore(to.keys, n);
  }

  /// Copies n pairs of `from` to `to`, as bits. Returns the bits in which keys differ from
  /// `some_key`.
  Bits copy(PackedPairs<Items> from, Items to, std::size_t n, Bits some_key, Isa isa, bool stream) {
    Bits differing = 0;
    if (with_kernels<Items>(isa, [&](auto kernels) {
          differing = kernels.leaf.copy(from, to, n, some_key, leaf, {nullptr, stream});
        })) {
      return differing;
    }
    for (std::size_t i = 0; i < n; ++i) {
      to.put(i, from[i]);
      differing |= from.key(i) ^ some_key;
    }
    return differing;
  }

  /// Parts n pairs of `from` into those with lesser keys, with this key, and with greater ones;
  /// only those with this key get keys instead of bits.
  void part(PackedPairs<Items> from, std::size_t n, Bits key, const Sides<Items>& to, Isa isa,
            const LeafOutput& output) {
    if (with_kernels<Items>(
            isa, [&](auto kernels) { kernels.leaf.part(from, n, key, to, leaf, output); })) {
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
};

}  // namespace sortlab::cpu::radix::pairs
