// The keys of real programs as distributions, beside the patterns of distributions.cpp.
#pragma once

#include <span>

#include "common/harness/input/fill.hpp"

namespace sortlab {

/// In the order in which they are listed to the user. Each has a usage that is_real().
std::span<const formulas::Row> real_inputs();

}  // namespace sortlab
