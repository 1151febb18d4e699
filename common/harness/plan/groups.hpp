// Filters that select variants by their properties instead of their ids. "@auto" selects the sorts
// that choose and the candidates that they may choose; "cpu/@auto" and "gpu/@auto" select those of
// one side.
//
// A comparison with such a filter follows the code: it includes a new candidate without a change of
// the matrix file. It includes a candidate only for the types and the n for which it may be chosen.
#pragma once

#include <string>
#include <vector>

#include "common/contract/variant.hpp"

namespace sortlab {

/// Whether a filter, a glob or a group, names the variant.
bool names(const std::string& filter, const Variant& variant);

/// Whether the filters name the variant for these types and n. Without filters all are named.
bool any_names(const std::vector<std::string>& filters, const Variant& variant, KeyType type,
               std::size_t value_bytes, std::size_t n);

}  // namespace sortlab
