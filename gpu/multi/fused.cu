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
#include "gpu/multi/bins_sort.cuh"
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
    PartNeeds needs = gpu::parts::partition_needs(
        request, gpu::multi::sorts_at_once(request.params), request.part == 0);
    if (request.value_bytes == 0 && has_bins(request.all_n)) {
      const auto bytes = [&]<class Bits, class Value>(Bits, Value) {
        gpu::Layout layout;
        gpu::multi::BinsMemory<Bits>(layout, request.n(), needs.capacity,
                                     pieces_of_bins(gpu::parts::count_of_parts(request.parts),
                                                    request.all_n, request.params));
        return layout.bytes();
      };
      needs.workspace_bytes =
          std::max(needs.workspace_bytes, visit_widths(request.key_bytes, std::size_t{0}, bytes));
    }
    return needs;
  }
  template <class Job>
  static std::vector<PartResult> sort(const Job& job) {
    if constexpr (!Job::kPairs && std::is_integral_v<typename Job::Key>) {
      if (job.parts.size() > 1 && has_bins(job.all_n())) {
        const auto bits = gpu::multi::with_bits(job);
        const Cut cut = pieces_of_bins(job.parts.size(), job.all_n(), job.params);
        const auto stored = static_cast<std::size_t>(job.params["stored"]);
        auto results =
            gpu::multi::BinsExchange(bits, kind_of(job), cut, std::max<std::size_t>(1, stored))
                .sort();
        if (results) return *std::move(results);
      }
    }
    // The links carry about a quarter of what they must while the pass deals.
    const auto stored = [&](std::size_t pieces) {
      const auto wanted = static_cast<std::size_t>(job.params["stored"]);
      return wanted > 0 ? wanted : ceil_div(pieces, std::size_t{4});
    };
    return gpu::multi::sort_by_partition(job, stored);
  }

 private:
  using Cut = gpu::parts::Cut;

  static bool has_bins(std::size_t all_n) { return all_n >= std::size_t{1} << 21; }
  static Cut pieces_of_bins(std::size_t parts, std::size_t all_n, const Params& params) {
    const auto wanted = static_cast<std::size_t>(params["pieces"]);
    const std::size_t pieces = wanted > 0 ? wanted : all_n < std::size_t{1} << 27 ? 1 : 3;
    return {parts, std::min(pieces, gpu::radix::msd_hybrid::kTopBins / parts)};
  }
};
SORTLAB_REGISTER(Fused, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
