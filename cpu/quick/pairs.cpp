// Quicksort of pairs on vectors, for equal keys in any order.
#include <cstddef>
#include <cstdint>
#include <functional>

#include "common/contract/variant.hpp"
#include "cpu/primitives/insertion_sort.hpp"
#include "cpu/primitives/simd/kernels.hpp"
#include "cpu/primitives/simd/signed_keys.hpp"
#include "cpu/quick/pairs/lanes.hpp"

namespace sortlab::cpu::quick::pairs {
using primitives::heap_sort, primitives::insertion_sort, primitives::simd::choose_splitters,
    primitives::simd::Splitters;

template <class Key>
struct Calls {
  unsigned (*look)(const Key* keys, std::size_t n, Key flip);
  void (*sort)(const Items<Key, std::uint32_t>& users, std::size_t n, Key flip);
};

}  // namespace sortlab::cpu::quick::pairs

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
                             .candidate = Candidate{.rank = 6},
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
