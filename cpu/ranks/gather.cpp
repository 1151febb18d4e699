// All items to rank 0, sort there, and back: what people do first.
//
//     rank 0: [ a ]           [ a b c ]   sort   [ r s t ]           [ r ]
//     rank 1: [ b ]  gather      ->        ->       ->      scatter  [ s ]
//     rank 2: [ c ]                                                  [ t ]
//
// The foot of the ladder. One rank sorts while the others wait, so more ranks gain nothing, and rank 0 must
// hold all items twice. It is the right way only where n is so small that two messages per rank cost more
// than the sort.
// Bytes per item over the network: 2 (P-1)/P of its size, all of it through rank 0. The largest part has
// ceil(n/P) items. Stable.
// Source: MPI Forum, MPI 3.1 (2015): MPI_Gatherv, MPI_Scatterv.
#include "cpu/primitives/parts/exchange.hpp"

namespace sortlab {
namespace {

using namespace cpu::parts;

struct Gather {
  using JobKind = RankParts;
  static constexpr Info info{.summary = "all keys to rank 0, sort there, and back",
                             .source = "MPI Forum 2015",
                             .stable = true,
                             .alternate = true,
                             .isas = kEveryIsa};

  static PartNeeds needs(const PartRequest& request) {
    if (request.part != 0) return {request.most_n()};
    return {request.all_n, local_workspace_bytes(request.all_n, request)};
  }

  static PartResult sort_erased(const ErasedPartJob& e) {
    return with_job(e, [](const auto& job) { return sort(job); });
  }
  template <class Job>
  static PartResult sort(const Job& job) {
    Buffers<Job> buffers(job);
    Counts to_rank_0(static_cast<std::size_t>(job.parts.parts()));
    to_rank_0[0] = job.n;
    const Counts counts = exchange(job, buffers, to_rank_0);
    const bool is_rank_0 = job.parts.part() == 0;
    if (is_rank_0) sort_locally(job, buffers, job.all_n);
    const Counts back = is_rank_0 ? counts : Counts(counts.size());
    exchange(job, buffers, back);
    return {buffers.in, job.n};
  }
};
SORTLAB_REGISTER(Gather, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
