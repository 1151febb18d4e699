// Partition straight into the memory of the other ranks, where all are on one host.
//
//     rank 0: [.......]             count,  move                  [ of 0 | of 1 | of 2 ]  sort
//     rank 1: [.......]  splitters  count,  move  --- memory -->  [ of 0 | of 1 | of 2 ]  sort
//     rank 2: [.......]             count,  move                  [ of 0 | of 1 | of 2 ]  sort
//
// Over cpu/ranks/partition: no exchange. Each rank's alternate buffer is shared memory, which the others map.
// The counts of all ranks say where each rank's items go there, so the move of the partition writes them to
// their last place before the sort (docs/ranks.md has figures). Passes: count, move, the local sort. Stable. On
// several hosts: cpu/ranks/partition.
// `exchange_ns` is 0, since the move is the exchange; `exchange_bytes` are those written to other ranks.
// Limits: before Linux 6.1 shared memory gets huge pages only where the system gives them
// (/sys/kernel/mm/transparent_hugepage/shmem_enabled: advise or always).
// Source: our own; MPI Forum, MPI 3.1 (2015), MPI_Win_allocate_shared: ranks that share memory.
#include "cpu/primitives/parts/sorts.hpp"

namespace sortlab {
namespace {

using namespace cpu::parts;

struct Shared {
  using JobKind = RankParts;
  static constexpr Info info{.summary = "partition straight into the memory of the other ranks",
                             .source = "our own",
                             .after = "cpu/ranks/partition",
                             .stable = true,
                             .alternate = true,
                             .isas = kEveryIsa,
                             .params = kPartitionParams};

  static PartNeeds needs(const PartRequest& request) {
    PartNeeds needs = needs_of_partition_sort(request);
    needs.shares_alternate = true;
    return needs;
  }

  static PartResult sort_erased(const ErasedPartJob& job) { return partition_sort(job); }
};
SORTLAB_REGISTER(Shared, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
