// The facts about a variant that both `list` and `show` print, as text and as JSON.
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

/// Why this machine can't run it now: "no NVIDIA driver"; "" when it can.
std::string why_not_here(const Variant& variant);

/// "yes" or "no": whether a host sort uses more than one thread; "-" for a device sort.
std::string parallel(const Variant& variant);

/// "yes", "no", or for which types a trait holds: "u32 i32; not u32+u32".
std::string where(const Variant& variant, bool Traits::*trait);

/// All facts about variants, as JSON, for plots, tables and tests.
std::string variants_json(const std::vector<const Variant*>& variants);

}  // namespace sortlab
