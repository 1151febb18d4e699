// Sorts indices of 8 bytes by the keys that they number: for more keys than an index of 4 bytes can
// number, which are rare.
#pragma once

#include <cstddef>
#include <cstdint>

#include "library/host/calls.hpp"

namespace sortlab::library {

/// Writes the n indices in the order of their keys; equal keys by index. `scratch`: n indices.
void sort_indices_by_comparison(Keys type, const Settings& settings, const void* keys,
                                std::uint64_t* index, std::size_t n, std::byte* scratch);

}  // namespace sortlab::library
