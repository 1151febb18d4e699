// Sort over several GPUs by one partition: items go to the GPU that gets their share before anything is
// sorted, so that each of them is sorted once.
//
//   GPU 0  keys ->  deal  [own, piece 0..][for GPU 1, piece 0..]  -> copy engines -> GPU 1, piece by piece
//   GPU 1  keys ->  deal  [for GPU 0, ..][own, ..]                ->      ...     -> GPU 0
//          sort of piece 0 | sort of piece 1 | ...     while the later pieces are on their way
//
// Over merge: no merge passes at the end, and the exchange of all pieces but the first is hidden behind the
// sorts. Splitters come from a sorted sample, by key, GPU and place, so shares are even for any keys, all
// equal ones too (splitters.hpp). One pass counts each GPU's shares, one deals them (deal.cuh).
// Stable: shares are dealt in order, runs arrive in the order of the GPUs, and the sort is stable.
// Limits: a GPU has room for 5 % more than an even share, and a workspace for all items of its own.
// Bytes per u32 key of a GPU: 12 beside the sort (4 to count, 8 to deal), 4 to receive.
// Source: our own; the steps are those of sample sort: Blelloch et al. 1991.
#include "gpu/multi/partition_sort.cuh"

namespace sortlab {
namespace {

constexpr ParamSpec kParams[] = {gpu::parts::kPieces, gpu::multi::kAtOnce};

struct Partition {
  using JobKind = DeviceParts;
  static constexpr Info info{
      .summary =
          "each GPU deals its items to shares; copy engines exchange them while others are sorted",
      .source = "our own",
      .after = "gpu/multi/merge",
      .memory = Memory::device,
      .stable = true,
      .capturable = false,
      .params = kParams};

  static PartNeeds needs(const PartRequest& request) {
    return gpu::parts::partition_needs(request, gpu::multi::sorts_at_once(request.params),
                                       request.part == 0);
  }
  template <class Job>
  static std::vector<PartResult> sort(const Job& job) {
    return gpu::multi::sort_by_partition(job, [](std::size_t) { return std::size_t{0}; });
  }
};
SORTLAB_REGISTER(Partition, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
