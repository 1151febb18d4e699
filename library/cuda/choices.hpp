// The measured choices of gpu/auto (gpu/auto/defaults.json), which cmake/gpu_choices.cmake writes as C++.
#pragma once

#include <span>

#include "library/cuda/rungs.hpp"

namespace sortlab::cuda::detail {

/// From this n on, this sort.
struct ChoiceStep {
  std::size_t from_n;
  Rung rung;
};

/// The SMs of the GPU that was measured.
extern const double kSmsOfChoices;

/// In order of n. None for values of 8 bytes, which have wide_pairs alone.
std::span<const ChoiceStep> choice_steps(Widths widths);

}  // namespace sortlab::cuda::detail
