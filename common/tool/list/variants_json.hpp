// All facts about variants, as JSON, for plots, tables and tests.
#pragma once

#include <string>
#include <vector>

#include "common/contract/variant.hpp"

namespace sortlab {

std::string variants_json(const std::vector<const Variant*>& variants);

}  // namespace sortlab
