// Histogram sort: splitters by refined histograms instead of samples, then exchange and merge.
//
//     rank 0: sort  [........]                       [ < s1 | < s2 | rest ]            runs   merge
//     rank 1: sort  [........]  probe, count, again  [ < s1 | < s2 | rest ]  exchange  runs   merge
//     rank 2: sort  [........]         ->            [ < s1 | < s2 | rest ]     ->     runs   merge
//
// Over cpu/ranks/sample: the largest part has at most 4 % more than n/P items, whatever the input, where a
// sample leaves that to 1/oversampling. The slowest rank's share is what all wait for, and receive buffers
// are 4 % larger than the input, not 12 %. A round costs P-1 binary searches for each probe and one sum over
// all ranks: a few rounds for keys that spread evenly, bits/5 at most.
// Passes: the local sort, one exchange, ceil(log2 P) merge passes. Bytes per item over the network: (P-1)/P
// of its size, once. Stable.
// Limits: merging takes as many passes as the logarithm of P.
// Source: Kale, Krishnan, "A Comparison Based Parallel Sorting Algorithm", ICPP 1993; Harsh, Kale, Solomonik,
// "Histogram Sort with Sampling", SPAA 2019.
#include "cpu/primitives/parts/sorts.hpp"

namespace sortlab {
namespace {

using namespace cpu::parts;

struct Histogram {
  using JobKind = RankParts;
  static constexpr Info info{.summary = "splitters by refined histograms: even parts for any keys",
                             .source = "Kale and Krishnan 1993",
                             .after = "cpu/ranks/sample",
                             .stable = true,
                             .alternate = true,
                             .isas = kEveryIsa};

  static PartNeeds needs(const PartRequest& request) { return needs_of_histogram_sort(request); }

  static PartResult sort_erased(const ErasedPartJob& e) {
    return with_job(e, [](const auto& job) { return histogram_sort(job); });
  }
};
SORTLAB_REGISTER(Histogram, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
