// For editors that open a pasted file of this folder alone: see
// cpu/primitives/simd/editor.hpp.
#pragma once

#include "cpu/primitives/simd/editor.hpp"
#include "cpu/quick/pairs/lanes.hpp"

using namespace sortlab::cpu::quick::pairs;
using sortlab::cpu::quick::pairs::scalar::PairLanes;
