// Sort over several GPUs by merging: each GPU sorts its items, sends each other GPU its share, and merges the
// sorted runs that it gets.
//
//   GPU 0  sort | cut  [share 0][share 1]  -> GPU 0: [from 0][from 1]  -> merge
//   GPU 1  sort | cut  [share 0][share 1]  -> GPU 1: [from 0][from 1]  -> merge
//
// Over gather: all GPUs sort at the same time, each holds no more than its share, and each item crosses a
// link once at most. It costs log2(GPUs) merge passes of two runs each, and no step overlaps another.
// Splitters come from a sample of the sorted runs (splitters.hpp); a binary search in each run finds the cut.
// Stable: runs are merged in the order of the GPUs, and of equal keys the left run's come first.
// Limits: a GPU has room for 5 % more than an even share.
// Bytes per u32 key of a GPU: 8 per merge pass beside the sort, 4 to send, 4 to receive.
// Source: Shi and Schaeffer 1992 (sample sort that merges); Odeh et al. 2012 (Merge Path).
#include <vector>

#include "gpu/multi/merge_sort.cuh"

namespace sortlab {
namespace {

struct Merge {
  using JobKind = DeviceParts;
  static constexpr Info info{
      .summary = "each GPU sorts, shares are exchanged, sorted runs are merged two at a time",
      .source = "Shi and Schaeffer 1992",
      .after = "gpu/multi/gather",
      .memory = Memory::device,
      .stable = true,
      .capturable = false};

  static PartNeeds needs(const PartRequest& request) {
    return gpu::parts::own_merge_needs(request, request.part == 0);
  }

  template <class Job>
  static std::vector<PartResult> sort(const Job& job) {
    return gpu::multi::merge_sort(job, gpu::parts::OwnMergeSort{kind_of(job)});
  }
};
SORTLAB_REGISTER(Merge, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
