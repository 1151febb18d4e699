// Which sort to use, and from which n on the GPU is worth it.
#pragma once

#include <vector>

#include "common/tool/report/model.hpp"

namespace sortlab::report {

/// For each machine, place, kind of keys, input and number of host threads: ranges of measured n
/// with one winner each, in order of n. They cover those n at which the main candidates
/// (candidates.hpp) were measured; if there is no such n, there is one range without a winner.
/// Points that were measured only for exhibits do not compete. In Where::copies host sorts compete
/// with GPU sorts that copy.
std::vector<Choice> find_choices(const std::vector<Point>& points);

/// For each machine, kind of keys and input with GPU points: the GPU against the best host sort,
/// without copies (Where::device) and with them (Where::copies).
std::vector<Crossover> find_crossovers(const std::vector<Point>& points);

}  // namespace sortlab::report
