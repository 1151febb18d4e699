// Histogram sort over parts: sort locally, cut evenly, exchange, merge. What cpu/ranks/histogram does, and
// partition_sort.hpp if its sample misleads it.
#pragma once

#include "cpu/primitives/parts/local_sort.hpp"

namespace sortlab::cpu::parts {

/// How far a splitter may be from its place: two splitters together change a part's size by at most
/// 4 %.
inline std::size_t tolerance_of(std::size_t items_of_a_part) { return items_of_a_part / 50; }

inline PartNeeds needs_of_histogram_sort(const PartRequest& request) {
  const std::size_t even = request.all_n / static_cast<std::size_t>(request.parts);
  return {request.most_n() + 2 * tolerance_of(even),
          local_workspace_bytes(request.most_n(), request)};
}

/// For each Job that with_job makes.
template <class Job>
PartResult histogram_sort(const Job& job);

}  // namespace sortlab::cpu::parts
