// Checks of correctness without clocks: the sizes at which sorts often fail, and one checked sort.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/harness/input/input.hpp"
#include "common/harness/rig/rig.hpp"

namespace sortlab {

/// 0, 1, 2, 3, and the numbers next to powers of two and to the variants' thresholds, up to
/// `max_n`.
std::vector<std::size_t> adversarial_sizes(std::size_t max_n);

/// Lets a rig sort one input, with poisoned memory. Returns "" or the fault.
std::string fault_of_sorting(Rig& rig, const Input& input);

/// Sorts one input of a task between guard zones and checks the result. Keys and values start
/// `misalign` elements off alignment. Returns "" or the fault.
std::string check_sort(const Task& task, std::size_t misalign = 0);
/// The same with an existing input, made for a configuration with the same input_key().
std::string check_sort(const Task& task, const Input& input, std::size_t misalign);

}  // namespace sortlab
