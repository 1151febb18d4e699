// The kernels that cpu/radix/simd calls. They are compiled in files of their own, keys_32.cpp and
// keys_64.cpp.
#pragma once

#include "common/contract/isa.hpp"
#include "cpu/radix/simd/state.hpp"

namespace sortlab::cpu::radix::simd {

/// For int32_t and int64_t; `kFloat`: the user's keys are floating-point numbers.
template <class Key, bool kFloat>
Calls<Key> kernels_for(Isa isa);

}  // namespace sortlab::cpu::radix::simd
