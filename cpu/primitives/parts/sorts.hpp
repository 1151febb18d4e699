// Two sorts over parts that sorts of cpu/ranks share.
#pragma once

#include <array>

#include "common/contract/parts.hpp"
#include "cpu/primitives/parts/local_sort.hpp"

namespace sortlab::cpu::parts {

// Histogram sort over parts: sort locally, cut evenly, exchange, merge. What cpu/ranks/histogram does, and
// the sort by a partition if its sample misleads it.

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

// Sort by a partition: cut by a sample, count, move each item to its part, and sort there, once. What
// cpu/ranks/partition does with an exchange, cpu/ranks/shared straight into the memory of the other parts, and
// cpu/ranks/hierarchical with many threads.

/// With 2^14 samples a share has a standard deviation of 0.8 %; parts have room for 4 % more than n/P.
inline constexpr std::array kPartitionParams = {
    ParamSpec{"sample", 1 << 14, 1, 1 << 20, "items that each rank looks at for the splitters"}};

PartNeeds needs_of_partition_sort(const PartRequest& request);
PartResult partition_sort(const ErasedPartJob& job);

}  // namespace sortlab::cpu::parts
