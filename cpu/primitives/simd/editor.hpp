// For editors that open a pasted file (*.inl.hpp, see kernels.hpp) alone: lanes of one key, and the
// namespaces that the file is pasted into. No build includes this file.
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
