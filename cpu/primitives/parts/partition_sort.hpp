// Sort by a partition: cut by a sample, count, move each item to its part, and sort there, once. What
// cpu/ranks/partition does with an exchange, cpu/ranks/shared straight into the memory of the other parts, and
// cpu/ranks/hierarchical with many threads.
#pragma once

#include <array>

#include "common/contract/parts.hpp"

namespace sortlab::cpu::parts {

/// With 2^14 samples a share has a standard deviation of 0.8 %; parts have room for 4 % more than n/P.
inline constexpr std::array kPartitionParams = {
    ParamSpec{"sample", 1 << 14, 1, 1 << 20, "items that each rank looks at for the splitters"}};

PartNeeds needs_of_partition_sort(const PartRequest& request);
PartResult partition_sort(const ErasedPartJob& job);

}  // namespace sortlab::cpu::parts
