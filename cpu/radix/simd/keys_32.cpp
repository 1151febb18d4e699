// The kernels of cpu/radix/simd for keys of 32 bits.
#include "cpu/radix/simd/kernels_for.inl.hpp"

namespace sortlab::cpu::radix::simd {

template Calls<std::int32_t> kernels_for<std::int32_t, false>(Isa);
template Calls<std::int32_t> kernels_for<std::int32_t, true>(Isa);

}  // namespace sortlab::cpu::radix::simd
