// Partition first: cut the unsorted items, exchange them, then sort once.
//
//     rank 0: [.......]          [ < s1 | < s2 | rest ]            [ .. | .. | .. ]  sort
//     rank 1: [.......]  sample  [ < s1 | < s2 | rest ]  exchange  [ .. | .. | .. ]  sort
//     rank 2: [.......]    ->    [ < s1 | < s2 | rest ]     ->     [ .. | .. | .. ]  sort
//
// Over cpu/ranks/histogram: nothing is merged. Its ceil(log2 P) merge passes give way to two passes for any P,
// one that counts and one that moves (docs/ranks.md has figures). Splitters come from histograms of a sorted
// sample.
// Passes: count, move, one exchange, the local sort. Bytes per item over the network: (P-1)/P of its size, once.
// A part gets at most 4 % more than n/P: if the sample would have it so, cpu/ranks/histogram does the rest.
// Equal keys are cut between ranks by rank and place. Stable.
// Limits: within a host the items are written three times before the sort: by the move, and by MPI.
// Source: our own; sample sort without a merge: Blelloch et al., "A Comparison of Sorting Algorithms for the
// Connection Machine CM-2", SPAA 1991.
#include "cpu/primitives/parts/sorts.hpp"

namespace sortlab {
namespace {

using namespace cpu::parts;

struct PartitionSort {
  using JobKind = RankParts;
  static constexpr Info info{.summary = "partition by a sample, exchange, then sort once",
                             .source = "Blelloch et al. 1991",
                             .after = "cpu/ranks/histogram",
                             .stable = true,
                             .alternate = true,
                             .isas = kEveryIsa,
                             .params = kPartitionParams};

  static PartNeeds needs(const PartRequest& request) { return needs_of_partition_sort(request); }

  static PartResult sort_erased(const ErasedPartJob& job) { return partition_sort(job); }
};
SORTLAB_REGISTER(PartitionSort, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
