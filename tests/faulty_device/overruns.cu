// A GPU sort that leaves its input unsorted and writes one key past the end.
#include <cuda_runtime.h>

#include "common/contract/variant.hpp"

namespace sortlab {
namespace {

__global__ void write_behind(std::uint32_t* keys, std::size_t n) { keys[n] = 0; }

struct Overruns {
  static constexpr Info info{.summary = "writes one key too many",
                             .source = "made for the tests",
                             .memory = Memory::device};

  template <class Job>
  static ResultIn sort(const Job& job) {
    write_behind<<<1, 1, 0, job.stream>>>(job.data.keys, job.n);
    return ResultIn::data;
  }
};

SORTLAB_REGISTER(Overruns, TypeList<std::uint32_t>, KeysOnly);

}  // namespace
}  // namespace sortlab
