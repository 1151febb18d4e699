// The ladders: which rung stands on which, and what each gains.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/tool/report/model.hpp"

namespace sortlab::report {

/// The rung below: as the variant itself says where this build holds it, else as plots/looks.json
/// orders the ladder; "" for the lowest, for baselines, and for names that nobody knows.
std::string rung_below(std::string_view variant);

/// Sets `before` and `gain` of each leading point: over the nearest rung below it that was measured
/// in the same place.
void find_gains(std::vector<Point>& points);

}  // namespace sortlab::report
