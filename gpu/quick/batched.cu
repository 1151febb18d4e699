// Quicksort with a launch for each level of the recursion, a block for each segment.
//
// Over naive: all segments of a level are split at once, each by a whole block, and segments
// of at most 1024 items are finished in shared memory. Weak spot: the start. The first level is one
// block, the second two, so the first levels run at one SM's bandwidth (together about twice the
// time that one SM needs to read the array). Only then the GPU is full. Each level reads a key
// twice (count, split) and writes it once; somewhat more than log2(n / 1024) levels, for each of
// which the host reads back the number of segments: one wait for the stream per level.
// Against the sources: three-way splits, so equal keys leave the recursion instead of making it
// quadratic; pivots are medians of 32 keys at scattered places.
// Gain over naive: 78.4x (2^14 u32 keys, H200; results/h200/ladder.summary.csv).
// Source: Goralija et al., sections III.C.3 and IV.C; Bosnian edition, section IV.C (Batched)
// (docs/papers.md).
#include "gpu/primitives/launch/ordered_bits.cuh"
#include "gpu/quick/levels.cuh"

namespace sortlab {
namespace {

struct Batched {
  static constexpr ParamSpec kParams[] = {{"threads", 512, 64, 1024, "threads a block"}};
  static constexpr Info info{
      .summary = "quicksort, one launch per recursion level, one block per segment",
      .source = "Goralija et al., IV.C: Batched",
      .after = "gpu/quick/naive",
      .memory = Memory::device,
      .alternate = true,
      .capturable = false,
      .params = kParams};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    gpu::Layout layout;
    gpu::quick::LevelWorkspace(layout, request.n, false);
    return layout.bytes();
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    const unsigned threads = gpu::whole_warps(job.params, "threads");
    gpu::Layout layout(job.workspace.data());
    gpu::quick::split_levels(job, threads, gpu::quick::LevelWorkspace(layout, job.n, false),
                             gpu::quick::kSmallSegment);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(gpu::OnOrderedBits<Batched>, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
