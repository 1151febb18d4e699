// The sort of a bucket for all instruction sets, in a unit for each width of keys (cmake/variants.cmake).
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "common/utils.hpp"
#include "cpu/primitives/simd/kernels.hpp"
#include "cpu/primitives/simd/narrow_lanes.hpp"
#include "cpu/radix/buckets/bucket.hpp"

#define SORTLAB_KERNELS "cpu/radix/buckets/bucket.inl.hpp"
#define SORTLAB_KERNELS_NAMESPACE sortlab::cpu::radix::buckets
#include "cpu/primitives/simd/for_each_isa.inl.hpp"

namespace sortlab::cpu::radix::buckets {

template <class Key, bool kFloat>
BucketCalls<Key> calls(Isa isa) {
  return calls_for<Key, kFloat>(isa);
}

using UnitKey = std::make_signed_t<SORTLAB_UNIT_KEY>;
template BucketCalls<UnitKey> calls<UnitKey, false>(Isa);
template BucketCalls<UnitKey> calls<UnitKey, true>(Isa);

}  // namespace sortlab::cpu::radix::buckets
