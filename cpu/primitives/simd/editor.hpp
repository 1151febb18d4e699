// What a pasted file (*.inl.hpp, see kernels.hpp) finds when an editor opens it alone: lanes of one
// key, and the namespaces that it is pasted into. No build includes this file.
#pragma once

#include "cpu/primitives/simd/lanes.hpp"

#define SORTLAB_ISA scalar

namespace sortlab::cpu {
using namespace primitives;
using namespace primitives::simd;
using namespace primitives::simd::scalar;
}  // namespace sortlab::cpu
using namespace sortlab;
using namespace sortlab::cpu;
