// Variants that do nothing, for fuzzers of plans.
#pragma once

#include "common/harness/plan/plan.hpp"

namespace sortlab::fuzzing {

void register_stand_ins();

/// Plans a selection, unless it has too many configurations for a fuzzer.
void plan_small(const Selection& selection);

}  // namespace sortlab::fuzzing
