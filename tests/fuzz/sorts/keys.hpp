// The keys of a case, as words whose low bits are the key's.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/fuzz/sorts/case.hpp"

namespace sortlab::fuzz {

/// The place in the ascending order: a < b exactly when ordered(a) < ordered(b).
std::uint64_t ordered(KeyType type, std::uint64_t bits);

/// The case's n keys.
std::vector<std::uint64_t> make_keys(const Case& one);

/// Whether only IEEE-754's totalOrder distinguishes them: -0 and NaNs.
bool needs_total_order(KeyType type, const std::vector<std::uint64_t>& keys);

}  // namespace sortlab::fuzz
