// Sorts many keys of 1 or 2 bytes by counting how often each of the 256 or 65,536 keys occurs, and writing
// them anew: one pass that reads and one that writes.
//
//   each thread:  its share of the keys -> counts of its own
//   one thread:   where each key begins in the result
//   each thread:  its share of the result
//
// Source: Seward, "Information sorting in the application of electronic digital computers to business
// operations" (1954).
#pragma once

#include "library/host/calls.hpp"

namespace sortlab::library {

/// Whether counting takes less time than sorting the keys as integers of 4 bytes.
bool is_worth_counting(Keys type, std::size_t n);

/// The most keys whose counts have 4 bytes. Tests use a smaller limit.
inline constexpr std::size_t kMostSmallCounts = UINT32_MAX;

/// The memory for count_and_write() in bytes: a multiple of kAlignment.
std::size_t counting_bytes(const SortCall& call, std::size_t most_small_counts = kMostSmallCounts);

/// Sorts narrow keys in place.
void count_and_write(const SortCall& call, std::byte* scratch,
                     std::size_t most_small_counts = kMostSmallCounts);

}  // namespace sortlab::library
