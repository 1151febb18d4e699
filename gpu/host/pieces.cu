// Sorts data in host memory that is larger than the GPU's memory, in pieces that cross the link twice.
//
// The first rung. If all items fit, it copies them in, sorts and copies them out. If not, pass 1 sorts runs that fit,
// and pass 2 gathers buckets of equal size from all runs and sorts them. In both passes the link carries both directions
// at once, and the GPU sorts meanwhile. Buckets are cut at exact ranks, so no input makes one too large.
// The alternative is one crossing and a merge of the runs by the CPU. It moves as many bytes of host memory (16 per u32
// key), but 16 threads merge slower than the link carries: at 55 GB/s a second crossing takes 0.07 ns per u32 key.
// 2^30 u32 under a cap of 1 GiB: 5.7 Gkeys/s, where 6.4 are the GPU's for data that fits (H200;
// results/h200/host.csv.xz).
// Limits: takes an alternate buffer as large as the data, in host memory.
// Bytes per u32 key: 16 (host memory), of these 8 in each direction of the link.
// Source: our own. Stehle and Jacobsen 2017 pipeline runs in the same way, and let the CPU merge them.
#include "gpu/auto/chosen.hpp"
#include "gpu/primitives/offload/sort.cuh"

namespace sortlab {
namespace {

constexpr ParamSpec kParams[] = {{"piece_mib", gpu::offload::kMostPiece >> 20, 1, 1 << 20,
                                  "the largest piece in MiB, where the data does not fit the GPU"}};

struct Pieces {
  using JobKind = Offload;
  static constexpr Info info{.summary = "larger than the GPU: two crossings of the link, in pieces",
                             .source = "our own",
                             .memory = Memory::both,
                             .stable = true,
                             .alternate = true,
                             .parallel = true,
                             .params = kParams};
  using Sort = gpu::Chosen<true>;
  using Planned = gpu::offload::Planned<Sort>;

  static OffloadNeeds needs(const OffloadRequest& request) { return planned(request).needs; }

  template <class Job>
  static ResultIn sort(const Job& job) {
    return gpu::offload::sort_in_pieces<Sort>(gpu::offload::with_bits(job),
                                              planned(request_of(job)).plan);
  }

 private:
  static Planned planned(const OffloadRequest& request) {
    const auto most_mib = static_cast<std::size_t>(request.params["piece_mib"]);
    return Planned::of(request, 1, most_mib << 20);
  }
};
SORTLAB_REGISTER(Pieces, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
