// Sort over several GPUs whose exchange is the first pass of the sort itself.
//
//   GPU 0  keys -> count the top 9 bits -> scatter by them -> bins of GPU 0: its own buffer
//                                                          -> bins of GPU 1, first pieces: GPU 1's buffer, over NVLink
//                                                          -> bins of GPU 1, later pieces: staged -> copy engines -> GPU 1
//   then each GPU splits and sorts the bins that it owns, piece by piece
//
// Over partition: no pass that only exchanges. Each GPU counts and scatters its keys once, as the first level of
// gpu/radix/msd_hybrid does; the counts of all GPUs tell which bins each of them owns; the other levels go on where that
// one ends. Stores over the link and copies are hidden behind the scatter and the levels.
// That is for keys alone, from 2^21 on. If the top digit is uneven, as that of floats always is, bins are chosen by a sample;
// a bin of one value is counted, but not sent. Pairs go the way of partition, of which the first pieces are stored straight
// into the other GPUs in whole lines of 128 bytes.
// `pieces` and `stored` say how many pieces a GPU's share has, and how many of them are stored rather than copied.
// Limits: a GPU has room for 5 % more than an even share, and a workspace for all items of its own.
// Bytes per u32 key of a GPU, 2^30 keys: 32, as on one GPU, and 4 to receive what is copied; by the way of partition 12
// beside the sort.
// Source: our own; the levels: Stehle and Jacobsen 2017.
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
      .summary = "the exchange is the first pass of the sort: bins go straight to their owner",
      .source = "our own",
      .after = "gpu/multi/partition",
      .memory = Memory::device,
      .stable = true,
      .capturable = false,
      .params = kParams};

  static PartNeeds needs(const PartRequest& request) {
    PartNeeds needs = gpu::parts::partition_needs(
        request, gpu::multi::sorts_at_once(request.params), request.part == 0);
    if (request.value_bytes == 0 && gpu::parts::are_enough_for_bins(request.all_n)) {
      const auto bytes = [&]<class Bits, class Value>(Bits, Value) {
        return gpu::parts::bins_bytes<Bits>(request, needs.capacity, request.part == 0);
      };
      needs.workspace_bytes =
          std::max(needs.workspace_bytes, visit_widths(request.key_bytes, std::size_t{0}, bytes));
    }
    return needs;
  }
  template <class Job>
  static std::vector<PartResult> sort(const Job& job) {
    if constexpr (!Job::kPairs) {
      if (job.parts.size() > 1 && gpu::parts::are_enough_for_bins(job.all_n())) {
        const auto bits = gpu::multi::with_bits(job);
        const auto cut = gpu::parts::cut_into_bins(job.parts.size(), job.all_n(), job.params);
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
};
SORTLAB_REGISTER(Fused, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
