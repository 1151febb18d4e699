// --param: values for the parameters of variants.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/contract/variant.hpp"

namespace sortlab {

using Assignments = std::map<std::string, std::int64_t, std::less<>>;

/// "a=1,b=2". Throws BadInput.
Assignments parse_assignments(const std::string& text);

/// Throws BadInput unless every parameter that is set belongs to one of the variants, and fits it.
void check_assignments(const Assignments& assignments, const std::vector<const Variant*>& variants);

/// "name=value;..." of all the variant's parameters: the values set, or else the defaults.
std::string params_text(const Variant& variant, const Assignments& assignments);

}  // namespace sortlab
