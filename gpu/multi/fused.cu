// Sort over several GPUs whose partition writes straight into the memory of the GPU that gets the items.
//
//   GPU 0  keys ->  deal  -> GPU 0's buffer
//                         -> GPU 1's buffer, by stores over NVLink, in whole lines of 128 bytes
//
// Over partition: nothing is staged and copied, so a GPU needs no workspace for the items that it sends, and
// an item that leaves is written once. But no sort overlaps the exchange: pieces arrive all at the same time,
// at the end of the pass.
// Limits: a GPU has room for 5 % more than an even share.
// Bytes per u32 key of a GPU: 12 beside the sort (4 to count, 8 to deal).
// Source: our own.
#include "gpu/multi/partition_sort.cuh"

namespace sortlab {
namespace {

struct Fused {
  static constexpr Info info{
      .summary = "the partition writes straight into the memory of the other GPUs",
      .source = "our own",
      .after = "gpu/multi/partition",
      .memory = Memory::device,
      .stable = true,
      .capturable = false,
      .params = gpu::multi::kPieceParams,
      .parts = Parts::devices};

  static PartNeeds needs(const PartRequest& request) {
    return gpu::multi::partition_needs<gpu::multi::Exchange::store>(request);
  }
  template <class Job>
  static std::vector<PartResult> sort(const Job& job) {
    return gpu::multi::sort_by_partition<gpu::multi::Exchange::store>(job);
  }
};
SORTLAB_REGISTER_DEVICES(Fused, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
