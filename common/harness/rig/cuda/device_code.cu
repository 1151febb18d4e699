#include "common/harness/rig/cuda/device_code.hpp"

namespace sortlab {
namespace {

__global__ void kernel() {}

}  // namespace

const void* any_kernel() { return reinterpret_cast<const void*>(&kernel); }

std::string architectures_of_binary() {
  constexpr int kArchitectures[] = {__CUDA_ARCH_LIST__};
  std::string text;
  for (const int architecture : kArchitectures) {
    text += (text.empty() ? "sm_" : ", sm_") + std::to_string(architecture / 10);
  }
  return text;
}

}  // namespace sortlab
