// Correctness without clocks: the sizes where sorts break, and one checked sort.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/harness/config.hpp"
#include "common/harness/input/input.hpp"

namespace sortlab {

/// 0, 1, 2, 3, the neighbourhood of every power of two and of the thresholds that variants switch
/// at, up to `max_n`.
std::vector<std::size_t> adversarial_sizes(std::size_t max_n);

/// Sorts one input of `config` inside red zones, keys and values starting `misalign` elements off
/// alignment, and judges the result. Returns "" or what is wrong.
std::string check_sort(const Config& config, std::size_t misalign = 0);
/// The same with an input that was made before, for a configuration with the same input_key().
std::string check_sort(const Config& config, const Input& input, std::size_t misalign);

}  // namespace sortlab
