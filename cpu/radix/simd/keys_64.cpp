// The kernels of cpu/radix/simd for keys of 64 bits.
#include "cpu/radix/simd/kernels_for.inl.hpp"

namespace sortlab::cpu::radix::simd {

template Calls<std::int64_t> kernels_for<std::int64_t, false>(Isa);
template Calls<std::int64_t> kernels_for<std::int64_t, true>(Isa);

}  // namespace sortlab::cpu::radix::simd
