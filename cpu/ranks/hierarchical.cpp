// The partition of few ranks of many threads each: one rank for a NUMA node, a socket or a host.
//
//     rank 0 (8 threads): count, move   [ of 0 | of 1 ]   sort by 8 threads
//     rank 1 (8 threads): count, move   [ of 0 | of 1 ]   sort by 8 threads
//
// Over cpu/ranks/shared with a rank for each core: T threads share one memory, so there are T times fewer
// ranks, splitters to be found and streams to write. Between hosts the exchange has T^2 times fewer messages,
// each T times as large. All passes are by T threads.
// `--ranks nodes` is one rank for each NUMA node, and keeps each there; `--ranks 2 --threads 8` says both
// numbers. By default the ranks share the CPUs out.
// Passes: as cpu/ranks/shared within a host, as cpu/ranks/partition between hosts. Stable.
// Source: our own.
#include "cpu/primitives/parts/sorts.hpp"

namespace sortlab {
namespace {

using namespace cpu::parts;

struct Hierarchical {
  using JobKind = RankParts;
  static constexpr Info info{.summary = "a few ranks of many threads each, in shared memory",
                             .source = "our own",
                             .after = "cpu/ranks/shared",
                             .stable = true,
                             .alternate = true,
                             .parallel = true,
                             .isas = kEveryIsa,
                             .params = kPartitionParams};

  static PartNeeds needs(const PartRequest& request) {
    PartNeeds needs = needs_of_partition_sort(request);
    needs.shares_alternate = true;
    return needs;
  }

  static PartResult sort_erased(const ErasedPartJob& job) { return partition_sort(job); }
};
SORTLAB_REGISTER(Hierarchical, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
