// Quicksort of pairs on vectors: one mask moves keys and values. Equal keys may change places.
//
// Over quick/simd: values. Over radix/pairs: no order of equal keys to keep, so pairs are partitioned in
// place by pivots from a sample, and uneven keys cost no more than even ones.
// - A partition compares a vector of keys with a pivot. The mask names a permutation in a table, and this
//   permutation moves the keys and the values, each with one instruction. Both vectors are stored whole at
//   both ends of the free space (PairPartition in pairs/kernels.inl.hpp).
// - A piece of up to 16 vectors of 64-bit numbers is sorted by the network for keys alone. With keys of 4
//   bytes a number is the pair itself: the key above the value. With keys of 8 bytes it is the distance
//   to the piece's least key above the pair's place in the piece (PairBlock).
// - Up to 64 values in a sample of 512 are pivots at once, each split where it halves the pairs.
// - A piece of one key is left as it is: between two splitters that are neighbours, or found by a look.
//
//   keys    | not above the pivot | free | above |       values move as their keys do
//   values  | ................... | free | ..... |
//
// One thread. Memory traffic: a pair is read and written about log2(n / 80) times, all but the first few
// times in a cache.
//
// Limits: not stable. Values of 4 bytes. Keys are ordered by their bits, as in all sorts of this suite.
// Input in order or in reverse order takes one or two reads. Beyond a depth that only adversarial input
// should reach, heap sort keeps every input at O(n log n). Extra memory: none beside 13 KiB of the stack.
//
// Gain over radix/pairs, as cpu/auto/auto calls it: one thread, AVX-512, 1,000,003 pairs, 15 kinds of keys,
// least times: u32 0.81x to 1.75x faster (median 1.22x), u64 0.92x to 2.02x (1.45x); 100,003 pairs with even
// keys 0.7x to 0.8x, so these get radix/pairs from cpu/auto/any_order (results/spr2/any_order.csv).
// Experiments: docs/lab/cpu/quick/pairs.md.
// Source: Blacher et al., "Vectorized and performance-portable quicksort", 2022 (partition, networks over
// columns). That keys and values go by one mask is also how Intel's x86-simd-sort sorts them; no code is
// from there. The sort by numbers is that of radix/pairs.
#include <cstddef>
#include <cstdint>
#include <functional>

#include "common/contract/variant.hpp"
#include "cpu/primitives/simd/kernels.hpp"
#include "cpu/primitives/simd/keys.hpp"
#include "cpu/primitives/simple_sorts.hpp"
#include "cpu/quick/pairs/lanes.hpp"

#define SORTLAB_KERNELS "cpu/quick/pairs/kernels.inl.hpp"
#define SORTLAB_KERNELS_NAMESPACE sortlab::cpu::quick::pairs
#include "cpu/primitives/simd/for_each_isa.inl.hpp"

namespace sortlab {
namespace {
using namespace cpu::quick::pairs;

/// From so many pairs on a look for keys in order costs nothing beside the sort.
constexpr std::size_t kWorthALook = 256;

struct QuickPairs {
  static constexpr Info info{.summary = "SIMD quicksort of pairs, equal keys in any order",
                             .source = "Blacher et al. 2022",
                             .after = "cpu/quick/simd",
                             .candidate = Candidate{.rank = 7},
                             .in_place = true,
                             .isas = kEveryIsa};

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Keys = cpu::primitives::simd::SignedKeys<Job>;
    using Int = typename Keys::Int;
    const auto calls = calls_for<Int, Keys::kFloat>(job.isa);
    const Items<Int, std::uint32_t> users{Keys::of(job.data.keys), job.data.values};
    if (job.n >= kWorthALook) {
      const unsigned sequence = calls.look(users.keys, job.n, Keys::kFlip);
      if (sequence == cpu::primitives::simd::kDescending) {
        cpu::primitives::simd::turn_round(users.keys, job.n, 1);
        cpu::primitives::simd::turn_round(users.values, job.n, 1);
      }
      if (sequence != 0) return ResultIn::data;
    }
    calls.sort(users, job.n, Keys::kFlip);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(QuickPairs, AllKeys, TypeList<std::uint32_t>);

}  // namespace
}  // namespace sortlab
