// A GPU sort with a failing launch, which does not harm the GPU.
#include <cuda_runtime.h>

#include <stdexcept>

#include "common/contract/variant.hpp"

namespace sortlab {
namespace {

__global__ void nothing() {}

struct LaunchesBadly {
  static constexpr Info info{.summary = "asks for too many threads",
                             .source = "made for the tests",
                             .memory = Memory::device};

  template <class Job>
  static ResultIn sort(const Job& job) {
    nothing<<<1, 4096, 0, job.stream>>>();
    if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess) {
      throw std::runtime_error(std::string("launch of nothing: ") + cudaGetErrorString(status));
    }
    return ResultIn::data;
  }
};

SORTLAB_REGISTER(LaunchesBadly, TypeList<std::uint32_t>, KeysOnly);

}  // namespace
}  // namespace sortlab
