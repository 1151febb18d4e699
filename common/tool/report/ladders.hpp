// The ladders: the order of their rungs, and the gain of each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/tool/report/model.hpp"

namespace sortlab::report {

/// plots/looks.json with the rungs of each known ladder: how variants look on the page.
std::string looks_json();

/// The rung below, as the variant's Info says. An unknown ladder is assumed to have the rungs that
/// all algorithms begin with. "" for the lowest, and for unknown names.
std::string rung_below(std::string_view variant);

/// Sets `before` and `gain` of each leading point: over the nearest rung below it that was measured
/// in the same place.
void find_gains(std::vector<Point>& points);

}  // namespace sortlab::report
