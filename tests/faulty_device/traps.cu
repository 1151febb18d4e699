// A GPU sort whose kernel ends in a fault, after which the process can't use the GPU any more.
#include <cuda_runtime.h>

#include "common/contract/variant.hpp"

namespace sortlab {
namespace {

__global__ void trap() { __trap(); }

struct Traps {
  static constexpr Info info{
      .summary = "faults", .source = "made for the tests", .memory = Memory::device};

  template <class Job>
  static ResultIn sort(const Job& job) {
    trap<<<1, 1, 0, job.stream>>>();
    return ResultIn::data;
  }
};

SORTLAB_REGISTER(Traps, TypeList<std::uint32_t>, KeysOnly);

}  // namespace
}  // namespace sortlab
