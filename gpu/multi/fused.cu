// Sort over several GPUs whose partition writes the first pieces straight into the memory of the GPUs that get them.
//
//   GPU 0  keys ->  deal  -> piece 0: GPU 0's buffer, and GPU 1's by stores over NVLink, in whole lines of 128 bytes
//                         -> later pieces: own buffer, and workspace -> copy engines -> GPU 1
//
// Over partition: the exchange of the first pieces is hidden behind the pass that deals, which leaves the links idle
// otherwise, so that the first sort begins when the pass ends. What is stored is not staged. The later
// pieces are copied while the first ones are sorted.
// `stored` says how many pieces are stored: with all of them nothing is staged, and nothing overlaps the sorts.
// Limits: a GPU has room for 5 % more than an even share, and a workspace for all items of its own.
// Bytes per u32 key of a GPU: 12 beside the sort (4 to count, 8 to deal), 4 to receive what is copied.
// Source: our own.
#include "gpu/multi/partition_sort.cuh"

namespace sortlab {
namespace {

constexpr ParamSpec kParams[] = {
    gpu::parts::kPieces,
    gpu::multi::kAtOnce,
    {"stored", 0, 0, 64, "pieces that are written straight into other GPUs; 0: a quarter of them"}};

struct Fused {
  using JobKind = DeviceParts;
  static constexpr Info info{
      .summary =
          "the partition writes straight into the other GPUs' memory; later pieces are copied",
      .source = "our own",
      .after = "gpu/multi/partition",
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
    // The links carry about a quarter of what they must while the pass deals.
    const auto stored = [&](std::size_t pieces) {
      const auto wanted = static_cast<std::size_t>(job.params["stored"]);
      return wanted > 0 ? wanted : ceil_div(pieces, std::size_t{4});
    };
    return gpu::multi::sort_by_partition(job, stored);
  }
};
SORTLAB_REGISTER(Fused, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
