// For editors that open a pasted file of this folder alone: see
// cpu/primitives/simd/editor.hpp.
#pragma once

#include "cpu/primitives/simd/all.inl.hpp"
#include "cpu/quick/simd/state.hpp"
#include "cpu/quick/tree_search.hpp"

using namespace sortlab::cpu::quick::simd;
using namespace sortlab::cpu::quick;
using sortlab::cpu::quick::scalar::TreeSearch;
