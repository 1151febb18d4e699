// The kernels' code for all instruction sets, in a unit for each width of keys (cmake/variants.cmake).
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/contract/isa_region.hpp"
#include "common/utils.hpp"
#include "cpu/primitives/simd/lanes.hpp"
#include "cpu/radix/simd/state.hpp"

#define SORTLAB_KERNELS "cpu/radix/simd/kernels.inl.hpp"
#define SORTLAB_KERNELS_NAMESPACE sortlab::cpu::radix::simd
#include "cpu/primitives/simd/for_each_isa.inl.hpp"

namespace sortlab::cpu::radix::simd {

template <class Key, bool kFloat>
Calls<Key> kernels_for(Isa isa) {
  return calls_for<Key, kFloat>(isa);
}

using UnitKey = std::make_signed_t<SORTLAB_UNIT_KEY>;
template Calls<UnitKey> kernels_for<UnitKey, false>(Isa);
template Calls<UnitKey> kernels_for<UnitKey, true>(Isa);

}  // namespace sortlab::cpu::radix::simd
