// Sorts data in host memory with several GPUs, each over its own link.
//
// Over pieces: all GPUs of --devices take pieces from one row, in both passes. A GPU that is free, or has the faster
// link, takes the next one, so no shares are agreed on before. The pieces are cut smaller, so that all GPUs end at about
// the same time. Nothing crosses from one GPU to another, and the GPUs need not see each other's memory.
// The alternative for data that fits all GPUs together is to copy it in, sort it with gpu/multi/*, and copy it out. That
// crosses each link once, but never in both directions at once, as the least key may arrive last. Two crossings in both
// directions take the links as long; the sorts hide behind them, and no input has to fit.
// Limits: host memory carries 16 bytes per u32 key: with several links it, not a link, may be the limit.
// Bytes per u32 key: 16 (host memory), of these 8 in each direction over all links together.
// Source: our own.
#include "gpu/auto/chosen.hpp"
#include "gpu/primitives/offload/sort.cuh"

namespace sortlab {
namespace {

constexpr ParamSpec kParams[] = {
    {"pieces", 16, 1, gpu::offload::kMostPieces,
     "into how many pieces the data is cut for each GPU, if they fit"}};

struct Spread {
  using JobKind = OffloadToAll;
  static constexpr Info info{.summary = "pieces over several GPUs and their links",
                             .source = "our own",
                             .after = "gpu/host/pieces",
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
    const std::size_t bytes = request.n * (request.key_bytes + request.value_bytes);
    const auto most = static_cast<std::size_t>(request.params["pieces"] * request.gpus);
    return Planned::of(request, gpu::offload::pieces_worth_it(bytes, most),
                       gpu::offload::kMostPiece);
  }
};
SORTLAB_REGISTER(Spread, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
