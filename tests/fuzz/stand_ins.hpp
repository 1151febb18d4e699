// Variants that sort nothing, for fuzzers of plans.
#pragma once

#include "common/harness/plan/plan.hpp"

namespace sortlab::fuzzing {

void register_stand_ins();

/// Plans a selection, unless it is of more configurations than a fuzzer has time for.
void plan_small(const Selection& selection);

}  // namespace sortlab::fuzzing
