// Defines the profiler functions of common/harness/breakdown/breakdown.hpp in a build without
// CUPTI.
#include <stdexcept>

#include "common/harness/breakdown/breakdown.hpp"

namespace sortlab {

std::string recording_unavailable() {
  return "built without CUPTI, which is part of NVIDIA's CUDA toolkit";
}

std::vector<Activity> record_activities(const std::function<void()>&) {
  throw std::runtime_error(recording_unavailable());
}

}  // namespace sortlab
