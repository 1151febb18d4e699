// The sorts that gpu/auto and cpu/auto may choose and `sortlab tune` measures: those whose Info holds a
// Candidate.
#pragma once

#include <string_view>
#include <vector>

#include "common/contract/variant.hpp"

namespace sortlab {

/// The registered candidates of one side, by rank.
std::vector<const Variant*> candidates(Memory memory);

/// null when there is no such candidate in this program.
const Variant* find_candidate(Memory memory, std::string_view id);

/// Whether to measure a candidate: it has code for the types, and may be chosen for n.
bool is_candidate_at(const Variant& variant, KeyType type, std::size_t value_bytes, std::size_t n);

}  // namespace sortlab
