// Correctness without clocks: the sizes where sorts break, and one checked sort.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/harness/input/input.hpp"
#include "common/harness/rig/rig.hpp"

namespace sortlab {

/// 0, 1, 2, 3, the neighbourhood of every power of two and of the thresholds that variants switch
/// at, up to `max_n`.
std::vector<std::size_t> adversarial_sizes(std::size_t max_n);

/// Has a rig sort one input, over poisoned memory. Returns "" or what is wrong.
std::string fault_of_sorting(Rig& rig, const Input& input);

/// Sorts one input of a task inside red zones, keys and values starting `misalign` elements off
/// alignment, and judges the result. Returns "" or what is wrong.
std::string check_sort(const Task& task, std::size_t misalign = 0);
/// The same with an input that was made before, for a configuration with the same input_key().
std::string check_sort(const Task& task, const Input& input, std::size_t misalign);

}  // namespace sortlab
