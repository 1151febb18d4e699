// The host code of the merge sorts that merge two runs at a time, and their parameters.
#pragma once

#include "gpu/primitives/block/bitonic_sort.cuh"
#include "gpu/primitives/launch/kernel.cuh"

namespace sortlab::gpu::merge {

/// The sort around the merge passes: sorts tiles of 512, then calls pass(from, to, width) for each
/// run width. The buffers change roles after each pass. Returns which buffer has the result.
template <class Job, class Pass>
ResultIn merge_tiles_of_512(const Job& job, Pass pass) {
  launch_sort_tiles_of_512(job);
  ResultIn result = ResultIn::data;
  for (std::size_t width = kSortedTile; width < job.n; width *= 2) {
    if (result == ResultIn::data) {
      pass(job.data, job.alternate, width);
      result = ResultIn::alternate;
    } else {
      pass(job.alternate, job.data, width);
      result = ResultIn::data;
    }
  }
  return result;
}

/// The parameters of the merges that give a thread several outputs.
inline constexpr ParamSpec kMergeParams[] = {
    {"threads", 256, 64, 1024, "threads a block, a power of two"},
    {"items", 8, 1, 16, "outputs a thread, a power of two"},
};

}  // namespace sortlab::gpu::merge
