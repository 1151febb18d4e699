// A sort of data in host memory by the GPU and the CPU at once: both take pieces until none is left.
//
// Over pieces: the CPU's threads sort pieces, too, in both passes, while the link carries others. Nothing is merged
// afterwards: a piece of pass 2 is a bucket, whoever sorts it. The shares follow from the rates of this very sort.
// What it can gain: with g and c ns per key for link and CPU alone, both together take g c / (g + c). At 0.072 (u32,
// 55 GB/s) and 0.34 that is 0.06, so two crossings cost 0.12 ns per key; a GPU alone takes 0.16 for data that fits it,
// because its results can leave only when all keys have arrived.
// Gained: 2^30 u32, pinned, 6.7 Gkeys/s beside 6.4 of the GPU alone; staged 3.8 beside 5.8 (H200, 16 CPUs;
// results/h200/host.csv.xz).
// Limits: host memory carries what the CPU sorts as well. Takes half of the threads to stage pageable memory.
// Source: our own.
#include "gpu/auto/chosen.hpp"
#include "gpu/host/hybrid/cpu_sort.hpp"
#include "gpu/host/hybrid/sort.cuh"

namespace sortlab {
namespace {

constexpr ParamSpec kParams[] = {{"pieces", 32, 2, gpu::offload::kMostPieces,
                                  "into how many pieces the data is cut, if they fit the GPU"}};

struct Hybrid {
  using JobKind = Offload;
  static constexpr Info info{.summary = "the GPU and the CPU share the pieces",
                             .source = "our own",
                             .after = "gpu/host/pieces",
                             .memory = Memory::both,
                             .stable = true,
                             .alternate = true,
                             .parallel = true,
                             .isas = kEveryIsa,
                             .params = kParams};
  using Sort = gpu::Chosen<true>;
  using Planned = gpu::offload::Planned<Sort>;

  static std::string unavailable() {
    return gpu::hybrid::cpu_variant() == nullptr ? "cpu/auto/auto is not in this program" : "";
  }

  static OffloadNeeds needs(const OffloadRequest& request) {
    auto [plan, needs] = planned(request);
    const auto crew = gpu::hybrid::Crew::of(request.threads, request.pinned);
    needs.pinned_bytes = gpu::offload::Link::pinned_bytes(request.pinned, crew.carriers);
    const auto bytes = [&, &plan = plan]<class Bits, class Value>(Bits, Value) {
      return workspace_bytes<Bits, Value>(plan, crew.sorters);
    };
    needs.workspace_bytes = visit_widths(request.key_bytes, request.value_bytes, bytes);
    return needs;
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using CpuSort = gpu::hybrid::CpuSort<BitsOf<typename Job::Key>, typename Job::Value>;
    return gpu::hybrid::sort<Sort, CpuSort>(gpu::offload::with_bits(job),
                                            planned(request_of(job)).plan);
  }

 private:
  static Planned planned(const OffloadRequest& request) {
    const std::size_t bytes = request.n * (request.key_bytes + request.value_bytes);
    const auto most = static_cast<std::size_t>(request.params["pieces"]);
    return Planned::of(request, gpu::offload::pieces_worth_it(bytes, most),
                       gpu::offload::kMostPiece);
  }

  /// Any types of these widths.
  template <class Key, class Value>
  static std::size_t workspace_bytes(const gpu::offload::PiecePlan& plan, int sorters) {
    using CpuSort = gpu::hybrid::CpuSort<Key, Value>;
    return gpu::hybrid::Workspace<CpuSort>(plan, sorters).bytes;
  }
};
SORTLAB_REGISTER(Hybrid, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
