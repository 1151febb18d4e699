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
#include "cpu/primitives/parts/merge_received.hpp"
#include "cpu/primitives/parts/splitters.hpp"

namespace sortlab {
namespace {

using namespace cpu::parts;

constexpr std::uint64_t kProbes = 32;  // for each splitter and round

/// So far may a splitter be from its place: two of them make 4 % of a part.
std::size_t tolerance_of(std::size_t items_of_a_part) { return items_of_a_part / 50; }

struct Histogram {
  static constexpr Info info{.summary = "splitters by refined histograms: even parts for any keys",
                             .source = "Kale and Krishnan 1993",
                             .after = "cpu/ranks/sample",
                             .stable = true,
                             .alternate = true,
                             .isas = kEveryIsa,
                             .parts = Parts::ranks};

  static PartNeeds needs(const PartRequest& request) {
    return {request.most_n() + 2 * tolerance_of(request.all_n / request.parts),
            local_workspace_bytes(request.most_n(), request)};
  }

  template <class Job>
  static PartResult sort(const Job& job) {
    Buffers<Job> buffers(job);
    sort_locally(job, buffers, job.n);
    const auto parts = static_cast<std::size_t>(job.parts.parts());
    const auto cuts = even_cuts(job, SortedPart<Job>{buffers.items.keys, job.n},
                                tolerance_of(job.all_n / parts), kProbes);
    Counts send_counts;
    std::size_t begin = 0;
    for (const std::size_t cut : cuts) {
      send_counts.push_back(cut - begin);
      begin = cut;
    }
    send_counts.push_back(job.n - begin);
    const Counts received = exchange(job, buffers, send_counts);
    merge_received(buffers, received);
    return {buffers.in, total(received)};
  }
};
SORTLAB_REGISTER_PARTS(Histogram, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
