// Histogram sort by few ranks of many threads each: one rank for a NUMA node, a socket or a host.
//
//     rank 0 (8 threads): sort   [ < s1 | rest ]             2 runs   merge by all threads
//     rank 1 (8 threads): sort   [ < s1 | rest ]   exchange  2 runs   merge by all threads
//
// Over cpu/ranks/histogram with a rank for each core: T threads share one memory, so there are T times fewer
// ranks. Then the exchange has T^2 times fewer messages, each T times as large; a smaller share of the items,
// (P-1)/P, leaves its rank; merging takes log2 T passes fewer; and fewer splitters are to be found. The local
// sort is cpu/auto with T threads. Merges are cut by Merge Path, so that all threads write equal shares.
// `--ranks 2 --threads 8` says how many; by default the ranks share the CPUs out.
// Passes: the local sort, one exchange, ceil(log2 P) merge passes. Stable.
// Limits: within a host the exchange goes through MPI's shared memory, which copies items twice.
// Source: our own; Merge Path: Odeh, Green et al., "Merge Path", IPDPS workshops 2012.
#include "cpu/primitives/parts/histogram_sort.hpp"

namespace sortlab {
namespace {

using namespace cpu::parts;

struct Hierarchical {
  static constexpr Info info{.summary = "histogram sort by a few ranks of many threads each",
                             .source = "our own",
                             .after = "cpu/ranks/histogram",
                             .stable = true,
                             .alternate = true,
                             .parallel = true,
                             .isas = kEveryIsa,
                             .parts = Parts::ranks};

  static PartNeeds needs(const PartRequest& request) { return needs_of_histogram_sort(request); }

  template <class Job>
  static PartResult sort(const Job& job) {
    return histogram_sort(job);
  }
};
SORTLAB_REGISTER_PARTS(Hierarchical, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
