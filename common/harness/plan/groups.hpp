// Filters that name variants by what they are, beside globs on their ids: "@auto" is the sorts that
// choose and those that they may choose; "cpu/@auto" and "gpu/@auto" are those of one side.
//
// Such a filter stands for a comparison that follows the code: a new candidate takes part without a
// word in a matrix file. Of a candidate it takes what may be chosen alone: its types, up to its most n.
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
