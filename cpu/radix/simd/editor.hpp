// For editors that open a pasted file of this folder alone: see
// cpu/primitives/simd/editor.hpp.
#pragma once

#include "cpu/primitives/simd/all.inl.hpp"
#include "cpu/radix/simd/narrow_lanes.hpp"
#include "cpu/radix/simd/state.hpp"

using namespace sortlab::cpu::radix::simd;
