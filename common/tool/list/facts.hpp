// What `list` and `show` both tell of a variant.
#pragma once

#include <string>
#include <vector>

#include "common/contract/variant.hpp"

namespace sortlab {

/// The key types that it sorts alone, and those that it sorts with values: "u32+u32".
std::vector<std::string> key_types(const Variant& variant);
std::vector<std::string> pair_types(const Variant& variant);

/// "scalar,avx2"; "" for a device sort.
std::string isas(const Variant& variant);

}  // namespace sortlab
