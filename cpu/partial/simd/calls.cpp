// The kernels of cpu/partial/simd for each instruction set; cpu/topk/filter calls them, too.
#include "cpu/partial/simd/calls.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "cpu/primitives/simd/kernels.hpp"

#define SORTLAB_KERNELS "cpu/partial/simd/kernels.inl.hpp"
#define SORTLAB_KERNELS_NAMESPACE sortlab::cpu::partial
#include "cpu/primitives/simd/for_each_isa.inl.hpp"

namespace sortlab::cpu::partial {

template <class Int, bool kFloat>
Calls<Int> calls(Isa isa) {
  return calls_for<Int, kFloat>(isa);
}
template Calls<std::int32_t> calls<std::int32_t, false>(Isa);
template Calls<std::int32_t> calls<std::int32_t, true>(Isa);
template Calls<std::int64_t> calls<std::int64_t, false>(Isa);
template Calls<std::int64_t> calls<std::int64_t, true>(Isa);

}  // namespace sortlab::cpu::partial
