// Patterns of blocks, beside those of distributions.cpp: as many equal blocks of the input as there are ranks.
#pragma once

#include <span>

#include "common/harness/input/fill.hpp"

namespace sortlab {

/// In the order in which they are listed to the user. The parameter is the number of blocks; but
/// deterdups has none.
std::span<const formulas::Row> block_patterns();

}  // namespace sortlab
